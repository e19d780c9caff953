import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { fakeServer, loggedIn, pageOf } from '../testing.ts';

const ID = '0192f3a0-4444-7000-8000-0000000000aa';
const { Product, ShippingOption } = contract.components.examples;
const VARIANT = { ...Product.value.variants[0], id: ID, price: '1500.00' };
const PRODUCT = { ...Product.value, price: '1500.00', variants: [VARIANT] };
const OPTION = { ...ShippingOption.value, price: '1500.00' };
const PATH = `/api/dashboard/products/${PRODUCT.id}`;

const ANSWERS = {
  'GET /api/dashboard/products': { body: pageOf('products', [PRODUCT]) },
  [`GET ${PATH}`]: { body: PRODUCT },
  [`PATCH ${PATH}`]: { body: PRODUCT },
  [`PATCH ${PATH}/variants/${ID}`]: { body: VARIANT },
  [`GET /api/dashboard/shipping-options/${OPTION.id}`]: { body: OPTION },
  [`PATCH /api/dashboard/shipping-options/${OPTION.id}`]: { body: OPTION },
};

const UPDATES = [
  ['products', 'update', PRODUCT.slug],
  ['variants', 'update', PRODUCT.slug, ID],
  ['shipping-options', 'update', OPTION.id],
];

test.each(UPDATES)(
  '%s %s asks for confirmation before it changes a price by more than 80 %%, unless --yes is given',
  async (...command) => {
    const server = await fakeServer(ANSWERS);
    const { commerce } = await loggedIn(server.url);
    const sent = () => server.seen.filter(({ method }) => method === 'PATCH').map(({ body }) => body.price);

    const alone = await commerce([...command, '--price', '1.50', '--json']);
    expect([alone.code, JSON.parse(alone.err)]).toMatchObject([2, { error: 'usage', remedy: 'Add --yes.' }]);
    const declined = await commerce([...command, '--price', '1.50'], { typed: 'n' });
    expect(declined.err).toMatch(/Change the price of .* from 1500\.00 to 1\.50 [A-Z]{3}\? \[y\/N\]/);
    expect(sent()).toEqual([]);

    expect((await commerce([...command, '--price', '1.50'], { typed: 'y' })).code).toBe(0);
    expect((await commerce([...command, '--price', '1.50', '--yes'])).code).toBe(0);
    expect((await commerce([...command, '--price', '300.00'])).code).toBe(0);
    expect((await commerce([...command, '--price', '2700.00'])).code).toBe(0);
    expect(sent()).toEqual(['1.50', '1.50', '300.00', '2700.00']);
  },
);

test.each([
  ['products', 'create', 'Mug', '--price'],
  ['products', 'update', 'mug', '--compare-at-price'],
  ['products', 'update', 'mug', '--cost'],
  ['products', 'list', '--min-price'],
  ['shipping-options', 'create', 'Parcel', '--price'],
  ['shipping-options', 'update', 'Parcel', '--minimum-subtotal'],
  ['discounts', 'create', 'FIVE', '--amount'],
  ['discounts', 'create', 'FIVE', '--percentage', '5', '--minimum-subtotal'],
  ['orders', 'refund', '1001', '--amount'],
  ['orders', 'capture', '1001', '--amount'],
])('%s %s rejects the ambiguous amount 1.500, shows both meanings, and sends nothing', async (...command) => {
  const server = await fakeServer(ANSWERS);
  const { commerce } = await loggedIn(server.url);
  const { code, err } = await commerce([...command, '1.500']);
  expect(code).toBe(2);
  expect(err).toContain('1.500 can mean 1500.00 or 1.50: enter 1500.00 or 1.50.');
  expect(server.seen).toEqual([]);
});

test.each([
  ['15,00', '15.00'],
  ['1.500,00', '1500.00'],
  ["1'500.00", '1500.00'],
  ['1\u202f500,5', '1500.5'],
])('accepts an unambiguous amount in any format: %s', async (typed, sent) => {
  const server = await fakeServer({ 'POST /api/dashboard/products': { body: PRODUCT } });
  const { commerce } = await loggedIn(server.url);
  expect((await commerce(['products', 'create', 'Mug', '--price', typed])).code).toBe(0);
  expect(server.seen.map(({ body }) => body.price)).toEqual([sent]);
});

test.each(['-5', 'abc', '1e5', '1.50.00', ''])('rejects %j as an amount and sends nothing', async (typed) => {
  const server = await fakeServer(ANSWERS);
  const { commerce } = await loggedIn(server.url);
  expect((await commerce(['orders', 'refund', '1001', `--amount=${typed}`])).code).toBe(2);
  expect(server.seen).toEqual([]);
});

test('rejects the ambiguous amount 1.500 in a price rule, and accepts an amount with four decimals', async () => {
  const server = await fakeServer({ 'POST /api/dashboard/products': { body: PRODUCT } });
  const { commerce } = await loggedIn(server.url);
  const rule = ['collections', 'create', 'Cheap', '--type', 'automatic', '--rule', 'price<1.500'];
  expect((await commerce(rule)).err).toContain('1.500 can mean 1500.00 or 1.50');
  expect((await commerce(['products', 'create', 'Mug', '--price', '1.2340'])).code).toBe(0);
  expect(server.seen.map(({ body }) => body.price)).toEqual(['1.234']);
});
