import { askForConsent, asSignedIn, bearer, callOf, newCustomer, openAgent } from '../testing/agents.ts';
import type { Proof } from '../testing/proof.ts';
import type { Call } from '../testing/raw-requests.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { attackAuthorizations } from './consent-attempts.ts';

type Consent = Awaited<ReturnType<typeof askForConsent>>;

/**
 * Every kind of caller tries to decide a device request and an OAuth client's request, in every state of the request.
 */
export const F4: Proof = {
  id: 'F4',
  promise: 'A consent request is decided once, in time, and only by one customer of its own shop.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant, other] = world.tenants;
      const [owner, second, foreign] = [
        await newCustomer(world, tenant),
        await newCustomer(world, tenant),
        await newCustomer(world, other),
      ];
      const agent = await openAgent(world, tenant, owner.id);
      const callers: Record<string, Call['headers']> = {
        owner: asSignedIn(tenant, owner.token),
        second: asSignedIn(tenant, second.token),
        foreign: asSignedIn(other, foreign.token),
        'foreign, with the site of the shop': { ...asSignedIn(other, foreign.token), 'X-Site-ID': tenant.site_id },
        agent: { ...asSignedIn(tenant, agent.secret) },
        'agent alone': bearer(agent.secret),
        guest: { 'X-Site-ID': tenant.site_id, 'X-Service-Token': tenant.secrets.StorefrontToken },
      };
      let tried = 0;
      for (const state of Object.keys(STATES)) {
        for (const [who, headers] of Object.entries(callers)) {
          for (const verb of ['approve', 'deny'] as const) {
            const consent = await askForConsent(world, tenant);
            await STATES[state]?.(world, consent, owner.id);
            const id = `storefront.${verb}AgentConsent`;
            const call = callOf(id, headers, { path: { user_code: consent.user_code } });
            const { status, text } = await world.send(call, who === 'foreign' ? other : tenant);
            tried += 1;
            const expected = outcome(state, who, verb);
            const after = await statusOf(world, consent);
            if (status !== expected.status || after !== expected.after) {
              world.violations.add(
                `${who} would ${verb} a ${state} one: ${status} ${text.slice(0, 200)}, now ${after}`,
              );
            }
          }
        }
        await byGet(world, tenant, callers.owner ?? {}, state, owner.id);
        tried += 2;
      }
      tried += await attackAuthorizations(trial, world);
      return { tried, unit: 'attempts', violations: world.violations.list };
    }),
};

type Arrange = (world: World, consent: Consent, customer_id: string) => Promise<unknown>;

const set =
  (columns: string): Arrange =>
  ({ owner }, { id }, customer_id) =>
    owner.query(`update commerce.agent_consents set ${columns} where id = $1 and $2::uuid is not null`, [
      id,
      customer_id,
    ]);

const STATES: Record<string, Arrange> = {
  pending: async () => {},
  approved: set(`status = 'approved', customer_id = $2`),
  denied: set(`status = 'denied', customer_id = $2`),
  expired: set(`expires_at = now() - interval '1 second'`),
  'approved and expired': set(`status = 'approved', customer_id = $2, expires_at = now() - interval '1 second'`),
};

/** Returns the expected result for a state, a caller and a verb. */
function outcome(state: string, who: string, verb: 'approve' | 'deny'): { status: number; after: string } {
  const before = state === 'expired' ? 'pending' : (state.split(' ')[0] ?? '');
  if (['guest', 'agent alone', 'foreign, with the site of the shop'].includes(who))
    return { status: 401, after: before };
  // These operations accept an agent's token, but an agent may never decide.
  if (who === 'agent') return { status: 403, after: before };
  const mayKnow = who === 'owner' || (who === 'second' && ['pending', 'expired'].includes(state));
  if (!mayKnow) return { status: 404, after: before };
  if (state.endsWith('expired')) return { status: 410, after: before };
  if (state === 'pending') return { status: 200, after: verb === 'approve' ? 'approved' : 'denied' };
  if (state === 'approved' && verb === 'deny') return { status: 200, after: 'denied' };
  return { status: 409, after: before };
}

async function statusOf({ owner }: World, { id }: Consent): Promise<string | undefined> {
  const { rows } = await owner.query<{ status: string }>('select status from commerce.agent_consents where id = $1', [
    id,
  ]);
  return rows[0]?.status;
}

/** A GET must not decide a request, neither at the path of the request nor at the path of the approval. */
async function byGet(
  world: World,
  tenant: Tenant,
  headers: Call['headers'],
  state: string,
  customer_id: string,
): Promise<void> {
  const consent = await askForConsent(world, tenant);
  await STATES[state]?.(world, consent, customer_id);
  const before = await statusOf(world, consent);
  const path = { user_code: consent.user_code };
  const look = callOf('storefront.getAgentConsent', headers, { path });
  await world.send(look, tenant);
  const approve = callOf('storefront.approveAgentConsent', headers, { path });
  const { status } = await world.send({ ...approve, operation: { ...approve.operation, method: 'get' } }, tenant);
  if (status !== 405) world.violations.add(`GET on approve got ${status}`);
  if ((await statusOf(world, consent)) !== before) world.violations.add(`looking at a ${state} one changed it`);
}
