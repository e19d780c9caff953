import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Request } from 'express';
import { expect, test, vi } from 'vitest';
import { document, operationTable } from './contract.ts';
import { FORMATS } from './formats.ts';
import { contractMistakes } from './validate.ts';

function operation(id: string) {
  const found = operationTable.find((one) => one.id === id);
  if (!found) throw new Error(`There is no operation ${id}.`);
  return found;
}

function request(parts: Partial<Record<'query' | 'headers' | 'params' | 'body', unknown>>): Request {
  return { query: {}, headers: {}, params: {}, ...parts } as Request;
}

test('converts parameters to their types and fills in defaults', () => {
  const req = request({ query: { limit: '5', in_stock: 'true', vendor: 'Alder' } });

  expect(contractMistakes(operation('storefront.listProducts'), req)).toEqual([]);
  expect(req.query).toEqual({ limit: 5, in_stock: true, vendor: ['Alder'], page: 1 });
});

test('reports mistakes in all parts of a request in one response, each with its location', () => {
  const req = request({
    headers: { 'idempotency-key': 'no uuid' },
    params: { product_id: 'urn:uuid:0' },
    query: { verbose: '1' },
    body: { name: '', status: 'gone', colour: 'red' },
  });

  const mistakes = contractMistakes(operation('dashboard.updateProduct'), req);

  expect(new Set(mistakes.map(({ loc }) => loc.join('.')))).toEqual(
    new Set(['body.colour', 'body.name', 'body.status', 'header.Idempotency-Key', 'path.product_id', 'query.verbose']),
  );
});

test('reports a mistake in a field only once', () => {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const params = { checkout_id: crypto.randomUUID() };
  const told = (body: object) =>
    contractMistakes(operation('storefront.updateCheckout'), request({ headers, params, body })).map(
      ({ loc, type }) => [loc.join('.'), type],
    );

  expect(told({ email: 'x' })).toEqual([['body.email', 'value_error']]);
  expect(told({ email: 5 })).toEqual([['body.email', 'string_type']]);
  expect(told({ email: `${'x'.repeat(300)}@example.com` })).toEqual([['body.email', 'value_error']]);
  expect(told({ shipping_address: 5 })).toEqual([['body.shipping_address', 'dict_type']]);
  for (const country of ['de', 'DEU', 'ZZ', 'XX']) {
    expect(told({ shipping_address: { country } })).toEqual([['body.shipping_address.country', 'country_unknown']]);
  }
  expect(told({ shipping_address: { country: 'XX', colour: 'red' }, payment_method: 'gold' }).toSorted()).toEqual([
    ['body.payment_method', 'enum'],
    ['body.shipping_address.colour', 'extra_forbidden'],
    ['body.shipping_address.country', 'country_unknown'],
  ]);
});

test('describes the format of an amount in words, and returns the regular expression in ctx.pattern', () => {
  const refused = (price: string) =>
    contractMistakes(
      operation('dashboard.createShippingOption'),
      request({ headers: { 'idempotency-key': crypto.randomUUID() }, body: { name: 'Parcel', price } }),
    );

  expect(refused('4.90')).toEqual([]);
  expect(refused('a lot')).toEqual([
    {
      loc: ['body', 'price'],
      msg: 'Should be an amount such as 4.90.',
      type: 'string_pattern_mismatch',
      ctx: { pattern: expect.stringContaining('9]') },
    },
  ]);
});

test.each([
  [
    'bank_details',
    { account_holder: 'Alder', iban: 'DE89 3704 0044 0532 0130 00' },
    'Should be an IBAN without spaces',
  ],
  ['default_tax_rate', '19', 'Should be a share from 0 to 1'],
  ['storefront_url', 'https://shop.example/my shop', 'Should be a web address without spaces'],
  ['default_locale', 'de_AT', 'Should be en, de or fr'],
])('describes an invalid %s in words, not with a regular expression', (field, value, words) => {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const found = contractMistakes(operation('dashboard.updateSettings'), request({ headers, body: { [field]: value } }));
  expect(found.map(({ msg }) => msg)).toEqual([expect.stringContaining(words)]);
  expect(JSON.stringify(found.map(({ msg }) => msg))).not.toContain('^');
});

test('rejects unknown country codes in shipping options, tax rates, addresses and queries', () => {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const told = (id: string, parts: object) =>
    contractMistakes(operation(id), request({ headers, ...parts })).map(({ loc, type }) => [loc.join('.'), type]);
  const unknown = 'country_unknown';

  expect(
    told('dashboard.createShippingOption', { body: { name: 'Parcel', price: '1', countries: ['DE', 'XX'] } }),
  ).toEqual([['body.countries.1', unknown]]);
  expect(told('dashboard.updateSettings', { body: { tax_rates: [{ country: 'ZZ', rate: '0.19' }] } })).toEqual([
    ['body.tax_rates.0.country', unknown],
  ]);
  const address = {
    last_name: 'Okafor',
    address1: 'Elm Street 1',
    city: 'Berlin',
    postal_code: '10115',
    country: 'EU',
  };
  expect(told('storefront.createAddress', { body: address })).toEqual([['body.country', unknown]]);
  const params = { cart_id: crypto.randomUUID() };
  expect(told('storefront.listCartShippingOptions', { params, query: { country: 'ZZ' } })).toEqual([
    ['query.country', unknown],
  ]);
});

test('reports a missing required body', () => {
  const headers = { 'idempotency-key': crypto.randomUUID() };

  expect(contractMistakes(operation('dashboard.createProduct'), request({ headers }))).toEqual([
    { loc: ['body'], msg: 'Field required.', type: 'missing' },
  ]);
});

test('does not validate the rows of an import with the request, because the import validates each row', () => {
  const headers = { 'idempotency-key': crypto.randomUUID() };

  expect(
    contractMistakes(operation('dashboard.importProducts'), request({ headers, body: { products: [{ name: 5 }] } })),
  ).toEqual([]);
  expect(
    contractMistakes(operation('dashboard.importProducts'), request({ headers, body: { products: ['row'] } })),
  ).toHaveLength(1);
});

test('compiles every operation of the contract, and supports every format in it', () => {
  // Ignores examples, which may have a property named `format`.
  const schemas = JSON.stringify(document, (name, value) => (name.startsWith('example') ? undefined : value));
  const formats = new Set(schemas.match(/"format":"[^"]+"/g));

  for (const one of operationTable) contractMistakes(one, request({ headers: {}, params: {}, body: {} }));

  const known = [...Object.keys(FORMATS), 'password'].map((format) => `"format":"${format}"`);
  expect([...formats].filter((format) => !known.includes(format))).toEqual([]);
});

test('checks a list of unique entries in less than quadratic time', () => {
  const ids = Array.from({ length: 9_000 }, () => crypto.randomUUID());
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const reorder = operation('dashboard.reorderCollectionProducts');
  /** CPU time of this thread in microseconds, which does not depend on other load on the machine. */
  const work = (product_ids: string[]) => {
    const before = process.threadCpuUsage();
    contractMistakes(reorder, request({ headers, params: { collection_id: ids[0] }, body: { product_ids } }));
    return process.threadCpuUsage(before).user;
  };
  const least = (product_ids: string[]) => Math.min(...Array.from({ length: 5 }, () => work(product_ids)));

  const [small, large] = [least(ids.slice(0, 900)), least(ids)];

  expect(large).toBeLessThan(50 * Math.max(small, 1_000));
});

test('compiles an operation once for all requests, whatever their Content-Type', () => {
  const create = operation('dashboard.createProduct');
  const headers = { 'idempotency-key': crypto.randomUUID(), 'content-type': 'application/json' };
  contractMistakes(create, request({ headers, body: { name: 'Boots' } }));
  const compiled = vi.spyOn(Ajv2020.prototype, 'addSchema');

  for (let i = 0; i < 20; i += 1) {
    const parts = { headers: { ...headers, 'content-type': `application/json; v=${i}` }, body: { name: 'Boots' } };
    expect(contractMistakes(create, request(parts))).toEqual([]);
  }

  expect(compiled).not.toHaveBeenCalled();
  compiled.mockRestore();
});

test('reports only the first mistake in a large body, but every mistake in the parameters', () => {
  const rows = Array.from({ length: 3_000 }, () => ({}));
  const req = request({ params: { product_id: 'no uuid' }, body: { name: rows, status: rows } });

  const mistakes = contractMistakes(operation('dashboard.updateProduct'), req);

  expect(mistakes.map(({ loc }) => loc[0])).toEqual(['header', 'path', 'body']);
});

test('does not reuse a default value from one request in the next', () => {
  const list = operation('storefront.listProducts');
  const queries = [{ limit: '5', page: '3' }, {}, { limit: '7' }].map((query) => {
    const req = request({ query });
    contractMistakes(list, req);
    return req.query;
  });

  expect(queries).toEqual([
    { limit: 5, page: 3 },
    { limit: 20, page: 1 },
    { limit: 7, page: 1 },
  ]);
});
