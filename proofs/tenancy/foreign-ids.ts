import { randomUUID } from 'node:crypto';
import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import { operatorOperations } from '../../server/src/http/contract/operator-contract.ts';
import { kindsOf } from '../testing/objects.ts';
import { ask, operatorCall, settle, withListener } from '../testing/operators.ts';
import { changes, effects, holdingsOf } from '../testing/owner-queries.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type Call, comparable } from '../testing/raw-requests.ts';
import { type Slot, slotsOf, withValue } from '../testing/request-values.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';
import { nothingLike } from './indistinguishable-ids.ts';

/** Sends ids of other tenants, and unknown ids, in the places of every operation that accept a single id. */
export const A1: Proof = {
  id: 'A1',
  promise:
    'A foreign id, anywhere in a request, gets the response of an id that never existed, and nothing is written.',
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
      const byOperators = await attackListener(world, tenant, others, trial, chance);
      tried += byOperators;
      for (const [index, { name, site_id }] of others.entries()) {
        const after = await holdingsOf(world.owner, site_id);
        const changed = Object.keys(changes(before[index] ?? {}, after));
        if (changed.length > 0) world.violations.add(`tenant A changed ${changed.join(', ')} of tenant ${name}`);
      }
      const note = `${byOperators} of them to the operators' listener`;
      return { tried, unit: 'requests with foreign ids', note, violations: world.violations.list } satisfies Figures;
    }),
};

/** Sends foreign ids in each place of an operation that accepts a single id. Returns the number of requests. */
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
async function attackListener(
  world: World,
  tenant: Tenant,
  others: Tenant[],
  trial: Trial,
  chance: Chance,
): Promise<number> {
  return withListener(world, trial, async (listener) => {
    let tried = 0;
    // The name must not contain the tenant's marker, because a response may repeat it.
    const foreignHost = `foreign-${randomUUID()}.example`;
    const given = 'insert into commerce.site_domains (host, site_id) values ($1, $2)';
    for (const operation of operatorOperations) {
      const places = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      for (const place of places) {
        const all = others.flatMap(({ ids: own }) =>
          (Object.values(own) as string[][]).flatMap((some) =>
            chance.some(some, pick(trial.size, 1, 50)).filter(isUuid),
          ),
        );
        const ids = chance.some(all, pick(trial.size, 12, all.length));
        const before = await holdingsOf(world.owner, tenant.site_id);
        for (const id of place === 'host' ? [foreignHost] : ids) {
          if (place === 'host') await world.owner.query(given, [foreignHost, others[0]?.site_id]);
          const call = { ...(await operatorCall(listener, tenant, operation)), query: {} };
          const slot: Slot = { name: place, in: 'path', at: [place], schema: {}, required: true };
          const unknown = place === 'host' ? `unknown-${randomUUID()}.example` : randomUUID();
          const status = await compare(listener.world, tenant, call, slot, id, unknown);
          if (status < 400) world.violations.add(`${operation.id}: a foreign ${place} was accepted: ${status}`);
          tried += 1;
          await world.owner.query('delete from commerce.site_domains where host = $1', [foreignHost]);
          await settleHosts(world, tenant);
        }
        const changed = effects(before, await holdingsOf(world.owner, tenant.site_id));
        if (changed.length > 0)
          world.violations.add(`${operation.id}: a foreign ${place} changed ${changed.join(', ')}`);
      }
      const reply = await ask(listener, await operatorCall(listener, tenant, operation), tenant);
      tried += 1;
      if (reply.status >= 300) world.violations.add(`${operation.id} of the proof was refused: ${reply.text}`);
      await settle(listener, tenant);
      trial.progress(`${operation.id}, ${tried} requests`);
    }
    return tried;
  });
}

async function settleHosts({ owner }: World, { site_id }: Tenant): Promise<void> {
  await owner.query('delete from commerce.site_domains where site_id = $1', [site_id]);
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
  const first = await world.send(withKey(withValue(call, slot, foreign)), tenant);
  const second = await world.send(withKey(withValue(call, slot, unknown)), tenant);
  const actual = comparable(first, [foreign]);
  const expected = comparable(second, [unknown]);
  const { id } = call.operation;
  const where = `${id}: ${slot.in} /${slot.at.join('/')}`;
  if (actual !== expected) world.violations.add(`${where}: a foreign id gets ${actual}, an unknown id ${expected}`);
  return first.status;
}

function withKey(call: Call): Call {
  if (call.operation.method === 'get') return call;
  return { ...call, headers: { ...call.headers, 'Idempotency-Key': randomUUID() } };
}
