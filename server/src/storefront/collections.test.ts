import type { CollectionInput } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const listPath = '/api/storefront/collections';
const onePath = '/api/storefront/collections/{id_or_handle}';
const productsPath = '/api/storefront/collections/{id_or_handle}/products';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

async function givenCollection({ dashboard }: OpenShop, input: Partial<CollectionInput> = {}) {
  const { data, error } = await dashboard.POST('/api/dashboard/collections', { body: { title: 'Kitchen', ...input } });
  if (!data) throw new Error(`The collection was refused: ${JSON.stringify(error)}`);
  return data;
}

/** Creates two public products, one of them sold out, and three hidden ones. */
async function givenCatalogue({ givenProduct }: OpenShop): Promise<string[]> {
  const products = [
    await givenProduct({ name: 'Mug', price: '10.00', cost_per_item: '4.00', tags: ['kitchen'] }),
    await givenProduct({ name: 'Sold out', price: '5.00', tags: ['kitchen'], inventory_quantity: 0 }),
    await givenProduct({ name: 'Draft', status: 'draft', tags: ['kitchen'] }),
    await givenProduct({ name: 'Archived', status: 'archived', tags: ['kitchen'] }),
    await givenProduct({ name: 'Tomorrow', tags: ['kitchen'], published_at: '2999-01-01T00:00:00Z' }),
  ];
  return products.map(({ id }) => id);
}

function at(id_or_handle: string) {
  return { params: { path: { id_or_handle } } };
}

async function namesIn({ storefront }: OpenShop, handle: string, query = {}) {
  const { data } = await storefront.GET(productsPath, { params: { path: { id_or_handle: handle }, query } });
  return data?.products.map(({ name }) => name);
}

test('shows published collections by title, with the number of public products', async () => {
  const shop = await openShop();
  const product_ids = await givenCatalogue(shop);
  await givenCollection(shop, { title: 'Table', description: 'All of it.', product_ids });
  await givenCollection(shop, { title: 'Hidden', published: false, product_ids });
  await givenCollection(shop, { title: 'Cooking', rules: [{ field: 'tag', operator: 'equals', value: 'kitchen' }] });
  await givenCollection(shop, { title: 'Empty' });

  const { data } = await shop.storefront.GET(listPath);

  expect(data).toMatchObject({ total: 3, page: 1, limit: 20, pages: 1 });
  expect(data?.collections.map(({ title, products_count }) => ({ title, products_count }))).toEqual([
    { title: 'Cooking', products_count: 2 },
    { title: 'Empty', products_count: 0 },
    { title: 'Table', products_count: 2 },
  ]);
  expect(data?.collections[2]).toEqual({
    id: expect.any(String),
    title: 'Table',
    description: 'All of it.',
    handle: 'table',
    image_url: null,
    products_count: 2,
  });
});

test('pages through collections, and a page past the end is empty', async () => {
  const shop = await openShop();
  for (const title of ['A', 'B', 'C']) await givenCollection(shop, { title });
  const page = async (number: number) => {
    const { data } = await shop.storefront.GET(listPath, { params: { query: { page: number, limit: 2 } } });
    return { titles: data?.collections.map(({ title }) => title), total: data?.total, pages: data?.pages };
  };

  expect(await page(1)).toEqual({ titles: ['A', 'B'], total: 3, pages: 2 });
  expect(await page(2)).toEqual({ titles: ['C'], total: 3, pages: 2 });
  expect(await page(3)).toEqual({ titles: [], total: 3, pages: 2 });
});

test('finds a published collection by id and handle', async () => {
  const shop = await openShop();
  const { id } = await givenCollection(shop, { handle: 'kitchen' });

  const byId = await shop.storefront.GET(onePath, at(id));
  const byHandle = await shop.storefront.GET(onePath, at('kitchen'));

  expect(byId.data).toMatchObject({ id, handle: 'kitchen', products_count: 0 });
  expect(byHandle.data).toEqual(byId.data);
});

test('answers 404 for a collection that is unpublished, unknown or of another shop', async () => {
  const shop = await openShop();
  const hidden = await givenCollection(shop, { title: 'Hidden', published: false });
  const foreign = await givenCollection(await openShop(), { title: 'Theirs' });

  for (const name of [hidden.id, hidden.handle, foreign.id, foreign.handle, 'nothing']) {
    for (const path of [onePath, productsPath] as const) {
      const { error, response } = await shop.storefront.GET(path, at(name));
      expect(response.status).toBe(404);
      expect(error).toMatchObject({ error: 'not_found', message: 'There is no such collection.' });
    }
  }
  const { data } = await shop.storefront.GET(listPath);
  expect(data?.collections).toEqual([]);
});

test('shows the public products of a collection without their cost', async () => {
  const shop = await openShop();
  const product_ids = await givenCatalogue(shop);
  const { id, handle } = await givenCollection(shop, { product_ids });

  const { data } = await shop.storefront.GET(productsPath, at(id));

  expect(data).toMatchObject({ total: 2, page: 1, limit: 20, pages: 1 });
  expect(data?.products.map(({ name, cost_per_item }) => [name, cost_per_item])).toEqual([
    ['Mug', null],
    ['Sold out', null],
  ]);
  expect(await namesIn(shop, handle, { in_stock: true })).toEqual(['Mug']);
  expect(await namesIn(shop, handle, { in_stock: false })).toEqual(['Sold out']);
});

test('lists products in the order of the collection, unless the request has another sort order', async () => {
  const shop = await openShop();
  const ids: string[] = [];
  for (const [name, price, sales] of [
    ['B', '3.00', 1],
    ['C', '1.00', 9],
    ['A', '2.00', 5],
  ] as const) {
    const { id } = await shop.givenProduct({ name, price, tags: ['all'] });
    await shop.owner.query('update commerce.products set sales_count = $2 where id = $1', [id, sales]);
    ids.push(id);
  }
  await givenCollection(shop, { handle: 'by-hand', product_ids: ids });
  await givenCollection(shop, {
    handle: 'by-rule',
    rules: [{ field: 'tag', operator: 'equals', value: 'all' }],
    sort_order: 'price_desc',
  });

  expect(await namesIn(shop, 'by-hand')).toEqual(['B', 'C', 'A']);
  expect(await namesIn(shop, 'by-rule')).toEqual(['B', 'A', 'C']);
  for (const handle of ['by-hand', 'by-rule']) {
    expect(await namesIn(shop, handle, { sort: 'price_asc' })).toEqual(['C', 'A', 'B']);
    expect(await namesIn(shop, handle, { sort: 'price_desc' })).toEqual(['B', 'A', 'C']);
    expect(await namesIn(shop, handle, { sort: 'name_asc' })).toEqual(['A', 'B', 'C']);
    expect(await namesIn(shop, handle, { sort: 'name_desc' })).toEqual(['C', 'B', 'A']);
    expect(await namesIn(shop, handle, { sort: 'best_selling' })).toEqual(['C', 'A', 'B']);
    expect(await namesIn(shop, handle, { sort: 'newest' })).toEqual(['A', 'C', 'B']);
    expect(await namesIn(shop, handle, { page: 2, limit: 2, sort: 'name_asc' })).toEqual(['C']);
  }
});

test('shows changes of a collection immediately', async () => {
  const shop = await openShop();
  const { dashboard, storefront } = shop;
  const mug = await shop.givenProduct({ inventory_quantity: 1 });
  const { id } = await givenCollection(shop, { rules: [{ field: 'in_stock', operator: 'equals', value: 'true' }] });
  const count = async () => (await storefront.GET(listPath)).data?.collections[0]?.products_count;
  expect(await count()).toBe(1);

  await dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
    params: { path: { variant_id: mug.variants[0]?.id ?? '' } },
    body: { delta: -1, reason: 'lost' },
  });
  expect(await count()).toBe(0);
  expect(await namesIn(shop, id)).toEqual([]);

  await dashboard.PATCH('/api/dashboard/collections/{collection_id}', {
    params: { path: { collection_id: id } },
    body: { published: false },
  });
  expect(await count()).toBeUndefined();
});
