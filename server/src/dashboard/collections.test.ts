import type { CollectionInput, CollectionRule } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const collectionsPath = '/api/dashboard/collections';
const collectionPath = '/api/dashboard/collections/{collection_id}';
const productsPath = '/api/dashboard/collections/{collection_id}/products';
const productPath = '/api/dashboard/collections/{collection_id}/products/{product_id}';
const reorderPath = '/api/dashboard/collections/{collection_id}/products/reorder';
const unknown = '0192f3a0-9999-7000-8000-00000000dead';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

async function givenCollection({ dashboard }: OpenShop, input: Partial<CollectionInput> = {}) {
  const { data, error } = await dashboard.POST(collectionsPath, { body: { title: 'Kitchen', ...input } });
  if (!data) throw new Error(`The collection was refused: ${JSON.stringify(error)}`);
  return data;
}

async function givenProducts({ givenProduct }: OpenShop, ...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await givenProduct({ name })).id);
  return ids;
}

function at(collection_id: string) {
  return { params: { path: { collection_id } } };
}

async function namesIn({ dashboard }: OpenShop, collection_id: string): Promise<string[]> {
  const { data } = await dashboard.GET(collectionPath, at(collection_id));
  return data?.products.map(({ name }) => name) ?? [];
}

test('a manual collection contains the given products, including drafts, in the given order', async () => {
  const shop = await openShop();
  const [mug = '', plate = ''] = await givenProducts(shop, 'Mug', 'Plate');
  const draft = await shop.givenProduct({ name: 'Bowl', status: 'draft' });

  const collection = await givenCollection(shop, { product_ids: [plate, draft.id, mug] });

  expect(collection).toMatchObject({
    title: 'Kitchen',
    handle: 'kitchen',
    type: 'manual',
    rules: null,
    rules_match: null,
    sort_order: 'manual',
    published: true,
    products_count: 3,
  });
  expect(collection.published_at).not.toBeNull();
  expect(collection.products.map(({ name }) => name)).toEqual(['Plate', 'Bowl', 'Mug']);
});

test.each([
  { sort_order: 'manual' as const, order: ['B', 'C', 'A'] },
  { sort_order: 'title_asc' as const, order: ['A', 'B', 'C'] },
  { sort_order: 'title_desc' as const, order: ['C', 'B', 'A'] },
  { sort_order: 'price_asc' as const, order: ['B', 'A', 'C'] },
  { sort_order: 'price_desc' as const, order: ['C', 'A', 'B'] },
  { sort_order: 'created_asc' as const, order: ['C', 'A', 'B'] },
  { sort_order: 'created_desc' as const, order: ['B', 'A', 'C'] },
  { sort_order: 'best_selling' as const, order: ['A', 'C', 'B'] },
])('a collection sorted by $sort_order lists $order', async ({ sort_order, order }) => {
  const shop = await openShop();
  const ids: Record<string, string> = {};
  for (const [name, price, sales] of [
    ['C', '100.00', 5],
    ['A', '9.00', 7],
    ['B', '8.00', 0],
  ] as const) {
    const { id } = await shop.givenProduct({ name, price });
    await shop.owner.query('update commerce.products set sales_count = $2 where id = $1', [id, sales]);
    ids[name] = id;
  }

  const { id } = await givenCollection(shop, {
    sort_order,
    product_ids: ['B', 'C', 'A'].map((name) => ids[name] ?? ''),
  });

  expect(await namesIn(shop, id)).toEqual(order);
});

test('products with equal sort values are ordered by id, so that pages neither repeat nor skip a product', async () => {
  const shop = await openShop();
  const ids = await givenProducts(shop, 'Same', 'Same', 'Same', 'Same', 'Same');
  const { id } = await givenCollection(shop, { sort_order: 'price_desc', product_ids: ids });

  const seen: string[] = [];
  for (const page of [1, 2, 3]) {
    const { data } = await shop.dashboard.GET(collectionPath, {
      params: { path: { collection_id: id }, query: { page, limit: 2 } },
    });
    expect(data?.products_count).toBe(5);
    seen.push(...(data?.products.map((product) => product.id) ?? []));
  }

  expect(seen).toEqual([...ids].sort());
});

const RULES: { rule: CollectionRule; found: string[] }[] = [
  { rule: { field: 'tag', operator: 'equals', value: 'SALE' }, found: ['Lamp', 'Mug'] },
  { rule: { field: 'tag', operator: 'not_equals', value: 'sale' }, found: ['Plate'] },
  { rule: { field: 'tag', operator: 'contains', value: 'mad' }, found: ['Mug', 'Plate'] },
  { rule: { field: 'tag', operator: 'contains', value: '%' }, found: [] },
  { rule: { field: 'vendor', operator: 'equals', value: 'fernhill' }, found: ['Mug'] },
  { rule: { field: 'vendor', operator: 'not_equals', value: 'Fernhill' }, found: ['Lamp', 'Plate'] },
  { rule: { field: 'vendor', operator: 'contains', value: 'HILL' }, found: ['Mug', 'Plate'] },
  { rule: { field: 'product_type', operator: 'equals', value: 'Tableware' }, found: ['Mug', 'Plate'] },
  { rule: { field: 'product_type', operator: 'not_equals', value: 'Tableware' }, found: ['Lamp'] },
  { rule: { field: 'product_type', operator: 'contains', value: 'ware' }, found: ['Mug', 'Plate'] },
  { rule: { field: 'price', operator: 'equals', value: '9.5' }, found: ['Mug'] },
  { rule: { field: 'price', operator: 'greater_than', value: '9.50' }, found: ['Lamp', 'Plate'] },
  { rule: { field: 'price', operator: 'less_than', value: '100' }, found: ['Mug', 'Plate'] },
  { rule: { field: 'in_stock', operator: 'equals', value: 'true' }, found: ['Lamp', 'Mug'] },
  { rule: { field: 'in_stock', operator: 'equals', value: 'false' }, found: ['Plate'] },
];

test('an automatic collection contains exactly the products that match its rule', async () => {
  const shop = await openShop();
  const { givenProduct } = shop;
  await givenProduct({
    name: 'Mug',
    vendor: 'Fernhill',
    product_type: 'Tableware',
    tags: ['Sale', 'Handmade'],
    price: '9.50',
  });
  await givenProduct({
    name: 'Plate',
    vendor: 'Hillside',
    product_type: 'Tableware',
    tags: ['made to order'],
    price: '20.00',
    inventory_quantity: 0,
  });
  await givenProduct({ name: 'Lamp', tags: ['sale'], price: '100.00' });

  for (const { rule, found } of RULES) {
    const { id, products_count } = await givenCollection(shop, { rules: [rule], sort_order: 'title_asc' });
    expect({ rule, found: await namesIn(shop, id) }).toEqual({ rule, found });
    expect(products_count).toBe(found.length);
  }
  const { data } = await shop.dashboard.GET(collectionsPath, { params: { query: { limit: 100 } } });
  const counts = data?.collections.map(({ products_count }) => products_count).sort();
  expect(counts).toEqual(RULES.map(({ found }) => found.length).sort());
});

test('a product must match all or any of the rules, depending on rules_match', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Cheap gift', tags: ['gift'], price: '5.00' });
  await shop.givenProduct({ name: 'Dear gift', tags: ['gift'], price: '500.00' });
  await shop.givenProduct({ name: 'Cheap thing', price: '5.00' });
  const rules: CollectionRule[] = [
    { field: 'tag', operator: 'equals', value: 'gift' },
    { field: 'price', operator: 'less_than', value: '40' },
  ];

  const all = await givenCollection(shop, { rules, sort_order: 'title_asc' });
  const any = await givenCollection(shop, { rules, rules_match: 'any', sort_order: 'title_asc' });

  expect(all).toMatchObject({ type: 'automatic', rules_match: 'all', products_count: 1 });
  expect(all.rules?.[1]).toEqual({ field: 'price', operator: 'less_than', value: '40.00' });
  expect(all.products.map(({ name }) => name)).toEqual(['Cheap gift']);
  expect(any.products.map(({ name }) => name)).toEqual(['Cheap gift', 'Cheap thing', 'Dear gift']);
});

test('an automatic collection reflects changes of stock and price immediately', async () => {
  const shop = await openShop();
  const { dashboard } = shop;
  const mug = await shop.givenProduct({ name: 'Mug', price: '10.00', inventory_quantity: 1 });
  const { id } = await givenCollection(shop, {
    rules: [
      { field: 'in_stock', operator: 'equals', value: 'true' },
      { field: 'price', operator: 'less_than', value: '20.00' },
    ],
  });
  expect(await namesIn(shop, id)).toEqual(['Mug']);

  const adjust = (delta: number) =>
    dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
      params: { path: { variant_id: mug.variants[0]?.id ?? '' } },
      body: { delta, reason: 'correction' },
    });
  await adjust(-1);
  expect(await namesIn(shop, id)).toEqual([]);

  await adjust(3);
  expect(await namesIn(shop, id)).toEqual(['Mug']);

  await dashboard.PATCH('/api/dashboard/products/{product_id}', {
    params: { path: { product_id: mug.id } },
    body: { price: '20.00' },
  });
  expect(await namesIn(shop, id)).toEqual([]);
});

test('reports each invalid rule of a collection at its field (422)', async () => {
  const { dashboard } = await openShop();

  const { error, response } = await dashboard.POST(collectionsPath, {
    body: {
      title: 'Wrong',
      rules: [
        { field: 'tag', operator: 'greater_than', value: 'sale' },
        { field: 'price', operator: 'contains', value: '5' },
        { field: 'price', operator: 'less_than', value: 'forty' },
        { field: 'price', operator: 'less_than', value: '4.999' },
        { field: 'in_stock', operator: 'equals', value: 'yes' },
        { field: 'vendor', operator: 'equals', value: '  ' },
        { field: 'vendor', operator: 'equals', value: 'Fernhill' },
      ],
    },
  });

  expect(response.status).toBe(422);
  expect(error).toMatchObject({
    detail: [
      { loc: ['body', 'rules', 0, 'operator'] },
      { loc: ['body', 'rules', 1, 'operator'] },
      { loc: ['body', 'rules', 2, 'value'] },
      { loc: ['body', 'rules', 3, 'value'], type: 'decimal_max_places' },
      { loc: ['body', 'rules', 4, 'value'] },
      { loc: ['body', 'rules', 5, 'value'] },
    ],
  });
});

const vendorRule: CollectionRule[] = [{ field: 'vendor', operator: 'equals', value: 'Fernhill' }];

test.each([
  { body: { type: 'manual', rules: vendorRule }, field: 'rules' },
  { body: { type: 'manual', rules_match: 'any' }, field: 'rules_match' },
  { body: { type: 'automatic' }, field: 'rules' },
  { body: { rules: vendorRule, product_ids: [unknown] }, field: 'product_ids' },
  { body: { rules: vendorRule, sort_order: 'manual' }, field: 'sort_order' },
] as { body: Partial<CollectionInput>; field: string }[])(
  'rejects $body, because $field does not fit the type of the collection (422)',
  async ({ body, field }) => {
    const { dashboard } = await openShop();

    const { error, response } = await dashboard.POST(collectionsPath, { body: { title: 'Mixed', ...body } });

    expect(response.status).toBe(422);
    expect(error).toMatchObject({ detail: [{ loc: ['body', field] }] });
  },
);

test('derives an unused handle from the title, and rejects a requested handle that is taken', async () => {
  const shop = await openShop();
  await givenCollection(shop, { title: 'Für die Küche!' });

  const again = await givenCollection(shop, { title: 'Für die Küche!' });
  const { error, response } = await shop.dashboard.POST(collectionsPath, {
    body: { title: 'Another', handle: again.handle },
  });
  const elsewhere = await givenCollection(await openShop(), { title: 'Another', handle: again.handle });

  expect(again.handle).toBe('fuer-die-kueche-2');
  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'handle_taken' });
  expect(elsewhere.handle).toBe(again.handle);
});

test('concurrent collections with the same title get different handles', async () => {
  const shop = await openShop();

  const created = await Promise.all(Array.from({ length: 8 }, () => givenCollection(shop, { title: 'New' })));

  expect(new Set(created.map(({ handle }) => handle)).size).toBe(8);
});

test('an update of a collection changes only the given fields', async () => {
  const shop = await openShop();
  const [mug = ''] = await givenProducts(shop, 'Mug');
  const before = await givenCollection(shop, { description: 'What a kitchen needs.', product_ids: [mug] });

  const { data } = await shop.dashboard.PATCH(collectionPath, {
    ...at(before.id),
    body: { title: 'Table', sort_order: 'price_asc' },
  });

  expect(data).toEqual({ ...before, title: 'Table', sort_order: 'price_asc', updated_at: data?.updated_at });
});

test('publishing a collection sets the publication time, publishing again keeps it, and unpublishing clears it', async () => {
  const shop = await openShop();
  const { id, published_at } = await givenCollection(shop, { published: false });
  const publish = async (published: boolean) => {
    const { data } = await shop.dashboard.PATCH(collectionPath, { ...at(id), body: { published } });
    return data?.published_at;
  };

  expect(published_at).toBeNull();
  const stamped = await publish(true);
  expect(stamped).toEqual(expect.any(String));
  expect(await publish(true)).toBe(stamped);
  expect(await publish(false)).toBeNull();
});

test('rejects changing the type of a collection', async () => {
  const shop = await openShop();
  const manual = await givenCollection(shop);
  const automatic = await givenCollection(shop, { title: 'Sale', rules: vendorRule });

  const withRules = await shop.dashboard.PATCH(collectionPath, { ...at(manual.id), body: { rules: vendorRule } });
  const byHand = await shop.dashboard.PATCH(collectionPath, { ...at(automatic.id), body: { sort_order: 'manual' } });
  const taken = await shop.dashboard.PATCH(collectionPath, { ...at(automatic.id), body: { handle: manual.handle } });

  expect(withRules.error).toMatchObject({ error: 'conflict' });
  expect(byHand.error).toMatchObject({ detail: [{ loc: ['body', 'sort_order'] }] });
  expect(taken.error).toMatchObject({ error: 'handle_taken' });
});

test('an update of a collection replaces all its rules', async () => {
  const shop = await openShop();
  await givenProducts(shop, 'Mug');
  const { id } = await givenCollection(shop, { rules: vendorRule });

  const { data } = await shop.dashboard.PATCH(collectionPath, {
    ...at(id),
    body: { rules: [{ field: 'price', operator: 'greater_than', value: '0' }] },
  });

  expect(data?.rules).toEqual([{ field: 'price', operator: 'greater_than', value: '0.00' }]);
  expect(data?.products.map(({ name }) => name)).toEqual(['Mug']);
});

test('products added to a collection go to the end, and existing members keep their position', async () => {
  const shop = await openShop();
  const [a = '', b = '', c = ''] = await givenProducts(shop, 'A', 'B', 'C');
  const { id } = await givenCollection(shop, { product_ids: [b] });

  const { data } = await shop.dashboard.POST(productsPath, { ...at(id), body: { product_ids: [c, b, a] } });

  expect(data?.products_count).toBe(3);
  expect(data?.products.map(({ name }) => name)).toEqual(['B', 'C', 'A']);
});

test('adds no products if one is unknown or belongs to another shop', async () => {
  const shop = await openShop();
  const [mug = ''] = await givenProducts(shop, 'Mug');
  const [foreign = ''] = await givenProducts(await openShop(), 'Theirs');
  const { id } = await givenCollection(shop);

  for (const stranger of [unknown, foreign]) {
    const { error, response } = await shop.dashboard.POST(productsPath, {
      ...at(id),
      body: { product_ids: [mug, stranger] },
    });
    expect(response.status).toBe(404);
    expect(error).toMatchObject({ error: 'not_found', message: 'There is no such product.' });
  }
  const created = await shop.dashboard.POST(collectionsPath, { body: { title: 'Theirs', product_ids: [foreign] } });

  expect(created.response.status).toBe(404);
  expect(await namesIn(shop, id)).toEqual([]);
  const { data } = await shop.dashboard.GET(collectionsPath);
  expect(data?.total).toBe(1);
});

test('concurrent requests add all their products to a collection, each at its own position', async () => {
  const shop = await openShop();
  const names = Array.from({ length: 12 }, (_, i) => `P${i}`);
  const ids = await givenProducts(shop, ...names);
  const { id } = await givenCollection(shop);

  await Promise.all(
    ids.map((product) => shop.dashboard.POST(productsPath, { ...at(id), body: { product_ids: [product] } })),
  );

  expect((await namesIn(shop, id)).sort()).toEqual(names.sort());
  const { rows } = await shop.owner.query(
    'select position from commerce.collection_products where collection_id = $1',
    [id],
  );
  expect(new Set(rows.map(({ position }) => position)).size).toBe(12);
});

test('limits a collection to 10,000 products', async () => {
  const shop = await openShop();
  const [mug = ''] = await givenProducts(shop, 'Mug');
  const { id } = await givenCollection(shop);
  const owner = await shop.owner.connect();
  // Without triggers and foreign keys the products need not exist, so creating and deleting the members is fast.
  await owner.query('set session_replication_role = replica');
  await owner.query(
    `insert into commerce.collection_products (site_id, collection_id, product_id, position)
      select $1, $2, gen_random_uuid(), n from generate_series(1, 10000) n`,
    [shop.site_id, id],
  );

  const { error, response } = await shop.dashboard.POST(productsPath, { ...at(id), body: { product_ids: [mug] } });
  await owner.query('delete from commerce.collection_products where site_id = $1 and collection_id = $2', [
    shop.site_id,
    id,
  ]);
  owner.release(true);

  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'limit_reached', limit: 10_000 });
});

test('sorts the products of a collection manually', async () => {
  const shop = await openShop();
  const [a = '', b = '', c = ''] = await givenProducts(shop, 'A', 'B', 'C');
  const { id } = await givenCollection(shop, { product_ids: [a, b, c] });

  const { data } = await shop.dashboard.PUT(reorderPath, { ...at(id), body: { product_ids: [c, a, b.toUpperCase()] } });

  expect(data?.products.map(({ name }) => name)).toEqual(['C', 'A', 'B']);
  expect(await namesIn(shop, id)).toEqual(['C', 'A', 'B']);
});

test('returns all 130 products of a collection, before and after they are reordered', async () => {
  const shop = await openShop();
  const names = Array.from({ length: 130 }, (_, i) => `Product ${String(i).padStart(3, '0')}`);
  const ids: string[] = [];
  for (const part of [names.slice(0, 100), names.slice(100)]) {
    const products = part.map((name) => ({ name, slug: name.toLowerCase().replace(' ', '-'), price: '1.00' }));
    const { data } = await shop.dashboard.POST('/api/dashboard/products/import', { body: { products } });
    ids.push(...(data?.results ?? []).map(({ product_id }) => product_id ?? ''));
  }
  const { id } = await givenCollection(shop, { product_ids: ids, sort_order: 'title_desc' });
  const read = await shop.dashboard.GET(collectionPath, at(id));
  expect(read.data?.products.map(({ name }) => name)).toEqual(names.toReversed());
  expect(read.data).toMatchObject({ products_count: 130, page: 1, limit: 1000, pages: 1 });

  const wanted = [...ids.slice(65), ...ids.slice(0, 65)];
  const { data } = await shop.dashboard.PUT(reorderPath, { ...at(id), body: { product_ids: wanted } });
  expect(data?.products.map((product) => product.id)).toEqual(wanted);

  const page = { params: { path: { collection_id: id }, query: { page: 2, limit: 50 } } };
  const second = await shop.dashboard.GET(collectionPath, page);
  expect(second.data).toMatchObject({ page: 2, limit: 50, pages: 3 });
  expect(second.data?.products).toHaveLength(50);
});

test('collections with shared products each keep their own order', async () => {
  const shop = await openShop();
  const [a = '', b = '', c = ''] = await givenProducts(shop, 'A', 'B', 'C');
  const one = await givenCollection(shop, { product_ids: [a, b] });
  const other = await givenCollection(shop, { product_ids: [a, b, c] });

  await shop.dashboard.PUT(reorderPath, { ...at(one.id), body: { product_ids: [b, a] } });
  expect(await namesIn(shop, one.id)).toEqual(['B', 'A']);
  expect(await namesIn(shop, other.id)).toEqual(['A', 'B', 'C']);

  await shop.dashboard.DELETE(productPath, { params: { path: { collection_id: other.id, product_id: a } } });
  expect(await namesIn(shop, one.id)).toEqual(['B', 'A']);
  expect(await namesIn(shop, other.id)).toEqual(['B', 'C']);
});

test('rejects a reorder that does not list exactly the members (409), with the missing and unknown products', async () => {
  const shop = await openShop();
  const [a = '', b = '', c = ''] = await givenProducts(shop, 'A', 'B', 'C');
  const { id } = await givenCollection(shop, { product_ids: [a, b] });

  for (const [product_ids, missing, unknown] of [
    [[b], [a], []],
    [[b, a, c], [], [c]],
    [[b, c], [a], [c]],
    [[], [a, b], []],
  ]) {
    const { error, response } = await shop.dashboard.PUT(reorderPath, {
      ...at(id),
      body: { product_ids: product_ids ?? [] },
    });
    expect(response.status).toBe(409);
    expect(error).toMatchObject({ error: 'conflict', missing, unknown });
  }
  expect(await namesIn(shop, id)).toEqual(['A', 'B']);
});

test('concurrent reorders result in the complete order of one of the requests', async () => {
  const shop = await openShop();
  const ids = await givenProducts(shop, 'A', 'B', 'C', 'D', 'E');
  const { id } = await givenCollection(shop, { product_ids: ids });
  const orders = ids.map((_, i) => [...ids.slice(i), ...ids.slice(0, i)]);

  const answers = await Promise.all(
    orders.map((product_ids) => shop.dashboard.PUT(reorderPath, { ...at(id), body: { product_ids } })),
  );

  expect(answers.map(({ response }) => response.status)).toEqual(orders.map(() => 200));
  const rotations = ['ABCDE', 'BCDEA', 'CDEAB', 'DEABC', 'EABCD'];
  expect(rotations).toContain((await namesIn(shop, id)).join(''));
});

test('removing a product from a collection returns 404 if it is not a member', async () => {
  const shop = await openShop();
  const [a = '', b = ''] = await givenProducts(shop, 'A', 'B');
  const { id } = await givenCollection(shop, { product_ids: [a, b] });
  const leave = (product_id: string) =>
    shop.dashboard.DELETE(productPath, { params: { path: { collection_id: id, product_id } } });

  const { data } = await leave(a);
  const again = await leave(a);

  expect(data?.products.map(({ name }) => name)).toEqual(['B']);
  expect(again.response.status).toBe(404);
});

test('rejects adding, reordering or removing products of an automatic collection (409 collection_not_manual)', async () => {
  const shop = await openShop();
  const [mug = ''] = await givenProducts(shop, 'Mug');
  const { id } = await givenCollection(shop, { rules: vendorRule });

  const answers = [
    await shop.dashboard.POST(productsPath, { ...at(id), body: { product_ids: [mug] } }),
    await shop.dashboard.PUT(reorderPath, { ...at(id), body: { product_ids: [mug] } }),
    await shop.dashboard.DELETE(productPath, { params: { path: { collection_id: id, product_id: mug } } }),
  ];

  for (const { error, response } of answers) {
    expect(response.status).toBe(409);
    expect(error).toMatchObject({ error: 'collection_not_manual' });
  }
});

test('deletes a collection and keeps its products', async () => {
  const shop = await openShop();
  const [mug = ''] = await givenProducts(shop, 'Mug');
  const { id } = await givenCollection(shop, { product_ids: [mug] });

  const { data } = await shop.dashboard.DELETE(collectionPath, at(id));
  const again = await shop.dashboard.DELETE(collectionPath, at(id));
  const product = await shop.dashboard.GET('/api/dashboard/products/{product_id}', {
    params: { path: { product_id: mug } },
  });

  expect(data).toEqual({ id, deleted: true });
  expect(again.response.status).toBe(404);
  expect(product.response.status).toBe(200);
});

test('removes a deleted product from its collections', async () => {
  const shop = await openShop();
  const [a = '', b = ''] = await givenProducts(shop, 'A', 'B');
  const { id } = await givenCollection(shop, { product_ids: [a, b] });

  await shop.dashboard.DELETE('/api/dashboard/products/{product_id}', { params: { path: { product_id: a } } });
  const { data } = await shop.dashboard.GET(collectionPath, at(id));

  expect(data?.products_count).toBe(1);
  expect(data?.products.map(({ name }) => name)).toEqual(['B']);
});

test('lists collections by title, and filters by type and by literal parts of the title or handle', async () => {
  const shop = await openShop();
  await givenCollection(shop, { title: 'Table', published: false });
  await givenCollection(shop, { title: '50% off', handle: 'half', rules: vendorRule });
  await givenCollection(shop, { title: '500 things' });
  const found = async (query: { q?: string; type?: 'manual' | 'automatic'; page?: number; limit?: number }) => {
    const { data } = await shop.dashboard.GET(collectionsPath, { params: { query } });
    return { titles: data?.collections.map(({ title }) => title), total: data?.total, pages: data?.pages };
  };

  expect(await found({})).toEqual({ titles: ['50% off', '500 things', 'Table'], total: 3, pages: 1 });
  expect(await found({ q: '50%' })).toEqual({ titles: ['50% off'], total: 1, pages: 1 });
  expect(await found({ q: 'HALF' })).toEqual({ titles: ['50% off'], total: 1, pages: 1 });
  expect(await found({ type: 'manual' })).toEqual({ titles: ['500 things', 'Table'], total: 2, pages: 1 });
  expect(await found({ page: 2, limit: 2 })).toEqual({ titles: ['Table'], total: 3, pages: 2 });
  expect(await found({ page: 9 })).toEqual({ titles: [], total: 3, pages: 1 });
});

test('returns 404 for collections of another shop', async () => {
  const neighbour = await openShop();
  const [theirs = ''] = await givenProducts(neighbour, 'Theirs');
  const { id } = await givenCollection(neighbour, { product_ids: [theirs] });
  const shop = await openShop();
  const { dashboard } = shop;
  const [mine = ''] = await givenProducts(shop, 'Mine');

  const answers = [
    await dashboard.GET(collectionPath, at(id)),
    await dashboard.PATCH(collectionPath, { ...at(id), body: { title: 'Mine' } }),
    await dashboard.DELETE(collectionPath, at(id)),
    await dashboard.POST(productsPath, { ...at(id), body: { product_ids: [mine] } }),
    await dashboard.PUT(reorderPath, { ...at(id), body: { product_ids: [theirs] } }),
    await dashboard.DELETE(productPath, { params: { path: { collection_id: id, product_id: theirs } } }),
  ];

  for (const { error, response } of answers) {
    expect(response.status).toBe(404);
    expect(error).toMatchObject({ error: 'not_found', message: 'There is no such collection.' });
  }
  const { data } = await dashboard.GET(collectionsPath);
  expect(data?.collections).toEqual([]);
  const everything = await givenCollection(shop, { rules: [{ field: 'price', operator: 'greater_than', value: '0' }] });
  expect(everything.products.map(({ name }) => name)).toEqual(['Mine']);
});
