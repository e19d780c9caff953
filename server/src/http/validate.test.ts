import type { Request } from 'express';
import { expect, test } from 'vitest';
import { document, operationTable } from './contract.ts';
import { FORMATS } from './formats.ts';
import { createValidation } from './validate.ts';

const { mistakesIn } = createValidation();

function operation(id: string) {
  const found = operationTable.find((one) => one.id === id);
  if (!found) throw new Error(`There is no operation ${id}.`);
  return found;
}

function request(parts: Partial<Record<'query' | 'headers' | 'params' | 'body', unknown>>): Request {
  return { query: {}, headers: {}, params: {}, ...parts } as Request;
}

test('parameters become what the contract says of them, and absent ones their default', () => {
  const req = request({ query: { limit: '5', in_stock: 'true', vendor: 'Alder' } });

  expect(mistakesIn(operation('storefront.listProducts'), req)).toEqual([]);
  expect(req.query).toEqual({ limit: 5, in_stock: true, vendor: ['Alder'], page: 1 });
});

test('mistakes in all parts of a request are told at once, each by its place', () => {
  const req = request({
    headers: { 'idempotency-key': 'no uuid' },
    params: { product_id: 'urn:uuid:0' },
    query: { verbose: '1' },
    body: { name: '', status: 'gone', colour: 'red' },
  });

  const mistakes = mistakesIn(operation('dashboard.updateProduct'), req);

  expect(new Set(mistakes.map(({ loc }) => loc.join('.')))).toEqual(
    new Set(['body.colour', 'body.name', 'body.status', 'header.Idempotency-Key', 'path.product_id', 'query.verbose']),
  );
});

test('a body that must be there is missed', () => {
  const headers = { 'idempotency-key': crypto.randomUUID() };

  expect(mistakesIn(operation('dashboard.createProduct'), request({ headers }))).toEqual([
    { loc: ['body'], msg: 'Field required.', type: 'missing' },
  ]);
});

test('the rows of an import are left to the import', () => {
  const headers = { 'idempotency-key': crypto.randomUUID() };

  expect(
    mistakesIn(operation('dashboard.importProducts'), request({ headers, body: { products: [{ name: 5 }] } })),
  ).toEqual([]);
  expect(
    mistakesIn(operation('dashboard.importProducts'), request({ headers, body: { products: ['row'] } })),
  ).toHaveLength(1);
});

test('every operation of the contract compiles, and every format in it is checked', () => {
  const formats = new Set(JSON.stringify(document).match(/"format":"[^"]+"/g));

  for (const one of operationTable) mistakesIn(one, request({ headers: {}, params: {}, body: {} }));

  const known = [...Object.keys(FORMATS), 'password'].map((format) => `"format":"${format}"`);
  expect([...formats].filter((format) => !known.includes(format))).toEqual([]);
});

test('a list whose entries must differ is judged in time that does not grow with its square', () => {
  const ids = Array.from({ length: 9_000 }, () => crypto.randomUUID());
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const reorder = operation('dashboard.reorderCollectionProducts');
  const judge = (product_ids: string[]) => {
    const started = performance.now();
    mistakesIn(reorder, request({ headers, params: { collection_id: ids[0] }, body: { product_ids } }));
    return performance.now() - started;
  };
  const best = (product_ids: string[]) => Math.min(...Array.from({ length: 5 }, () => judge(product_ids)));

  const [small, large] = [best(ids.slice(0, 900)), best(ids)];

  expect(large).toBeLessThan(50 * Math.max(small, 1));
});
