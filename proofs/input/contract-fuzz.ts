import fc from 'fast-check';
import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import { bodySchemaOf } from '../testing/objects.ts';
import { effects, holdingsOf } from '../testing/owner-queries.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import type { Call, Reply } from '../testing/raw-requests.ts';
import { additions, fitsBody, type Mutation, mutationsIn } from '../testing/request-mutations.ts';
import { slotsOf } from '../testing/request-values.ts';
import { arbitraryOf } from '../testing/schema-samples.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { unique, validCall } from '../testing/valid-requests.ts';

/**
 * Sends valid, nearly valid and invalid requests to every operation. In the proofs the server validates its own
 * responses against the contract: an undocumented status or a body that does not match its schema becomes a 500.
 */
export const H6: Proof = {
  id: 'H6',
  promise: 'No request breaks the server, and none that the contract forbids is accepted.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      let tried = 0;
      const chance = chanceOf(trial.seed);
      const operations = chance.some(operationTable, pick(trial.size, 25, operationTable.length));
      for (const operation of operations) {
        tried += await fuzz(world, operation, trial, chance);
      }
      return { tried, unit: 'requests', violations: world.violations.list } satisfies Figures;
    }),
};

async function fuzz(world: World, operation: Operation, trial: Trial, chance: Chance): Promise<number> {
  const [tenant] = world.tenants;
  const call = await validCall(world, tenant, operation, { full: operation.method === 'get' });
  const slots = slotsOf(operation, call.body);
  const all = [...slots.flatMap((slot) => mutationsIn(call, slot)), ...additions(call)];
  const mutations = chance.some(all, pick(trial.size, 6, all.length));
  const refused = mutations.filter(({ invalid }) => invalid);
  const allowed = mutations.filter(({ invalid }) => !invalid);

  const before = await holdingsOf(world.owner, tenant.site_id);
  for (const mutation of refused) await attack(world, tenant, mutation);
  const after = await holdingsOf(world.owner, tenant.site_id);
  const written = effects(before, after);
  // An import writes its valid rows and rejects the others, so a change is expected.
  if (written.length > 0 && !slots.some(({ schema }) => schema['x-validate-rows']))
    world.violations.add(`${operation.id}: refused requests changed ${written.join(', ')}`);

  for (const mutation of allowed) await attack(world, tenant, mutation);
  const random = await randomBodies(world, tenant, operation, trial);
  const valid = await validCall(world, tenant, operation);
  const reply = await world.send(valid, tenant);
  if (reply.status !== operation.status) report(world, 'a valid request', valid, reply, `expected ${operation.status}`);
  return mutations.length + random + 1;
}

async function attack(world: World, tenant: Tenant, { what, slot, call, invalid }: Mutation): Promise<void> {
  const named = `${what}${slot ? ` in ${slot.in} /${slot.at.join('/')}` : ''}`;
  const fresh = withFreshKey(call, slot?.name);
  const reply = await world.send(fresh, tenant);
  if (reply.status >= 500) return report(world, named, fresh, reply, 'it broke');
  if (!invalid) return;
  if (reply.status < 400) {
    if (!rowsRefused(reply)) report(world, named, fresh, reply, 'it was accepted');
    return;
  }
  if (slot && reply.status === 422 && !names(reply, slot)) report(world, named, fresh, reply, 'the field is not named');
  if (reply.status !== 422 && !expected(reply)) report(world, named, fresh, reply, 'expected 422');
}

/** Sets a new idempotency key, unless the attacked field is the key itself. */
function withFreshKey(call: Call, attacked: string | undefined): Call {
  if (attacked === 'Idempotency-Key' || call.operation.method === 'get') return call;
  return { ...call, headers: { ...call.headers, 'Idempotency-Key': crypto.randomUUID() } };
}

/**
 * Statuses other than 422 that an invalid request may get: 400 (undecodable URL), 404 (unknown path), 413 (body too
 * large) and 429 (rate-limited login).
 */
function expected({ status }: Reply): boolean {
  return [400, 404, 413, 429].includes(status);
}

/** An import reports rejected rows in a response with status 200. */
export function rowsRefused({ text }: Reply): boolean {
  const { counts } = JSON.parse(text || '{}') as { counts?: { failed?: number } };
  return (counts?.failed ?? 0) > 0;
}

/** Whether a validation error names the field, a part of it or its parent; for a missing field, its parent. */
function names({ text }: Reply, slot: { in: string; at: (string | number)[] }): boolean {
  const { detail } = JSON.parse(text) as { detail: { loc: (string | number)[]; type: string }[] };
  const field = [slot.in, ...slot.at];
  return detail.some(({ loc, type }) => {
    const wanted = type === 'missing' ? field.slice(0, -1) : field;
    const [shorter, longer] = loc.length < wanted.length ? [loc, wanted] : [wanted, loc];
    return shorter.every((part, index) => String(part) === String(longer[index]));
  });
}

/**
 * Sends bodies that fast-check generates from the schema; most break only rules that no schema can express. Returns
 * their number.
 */
async function randomBodies(world: World, tenant: Tenant, operation: Operation, trial: Trial): Promise<number> {
  const schema = bodySchemaOf(operation);
  if (!schema) return 0;
  const numRuns = pick(trial.size, 1, 400);
  const bodies = fc.sample(arbitraryOf(schema), { seed: trial.seed, numRuns });
  for (const made of bodies) {
    const body = unique(made);
    const call = withFreshKey({ ...(await validBase(world, tenant, operation)), body }, undefined);
    const reply = await world.send(call, tenant);
    if (reply.status >= 500) report(world, 'a random body', call, reply, 'it broke');
    if (reply.status < 300 && !fitsBody(call) && !rowsRefused(reply))
      report(world, 'a random body', call, reply, 'accepted');
  }
  return bodies.length;
}

const bases = new WeakMap<World, Map<string, Call>>();

/** Prepares one call for each operation and database; all random bodies refer to its objects. */
async function validBase(world: World, tenant: Tenant, operation: Operation): Promise<Call> {
  const known = bases.get(world) ?? new Map<string, Call>();
  bases.set(world, known);
  const call = known.get(operation.id) ?? (await validCall(world, tenant, operation));
  known.set(operation.id, call);
  return call;
}

function report(world: World, what: string, call: Call, { status, headers, text }: Reply, why: string): void {
  const { operation, path, query, body } = call;
  const cause = world.causes.get(String(headers['x-request-id'])) ?? text.slice(0, 400);
  const shown = JSON.stringify({ path, query, body }).slice(0, 700);
  world.violations.add(`${operation.id}: ${what}: ${why}: ${status} ${cause} for ${shown}`);
}
