import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const products = '/api/storefront/products';
const product = '/api/storefront/products/{id_or_slug}';

test('shoppers see only active, published products, and never their cost', async () => {
  const { storefront, givenProduct } = await openShop();
  await givenProduct({ name: 'Shown', cost_per_item: '3' });
  await givenProduct({ name: 'Draft', status: 'draft' });
  await givenProduct({ name: 'Archived', status: 'archived' });
  await givenProduct({ name: 'Tomorrow', published_at: new Date(Date.now() + 86_400_000).toISOString() });

  const { data } = await storefront.GET(products);

  expect(data?.products.map(({ name }) => name)).toEqual(['Shown']);
  expect(data?.products[0]).toMatchObject({ cost_per_item: null, variants: [{ cost_per_item: null }] });
  const draft = await storefront.GET(product, { params: { path: { id_or_slug: 'draft' } } });
  expect(draft.response.status).toBe(404);
});

test('finds a product by id and by slug', async () => {
  const { storefront, givenProduct } = await openShop();
  const mug = await givenProduct({ name: 'Mug' });

  const bySlug = await storefront.GET(product, { params: { path: { id_or_slug: 'mug' } } });
  const byId = await storefront.GET(product, { params: { path: { id_or_slug: mug.id } } });

  expect(bySlug.data?.id).toBe(mug.id);
  expect(byId.data).toEqual(bySlug.data);
});

test('updated_since lists products changed or published since that time, but not products that were only sold', async () => {
  const { storefront, dashboard, givenProduct, owner, site_id, givenOrder } = await openShop();
  const [old, sold, changed, released] = await Promise.all(
    ['Old', 'Sold', 'Changed', 'Released'].map((name) => givenProduct({ name })),
  );
  await owner.query(
    `update commerce.products set updated_at = now() - interval '2 days', published_at = now() - interval '2 days'
      where site_id = $1`,
    [site_id],
  );
  await owner.query(`update commerce.products set published_at = now() - interval '1 hour' where id = $1`, [
    released?.id,
  ]);
  const params = { path: { product_id: changed?.id ?? '' } };
  await dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { vendor: 'Finch' } });
  await givenOrder({ content: [{ variant_id: sold?.variants[0]?.id ?? '', quantity: 1 }] });
  const since = async (hours: number) => {
    const updated_since = new Date(Date.now() - hours * 3_600_000).toISOString();
    const { data } = await storefront.GET(products, { params: { query: { sort: 'name_asc', updated_since } } });
    return data?.products.map(({ name }) => name);
  };
  expect(await since(24)).toEqual(['Changed', 'Released']);
  expect(await since(72)).toEqual(['Changed', old?.name, 'Released', 'Sold']);
  expect(await since(-1)).toEqual([]);
  const { error } = await storefront.GET(products, { params: { query: { updated_since: 'yesterday' } } });
  expect(error).toMatchObject({ detail: [{ loc: ['query', 'updated_since'] }] });
});

test('combines the values of one filter with OR, and different filters with AND', async () => {
  const { storefront, dashboard, givenProduct } = await openShop();
  await givenProduct({ name: 'A', vendor: 'Alder', tags: ['Wool'], price: '10' });
  await givenProduct({ name: 'B', vendor: 'Finch', tags: ['wool', 'sale'], price: '20' });
  await givenProduct({ name: 'C', vendor: 'Finch', product_type: 'Lamp', price: '30', inventory_quantity: 0 });
  await givenProduct({
    name: 'D',
    price: '40',
    options: [{ name: 'Colour', values: ['Red', 'Blue'] }],
    variants: [{ option1: 'Red', inventory_quantity: 1 }, { option1: 'Blue' }],
  });
  await dashboard.POST('/api/dashboard/collections', {
    body: { title: 'Woollens', rules: [{ field: 'tag', operator: 'equals', value: 'wool' }] },
  });
  const names = async (query: object) =>
    (await storefront.GET(products, { params: { query: { sort: 'name_asc', ...query } } })).data?.products
      .map(({ name }) => name)
      .join('');

  expect(await names({ vendor: ['finch', 'alder'] })).toBe('ABC');
  expect(await names({ vendor: ['Finch'], tag: ['WOOL'] })).toBe('B');
  expect(await names({ product_type: ['lamp'] })).toBe('C');
  expect(await names({ price_min: '20', price_max: '30.00' })).toBe('BC');
  expect(await names({ in_stock: true })).toBe('ABD');
  expect(await names({ in_stock: false })).toBe('C');
  expect(await names({ option: ['colour:red'] })).toBe('D');
  expect(await names({ option: ['Colour:Blue'] })).toBe(''); // The blue variant is sold out.
  expect(await names({ collection: 'woollens' })).toBe('AB');
  expect(await names({ collection: 'unknown' })).toBe('');
});

test('sorts products by price in both directions, and lists each product on one page', async () => {
  const { storefront, givenProduct } = await openShop();
  for (const price of ['3', '1', '2', '2']) await givenProduct({ name: `P${price}`, price });
  const prices = async (sort: 'price_asc' | 'price_desc') =>
    (await storefront.GET(products, { params: { query: { sort } } })).data?.products.map(({ price }) => price);

  expect(await prices('price_asc')).toEqual(['1.00', '2.00', '2.00', '3.00']);
  expect(await prices('price_desc')).toEqual(['3.00', '2.00', '2.00', '1.00']);
  const pages = await Promise.all(
    [1, 2, 3, 4, 5].map((page) =>
      storefront.GET(products, { params: { query: { sort: 'price_asc', limit: 1, page } } }),
    ),
  );
  const ids = pages.flatMap(({ data }) => data?.products.map(({ id }) => id) ?? []);
  expect(new Set(ids).size).toBe(4);
  expect(pages[4]?.data).toMatchObject({ products: [], total: 4, page: 5, pages: 4 });

  // The total is cached, so the empty page is answered without reading products.
  const far = { page: 1_000_000, limit: 1 };
  expect((await storefront.GET(products, { params: { query: { ...far, sort: 'price_asc' } } })).data).toEqual({
    ...{ products: [], total: 4, pages: 4 },
    ...far,
  });
  await givenProduct({ name: 'P4', price: '4' });
  expect((await storefront.GET(products, { params: { query: { ...far, limit: 2 } } })).data?.total).toBe(5);
});

test('facets count the values of all products that match', async () => {
  const { storefront, givenProduct } = await openShop();
  await givenProduct({ name: 'A', vendor: 'Alder', tags: ['wool'], price: '10' });
  await givenProduct({ name: 'B', vendor: 'Alder', tags: ['wool', 'sale'], price: '25', inventory_quantity: 0 });
  await givenProduct({
    name: 'C',
    vendor: 'Finch',
    price: '40',
    options: [{ name: 'Size', values: ['S', 'M'] }],
    variants: [
      { option1: 'S', inventory_quantity: 1 },
      { option1: 'M', inventory_quantity: 1 },
    ],
  });

  const { data } = await storefront.GET(products, { params: { query: { facets: true, limit: 1 } } });

  expect(data?.facets).toEqual({
    collections: [],
    attributes: [],
    vendors: [
      { value: 'Alder', count: 2 },
      { value: 'Finch', count: 1 },
    ],
    product_types: [],
    tags: [
      { value: 'wool', count: 2 },
      { value: 'sale', count: 1 },
    ],
    options: [
      {
        name: 'Size',
        values: [
          { value: 'M', count: 1 },
          { value: 'S', count: 1 },
        ],
      },
    ],
    price: { min: '10.00', max: '40.00' },
    in_stock: { true: 2, false: 1 },
  });
});

test('a search ranks a matching SKU first, matches whole words, corrects misspelt ones, and takes its last word as a prefix', async () => {
  const { storefront, givenProduct } = await openShop();
  await givenProduct({ name: 'Enamel bottle', sku: 'BTL-1', description: 'Keeps lamps cold' });
  await givenProduct({ name: 'Desk lamp', sku: 'LMP-9', tags: ['office'] });
  await givenProduct({ name: 'Floor lamps for BTL-1 fans', sku: 'X' });
  const found = async (q: string) =>
    (await storefront.GET(products, { params: { query: { q } } })).data?.products.map(({ name }) => name);

  expect(await found('btl-1')).toEqual(['Enamel bottle', 'Floor lamps for BTL-1 fans']);
  expect((await found('lamp'))?.at(-1)).toBe('Enamel bottle'); // The description of this product contains the word.
  expect(await found('desk la')).toEqual(['Desk lamp']);
  expect(await found('enamle botle')).toEqual(['Enamel bottle']);
  expect(await found('Ébâmel bottle')).toEqual(['Enamel bottle']);
  expect(await found('unheard of')).toEqual([]);
  expect(await found("' & | ! :* ( ) \\ %")).toEqual([]);
});

test('the first read after a change returns the changed product, not a stale cached response', async () => {
  const { storefront, dashboard, givenProduct } = await openShop();
  const mug = await givenProduct({ name: 'Mug', price: '10' });
  const read = () => storefront.GET(product, { params: { path: { id_or_slug: 'mug' } } });
  const variant_id = mug.variants[0]?.id ?? '';

  for (let i = 1; i <= 20; i += 1) {
    await read();
    await dashboard.PATCH('/api/dashboard/products/{product_id}', {
      params: { path: { product_id: mug.id } },
      body: { price: `${i}.00` },
    });
    expect((await read()).data?.price).toBe(`${i}.00`);
    await dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
      params: { path: { variant_id } },
      body: { delta: 1, reason: 'received' },
    });
    expect((await read()).data?.total_inventory).toBe(10 + i);
  }
});

test('a product appears at its publication time without another write', async () => {
  const { storefront, givenProduct } = await openShop();
  // Long enough for the first reads on a busy machine.
  const published_at = Date.now() + 3_000;
  await givenProduct({ name: 'Soon', published_at: new Date(published_at).toISOString() });
  const total = async () => (await storefront.GET(products)).data?.total;

  expect([await total(), await total()]).toEqual([0, 0]);
  await new Promise((passed) => setTimeout(passed, published_at + 50 - Date.now()));
  expect(await total()).toBe(1);
});

test('answers 304 without a body for a current ETag', async () => {
  const { baseUrl, site_id, credentials, dashboard, givenProduct } = await openShop();
  const mug = await givenProduct();
  const headers = { 'X-Site-ID': site_id, 'X-Service-Token': credentials.storefront_token };
  const first = await fetch(`${baseUrl}/api/storefront/products`, { headers });
  const etag = first.headers.get('ETag') ?? '';
  const again = () => fetch(`${baseUrl}/api/storefront/products`, { headers: { ...headers, 'If-None-Match': etag } });

  const unchanged = await again();
  await dashboard.DELETE('/api/dashboard/products/{product_id}', { params: { path: { product_id: mug.id } } });
  const changed = await again();

  expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
  expect(changed.status).toBe(200);
  expect(changed.headers.get('ETag')).not.toBe(etag);
});
