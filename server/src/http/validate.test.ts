import type { Request } from 'express';
import { expect, test } from 'vitest';
import { operationTable } from './contract.ts';
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
