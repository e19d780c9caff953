import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const PATH = '/api/dashboard/products/variants';

async function openShirtShop() {
  const shop = await openShop();
  const shirt = await shop.givenProduct({
    name: 'Shirt',
    price: undefined,
    options: [{ name: 'Size', values: ['S', 'M', 'L'] }],
    variants: [
      { option1: 'S', price: '19.00', sku: 'SHIRT-S' },
      { option1: 'M', price: '20.00', sku: 'SHIRT-M' },
      { option1: 'L', price: '21.00', sku: 'SHIRT-L' },
    ],
  });
  const [small = '', medium = '', large = ''] = shirt.variants.map(({ id }) => id);
  const read = async () => {
    const { data } = await shop.dashboard.GET('/api/dashboard/products/{product_id}', {
      params: { path: { product_id: shirt.id } },
    });
    return data;
  };
  return { shop, shirt, small, medium, large, read };
}

test('changes variants of several products, and rejects an invalid row with its field without stopping the other rows', async () => {
  const { shop, small, medium, large, read } = await openShirtShop();
  const mug = await shop.givenProduct({ sku: 'MUG' });
  const { data } = await shop.dashboard.POST(PATH, {
    body: {
      variants: [
        { variant_id: small, price: '18.5', compare_at_price: '25', barcode: '4006381333931' },
        { variant_id: medium, sku: 'mug' },
        { variant_id: large, compare_at_price: '21.00' },
        { variant_id: mug.variants[0]?.id ?? '', price: '11.00', expected: { price: '10', sku: 'MUG' } },
        { variant_id: randomUUID(), price: '1.00' },
      ],
    },
  });
  expect(data?.results.map(({ status, field, reason }) => [status, field, reason])).toEqual([
    ['changed', null, null],
    ['failed', 'sku', 'sku_taken'],
    ['failed', 'compare_at_price', 'invalid'],
    ['changed', null, null],
    ['failed', null, 'not_found'],
  ]);
  expect(data?.counts).toEqual({ changed: 2, unchanged: 0, failed: 3 });
  const now = await read();
  expect(
    now?.variants.map(({ price, sku, compare_at_price, barcode }) => [price, sku, compare_at_price, barcode]),
  ).toEqual([
    ['18.50', 'SHIRT-S', '25.00', '4006381333931'],
    ['20.00', 'SHIRT-M', null, null],
    ['21.00', 'SHIRT-L', null, null],
  ]);
  expect(now).toMatchObject({ price: '18.50', compare_at_price: '25.00' });
});

test('rejects a row whose value has changed since it was read, and applies only one of several concurrent edits', async () => {
  const { shop, small, medium, read } = await openShirtShop();
  const edit = (price: string) =>
    shop.dashboard.POST(PATH, { body: { variants: [{ variant_id: small, price, expected: { price: '19.00' } }] } });
  const answers = await Promise.all(['17.00', '16.00', '15.00', '14.00'].map(edit));
  const statuses = answers.map(({ data }) => data?.results[0]?.status);
  expect(statuses.toSorted()).toEqual(['changed', 'failed', 'failed', 'failed']);
  const winner = ['17.00', '16.00', '15.00', '14.00'][statuses.indexOf('changed')];
  expect((await read())?.variants[0]?.price).toBe(winner);
  const late = answers.find(({ data }) => data?.results[0]?.status === 'failed')?.data?.results[0];
  expect(late).toMatchObject({ field: 'price', reason: 'value_changed' });
  expect(late?.message).toContain(winner);

  // A changed price does not prevent a change of the barcode.
  const { data } = await shop.dashboard.POST(PATH, {
    body: { variants: [{ variant_id: medium, barcode: '1', expected: { barcode: null } }] },
  });
  expect(data?.results[0]?.status).toBe('changed');
});

test('does not change a variant of another shop, and rejects a repeated variant or an empty row (422)', async () => {
  const { shop, small } = await openShirtShop();
  const other = await openShop();
  const mug = await other.givenProduct();
  const variant_id = mug.variants[0]?.id ?? '';
  const { data } = await shop.dashboard.POST(PATH, { body: { variants: [{ variant_id, price: '1.00' }] } });
  expect(data?.results[0]).toMatchObject({ status: 'failed', reason: 'not_found' });
  const row = { variant_id: small, price: '1.00' };
  const repeated = await shop.dashboard.POST(PATH, { body: { variants: [row, row] } });
  expect(repeated.error).toMatchObject({ detail: [{ loc: ['body', 'variants', 1, 'variant_id'] }] });
  for (const variants of [[{ variant_id: small }], Array.from({ length: 501 }, () => row)]) {
    const { response } = await shop.dashboard.POST(PATH, { body: { variants } });
    expect(response.status).toBe(422);
  }
});
