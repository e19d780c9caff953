import { askForConsent, asSignedIn, callOf, newCustomer, pollConsent } from '../testing/agents.ts';
import { type Proof, pick } from '../testing/proof.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';

const APPROVED = 20;
const CAP = 10;

/** One customer approves twenty requests for agents, each polled by many clients concurrently. */
export const E4: Proof = {
  id: 'E4',
  promise: 'An approval issues one token, a customer has ten active agents at most, and an ended one can be replaced.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      const [rounds, parallel] = pick(trial.size, [1, 4] as const, [20, 64] as const);
      let polls = 0;
      for (let round = 0; round < rounds; round += 1) {
        const customer = await newCustomer(world, tenant);
        const codes = await Promise.all(
          Array.from({ length: APPROVED }, () => askForConsent(world, tenant, customer.id)),
        );
        const replies = await Promise.all(
          codes.flatMap(({ device_code }) =>
            Array.from({ length: parallel }, () => pollConsent(world, tenant, device_code)),
          ),
        );
        polls += replies.length;
        const issued = replies.filter(({ status }) => status === 200).map(({ text }) => JSON.parse(text) as Issued);
        if (issued.length !== CAP)
          world.violations.add(`${issued.length} polls returned a token, but the cap is ${CAP} agents`);
        await judge(world, customer.id);
        const capped = replies.find(({ text }) => text.includes('"agent_cap_exceeded"'));
        if (!capped) world.violations.add('no response reported the cap');
        await takeFreedPlace(world, tenant, customer, codes, issued[0]?.token_id ?? '');
      }
      return { tried: polls, unit: 'polls', violations: world.violations.list };
    }),
};

interface Issued {
  token_id: string;
}

async function judge({ owner, violations }: World, customer_id: string): Promise<void> {
  const { rows } = await owner.query<{ active: number }>(
    `select count(*)::int as active from commerce.tokens where customer_id = $1 and revoked_at is null`,
    [customer_id],
  );
  if (rows[0]?.active !== CAP) violations.add(`${rows[0]?.active} agents are active instead of ${CAP}`);
}

/** After one agent is revoked, exactly one of the remaining requests must get a token, without a new consent. */
async function takeFreedPlace(
  world: World,
  tenant: Tenant,
  customer: { id: string; token: string },
  codes: { device_code: string }[],
  agent_token_id: string,
): Promise<void> {
  const headers = asSignedIn(tenant, customer.token);
  await world.send(callOf('storefront.revokeAgent', headers, { path: { agent_token_id } }), tenant);
  const replies = await Promise.all(codes.map(({ device_code }) => pollConsent(world, tenant, device_code)));
  const issued = replies.filter(({ status }) => status === 200).length;
  if (issued !== 1) world.violations.add(`${issued} polls returned a token after one agent was revoked, instead of 1`);
  await judge(world, customer.id);
}
