/**
 * Compares the server's request validation with plain ajv over the contract's schemas. Both must report mistakes in the
 * same parts of a request: for the contract's examples, and for each example with one field or parameter removed, added
 * or given another type, at every depth.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Request } from 'express';
import { expect, test } from 'vitest';
import { document, type Operation, operationTable, type Parameter, resolve } from './contract.ts';
import { compileSchema } from './schemas.ts';
import { contractMistakes } from './validate.ts';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';

type Json = Record<string, unknown>;
type Place = 'path' | 'query' | 'header' | 'body';
type Made = Record<Exclude<Place, 'body'>, Json> & { body: unknown };

const ODD_TEXTS = [
  '',
  '0',
  '7',
  '-1',
  '1.5',
  '9e99',
  '0x10',
  'true',
  'zz',
  'DE',
  ID,
  '2026-02-30T00:00:00Z',
  'x'.repeat(5_000),
];
const ODD_VALUES = [null, 7, -1, 1.5, '', '0.10', 'x'.repeat(70_000), ID, [], {}, true];

test.each(operationTable)(
  'reports mistakes in the same parts of a request as an independent validator: $id',
  (operation) => {
    for (const made of requestsFor(operation)) {
      const req = asRequest(made);
      const faulty = new Set<unknown>(contractMistakes(operation, req).map(({ loc }) => loc[0]));
      const query = faulty.has('query') ? req.query : queryOf(operation, made.query);
      const judged = { faulty: [...faulty].toSorted(), body: req.body, query: req.query };
      const wanted = { faulty: faultyParts(operation, made).toSorted(), body: made.body, query };
      // `expect` is slow and there are thousands of requests, so it runs only if the results differ.
      if (!isDeepStrictEqual(judged, wanted)) expect({ made, judged }).toEqual({ made, judged: wanted });
    }
  },
);

function asRequest({ path, query, header, body }: Made): Request {
  const headers = Object.fromEntries(Object.entries(header).map(([name, value]) => [name.toLowerCase(), value]));
  return structuredClone({ params: path, query, headers, body }) as unknown as Request;
}

function* requestsFor(operation: Operation): Generator<Made> {
  const base: Made = { path: {}, query: {}, header: {}, body: exampleOf(operation) };
  for (const { name, in: place } of operation.parameters) if (place === 'path') base.path[name] = ID;
  if (takes(operation, 'Idempotency-Key')) base.header['Idempotency-Key'] = ID;
  yield base;
  yield { ...base, query: { unheard_of: '1' } };
  yield { ...base, header: {} };
  for (const { name, in: place } of operation.parameters) {
    if (place === 'cookie') throw new Error(`${operation.id} has cookies, which this test does not support.`);
    for (const text of ODD_TEXTS) yield { ...base, [place]: { ...base[place], [name]: text } };
    if (place === 'query') yield { ...base, query: { [name]: [ID, ID] } };
  }
  if (base.body !== undefined && !BY_ROWS.includes(operation.id)) {
    yield { ...base, body: undefined };
    for (const body of variationsOf(base.body)) yield { ...base, body };
  }
}

function takes({ parameters }: Operation, header: string): boolean {
  return parameters.some(({ name }) => name === header);
}

/**
 * Yields variations of a value: replaced as a whole, with a field added or removed, and with each nested value varied.
 */
function* variationsOf(value: unknown): Generator<unknown> {
  yield* ODD_VALUES;
  yield [value];
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const [first, ...others] = value as unknown[];
    if (first !== undefined) for (const one of variationsOf(first)) yield [one, ...others];
    return;
  }
  yield { ...value, unheard_of: 1 };
  for (const [field, inside] of Object.entries(value)) {
    yield Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));
    for (const one of variationsOf(inside)) yield { ...value, [field]: one };
  }
}

/** Operations that validate each row separately. */
const BY_ROWS = [
  'dashboard.importCustomers',
  'dashboard.importOrders',
  'dashboard.importProducts',
  'sync.upsertProducts',
];

function exampleOf({ id, path, method, hasBody }: Operation): unknown {
  if (!hasBody) return undefined;
  const declared = document.paths[path]?.[method]?.requestBody as Json;
  const { content } = resolve(declared) as { content: Record<string, { example?: unknown; examples?: Json }> };
  const { example, examples = {} } = content['application/json'] ?? {};
  const first = example ?? Object.values(examples).map((one) => resolve(one as Json).value)[0];
  if (first === undefined) throw new Error(`${id} has no example.`);
  return first;
}

function faultyParts(operation: Operation, made: Made): Place[] {
  const places: Exclude<Place, 'body'>[] = ['path', 'query', 'header'];
  const parts = places.filter((place) => {
    const declared = operation.parameters.filter((one) => one.in === place);
    const unknown = Object.keys(made[place]).some((name) => !declared.some((one) => one.name === name));
    return unknown || declared.some((one) => !fitsParameter(operation, one, made[place][one.name]));
  });
  return [...parts, ...(fitsBody(operation, made.body) ? [] : ['body' as const])];
}

function fitsParameter(operation: Operation, parameter: Parameter, given: unknown): boolean {
  if (given === undefined) return !parameter.required;
  const value = readAs(parameter, given);
  return value !== undefined && checkAt(pointerTo(operation, parameter))(value);
}

/** Parses the text of a parameter; undefined if it does not match the parameter's type. */
function readAs({ schema }: Parameter, given: unknown): unknown {
  if (schema.type === 'array') return [given].flat();
  if (Array.isArray(given)) return undefined;
  if (schema.type === 'integer') return /^-?\d{1,10}$/.test(String(given)) ? Number(given) : undefined;
  if (schema.type === 'boolean') return { true: true, false: false }[String(given)];
  return given;
}

function queryOf({ parameters }: Operation, query: Json): Json {
  const declared = parameters.filter((one) => one.in === 'query');
  const values = declared.map((one) => {
    const given = query[one.name];
    return [one.name, given === undefined ? (one.schema as Json).default : readAs(one, given)];
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function pointerTo({ path, method }: Operation, { name, in: place }: Parameter): string {
  const declarations = [
    [`/paths/${part(path)}/parameters`, document.paths[path]?.parameters],
    [`/paths/${part(path)}/${method}/parameters`, document.paths[path]?.[method]?.parameters],
  ] as [string, Json[] | undefined][];
  for (const [pointer, declared = []] of declarations) {
    const index = declared.map(resolve).findIndex((one) => one.name === name && one.in === place);
    const reference = declared[index]?.$ref as string | undefined;
    if (index >= 0) return `${reference?.slice(1) ?? `${pointer}/${index}`}/schema`;
  }
  throw new Error(`${path} does not declare ${name}.`);
}

function fitsBody({ path, method, hasBody }: Operation, body: unknown): boolean {
  if (!hasBody) return true;
  const declared = document.paths[path]?.[method]?.requestBody as Json;
  if (body === undefined) return resolve(declared).required !== true;
  const place = (declared.$ref as string | undefined)?.slice(1) ?? `/paths/${part(path)}/${method}/requestBody`;
  return checkAt(`${place}/content/${part('application/json')}/schema`)(body);
}

type Check = (value: unknown) => boolean;
const checks = new Map<string, Check>();

function checkAt(pointer: string): Check {
  const check = checks.get(pointer) ?? (compileSchema(pointer, false) as Check);
  checks.set(pointer, check);
  return check;
}

function part(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
}
