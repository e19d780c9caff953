/** Sends invalid values in each parameter and each part of the body. */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Operators, openOperators } from '../../test/operators.ts';
import { testServer } from '../../test/server.ts';
import { resolve } from '../http/contract/contract.ts';
import { operatorDocument, operatorOperations } from '../http/contract/operator-contract.ts';

const ODD = [null, -1, 1.5, 2 ** 53, '', 'a\u0000b', '\ud800', 'x'.repeat(3_000), [], {}, '../../etc'];
const ODD_IN_ADDRESSES = ['x', '%00', '%ED%A0%80', '..%2f..%2fetc', '%', 'a'.repeat(3_000)];

type Json = Record<string, unknown>;
type Place = (string | number)[];

let operators: Operators;
beforeAll(async () => {
  await testServer();
  operators = await openOperators();
});
afterAll(() => operators.close());

function exampleOf({ path, method }: (typeof operatorOperations)[number]): Json | undefined {
  const declared = operatorDocument.paths[path]?.[method] as { requestBody?: Json };
  const { content } = resolve(declared.requestBody ?? {}) as { content?: Record<string, Json> };
  const { example, examples = {} } = (content?.['application/json'] ?? {}) as { example?: Json; examples?: Json };
  return example ?? (Object.values(examples)[0] as { value: Json } | undefined)?.value;
}

function placesIn(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [at];
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
  return [at, ...[...keys].flatMap((key) => placesIn((value as Json)[key], [...at, key]))];
}

function withOdd(body: Json, place: Place, odd: unknown): object {
  const [last, ...before] = place.toReversed();
  if (last === undefined) return { odd };
  const copy = structuredClone(body);
  const parent = before.toReversed().reduce<Json>((at, key) => at[key] as Json, copy);
  parent[last] = odd;
  return copy;
}

test.each(operatorOperations)('$id never answers an unusual value with a 5xx', async (operation) => {
  const method = operation.method.toUpperCase();
  const elsewhere = operation.path.replace('{site_id}', randomUUID()).replace('{host}', 'shop.example');
  const body = exampleOf(operation);
  const bodies = body ? placesIn(body).flatMap((place) => ODD.map((odd) => withOdd(body, place, odd))) : [];
  const paths = ODD_IN_ADDRESSES.map((odd) => operation.path.replaceAll(/\{[^}]+\}/g, odd)).filter(
    (path) => path !== operation.path,
  );

  for (const sent of bodies) {
    const { status } = await operators.ask(elsewhere, { method, body: sent });
    expect(status, JSON.stringify(sent).slice(0, 300)).toBeLessThan(500);
  }
  for (const path of paths) {
    const { status } = await operators.ask(path, { method, body });
    expect([400, 404, 414, 422], path.slice(0, 300)).toContain(status);
  }
});
