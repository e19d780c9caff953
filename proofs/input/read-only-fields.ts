import { document, operationTable, resolve } from '../../server/src/http/contract/contract.ts';
import { changes, holdingsOf } from '../testing/owner-queries.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { fitsBody } from '../testing/request-mutations.ts';
import { objectsIn, withValue } from '../testing/request-values.ts';
import type { World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';

type Schema = Record<string, unknown>;

/** Sends every field of any response to operations and places where the contract does not accept it. */
export const A8: Proof = {
  id: 'A8',
  promise: 'A read-only field has no effect in a request.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const chance = chanceOf(trial.seed);
      const shown = [...shownFields()];
      let tried = 0;
      for (const operation of operationTable.filter(({ hasBody }) => hasBody)) {
        const [tenant] = world.tenants;
        const call = await validCall(world, tenant, operation);
        const before = await holdingsOf(world.owner, tenant.site_id);
        for (const at of objectsIn(call.body)) {
          for (const [name, value] of chance.some(shown, pick(trial.size, 2, 1_000))) {
            const injected = withValue(call, { in: 'body', at: [...at, name] }, value);
            if (fitsBody(injected)) continue;
            tried += 1;
            const key = { 'Idempotency-Key': crypto.randomUUID() };
            const { status, text } = await world.send({ ...injected, headers: { ...call.headers, ...key } }, tenant);
            const refused = status === 422 || (status === 200 && (JSON.parse(text).counts?.failed ?? 0) > 0);
            if (refused) continue;
            world.violations.add(
              `${operation.id}: the read-only field ${name} at /${at.join('/')} was not rejected: ${status} ${text.slice(0, 300)}`,
            );
          }
        }
        await expectUntouched(world, operation.id, before, call.body);
      }
      return { tried, unit: 'injected fields', violations: world.violations.list } satisfies Figures;
    }),
};

async function expectUntouched(
  world: World,
  id: string,
  before: Awaited<ReturnType<typeof holdingsOf>>,
  body: unknown,
) {
  const all = Object.keys(changes(before, await holdingsOf(world.owner, world.tenants[0].site_id)));
  // An import is audited even if it rejects each row, and it writes the rows without the injected field.
  const changed = id.startsWith('dashboard.import') ? all.filter((table) => table !== 'audit_events') : all;
  const rows = Object.values((body ?? {}) as object).some((value) => Array.isArray(value) && value.length > 1);
  if (changed.length > 0 && !rows) world.violations.add(`${id}: refused fields changed ${changed.join(', ')}`);
}

/**
 * Returns all field names of successful responses, each with a value of the right type, and some names of internal
 * columns.
 */
function shownFields(): Map<string, unknown> {
  const fields = new Map<string, unknown>([
    ['site_id', '0192f3a0-3333-7000-8000-000000000001'],
    ['sales_count', 1_000_000],
    ['on_hand', 1_000],
    ['reserved', 1_000],
    ['token_hash', 'zz'],
    ['password_hash', 'zz'],
    ['is_admin', true],
    ['role', 'owner'],
  ]);
  const visit = (node: Schema, depth: number): void => {
    const schema = resolve(node);
    if (depth > 8) return;
    for (const part of [...((schema.allOf ?? []) as Schema[]), ...((schema.oneOf ?? []) as Schema[])])
      visit(part, depth + 1);
    if (schema.items) visit(schema.items as Schema, depth + 1);
    for (const [name, child] of Object.entries((schema.properties ?? {}) as Record<string, Schema>)) {
      if (!fields.has(name)) fields.set(name, valueFor(resolve(child)));
      visit(child, depth + 1);
    }
  };
  for (const operation of operationTable) {
    const declared = document.paths[operation.path]?.[operation.method] as { responses: Record<string, Schema> };
    const { content } = resolve(declared.responses[operation.status] ?? {}) as {
      content?: Record<string, { schema: Schema }>;
    };
    if (content?.['application/json']) visit(content['application/json'].schema, 0);
  }
  return fields;
}

function valueFor(schema: Schema): unknown {
  const [type] = [schema.type].flat();
  if (schema.format === 'uuid') return '0192f3a0-4444-7000-8000-000000000001';
  if (schema.format === 'date-time') return '2020-01-01T00:00:00.000Z';
  const values: Record<string, unknown> = { boolean: true, integer: 7, number: 7, array: [], object: {}, string: 'zz' };
  return values[String(type)] ?? 'zz';
}
