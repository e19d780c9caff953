import { randomUUID } from 'node:crypto';
import type { Operation } from '../../server/src/http/contract/contract.ts';
import {
  ENDS_ITS_CREDENTIAL,
  isConflict,
  isReplay,
  MUTATIONS,
  underKey,
  unexpected,
} from '../testing/idempotent-requests.ts';
import { changes, holdingsOf } from '../testing/owner-queries.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import type { Call, Reply } from '../testing/raw-requests.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';

/**
 * Uses one idempotency key for two different requests. If the caller and the operation are the same, the second request
 * must be rejected; otherwise it must be executed.
 */
export const H2: Proof = {
  id: 'H2',
  promise: 'An idempotency key never replays a response to another request, caller, operation or shop.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      let tried = 0;
      const chance = chanceOf(trial.seed);
      for (const operation of chance.some(MUTATIONS, pick(trial.size, 12, MUTATIONS.length))) {
        tried += await sameScope(world, world.tenants[0], operation);
        tried += await otherScopes(world, operation, trial);
        trial.progress(`${operation.id}, ${tried} requests`);
      }
      return { tried, unit: 'requests', violations: world.violations.list } satisfies Figures;
    }),
};

/** Sends the key again as the same caller, with another body or path. */
async function sameScope(world: World, tenant: Tenant, operation: Operation): Promise<number> {
  const call = await validCall(world, tenant, operation);
  const first = await world.send(call, tenant);
  if (first.status !== operation.status) unexpected(world, call, 'the first use of the key', first);
  const others = variationsOf(call, await validCall(world, tenant, operation));
  const key = call.headers['Idempotency-Key'];
  const before = await holdingsOf(world.owner, tenant.site_id);
  for (const [what, other] of Object.entries(others)) {
    const reply = await world.send(underKey(other, key), tenant);
    // After an operation that ended the caller's credential, the call gets 401 instead.
    const gone = reply.status === 401 && ENDS_ITS_CREDENTIAL.includes(operation.id);
    if (!isConflict(reply) && !gone) unexpected(world, call, `the key with ${what}`, reply);
  }
  const changed = Object.keys(changes(before, await holdingsOf(world.owner, tenant.site_id)));
  if (changed.length > 0)
    world.violations.add(`${operation.id}: a request with the key of another request changed ${changed.join(', ')}`);
  return 1 + Object.keys(others).length;
}

function variationsOf(call: Call, fresh: Call): Record<string, Call> {
  const others: Record<string, Call> = {};
  if (Object.keys(call.path).length > 0) others['another path'] = { ...call, path: fresh.path };
  // Skips the body if the operation identifies its caller by device_code, because another device_code is another
  // caller.
  const own = call.operation.namedBy !== 'device_code';
  if (own && JSON.stringify(call.body) !== JSON.stringify(fresh.body))
    others['another body'] = { ...call, body: fresh.body };
  return others;
}

/** Sends the key with another credential, in another shop, and to another operation. Each call must take effect. */
async function otherScopes(world: World, operation: Operation, { size }: Trial): Promise<number> {
  const key = randomUUID();
  const [tenant, other] = world.tenants;
  const all = operation.security.map((_, alternative) => alternative);
  let tried = 0;
  for (const owner of [tenant, other]) {
    for (const alternative of owner === tenant ? all : all.slice(0, pick(size, 1, 10))) {
      const call = underKey(await validCall(world, owner, operation, { alternative }), key);
      expectOwn(world, call, `by way ${alternative} in shop ${owner.name}`, await world.send(call, owner));
      tried += 1;
    }
  }
  const neighbour = MUTATIONS[(MUTATIONS.indexOf(operation) + 1) % MUTATIONS.length] as Operation;
  const call = underKey(await validCall(world, tenant, neighbour, { alternative: 0 }), key);
  expectOwn(world, call, `of ${operation.id}`, await world.send(call, tenant));
  return tried + 1;
}

function expectOwn(world: World, call: Call, what: string, reply: Reply): void {
  if (reply.status !== call.operation.status || isReplay(reply)) unexpected(world, call, `the key ${what}`, reply);
}
