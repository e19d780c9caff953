import type { ProductImport } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const importing = '/api/dashboard/products/import';
const row = (slug: string, more: Partial<ProductImport> = {}): ProductImport => ({
  name: slug,
  slug,
  price: '5.00',
  ...more,
});

test('an import reports the mistakes of each invalid product row, and writes the valid rows', async () => {
  const { dashboard } = await openShop();
  const bad = { slug: 'bad', name: 7, price: 'cheap', extra: true } as never;

  const { data } = await dashboard.POST(importing, { body: { products: [row('one'), bad, row('two')] } });

  expect(data?.counts).toEqual({ created: 2, updated: 0, unchanged: 0, failed: 1 });
  expect(data?.results.map(({ index, slug, status }) => [index, slug, status])).toEqual([
    [0, 'one', 'created'],
    [1, 'bad', 'failed'],
    [2, 'two', 'created'],
  ]);
  expect(data?.results[1]?.errors.map(({ loc, type }) => [loc.slice(3).join('.'), type]).sort()).toEqual([
    ['extra', 'extra_forbidden'],
    ['name', 'string_type'],
    ['price', 'string_pattern_mismatch'],
  ]);
});

test('importing the same product rows again changes nothing', async () => {
  const { dashboard } = await openShop();
  const body = {
    products: [
      row('plain', { description: 'A mug', images: [{ url: 'https://images.example/1.jpg' }], inventory_quantity: 3 }),
      row('tee', {
        options: [{ name: 'Size', values: ['S', 'M'] }],
        variants: [
          { option1: 'S', sku: 'T-S', inventory_quantity: 1 },
          { option1: 'M', sku: 'T-M' },
        ],
      }),
    ],
  };

  const first = await dashboard.POST(importing, { body });
  const before = await dashboard.GET('/api/dashboard/products');
  const second = await dashboard.POST(importing, { body });

  expect(first.data?.counts).toMatchObject({ created: 2, failed: 0 });
  expect(second.data?.counts).toEqual({ created: 0, updated: 0, unchanged: 2, failed: 0 });
  expect((await dashboard.GET('/api/dashboard/products')).data).toEqual(before.data);
});

test('an import keeps fields that a row omits, and the ids and stock of variants', async () => {
  const { dashboard } = await openShop();
  const variants = [{ option1: 'S', inventory_quantity: 4 }, { option1: 'M' }];
  const options = [{ name: 'Size', values: ['S', 'M', 'L'] }];
  const tee = { ...row('tee', { vendor: 'Alder', tags: ['a'] }), options, variants };
  await dashboard.POST(importing, { body: { products: [tee] } });
  const before = (await dashboard.GET('/api/dashboard/products')).data?.products[0];

  const changed = {
    name: 'Tee',
    slug: 'tee',
    price: '6',
    options,
    variants: [{ option1: 'S', inventory_quantity: 99 }, { option1: 'L' }],
  };
  const { data } = await dashboard.POST(importing, { body: { products: [changed] } });

  expect(data?.counts.updated).toBe(1);
  const after = (await dashboard.GET('/api/dashboard/products')).data?.products[0];
  expect(after).toMatchObject({ id: before?.id, name: 'Tee', vendor: 'Alder', tags: ['a'], price: '6.00' });
  expect(after?.variants.map(({ option1, inventory_quantity }) => [option1, inventory_quantity])).toEqual([
    ['S', 4],
    ['L', 0],
  ]);
  expect(after?.variants[0]?.id).toBe(before?.variants[0]?.id);
});

test('an import changes the stock of existing variants only with update_inventory', async () => {
  const { dashboard } = await openShop();
  await dashboard.POST(importing, { body: { products: [row('mug', { inventory_quantity: 4 })] } });
  const products = [row('mug', { inventory_quantity: 9 })];

  const without = await dashboard.POST(importing, { body: { products } });
  const withIt = await dashboard.POST(importing, { body: { products, update_inventory: true } });

  expect([without.data?.counts.unchanged, withIt.data?.counts.updated]).toEqual([1, 1]);
  expect((await dashboard.GET('/api/dashboard/products')).data?.products[0]?.total_inventory).toBe(9);
});

test('a dry run returns the result of a product import and writes nothing', async () => {
  const { dashboard, givenProduct } = await openShop();
  await givenProduct({ name: 'Mug', slug: 'mug' });
  const products = [row('mug', { vendor: 'New' }), row('cup'), row('cup2', { price: '1.999' })];

  const { data } = await dashboard.POST(importing, { body: { products, dry_run: true } });

  expect(data?.dry_run).toBe(true);
  expect(data?.results.map(({ status }) => status)).toEqual(['updated', 'created', 'failed']);
  expect(data?.results[1]?.product_id).toBeNull();
  const listed = (await dashboard.GET('/api/dashboard/products')).data;
  expect(listed).toMatchObject({ total: 1, products: [{ vendor: null }] });
});

test('an import rejects only the rows whose SKU belongs to another product', async () => {
  const { dashboard, givenProduct } = await openShop();
  const { id, slug } = await givenProduct({ sku: 'TAKEN' });
  const variants = [
    { option1: 'S', sku: 'FREE' },
    { option1: 'M', sku: 'Taken' },
  ];

  const { data } = await dashboard.POST(importing, {
    body: { products: [row('a', { sku: 'TAKEN' }), row('b', { sku: 'B' }), row('c', { options: size, variants })] },
  });

  expect(data?.results.map(({ status, errors }) => [status, errors])).toEqual([
    [
      'failed',
      [
        {
          loc: ['body', 'products', 0, 'sku'],
          msg: `The product "${slug}" already has the SKU "TAKEN".`,
          type: 'sku_taken',
          ctx: { sku: 'TAKEN', slug, product_id: id },
        },
      ],
    ],
    ['created', []],
    [
      'failed',
      [
        {
          loc: ['body', 'products', 2, 'variants', 1, 'sku'],
          msg: `The product "${slug}" already has the SKU "Taken", written as "TAKEN".`,
          type: 'sku_taken',
          ctx: { sku: 'Taken', slug, product_id: id },
        },
      ],
    ],
  ]);
});

type OpenShop = Awaited<ReturnType<typeof openShop>>;

const size = [{ name: 'Size', values: ['S', 'M'] }];

/** Imports rows and expects none to be rejected. */
async function imported({ dashboard }: OpenShop, products: ProductImport[], update_inventory = false) {
  const { data } = await dashboard.POST(importing, { body: { products, update_inventory } });
  expect(data?.results.flatMap(({ errors }) => errors)).toEqual([]);
  return data?.results.map(({ status }) => status);
}

async function bySlug({ dashboard }: OpenShop, slug: string) {
  const { data } = await dashboard.GET('/api/dashboard/products', { params: { query: { limit: 100 } } });
  const found = data?.products.find((product) => product.slug === slug);
  if (!found) throw new Error(`There is no ${slug}`);
  return found;
}

test('new products whose SKU is taken are rejected row by row, and the others are written', async () => {
  const { dashboard, givenProduct } = await openShop();
  await givenProduct({ sku: 'TAKEN' });
  const skus = ['A', 'B', 'TAKEN', 'C', 'A', 'D'];
  const products = skus.map((sku, i) =>
    row(`p${i}`, { sku, price: '7.50', tags: [`tag-${i}`], inventory_quantity: 2 }),
  );
  const body = { products };

  const tried = await dashboard.POST(importing, { body: { ...body, dry_run: true } });
  const { data } = await dashboard.POST(importing, { body });

  const expected = ['created', 'created', 'failed', 'created', 'failed', 'created'];
  expect(data?.results.map(({ status }) => status)).toEqual(expected);
  expect(data?.results.map(({ errors }) => errors[0]?.ctx?.sku)).toEqual([
    ...[undefined, undefined, 'TAKEN', undefined, 'A', undefined],
  ]);
  // A dry run rolls back each row immediately, so a row does not conflict with the SKU of an earlier one.
  expect(tried.data?.results.map(({ status }) => status)).toEqual(expected.with(4, 'created'));
  const { data: page } = await dashboard.GET('/api/dashboard/products', { params: { query: { q: 'p5' } } });
  expect(page?.products).toMatchObject([{ slug: 'p5', price: '7.50', tags: ['tag-5'], total_inventory: 2 }]);
  const all = await dashboard.GET('/api/dashboard/products');
  expect(all.data?.products.map(({ slug }) => slug).sort()).toEqual(expect.arrayContaining(['p0', 'p1', 'p3', 'p5']));
  expect(all.data?.products).toHaveLength(5);
});

test('an import with update_inventory sets the given stock, and keeps the stock of other variants', async () => {
  const shop = await openShop();
  const variants = [
    { option1: 'S', inventory_quantity: 4 },
    { option1: 'M', inventory_quantity: 5 },
  ];
  await imported(shop, [row('tee', { options: size, variants }), row('mug', { inventory_quantity: 6 })]);

  const changed = [{ option1: 'S', inventory_quantity: 7 }, { option1: 'M' }];
  await imported(shop, [row('tee', { variants: changed }), row('mug', { vendor: 'Alder' })], true);

  const tee = await bySlug(shop, 'tee');
  expect(tee.variants.map(({ inventory_quantity }) => inventory_quantity)).toEqual([7, 5]);
  expect((await bySlug(shop, 'mug')).total_inventory).toBe(6);
  const path = { variant_id: tee.variants[0]?.id ?? '' };
  const { data } = await shop.dashboard.GET('/api/dashboard/inventory/{variant_id}/movements', { params: { path } });
  expect(data?.movements.map(({ id, delta, on_hand_after }) => [id[14], delta, on_hand_after])).toEqual([
    ['7', 3, 7],
    ['7', 4, 4],
  ]);
});

test('stock equals the sum of its movements after concurrent imports and adjustments', async () => {
  const shop = await openShop();
  const variants = ['S', 'M'].map((option1) => ({ option1, inventory_quantity: 50 }));
  await imported(shop, [row('tee', { options: size, variants })]);
  const { id, variants: made } = await bySlug(shop, 'tee');
  const set = (quantity: number) => {
    const stocked = variants.map((variant) => ({ ...variant, inventory_quantity: quantity }));
    return imported(shop, [row('tee', { variants: stocked })], true);
  };
  const adjust = (variant_id = '') =>
    shop.dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
      params: { path: { variant_id } },
      body: { delta: 1, reason: 'received' },
    });

  await Promise.all(
    Array.from({ length: 5 }, (_, i) => [set(50 + i), adjust(made[0]?.id), adjust(made[1]?.id)]).flat(),
  );

  const { rows } = await shop.owner.query(
    `select v.on_hand, (select sum(delta)::int from commerce.stock_movements m where m.variant_id = v.id) as moved
     from commerce.variants v where v.product_id = $1`,
    [id],
  );
  expect(rows.map(({ moved }) => moved)).toEqual(rows.map(({ on_hand }) => on_hand));
});

test('an import keeps the variant fields that a row omits, and applies the product price to variants without a price', async () => {
  const shop = await openShop();
  const given = {
    sku: 'T-S',
    barcode: '401',
    price: '9',
    compare_at_price: '12',
    weight: '0.5',
    low_stock_threshold: 3,
  };
  const variants = [{ option1: 'S', ...given }, { option1: 'M' }];
  await imported(shop, [row('tee', { options: size, variants })]);

  await imported(shop, [
    {
      name: 'tee',
      slug: 'tee',
      variants: [
        { option1: 'S', barcode: '402' },
        { option1: 'M', price: '7' },
      ],
    },
  ]);

  const kept = { ...given, barcode: '402', price: '9.00', compare_at_price: '12.00' };
  expect((await bySlug(shop, 'tee')).variants).toMatchObject([kept, { price: '7.00' }]);

  await imported(shop, [row('tee', { price: '13', variants: [{ option1: 'S' }, { option1: 'M', price: '7' }] })]);
  expect((await bySlug(shop, 'tee')).variants).toMatchObject([
    { sku: 'T-S', price: '13.00', compare_at_price: null },
    { price: '7.00' },
  ]);

  await imported(shop, [row('tee', { price: '6', compare_at_price: '8' })]);
  expect((await bySlug(shop, 'tee')).variants).toMatchObject([
    { sku: 'T-S', price: '6.00', compare_at_price: '8.00' },
    { price: '6.00', compare_at_price: '8.00' },
  ]);
});

test('an import can add variants to a product without variants, and a row without a price keeps the current price', async () => {
  const shop = await openShop();
  await imported(shop, [row('tee', { sku: 'TEE', weight: '1', inventory_quantity: 2 })]);
  const variants = [
    { option1: 'S', sku: 'TEE', price: '5' },
    { option1: 'M', price: '6' },
  ];

  expect(await imported(shop, [{ name: 'Tee', slug: 'tee' }])).toEqual(['updated']);
  expect(await bySlug(shop, 'tee')).toMatchObject({ name: 'Tee', price: '5.00', variants: [{ sku: 'TEE' }] });

  await imported(shop, [{ name: 'Tee', slug: 'tee', options: size, variants }]);
  expect(await bySlug(shop, 'tee')).toMatchObject({ has_variants: true, variants: [{ sku: 'TEE' }, { sku: null }] });
});

test('concurrent imports of the same product all succeed, and create it once', async () => {
  const shop = await openShop();

  const calls = await Promise.all(
    Array.from({ length: 8 }, (_, i) => imported(shop, [row('mug', { vendor: `Vendor ${i}` }), row(`own-${i}`)])),
  );

  const statuses = calls.map((statuses) => statuses?.[0]).sort();
  expect(statuses).toEqual(['created', ...Array.from({ length: 7 }, () => 'updated')]);
  expect(calls.map((statuses) => statuses?.[1])).toEqual(Array.from({ length: 8 }, () => 'created'));
});

test('an import normalizes texts of new and updated products in the same way', async () => {
  const shop = await openShop();
  const texts = { name: ' Mug ', tags: [' clay', 'clay', ' '], description: '<p>&amp;lt;b&gt; warm</p>' };

  await imported(shop, [row('mug', texts)]);
  const created = await bySlug(shop, 'mug');

  expect(created).toMatchObject({ name: 'Mug', tags: ['clay'], description: '&lt;b> warm' });
  expect(await imported(shop, [row('mug', texts)])).toEqual(['unchanged']);
  const blank = await shop.dashboard.POST(importing, { body: { products: [row('mug', { name: '  ' })] } });
  expect(blank.data?.results[0]?.errors[0]).toMatchObject({ loc: ['body', 'products', 0, 'name'] });
});

test('an import can exchange the SKUs of two variants', async () => {
  const shop = await openShop();
  const skus = (first: string, second: string) => [
    { option1: 'S', sku: first },
    { option1: 'M', sku: second },
  ];
  await imported(shop, [row('tee', { options: size, variants: skus('A', 'B') })]);

  await imported(shop, [row('tee', { variants: skus('B', 'A') })]);

  expect((await bySlug(shop, 'tee')).variants.map(({ sku }) => sku)).toEqual(['B', 'A']);
});

test('an import marks only the changed variants of a product as changed', async () => {
  const shop = await openShop();
  await imported(shop, [row('tee', { options: size, variants: [{ option1: 'S' }, { option1: 'M' }] })]);
  const [small, medium] = (await bySlug(shop, 'tee')).variants;

  await imported(shop, [row('tee', { vendor: 'Alder', variants: [{ option1: 'S' }, { option1: 'M', barcode: '4' }] })]);

  const [sameSmall, newMedium] = (await bySlug(shop, 'tee')).variants;
  expect(sameSmall?.updated_at).toBe(small?.updated_at);
  expect(newMedium?.updated_at).not.toBe(medium?.updated_at);
});

test('importing a product as taxable gives an untaxed product the standard tax class, and keeps a special tax class', async () => {
  const { dashboard } = await openShop();
  const send = (taxable: boolean) =>
    dashboard.POST(importing, { body: { products: [row('mug', { taxable }), row('book', { taxable })] } });
  const classes = async () => {
    const { data } = await dashboard.GET('/api/dashboard/products', { params: { query: { sort: 'name_asc' } } });
    return data?.products.map(({ slug, tax_class }) => [slug, tax_class]).sort();
  };

  await send(false);
  const untaxed = await classes();
  const again = await send(true);
  const { data } = await dashboard.GET('/api/dashboard/products', { params: { query: { q: 'book' } } });
  const [book] = data?.products ?? [];
  const params = { path: { product_id: book?.id ?? '' } };
  await dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { tax_class: 'reduced' } });
  const third = await send(true);

  expect(untaxed).toEqual([
    ['book', 'zero'],
    ['mug', 'zero'],
  ]);
  expect(again.data?.counts).toMatchObject({ updated: 2 });
  expect(third.data?.counts).toMatchObject({ unchanged: 2 });
  expect(await classes()).toEqual([
    ['book', 'reduced'],
    ['mug', 'standard'],
  ]);
});

test('an import publishes an active product that an earlier import unpublished', async () => {
  const { dashboard } = await openShop();
  const send = (more: Partial<ProductImport>) =>
    dashboard.POST(importing, { body: { products: [row('mug', { status: 'active', ...more })] } });

  await send({ published_at: null });
  const shown = await send({});

  expect(shown.data?.counts).toMatchObject({ updated: 1 });
  const { data } = await dashboard.GET('/api/dashboard/products');
  expect(data?.products[0]?.published_at).toEqual(expect.any(String));
  expect((await send({})).data?.counts).toMatchObject({ unchanged: 1 });
});

test('importing a product without a price creates a draft, or keeps the price of an existing product', async () => {
  const { dashboard } = await openShop();
  const options = [{ name: 'Size', values: ['S', 'M'] }];
  const variants = [{ option1: 'S', price: '4.00' }, { option1: 'M' }];
  const priceless = { name: 'New', slug: 'new', status: 'active' as const };
  const sized = { name: 'Sized', slug: 'sized', status: 'active' as const, options, variants };
  await dashboard.POST(importing, { body: { products: [row('known', { status: 'active' })] } });

  const body = { products: [priceless, sized, { name: 'Known', slug: 'known', status: 'active' as const }] };
  const { data } = await dashboard.POST(importing, { body });

  expect(data?.counts).toMatchObject({ created: 2, updated: 1, failed: 0 });
  expect(data?.results.map(({ warnings = [] }) => warnings.map(({ type }) => type))).toEqual([
    ['price_missing'],
    ['price_missing'],
    [],
  ]);
  const { data: list } = await dashboard.GET('/api/dashboard/products');
  expect(list?.products.map(({ slug, status, price }) => [slug, status, price]).sort()).toEqual([
    ['known', 'active', '5.00'],
    ['new', 'draft', '0.00'],
    ['sized', 'draft', '0.00'],
  ]);
});

test('an import and its dry run warn only about prices that change by more than 80 %', async () => {
  const { dashboard } = await openShop();
  const sizes = { options: [{ name: 'Size', values: ['S', 'M'] }] };
  const products = (plain: string, small: string, medium: string) => [
    row('plain', { price: plain }),
    {
      name: 'Sized',
      slug: 'sized',
      ...sizes,
      variants: [
        { option1: 'S', price: small },
        { option1: 'M', price: medium },
      ],
    },
  ];
  const warned = async (dry_run: boolean, ...prices: [string, string, string]) => {
    const { data } = await dashboard.POST(importing, { body: { dry_run, products: products(...prices) } });
    return data?.results.flatMap(({ warnings = [] }) => warnings.map(({ loc, msg }) => [loc.slice(2).join('.'), msg]));
  };

  expect(await warned(false, '1500.00', '10.00', '10.00')).toEqual([]);
  const slips = [
    ['0.price', 'The price changes from 1500.00 to 1.50, by more than 80 %. Check the decimal sign.'],
    ['1.variants.1.price', 'The price changes from 10.00 to 18.01, by more than 80 %. Check the decimal sign.'],
  ];
  expect(await warned(true, '1.50', '2.00', '18.01')).toEqual(slips);
  expect(await warned(false, '1.50', '2.00', '18.01')).toEqual(slips);
  expect(await warned(false, '1.50', '2.00', '18.01')).toEqual([]);
});

test('a draft without a price stays a draft on every import until it has a price', async () => {
  const { dashboard } = await openShop();
  const sizes = { options: [{ name: 'Size', values: ['S', 'M'] }] };
  const send = async (price?: string) => {
    const priced = price === undefined ? {} : { price };
    const variants = [
      { option1: 'S', price: '4.00' },
      { option1: 'M', ...priced },
    ];
    const products = [
      { name: 'New', slug: 'new', status: 'active' as const, ...priced },
      { name: 'Sized', slug: 'sized', status: 'active' as const, ...sizes, variants },
    ];
    const { data } = await dashboard.POST(importing, { body: { products } });
    return data?.results.map(({ status, warnings = [] }) => [status, ...warnings.map(({ type }) => type)]);
  };
  const statuses = async () =>
    (await dashboard.GET('/api/dashboard/products')).data?.products.map(({ status }) => status);
  await send();

  expect(await send()).toEqual([
    ['unchanged', 'price_missing'],
    ['unchanged', 'price_missing'],
  ]);
  expect(await statuses()).toEqual(['draft', 'draft']);
  expect(await send('5.00')).toEqual([['updated'], ['updated']]);
  expect(await statuses()).toEqual(['active', 'active']);
  expect(await send()).toEqual([['unchanged'], ['unchanged']]);
});

test('an import returns at most 50 warnings for a row', async () => {
  const { dashboard } = await openShop();
  const send = (price: string, tags: string[]) =>
    dashboard.POST(importing, { body: { products: [row('plain', { price, tags })] } });
  await send('1500.00', []);

  const { data } = await send(
    '1.50',
    Array.from({ length: 50 }, (_, index) => `tag\u200b${index}`),
  );

  expect(data?.results[0]?.warnings).toHaveLength(50);
});
