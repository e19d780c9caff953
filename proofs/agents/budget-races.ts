import { agentCheckout, asSignedIn, callOf, newCustomer, openAgent } from '../testing/agents.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';

/**
 * Confirms many purchases concurrently, near the limit of a budget. The recorded spending must equal the orders, and
 * never exceed the budget.
 */
export const E1: Proof = {
  id: 'E1',
  promise:
    'Parallel purchases never exceed the budget of an agent, even while its period changes, and every cent is accounted for.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      const [rounds, parallel] = pick(trial.size, [1, 12] as const, [200, 64] as const);
      let confirmed = 0;
      for (let round = 0; round < rounds; round += 1) {
        const customer = await newCustomer(world, tenant);
        // A purchase with shipping costs 24.90. The budget covers at least one of the purchases, and at most all but one.
        const budget = 2490 * (1 + (round % (parallel - 1))) + 1234;
        const agent = await openAgent(world, tenant, customer.id, budget);
        const ready = await prepareMany(world, tenant, agent.secret, customer.token, parallel);
        const replies = await Promise.all(
          ready.map(({ id, total }) => {
            const parts = { path: { checkout_id: id }, body: { expected_total: total } };
            return world.send(callOf('storefront.completeCheckout', asSignedIn(tenant, customer.token), parts), tenant);
          }),
        );
        for (const { status, text } of replies) {
          if (status !== 200 && status !== 402)
            world.violations.add(`a confirmation: expected 200 or 402, got ${status} ${text}`);
        }
        const accepted = replies.filter(({ status }) => status === 200).length;
        confirmed += accepted;
        if (accepted !== Math.floor(budget / 2490))
          world.violations.add(
            `${accepted} purchases were confirmed, but ${Math.floor(budget / 2490)} fit into the budget of ${budget}`,
          );
        await judge(world, agent.id, accepted * 2490, budget);
        confirmed += await acrossTheTurn(world, tenant, parallel, round);
        confirmed += await duringPayment(world, tenant);
        trial.progress(`round ${round + 1} of ${rounds}`);
      }
      const note = `${confirmed} confirmed, cents over a budget: 0`;
      const figures = { tried: 2 * rounds * parallel, unit: 'purchases at once', violations: world.violations.list };
      return { ...figures, ...(world.violations.list.length === 0 && { note }) } satisfies Figures;
    }),
};

/**
 * Confirms purchases concurrently while the budget period changes. The purchases of each period must stay within its
 * budget, and each must be counted exactly once.
 */
async function acrossTheTurn(world: World, tenant: Tenant, parallel: number, round: number): Promise<number> {
  const customer = await newCustomer(world, tenant);
  const fits = 3 + (round % Math.max(1, Math.floor(parallel / 3)));
  const budget = 2490 * fits + 1234;
  const budget_period = round % 2 === 0 ? 'week' : 'month';
  const agent = await openAgent(world, tenant, customer.id, budget, { budget_period });
  const ready = await prepareMany(world, tenant, agent.secret, customer.token, parallel);
  const turnAt = Math.floor((parallel * ((round % 3) + 1)) / 4);
  const send = ({ id, total }: { id: string; total: string }) => {
    const parts = { path: { checkout_id: id }, body: { expected_total: total } };
    return world.send(callOf('storefront.completeCheckout', asSignedIn(tenant, customer.token), parts), tenant);
  };
  const [replies] = await Promise.all([
    Promise.all(ready.map((one, i) => (i < turnAt ? send(one) : turn(world, agent.id).then(() => send(one))))),
    turn(world, agent.id),
  ]);
  const accepted = replies.filter(({ status }) => status === 200).length;
  for (const { status, text } of replies) {
    if (status !== 200 && status !== 402)
      world.violations.add(`a confirmation at the end of a budget period: expected 200 or 402, got ${status} ${text}`);
  }
  const { rows } = await world.owner.query<{
    period: number;
    cents: number;
    spent: number;
    used: number;
    total: number;
  }>(
    `select o.agent_period_number as period, sum(o.total * 100)::int as cents, sum(o.agent_spent_cents)::int as spent,
       min(case when a.period_number = o.agent_period_number then a.budget_used_cents end)::int as used,
       min(a.spent_total_cents)::int as total
     from commerce.orders o join commerce.agent_tokens a on a.site_id = o.site_id and a.id = o.agent_token_id
     where a.id = $1 group by o.agent_period_number order by o.agent_period_number`,
    [agent.id],
  );
  for (const { period, cents, spent, used } of rows) {
    if (cents > budget || spent !== cents || (used !== null && used !== cents)) {
      world.violations.add(`period ${period}: ordered ${cents}, spent ${spent}, used ${used}, allowed ${budget}`);
    }
  }
  const ordered = rows.reduce((sum, { cents }) => sum + cents, 0);
  if (ordered !== accepted * 2490 || (rows[0]?.total ?? 0) !== ordered) {
    world.violations.add(
      `at the end of a budget period ${accepted} purchases were confirmed, but ${ordered} cents ordered, ${rows[0]?.total} in all`,
    );
  }
  if (accepted < fits)
    world.violations.add(
      `at the end of a budget period only ${accepted} purchases were confirmed, although ${fits} fit into one period`,
    );
  return accepted;
}

/** The budget covers one of two purchases. While the payment of one waits for the customer, the other must be refused. */
async function duringPayment(world: World, tenant: Tenant): Promise<number> {
  const customer = await newCustomer(world, tenant);
  const agent = await openAgent(world, tenant, customer.id, 2490 + 1234);
  const [waiting, other] = await prepareMany(world, tenant, agent.secret, customer.token, 2);
  const send = (operation: string, checkout_id = '', body: object = {}) =>
    world.send(callOf(operation, asSignedIn(tenant, customer.token), { path: { checkout_id }, body }), tenant);
  await send('storefront.updateCheckout', waiting?.id, { payment_method: 'card' });
  const begun = await send('storefront.completeCheckout', waiting?.id, {
    payment: { card_token: 'tok_3ds' },
  });
  if (!begun.text.includes('"payment_action_required"'))
    world.violations.add(`a payment did not ask for confirmation: ${begun.text}`);
  const { status, text } = await send('storefront.completeCheckout', other?.id, { expected_total: other?.total });
  if (status !== 409)
    world.violations.add(`a confirmation while another payment is pending: expected 409, got ${status} ${text}`);
  return status === 200 ? 1 : 0;
}

/** Moves the start of the budget period back, so that the period has ended. A second call has no effect. */
async function turn({ owner }: World, token_id: string): Promise<void> {
  await owner.query(
    `update commerce.agent_tokens set budget_since = budget_since - interval '1 month' - interval '1 day'
     where id = $1 and budget_since > now() - interval '1 day'`,
    [token_id],
  );
}

async function prepareMany(world: World, tenant: Tenant, agent: string, customer: string, count: number) {
  const ready: { id: string; total: string }[] = [];
  while (ready.length < count) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - ready.length) }, () =>
      agentCheckout(world, tenant, agent, customer),
    );
    ready.push(...(await Promise.all(some)));
  }
  return ready;
}

/** The number of checkouts that are prepared concurrently. */
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
