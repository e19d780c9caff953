import { randomUUID } from 'node:crypto';
import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import { operatorOperations } from '../../server/src/http/contract/operator-contract.ts';
import { withNewKey } from '../testing/idempotent-requests.ts';
import { ask, operatorCall, settle, withListener } from '../testing/operators.ts';
import { changes, effects, holdingsOf } from '../testing/owner-queries.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type Call, comparable } from '../testing/raw-requests.ts';
import { type Slot, withValue } from '../testing/request-values.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';
import { idPlaces, nothingLike } from './id-places.ts';

/** Sends ids of other tenants, and unknown ids, in the places of every operation that accept a single id. */
export const A1: Proof = {
  id: 'A1',
  promise:
    'A foreign id, anywhere in a request, gets the response of an id that never existed, and nothing is written.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const chance = chanceOf(trial.seed);
      let tried = 0;
      await withoutEffectOnOthers(world, async () => {
        for (const operation of operationTable) {
          tried += await attack(world, operation, trial, chance);
          trial.progress(`${operation.id}, ${tried} requests`);
        }
        tried += await attackListener(world, trial, chance);
      });
      return { tried, unit: 'requests with foreign ids', violations: world.violations.list } satisfies Figures;
    }),
};

/** Runs work of tenant A, which must change nothing of the other tenants. */
export async function withoutEffectOnOthers(world: World, work: () => Promise<void>): Promise<void> {
  const others = world.tenants.slice(1);
  const before = await Promise.all(others.map(({ site_id }) => holdingsOf(world.owner, site_id)));
  await work();
  for (const [index, { name, site_id }] of others.entries()) {
    const changed = Object.keys(changes(before[index] ?? {}, await holdingsOf(world.owner, site_id)));
    if (changed.length > 0) world.violations.add(`tenant A changed ${changed.join(', ')} of tenant ${name}`);
  }
}

/** Sends foreign ids in each place of an operation that accepts a single id. Returns the number of requests. */
export async function attack(world: World, operation: Operation, { size }: Trial, chance: Chance): Promise<number> {
  const [tenant, ...others] = world.tenants;
  const call = await validCall(world, tenant, operation, { full: true });
  const places = idPlaces(operation, call.body);
  if (places.length === 0) return 0;
  let tried = 0;
  let accepted = 0;
  const before = await holdingsOf(world.owner, tenant.site_id);
  for (const { slot, kinds } of places) {
    for (const kind of kinds) {
      const owners = chance.some(others, pick(size, 1, others.length));
      const ids = owners.flatMap((other) => chance.some(other.ids[kind], pick(size, 1, 1_000)));
      for (const id of ids) {
        const status = await compare(world, tenant, call, slot, id, nothingLike(kind, id));
        tried += 1;
        if (status < 400) accepted += 1;
      }
    }
  }
  const changed = effects(before, await holdingsOf(world.owner, tenant.site_id));
  if (accepted === 0 && changed.length > 0) {
    world.violations.add(`${operation.id}: everything was refused, yet ${changed.join(', ')} changed`);
  }
  return tried;
}

/**
 * Attacks the operators' listener. Ids of other objects must identify no site, and a site must not be found under the
 * host of another tenant. Then applies each operation to the tenant, which must not affect other tenants. Returns the
 * number of requests.
 */
function attackListener(world: World, trial: Trial, chance: Chance): Promise<number> {
  const { owner, violations } = world;
  const [tenant, other, third] = world.tenants;
  const uuids = [other, third].flatMap(({ ids }) => (Object.values(ids) as string[][]).flat().filter(isUuid));
  return withListener(world, trial, async (listener) => {
    let tried = 0;
    // The name must not contain the tenant's marker, because a response may repeat it.
    const foreignHost = `foreign-${randomUUID()}.example`;
    await owner.query('insert into commerce.site_domains (host, site_id) values ($1, $2)', [
      ...[foreignHost, other.site_id],
    ]);
    for (const operation of operatorOperations) {
      const call = { ...(await operatorCall(listener, tenant, operation)), query: {} };
      const before = await holdingsOf(owner, tenant.site_id);
      for (const [, place = ''] of operation.path.matchAll(/\{(\w+)\}/g)) {
        const slot: Slot = { name: place, in: 'path', at: [place], schema: {}, required: true };
        for (const id of place === 'host' ? [foreignHost] : chance.some(uuids, pick(trial.size, 3, 500))) {
          const unknown = place === 'host' ? `unknown-${randomUUID()}.example` : randomUUID();
          const status = await compare(listener.world, tenant, call, slot, id, unknown);
          if (status < 400) violations.add(`${operation.id}: a foreign ${place} was accepted: ${status}`);
          tried += 1;
        }
      }
      const changed = effects(before, await holdingsOf(owner, tenant.site_id));
      if (changed.length > 0) violations.add(`${operation.id}: a foreign id changed ${changed.join(', ')}`);
      const reply = await ask(listener, await operatorCall(listener, tenant, operation), tenant);
      tried += 1;
      if (reply.status >= 300) violations.add(`${operation.id} of the proof was refused: ${reply.text}`);
      await settle(listener, tenant);
    }
    await owner.query('delete from commerce.site_domains where host = $1', [foreignHost]);
    return tried;
  });
}

function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
}

/**
 * Sends the call with the foreign id and with the unknown id, and expects the same response. Returns the status for the
 * foreign id.
 */
async function compare(
  world: World,
  tenant: Tenant,
  call: Call,
  slot: Slot,
  foreign: string,
  unknown: string,
): Promise<number> {
  const first = await world.send(withNewKey(withValue(call, slot, foreign)), tenant);
  const second = await world.send(withNewKey(withValue(call, slot, unknown)), tenant);
  const actual = comparable(first, [foreign]);
  const expected = comparable(second, [unknown]);
  const { id } = call.operation;
  const where = `${id}: ${slot.in} /${slot.at.join('/')}`;
  if (actual !== expected) world.violations.add(`${where}: a foreign id gets ${actual}, an unknown id ${expected}`);
  return first.status;
}
