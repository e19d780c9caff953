import { randomUUID } from 'node:crypto';
import { type Operation, operationTable } from '../server/src/http/contract/contract.ts';
import { mintUserCode } from '../server/src/shop/agents/user-codes.ts';
import { type Call, tell } from './client.ts';
import { changes, effects, holdingsOf } from './database.ts';
import { type Figures, type Proof, pick, type Trial } from './frame.ts';
import { kindsOf } from './makers.ts';
import { type Chance, chanceOf } from './random.ts';
import { validCall } from './requests.ts';
import { type Slot, slotsOf, withValue } from './slots.ts';
import type { Kind, Tenant, World } from './tenant.ts';
import { inWorld } from './world.ts';

/** Every place of every operation that takes an id is given the ids of other tenants, and ids of nothing. */
export const A1: Proof = {
  id: 'A1',
  promise: 'A foreign id, wherever it stands, is answered like one that never was, and nothing is written.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const chance = chanceOf(trial.seed);
      const [tenant, ...others] = world.tenants;
      const before = await Promise.all(others.map(({ site_id }) => holdingsOf(world.owner, site_id)));
      let tried = 0;
      for (const operation of operationTable) {
        tried += await attack(world, tenant, others, operation, trial, chance);
        trial.progress(`${operation.id}, ${tried} requests`);
      }
      for (const [index, { name, site_id }] of others.entries()) {
        const after = await holdingsOf(world.owner, site_id);
        const changed = Object.keys(changes(before[index] ?? {}, after));
        if (changed.length > 0) world.violations.add(`tenant A changed ${changed.join(', ')} of tenant ${name}`);
      }
      return { tried, unit: 'requests with foreign ids', violations: world.violations.list } satisfies Figures;
    }),
};

/** Sends foreign ids in each place of an operation that takes an id, and returns how many requests that took. */
export async function attack(
  world: World,
  tenant: Tenant,
  others: Tenant[],
  operation: Operation,
  { size }: Trial,
  chance: Chance,
): Promise<number> {
  const call = await validCall(world, tenant, operation, { full: true });
  const places = slotsOf(operation, call.body).flatMap((slot) => {
    const kinds = kindsOf(slot.name, slot.schema, operation.id);
    const list = [slot.schema.type].flat().includes('array');
    return kinds && !list ? [{ slot, kinds }] : [];
  });
  let tried = 0;
  let accepted = 0;
  const before = await holdingsOf(world.owner, tenant.site_id);
  for (const { slot, kinds } of places) {
    for (const kind of kinds) {
      const ids = others.flatMap((other) => chance.some(other.ids[kind], pick(size, 1, 1_000)));
      for (const id of ids) {
        const status = await compare(world, tenant, call, slot, id, nothingLike(kind));
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

/** An id of the same form that names nothing. */
function nothingLike(kind: Kind): string {
  if (kind === 'user_code') return mintUserCode();
  return kind === 'slug' || kind === 'handle' ? `zza${randomUUID()}` : randomUUID();
}

/** Returns the status that both had. */
async function compare(
  world: World,
  tenant: Tenant,
  call: Call,
  slot: Slot,
  foreign: string,
  unknown: string,
): Promise<number> {
  const first = await world.send(withKey(withValue(call, slot, foreign)), tenant);
  const second = await world.send(withKey(withValue(call, slot, unknown)), tenant);
  const told = tell(first, [foreign]);
  const expected = tell(second, [unknown]);
  const { id } = call.operation;
  const where = `${id}: ${slot.in} /${slot.at.join('/')}`;
  if (told !== expected) world.violations.add(`${where}: foreign ${told}, unknown ${expected}`);
  return first.status;
}

function withKey(call: Call): Call {
  if (call.operation.method === 'get') return call;
  return { ...call, headers: { ...call.headers, 'Idempotency-Key': randomUUID() } };
}
