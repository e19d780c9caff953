import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const products = '/api/dashboard/products';
const product = '/api/dashboard/products/{product_id}';
const tee = {
  name: 'Tee',
  price: '20.00',
  status: 'active' as const,
  options: [
    { name: 'Size', values: ['S', 'M'] },
    { name: 'Colour', values: ['Red', 'Blue'] },
  ],
  variants: [
    { option1: 'S', option2: 'Red', sku: 'TEE-S-R', inventory_quantity: 3 },
    { option1: 'M', option2: 'Blue', sku: 'TEE-M-B', price: '15.50', compare_at_price: '18' },
  ],
};

test('a product without options has one default variant with its price and stock', async () => {
  const { givenProduct } = await openShop();

  const mug = await givenProduct({ name: 'Mug', price: '7', sku: 'MUG', inventory_quantity: 4 });

  expect(mug).toMatchObject({ slug: 'mug', price: '7.00', has_variants: false, total_inventory: 4, in_stock: true });
  expect(mug.variants).toMatchObject([{ sku: 'MUG', price: '7.00', inventory_quantity: 4, is_low_stock: true }]);
});

test('a product shows the price of its cheapest variant', async () => {
  const { givenProduct } = await openShop();

  const made = await givenProduct(tee);

  expect(made).toMatchObject({ price: '15.50', compare_at_price: '18.00', has_variants: true, total_inventory: 3 });
  expect(made.variants.map(({ price, available }) => [price, available])).toEqual([
    ['20.00', true],
    ['15.50', false],
  ]);
});

test('a product whose name is taken gets the next free slug, even under concurrent requests', async () => {
  const { dashboard } = await openShop();

  const made = await Promise.all(
    Array.from({ length: 8 }, () => dashboard.POST(products, { body: { name: 'Blue Vase', price: '1' } })),
  );

  const slugs = made.map(({ data }) => data?.slug).sort();
  expect(slugs).toEqual(['blue-vase', ...[2, 3, 4, 5, 6, 7, 8].map((n) => `blue-vase-${n}`)]);
});

test('rejects a requested slug or SKU that is taken and writes nothing', async () => {
  const { dashboard, givenProduct } = await openShop();
  await givenProduct({ slug: 'vase', sku: 'V-1' });

  const slug = await dashboard.POST(products, { body: { name: 'Other', slug: 'vase', price: '1' } });
  const sku = await dashboard.POST(products, { body: { name: 'Other', sku: 'V-1', price: '1' } });

  expect([slug.error?.error, sku.error?.error]).toEqual(['slug_taken', 'sku_taken']);
  const { data } = await dashboard.GET(products, { params: { query: { q: 'Other' } } });
  expect(data?.total).toBe(0);
});

test('reports all mistakes in a product together, each at its field', async () => {
  const { dashboard } = await openShop();

  const { error, response } = await dashboard.POST(products, {
    body: {
      name: 'Tee',
      sku: 'beside variants',
      options: [{ name: 'Size', values: ['S'] }],
      variants: [
        { option1: 'XL', price: '5.005' },
        { option1: 'S', price: '5', compare_at_price: '4' },
        { option1: 'S', option2: 'Red', price: '5' },
        { price: '5' },
      ],
    },
  });

  expect(response.status).toBe(422);
  const found = (error as { detail: { loc: unknown[]; type: string }[] }).detail.map(({ loc, type }) => [
    loc.join('.'),
    type,
  ]);
  expect(found.sort()).toEqual([
    ['body.sku', 'extra_forbidden'],
    ['body.variants.0.option1', 'enum'],
    ['body.variants.0.price', 'decimal_max_places'],
    ['body.variants.1.compare_at_price', 'greater_than'],
    ['body.variants.2.option2', 'extra_forbidden'],
    ['body.variants.3.option1', 'missing'],
  ]);
});

test('amounts have exactly the decimals of the currency', async () => {
  const yen = await openShop({ currency: 'JPY' });
  const dinar = await openShop({ currency: 'KWD' });

  expect(await yen.givenProduct({ price: '1500' })).toMatchObject({ price: '1500', currency: 'JPY' });
  expect(await dinar.givenProduct({ price: '1.5' })).toMatchObject({ price: '1.500', currency: 'KWD' });
  const { error } = await yen.dashboard.POST(products, { body: { name: 'Mug', price: '1.5' } });
  expect(error).toMatchObject({ detail: [{ loc: ['body', 'price'], type: 'decimal_max_places' }] });
});

test('an update of a product keeps other fields, but clears a compare-at price that is no longer above the price', async () => {
  const { dashboard, givenProduct } = await openShop();
  const mug = await givenProduct({ vendor: 'Alder', tags: ['a', 'b'], description: 'Old', compare_at_price: '12' });

  const { data } = await dashboard.PATCH(product, {
    params: { path: { product_id: mug.id } },
    body: { vendor: null, price: '12.00', metadata: { material: 'clay' } },
  });

  expect(data).toMatchObject({
    vendor: null,
    price: '12.00',
    compare_at_price: null, // The compare-at price is cleared, because the new price is not lower.
    tags: ['a', 'b'],
    description: 'Old',
    metadata: { material: 'clay' },
  });
});

test('rejects variant fields on a product that has variants', async () => {
  const { dashboard, givenProduct } = await openShop();
  const made = await givenProduct(tee);

  const { error } = await dashboard.PATCH(product, { params: { path: { product_id: made.id } }, body: { price: '1' } });

  expect(error).toMatchObject({ error: 'product_has_variants', fields: ['price'] });
});

test('removes HTML from a plain description, and keeps its text', async () => {
  const { givenProduct } = await openShop();

  const mug = await givenProduct({ description: '<p>Hand&shy;made &amp; <b>warm</b>.</p><script>alert(1)</script>' });

  expect(mug.description).toBe('Hand\u00admade & warm.');
});

test('an option can be added, moved, renamed and deleted, and its variants change with it', async () => {
  const { dashboard, givenProduct } = await openShop();
  const made = await givenProduct(tee);
  const path = { product_id: made.id };

  const added = await dashboard.POST('/api/dashboard/products/{product_id}/options', {
    params: { path },
    body: { name: 'Fit', values: ['Slim', 'Wide'] },
  });
  const fit = added.data?.options[2];
  const moved = await dashboard.PATCH('/api/dashboard/products/{product_id}/options/{option_id}', {
    params: { path: { ...path, option_id: fit?.id ?? '' } },
    body: { position: 1, name: 'Cut' },
  });
  const removed = await dashboard.DELETE('/api/dashboard/products/{product_id}/options/{option_id}', {
    params: { path: { ...path, option_id: fit?.id ?? '' } },
  });

  expect(moved.data?.options.map(({ name }) => name)).toEqual(['Cut', 'Size', 'Colour']);
  expect(moved.data?.variants.map((v) => [v.option1, v.option2, v.option3])).toEqual([
    ['Slim', 'S', 'Red'],
    ['Slim', 'M', 'Blue'],
  ]);
  expect(removed.data?.variants.map((v) => [v.option1, v.option2, v.option3])).toEqual([
    ['S', 'Red', null],
    ['M', 'Blue', null],
  ]);
});

test('deletes neither an option that distinguishes variants nor an option value in use', async () => {
  const { dashboard, givenProduct } = await openShop();
  const made = await givenProduct({
    ...tee,
    options: tee.options.slice(0, 1),
    variants: [{ option1: 'S' }, { option1: 'M' }],
  });
  const path = { product_id: made.id, option_id: made.options[0]?.id ?? '' };
  const option = '/api/dashboard/products/{product_id}/options/{option_id}';

  const deleted = await dashboard.DELETE(option, { params: { path } });
  const dropped = await dashboard.PATCH(option, { params: { path }, body: { values: ['S', 'L'] } });

  expect(deleted.error?.error).toBe('option_in_use');
  expect(dropped.error).toMatchObject({ error: 'option_in_use', values: ['M'] });
});

test('variants can be added, changed and deleted individually, but the last variant cannot be deleted', async () => {
  const { dashboard, givenProduct } = await openShop();
  const made = await givenProduct(tee);
  const path = { product_id: made.id };
  const variant = '/api/dashboard/products/{product_id}/variants/{variant_id}';
  const [first, second] = made.variants;

  const option_id = made.options[0]?.id ?? '';
  await dashboard.PATCH('/api/dashboard/products/{product_id}/options/{option_id}', {
    params: { path: { ...path, option_id } },
    body: { values: ['S', 'M', 'L'] },
  });
  const added = await dashboard.POST('/api/dashboard/products/{product_id}/variants', {
    params: { path },
    body: { option1: 'L', option2: 'Red', price: '9', inventory_quantity: 2 },
  });
  const twice = await dashboard.POST('/api/dashboard/products/{product_id}/variants', {
    params: { path },
    body: { option1: 'L', option2: 'Red' },
  });
  await dashboard.DELETE(variant, { params: { path: { ...path, variant_id: first?.id ?? '' } } });
  await dashboard.DELETE(variant, { params: { path: { ...path, variant_id: second?.id ?? '' } } });
  const last = await dashboard.DELETE(variant, { params: { path: { ...path, variant_id: added.data?.id ?? '' } } });

  expect(added.data).toMatchObject({ price: '9.00', inventory_quantity: 2 });
  expect(twice.error?.error).toBe('variant_options_taken');
  expect(last.error?.error).toBe('last_variant');
  const { data } = await dashboard.GET(product, { params: { path } });
  expect(data).toMatchObject({ price: '9.00', variants: [{ id: added.data?.id }] });
  expect(data?.options[0]?.values).toEqual(['S', 'M', 'L']);
});

test('rejects a variant with a value that its option does not list (422)', async () => {
  const { dashboard, givenProduct } = await openShop();
  const made = await givenProduct(tee);
  const path = { product_id: made.id };

  const added = await dashboard.POST('/api/dashboard/products/{product_id}/variants', {
    params: { path },
    body: { option1: 'XXL', option2: 'Red' },
  });
  const changed = await dashboard.PATCH('/api/dashboard/products/{product_id}/variants/{variant_id}', {
    params: { path: { ...path, variant_id: made.variants[0]?.id ?? '' } },
    body: { option1: 'M', option2: 'Mauve' },
  });

  const mistake = (loc: string, expected: string[]) => [{ loc: ['body', loc], type: 'enum', ctx: { expected } }];
  expect([added.response.status, changed.response.status]).toEqual([422, 422]);
  expect(added.error).toMatchObject({ detail: mistake('option1', ['S', 'M']) });
  expect(changed.error).toMatchObject({ detail: mistake('option2', ['Red', 'Blue']) });
  const { data } = await dashboard.GET(product, { params: { path } });
  expect(data).toEqual(made);
});

test('filters products by price, stock, collection and times, and combines the filters', async () => {
  const { dashboard, givenProduct } = await openShop();
  const gone = await givenProduct({ name: 'Gone', price: '5.00', inventory_quantity: 0 });
  const low = await givenProduct({ name: 'Low', price: '10.00', inventory_quantity: 2, low_stock_threshold: 3 });
  const full = await givenProduct({ name: 'Full', price: '20.00', tags: ['sale'], status: 'draft' });
  const { data: chosen } = await dashboard.POST('/api/dashboard/collections', {
    body: { title: 'Chosen', product_ids: [gone.id, full.id], published: false },
  });
  const { data: ruled } = await dashboard.POST('/api/dashboard/collections', {
    body: { title: 'Sale', rules: [{ field: 'tag', operator: 'equals', value: 'sale' }] },
  });
  const found = async (query: Record<string, string>) => {
    const { data } = await dashboard.GET('/api/dashboard/products', { params: { query } });
    return data?.products.map(({ name }) => name);
  };

  expect(await found({ price_min: '10', price_max: '10.00' })).toEqual(['Low']);
  expect(await found({ price_min: '10' })).toEqual(['Full', 'Low']);
  expect(await found({ stock: 'in' })).toEqual(['Full', 'Low']);
  expect(await found({ stock: 'low' })).toEqual(['Low']);
  expect(await found({ stock: 'out' })).toEqual(['Gone']);
  expect(await found({ collection_id: chosen?.id ?? '' })).toEqual(['Full', 'Gone']);
  expect(await found({ collection_id: ruled?.id ?? '' })).toEqual(['Full']);
  expect(await found({ collection_id: gone.id })).toEqual([]);
  expect(await found({ collection_id: chosen?.id ?? '', stock: 'in', q: 'full' })).toEqual(['Full']);
  expect(await found({ created_from: low.created_at })).toEqual(['Full', 'Low']);
  expect(await found({ created_to: low.created_at })).toEqual(['Gone']);

  const path = { product_id: gone.id };
  const { data: changed } = await dashboard.PATCH(product, { params: { path }, body: { vendor: 'Alder' } });
  expect(await found({ updated_from: changed?.updated_at ?? '' })).toEqual(['Gone']);
  expect(await found({ updated_to: changed?.updated_at ?? '' })).toEqual(['Full', 'Low']);

  const { response } = await dashboard.GET('/api/dashboard/products', { params: { query: { price_min: '10.001' } } });
  expect(response.status).toBe(422);
});

test('adding, moving or deleting an image keeps the order of the other images', async () => {
  const { dashboard, givenProduct } = await openShop();
  const image = (n: number) => ({ url: `https://images.example/${n}.jpg` });
  const made = await givenProduct({ images: [image(1), image(2)] });
  const path = { product_id: made.id };
  const images = '/api/dashboard/products/{product_id}/images';

  const added = await dashboard.POST(images, { params: { path }, body: { ...image(3), position: 1, alt: 'Front' } });
  const second = added.data?.images[1];
  const one = `${images}/{image_id}` as const;
  const moved = await dashboard.PATCH(one, {
    params: { path: { ...path, image_id: second?.id ?? '' } },
    body: { position: 3 },
  });
  const left = await dashboard.DELETE(one, { params: { path: { ...path, image_id: second?.id ?? '' } } });

  const names = (data: typeof added.data) => data?.images.map(({ url }) => url.at(-5));
  expect(names(added.data)).toEqual(['3', '1', '2']);
  expect(names(moved.data)).toEqual(['3', '2', '1']);
  expect(names(left.data)).toEqual(['3', '2']);
});

test('a deleted product is no longer found, and its tombstone contains its slug', async () => {
  const { dashboard, storefront, givenProduct, owner, site_id } = await openShop();
  const mug = await givenProduct({ slug: 'gone' });
  const path = { product_id: mug.id };

  const { data } = await dashboard.DELETE(product, { params: { path } });

  expect(data).toEqual({ id: mug.id, deleted: true });
  expect((await dashboard.GET(product, { params: { path } })).error?.error).toBe('not_found');
  const shown = await storefront.GET('/api/storefront/products/{id_or_slug}', {
    params: { path: { id_or_slug: 'gone' } },
  });
  expect(shown.error?.error).toBe('not_found');
  const { rows } = await owner.query('select slug from commerce.product_tombstones where site_id = $1', [site_id]);
  expect(rows).toEqual([{ slug: 'gone' }]);
});

test("returns 404 for reads and changes of another shop's product", async () => {
  const { givenProduct, dashboard: own } = await openShop();
  const { dashboard: stranger } = await openShop();
  const made = await givenProduct(tee);
  const path = { product_id: made.id };
  const variant_id = made.variants[0]?.id ?? '';

  const answers = await Promise.all([
    stranger.GET(product, { params: { path } }),
    stranger.PATCH(product, { params: { path }, body: { name: 'Mine' } }),
    stranger.DELETE(product, { params: { path } }),
    stranger.POST('/api/dashboard/products/{product_id}/variants', { params: { path }, body: { price: '1' } }),
    stranger.PATCH('/api/dashboard/products/{product_id}/variants/{variant_id}', {
      params: { path: { ...path, variant_id } },
      body: { price: '1' },
    }),
    stranger.POST('/api/dashboard/products/{product_id}/options', {
      params: { path },
      body: { name: 'X', values: ['1'] },
    }),
    stranger.POST('/api/dashboard/products/{product_id}/images', {
      params: { path },
      body: { url: 'https://images.example/x.jpg' },
    }),
  ]);

  expect(answers.map(({ response }) => response.status)).toEqual(Array(answers.length).fill(404));
  expect((await own.GET(product, { params: { path } })).data).toEqual(made);
});

test('returns 404 for a variant id of another product', async () => {
  const { dashboard, givenProduct } = await openShop();
  const [mug, made] = [await givenProduct(), await givenProduct(tee)];

  const { error } = await dashboard.PATCH('/api/dashboard/products/{product_id}/variants/{variant_id}', {
    params: { path: { product_id: mug.id, variant_id: made.variants[0]?.id ?? '' } },
    body: { price: '1' },
  });

  expect(error?.error).toBe('not_found');
});

test('filters products by status, vendor, type, tag and text, and pages through all', async () => {
  const { dashboard, givenProduct } = await openShop();
  for (let i = 1; i <= 5; i += 1)
    await givenProduct({ name: `Cup ${i}`, vendor: 'Alder', tags: ['Clay'], sku: `C-${i}` });
  await givenProduct({ name: 'Lamp', vendor: 'Finch', product_type: 'Lighting', status: 'draft' });
  const total = async (query: object) => (await dashboard.GET(products, { params: { query } })).data?.total;

  expect(await total({ status: 'draft' })).toBe(1);
  expect(await total({ vendor: ['ALDER'] })).toBe(5);
  expect(await total({ vendor: ['Alder', 'Finch'], tag: ['clay'] })).toBe(5);
  expect(await total({ product_type: ['lighting'] })).toBe(1);
  expect(await total({ q: 'C-3' })).toBe(1);
  const { data } = await dashboard.GET(products, { params: { query: { limit: 4, page: 2, sort: 'name_asc' } } });
  expect(data).toMatchObject({
    total: 6,
    page: 2,
    limit: 4,
    pages: 2,
    products: [{ name: 'Cup 5' }, { name: 'Lamp' }],
  });
});

test('exports all products page by page', async () => {
  const { dashboard, givenProduct } = await openShop();
  for (let i = 0; i < 5; i += 1) await givenProduct({ name: `Cup ${i}` });

  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const { data } = await dashboard.GET('/api/dashboard/products/export', { params: { query: { limit: 2, cursor } } });
    names.push(...(data?.products ?? []).map(({ name }) => name));
    cursor = data?.next_cursor ?? undefined;
  } while (cursor);

  expect(names).toEqual(['Cup 0', 'Cup 1', 'Cup 2', 'Cup 3', 'Cup 4']);
});

test('creates a product once per Idempotency-Key, even with eight concurrent calls', async () => {
  const { dashboard } = await openShop();
  const params = { header: { 'Idempotency-Key': randomUUID() } };

  const answers = await Promise.all(
    Array.from({ length: 8 }, () => dashboard.POST(products, { params, body: { name: 'Once', price: '1' } })),
  );

  const ids = new Set(answers.map(({ data }) => data?.id));
  expect(ids.size).toBe(1);
  expect(answers.filter(({ response }) => response.headers.get('Idempotency-Replayed') === 'true')).toHaveLength(7);
  const { data } = await dashboard.GET(products, { params: { query: { q: 'Once' } } });
  expect(data?.total).toBe(1);
});
