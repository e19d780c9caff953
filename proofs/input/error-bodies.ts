import { operationTable } from '../../server/src/http/contract/contract.ts';
import { underKey } from '../testing/idempotent-requests.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { exchange, targetOf } from '../testing/raw-requests.ts';
import { additions, mutationsIn } from '../testing/request-mutations.ts';
import { slotsOf } from '../testing/request-values.ts';
import { failStatements } from '../testing/statements.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';

/** Causes errors of several kinds in the operations, and searches bodies and headers for internal data. */
export const J2: Proof = {
  id: 'J2',
  promise: "No error contains SQL, paths, stacks, versions, secrets or another caller's input.",
  run: (trial) =>
    inWorld(trial, async (world) => {
      const chance = chanceOf(trial.seed);
      const [tenant] = world.tenants;
      for (const operation of chance.some(operationTable, pick(trial.size, 50, operationTable.length))) {
        const call = await validCall(world, tenant, operation, { full: operation.method === 'get' });
        const mistakes = [
          ...slotsOf(operation, call.body).flatMap((slot) => mutationsIn(call, slot)),
          ...additions(call),
        ];
        for (const { call: mistake } of chance.some(mistakes, pick(trial.size, 2, 200)))
          await world.send(mistake, tenant);
        await brokenBodies(world, tenant, call, chance.some(BROKEN, pick(trial.size, 1, BROKEN.length)));
        await failures(world, tenant, call, chance.some(FAILURES, pick(trial.size, 1, FAILURES.length)));
        await world.send({ ...call, headers: {} }, undefined);
      }
      return { tried: world.answers, unit: 'answers', violations: world.violations.list } satisfies Figures;
    }),
};

type Call = Parameters<World['send']>[0];

type BrokenBody = [type: string, bodyWith: (secret: string) => string];

/** Invalid JSON that contains a secret, and bodies of other types. */
const BROKEN: BrokenBody[] = [
  ['application/json', (secret) => `{"password": "${secret}",}`],
  ['application/json', () => `{"a": ${'['.repeat(50)}${']'.repeat(50)}}`],
  ['text/plain', (secret) => secret],
  ['application/json; charset=latin9', () => '{}'],
  ['multipart/form-data; boundary=x', (secret) => `--x\r\n\r\n${secret}\r\n--x--`],
];

async function brokenBodies(world: World, tenant: Tenant, call: Call, bodies: BrokenBody[]): Promise<void> {
  for (const [type, bodyWith] of bodies) {
    const body = bodyWith(tenant.secrets.ApiKey);
    const headers = { ...underKey(call).headers, 'Content-Type': type };
    const reply = await exchange(world.baseUrl, call.operation.method.toUpperCase(), targetOf(call), headers, body);
    world.look(reply, tenant, call.operation.id);
  }
}

type Failure = [code: string, place: RegExp];

/** Errors of the database, with the statements that fail. */
const FAILURES: Failure[] = [
  ['XX000', /products|collections|tokens|sites|variants/],
  ['23505', /products|collections|tokens|sites|variants/],
  ['42P01', /set_config/],
];

/**
 * Makes the database fail with a message and a detail that contain every kind of text that a response must not reveal.
 */
async function failures(world: World, tenant: Tenant, call: Call, chosen: Failure[]): Promise<void> {
  const detail = `Key (token)=(${tenant.secrets.ApiKey}) in relation "tokens" of ${world.tenants[1].canary}: select a from b`;
  for (const [code, place] of chosen) {
    const restore = failStatements(place, code, detail);
    const reply = await world.send(underKey(call), tenant);
    restore();
    if (reply.text.includes('failed on purpose'))
      world.violations.add(`${call.operation.id}: the response contains the database's error message: ${reply.text}`);
  }
}
