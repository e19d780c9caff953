import { randomUUID } from 'node:crypto';
import type { ProductBulkChange } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const PATH = '/api/dashboard/products/bulk';
const PRODUCT = '/api/dashboard/products/{product_id}';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

async function productOf({ dashboard }: OpenShop, product_id: string) {
  const { data } = await dashboard.GET(PRODUCT, { params: { path: { product_id } } });
  return data;
}

const SHIRT = {
  name: 'Shirt',
  price: undefined,
  options: [{ name: 'Size', values: ['S', 'M'] }],
  variants: [
    { option1: 'S', price: '19.99', compare_at_price: '21.00' },
    { option1: 'M', price: '24.50', compare_at_price: '40.00' },
  ],
};

test('changes the price of every variant by percent, rounded to cents with halves away from zero', async () => {
  const shop = await openShop();
  const shirt = await shop.givenProduct(SHIRT);
  const mug = await shop.givenProduct({ price: '0.30' });
  const body = { product_ids: [shirt.id, mug.id], change: { price_percent: '15' } };

  const { data: tried } = await shop.dashboard.POST(PATH, { body: { ...body, dry_run: true } });
  expect((await productOf(shop, shirt.id))?.price).toBe('19.99');
  const { data } = await shop.dashboard.POST(PATH, { body });

  expect(tried).toEqual({ ...data, dry_run: true });
  expect(data?.counts).toEqual({ changed: 2, unchanged: 0, failed: 0 });
  expect(data?.results.map(({ name, price_before, price_after }) => [name, price_before, price_after])).toEqual([
    ['Shirt', '19.99', '22.99'],
    ['Mug', '0.30', '0.35'],
  ]);
  const now = await productOf(shop, shirt.id);
  // The new prices are 22.9885 and 28.175 before rounding. The compare-at price is removed if it is no longer above the
  // price.
  expect(now?.variants.map(({ price, compare_at_price }) => [price, compare_at_price])).toEqual([
    ['22.99', null],
    ['28.18', '40.00'],
  ]);
  expect(now).toMatchObject({ price: '22.99', compare_at_price: null });
});

test('adds an amount to prices, and changes no price of a product if one of its prices would become negative', async () => {
  const shop = await openShop();
  const shirt = await shop.givenProduct(SHIRT);
  const mug = await shop.givenProduct({ price: '30.00' });
  const free = await shop.givenProduct({ price: '20.00' });
  const { data } = await shop.dashboard.POST(PATH, {
    body: { product_ids: [shirt.id, mug.id, free.id], change: { price_amount: '-20' } },
  });
  expect(data?.results.map(({ status, reason, price_after }) => [status, reason, price_after])).toEqual([
    ['failed', 'price_out_of_range', null],
    ['changed', null, '10.00'],
    ['changed', null, '0.00'],
  ]);
  expect((await productOf(shop, shirt.id))?.variants.map(({ price }) => price)).toEqual(['19.99', '24.50']);

  const yen = await openShop({ currency: 'JPY' });
  const cup = await yen.givenProduct({ price: '1005' });
  const wrong = await yen.dashboard.POST(PATH, { body: { product_ids: [cup.id], change: { price_amount: '-0.5' } } });
  expect(wrong.error).toMatchObject({ detail: [{ loc: ['body', 'change', 'price_amount'] }] });
  const half = await yen.dashboard.POST(PATH, { body: { product_ids: [cup.id], change: { price_percent: '-50' } } });
  expect(half.data?.results[0]?.price_after).toBe('503');
});

test('publishes, archives and tags products, and reports a product that already has the requested value as unchanged', async () => {
  const shop = await openShop();
  const draft = await shop.givenProduct({ status: 'draft', tags: ['old', 'sale'] });
  const active = await shop.givenProduct({ tags: ['winter', 'sale'] });
  const product_ids = [draft.id, active.id];
  const bulk = async (change: ProductBulkChange) => {
    const { data } = await shop.dashboard.POST(PATH, { body: { product_ids, change } });
    return data?.results.map(({ status }) => status);
  };
  expect(await bulk({ status: 'active' })).toEqual(['changed', 'unchanged']);
  expect((await productOf(shop, draft.id))?.published_at).not.toBeNull();
  expect(await bulk({ add_tags: ['winter', 'new', 'new'] })).toEqual(['changed', 'changed']);
  expect(await bulk({ remove_tags: ['old'] })).toEqual(['changed', 'unchanged']);
  expect((await productOf(shop, draft.id))?.tags).toEqual(['sale', 'winter', 'new']);
  expect((await productOf(shop, active.id))?.tags).toEqual(['winter', 'sale', 'new']);
  const found = await shop.dashboard.GET('/api/dashboard/products', { params: { query: { q: 'winter' } } });
  expect(found.data?.total).toBe(2);

  const many = Array.from({ length: 249 }, (_, i) => `tag ${i}`);
  const { data } = await shop.dashboard.POST(PATH, { body: { product_ids: [draft.id], change: { add_tags: many } } });
  expect(data?.results[0]).toMatchObject({ status: 'failed', reason: 'too_many_tags' });
  expect(await bulk({ status: 'archived' })).toEqual(['changed', 'changed']);
  const { data: listed } = await shop.storefront.GET('/api/storefront/products');
  expect(listed?.total).toBe(0);
});

test('adds products to a manual collection, each at most once, and removes them', async () => {
  const shop = await openShop();
  const [first, second] = [await shop.givenProduct(), await shop.givenProduct()];
  const created = await shop.dashboard.POST('/api/dashboard/collections', {
    body: { title: 'Summer', product_ids: [first.id] },
  });
  const collection_id = created.data?.id ?? '';
  const product_ids = [first.id, second.id, randomUUID()];
  const members = async () => {
    const { data } = await shop.dashboard.GET('/api/dashboard/collections/{collection_id}', {
      params: { path: { collection_id } },
    });
    return data?.products.map(({ id }) => id);
  };
  const added = await shop.dashboard.POST(PATH, {
    body: { product_ids, change: { add_to_collection: collection_id } },
  });
  expect(added.data?.results.map(({ status }) => status)).toEqual(['unchanged', 'changed', 'failed']);
  expect(await members()).toEqual([first.id, second.id]);
  const removed = await shop.dashboard.POST(PATH, {
    body: { product_ids: [first.id], change: { remove_from_collection: collection_id } },
  });
  expect(removed.data?.counts).toEqual({ changed: 1, unchanged: 0, failed: 0 });
  expect(await members()).toEqual([second.id]);

  const automatic = await shop.dashboard.POST('/api/dashboard/collections', {
    body: { title: 'All mugs', rules: [{ field: 'tag', operator: 'equals', value: 'mug' }] },
  });
  const refused = await shop.dashboard.POST(PATH, {
    body: { product_ids, change: { add_to_collection: automatic.data?.id ?? '' } },
  });
  expect(refused.error).toMatchObject({ error: 'collection_not_manual' });
  const unknown = await shop.dashboard.POST(PATH, {
    body: { product_ids, change: { add_to_collection: randomUUID() } },
  });
  expect(unknown.response.status).toBe(404);
});

test('deletes products, except one whose stock an open checkout has reserved', async () => {
  const shop = await openShop();
  const [free, reserved] = [await shop.givenProduct(), await shop.givenProduct()];
  await shop.givenCheckout({ content: [{ variant_id: reserved.variants[0]?.id ?? '', quantity: 1 }] });
  const body = { product_ids: [reserved.id, free.id], change: { delete: true as const } };
  const { data } = await shop.dashboard.POST(PATH, { body });
  expect(data?.results.map(({ status, reason }) => [status, reason])).toEqual([
    ['failed', 'stock_reserved'],
    ['changed', null],
  ]);
  expect(await productOf(shop, free.id)).toBeUndefined();
  expect((await productOf(shop, reserved.id))?.id).toBe(reserved.id);
  const { rows: tombstones } = await shop.owner.query<{ product_id: string }>(
    sql`select product_id from commerce.product_tombstones where site_id = ${shop.site_id}`,
  );
  expect(tombstones.map(({ product_id }) => product_id)).toEqual([free.id]);
});

test('changes no products of another shop, and rejects invalid ids, a request with no or two changes, and more than 500 products', async () => {
  const shop = await openShop();
  const mug = await shop.givenProduct();
  const other = await openShop();
  const stranger = await other.givenProduct();
  const change = { price_percent: '50' };
  const { data } = await shop.dashboard.POST(PATH, { body: { product_ids: [stranger.id, mug.id, mug.id], change } });
  expect(data?.results.map(({ name, reason }) => [name, reason])).toEqual([
    [null, 'not_found'],
    ['Mug', null],
  ]);
  expect((await productOf(other, stranger.id))?.price).toBe('10.00');
  // A product whose id occurs twice changes once.
  expect((await productOf(shop, mug.id))?.price).toBe('15.00');

  const refusals = [
    [{ product_ids: ['mug'], change }, ['body', 'product_ids', 0]],
    [{ product_ids: [], change }, ['body', 'product_ids']],
    [{ product_ids: Array.from({ length: 501 }, () => randomUUID()), change }, ['body', 'product_ids']],
    [{ product_ids: [mug.id], change: {} }, ['body', 'change']],
    [{ product_ids: [mug.id], change: { ...change, status: 'archived' } }, ['body', 'change']],
    [{ product_ids: [mug.id], change: { price_percent: '-100' } }, ['body', 'change', 'price_percent']],
  ] as const;
  for (const [body, loc] of refusals) {
    const { error, response } = await shop.dashboard.POST(PATH, { body: body as never });
    expect([response.status, error]).toMatchObject([422, { detail: [{ loc }] }]);
  }
  expect((await productOf(shop, mug.id))?.price).toBe('15.00');
});

test('bulk price changes, single edits and sales that run concurrently lose no change', async () => {
  const shop = await openShop();
  const ids: string[] = [];
  for (let i = 0; i < 5; i += 1) ids.push((await shop.givenProduct({ price: '100.00' })).id);
  const add = (product_ids: string[]) =>
    shop.dashboard.POST(PATH, { body: { product_ids, change: { price_amount: '1' } } });
  const rename = (product_id: string) =>
    shop.dashboard.PATCH(PRODUCT, { params: { path: { product_id } }, body: { name: 'Renamed', price: '200.00' } });
  const answers = await Promise.all([
    ...[ids, ids.toReversed(), ids, ids.toReversed()].map(add),
    rename(ids[2] ?? ''),
    shop.givenOrder({ content: '10.00' }),
  ]);
  for (const answer of answers.slice(0, 4)) expect('response' in answer && answer.response.status).toBe(200);
  const prices = await Promise.all(ids.map(async (id) => Number((await productOf(shop, id))?.price)));
  expect([prices[0], prices[1], prices[3], prices[4]]).toEqual([104, 104, 104, 104]);
  // The single edit sets 200.00, and later bulk changes add to that price.
  expect(prices[2]).toBeGreaterThanOrEqual(200);
  expect(prices[2]).toBeLessThanOrEqual(204);
  expect((await productOf(shop, ids[2] ?? ''))?.name).toBe('Renamed');
});

test('changes 500 products in one call, and the storefront finds all of them', async () => {
  const shop = await openShop();
  const product_ids: string[] = [];
  for (let batch = 0; batch < 5; batch += 1) {
    const products = Array.from({ length: 100 }, (_, i) => ({
      ...{ name: `Many ${batch} ${i}`, slug: `many-${batch}-${i}`, price: '10.00' },
    }));
    const { data } = await shop.dashboard.POST('/api/dashboard/products/import', { body: { products } });
    product_ids.push(...(data?.results.flatMap(({ product_id }) => product_id ?? []) ?? []));
  }
  for (const [change, expected] of [
    [{ status: 'active' as const }, 500],
    [{ price_percent: '10' }, 500],
    [{ add_tags: ['new'] }, 500],
  ] as const) {
    const { data } = await shop.dashboard.POST(PATH, { body: { product_ids, change: { ...change } as never } });
    expect(data?.counts.changed).toBe(expected);
  }
  const { data } = await shop.storefront.GET('/api/storefront/products', { params: { query: { tag: ['new'] } } });
  expect(data?.total).toBe(500);
  expect(data?.products[0]?.price).toBe('11.00');
});
