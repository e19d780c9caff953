import { agentCheckout, asSignedIn, callOf, newCustomer, openAgent } from './agents.ts';
import { type Figures, type Proof, pick } from './frame.ts';
import type { World } from './tenant.ts';
import { inWorld } from './world.ts';

/** Many confirmations at once at the edge of a budget: what is recorded is what was ordered, and never more than allowed. */
export const E1: Proof = {
  id: 'E1',
  promise: 'Parallel purchases never overrun the budget of an agent, and every cent of it is accounted for.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      const [rounds, parallel] = pick(trial.size, [1, 12] as const, [200, 64] as const);
      let confirmed = 0;
      for (let round = 0; round < rounds; round += 1) {
        const customer = await newCustomer(world, tenant);
        // A staple with its parcel is 24.90: between one and all but one of the purchases fit.
        const budget = 2490 * (1 + (round % (parallel - 1))) + 1234;
        const agent = await openAgent(world, tenant, customer.id, budget);
        const ready: { id: string; total: string }[] = [];
        while (ready.length < parallel) {
          const some = Array.from({ length: Math.min(AT_ONCE, parallel - ready.length) }, () =>
            agentCheckout(world, tenant, agent.secret, customer.token),
          );
          ready.push(...(await Promise.all(some)));
        }
        const replies = await Promise.all(
          ready.map(({ id, total }) => {
            const parts = { path: { checkout_id: id }, body: { expected_total: total } };
            return world.send(callOf('storefront.completeCheckout', asSignedIn(tenant, customer.token), parts), tenant);
          }),
        );
        for (const { status, text } of replies) {
          if (status !== 200 && status !== 402) world.violations.add(`a confirmation got ${status} ${text}`);
        }
        const accepted = replies.filter(({ status }) => status === 200).length;
        confirmed += accepted;
        if (accepted !== Math.floor(budget / 2490)) world.violations.add(`${accepted} purchases fit in ${budget}`);
        await judge(world, agent.id, accepted * 2490, budget);
        trial.progress(`round ${round + 1} of ${rounds}`);
      }
      const note = `${confirmed} confirmed, cents over a budget: 0`;
      const figures = { tried: rounds * parallel, unit: 'purchases at once', violations: world.violations.list };
      return { ...figures, ...(world.violations.list.length === 0 && { note }) } satisfies Figures;
    }),
};

/** This many checkouts are prepared at a time. */
const AT_ONCE = 8;

async function judge({ owner, violations }: World, token_id: string, expected: number, budget: number): Promise<void> {
  const { rows } = await owner.query<{ used: number; ordered: number }>(
    `select a.budget_used_cents::int as used, (
       select coalesce(sum(o.total * 100), 0)::int from commerce.orders o
       where o.site_id = a.site_id and o.agent_token_id = a.id) as ordered
     from commerce.agent_tokens a where a.id = $1`,
    [token_id],
  );
  const [{ used = 0, ordered = 0 } = {}] = rows;
  if (used !== ordered || used !== expected || used > budget) {
    violations.add(`recorded ${used}, ordered ${ordered}, confirmed ${expected}, allowed ${budget}`);
  }
}
