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

test('bad rows are refused by themselves, each with its mistakes, and the good ones are written', async () => {
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

test('importing the same rows again changes nothing', async () => {
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

test('an update keeps what the row leaves out, and the ids and stock of variants it names again', async () => {
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

test('stock that exists is set only when the call asks for it', async () => {
  const { dashboard } = await openShop();
  await dashboard.POST(importing, { body: { products: [row('mug', { inventory_quantity: 4 })] } });
  const products = [row('mug', { inventory_quantity: 9 })];

  const without = await dashboard.POST(importing, { body: { products } });
  const withIt = await dashboard.POST(importing, { body: { products, update_inventory: true } });

  expect([without.data?.counts.unchanged, withIt.data?.counts.updated]).toEqual([1, 1]);
  expect((await dashboard.GET('/api/dashboard/products')).data?.products[0]?.total_inventory).toBe(9);
});

test('a dry run tells the outcome and writes nothing', async () => {
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

test('a SKU of another product refuses the row alone', async () => {
  const { dashboard, givenProduct } = await openShop();
  await givenProduct({ sku: 'TAKEN' });

  const { data } = await dashboard.POST(importing, {
    body: { products: [row('a', { sku: 'TAKEN' }), row('b', { sku: 'B' })] },
  });

  expect(data?.results.map(({ status, errors }) => [status, errors[0]?.type])).toEqual([
    ['failed', 'sku_taken'],
    ['created', undefined],
  ]);
});
