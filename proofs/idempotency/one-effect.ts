import type { Operation } from '../../server/src/http/contract/contract.ts';
import {
  type Effect,
  ENDS_ITS_CREDENTIAL,
  effectBetween,
  isReplay,
  MUTATIONS,
  sameAnswer,
  unexpected,
} from '../testing/idempotent-requests.ts';
import { changes, holdingsOf } from '../testing/owner-queries.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import type { Call, Reply } from '../testing/raw-requests.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';

/** Sends every mutation with one idempotency key: twice in sequence, and many times concurrently. */
export const H1: Proof = {
  id: 'H1',
  promise: 'A mutation has one effect and one response, however often it is sent with the same key.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      const chance = chanceOf(trial.seed);
      const rounds = pick(trial.size, 1, 10);
      const copies = pick(trial.size, 12, 32);
      const operations = chance.some(MUTATIONS, pick(trial.size, 15, MUTATIONS.length));
      const parallel = pick(trial.size, operations.slice(0, 4), operations);
      let tried = 0;
      for (const operation of operations) {
        for (let round = 0; round < rounds; round += 1) {
          const effect = await twice(world, tenant, operation);
          tried += 2;
          if (!parallel.includes(operation)) continue;
          await atOnce(world, tenant, operation, effect, copies);
          tried += copies;
        }
        trial.progress(`${operation.id}, ${tried} requests`);
      }
      return { tried, unit: 'requests', violations: world.violations.list } satisfies Figures;
    }),
};

async function twice(world: World, tenant: Tenant, operation: Operation): Promise<Effect> {
  const call = await validCall(world, tenant, operation);
  const before = await holdingsOf(world.owner, tenant.site_id);
  const first = await world.send(call, tenant);
  const between = await holdingsOf(world.owner, tenant.site_id);
  const second = await world.send(call, tenant);
  const after = await holdingsOf(world.owner, tenant.site_id);
  if (first.status !== operation.status) unexpected(world, call, 'the first request failed', first);
  const gone = ENDS_ITS_CREDENTIAL.includes(operation.id) && second.status === 401;
  if (!gone && (!isReplay(second) || !sameAnswer(first, second)))
    unexpected(world, call, 'the repetition is not a replay of the first response', second);
  const again = Object.keys(changes(between, after));
  if (again.length > 0)
    world.violations.add(`${operation.id}: the repetition with the same key changed ${again.join(', ')}`);
  return effectBetween(before, between);
}

async function atOnce(
  world: World,
  tenant: Tenant,
  operation: Operation,
  effect: Effect,
  copies: number,
): Promise<void> {
  const call = await validCall(world, tenant, operation);
  const before = await holdingsOf(world.owner, tenant.site_id);
  const replies = await Promise.all(Array.from({ length: copies }, () => world.send(call, tenant)));
  const after = await holdingsOf(world.owner, tenant.site_id);
  const first = replies.find((reply) => reply.status === operation.status && !isReplay(reply));
  if (!first) return unexpected(world, call, 'none of the simultaneous requests was executed', replies[0] as Reply);
  for (const reply of replies) if (reply !== first) judgeCopy(world, call, first, reply);
  const gained = effectBetween(before, after);
  if (JSON.stringify(gained) !== JSON.stringify(effect)) {
    const [one, many] = [effect, gained].map((rows) => JSON.stringify(rows));
    world.violations.add(
      `${operation.id}: one request adds the rows ${one}, but ${copies} simultaneous ones with one key added ${many}`,
    );
  }
}

/**
 * Operations with a login limit: names of limits, or ids of operations in which logged-in staff enter a password or
 * code again.
 */
const LOGINS = [
  ...['login', 'customer_login'],
  ...['dashboard.changePassword', 'dashboard.confirmIdentity', 'dashboard.confirmTwoFactor'],
];

/**
 * A repeated call must get the same response or an error. These errors are allowed: the first call is still running,
 * there were too many logins, or the first call has ended the credential.
 */
function judgeCopy(world: World, call: Call, first: Reply, reply: Reply): void {
  if (isReplay(reply) && sameAnswer(first, reply)) return;
  if (reply.status === 409 && reply.text.includes('"idempotency_in_flight"')) return;
  const { id, rateLimit } = call.operation;
  if (reply.status === 429 && (LOGINS.includes(rateLimit) || LOGINS.includes(id))) return;
  if (reply.status === 401 && ENDS_ITS_CREDENTIAL.includes(call.operation.id)) return;
  unexpected(world, call, 'one of many at once', reply);
}
