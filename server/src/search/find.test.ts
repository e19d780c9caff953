import { expect, test } from 'vitest';
import { testServer } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { inShopOf } from '../shop/in-shop.ts';
import { type FindQuery, find } from './find.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;

async function findIn({ site_id }: Shop, query: string, options: Partial<FindQuery> = {}) {
  const { db } = await testServer();
  return inShopOf(db, site_id, (shop) => find(shop, { query, ...options }));
}

async function mugShop(): Promise<Shop> {
  const shop = await openShop();
  await shop.givenProduct({
    name: 'Camping mug',
    product_type: 'Mugs',
    vendor: 'Alder',
    metadata: { material: 'Enamel', rating: '4.6', reviews: '210' },
    options: [{ name: 'Colour', values: ['Red', 'Blue'] }],
    variants: [
      { option1: 'Red', price: '12.00', inventory_quantity: 50 },
      { option1: 'Blue', price: '14.00', inventory_quantity: 3 },
    ],
  });
  await shop.givenProduct({
    name: 'Travel mug',
    product_type: 'Mugs',
    vendor: 'Finch',
    price: '30.00',
    metadata: { material: 'Plastic', rating: '3.9' },
    inventory_quantity: 0,
  });
  await shop.givenProduct({ name: 'Mug rack', product_type: 'Racks', price: '40.00', inventory_quantity: 8 });
  return shop;
}

test('the variant that has the value asked for is chosen, with its availability and the reasons', async () => {
  const shop = await mugShop();

  const { candidates, understood } = await findIn(shop, 'a blue camping mug under 20 euros');

  expect(candidates).toHaveLength(1);
  expect(candidates[0]).toMatchObject({
    product: { name: 'Camping mug', cost_per_item: null },
    variant: { option1: 'Blue', price: '14.00' },
    availability: 'low_stock',
    score: 1,
    match_reasons: ['name: camping, mug', 'type: mug', 'option: Blue', 'price 14.00 within the limit'],
  });
  expect(understood.map(({ kind, text, fate }) => [kind, text, fate])).toEqual([
    ['value', 'blue', 'applied'],
    ['value', 'mug', 'applied'],
    ['price', 'under 20 euros', 'applied'],
  ]);
});

test('the shop says what it left out and why', async () => {
  const shop = await mugShop();

  const { candidates, excluded, total } = await findIn(shop, 'mug rated over 4 stars without plastic');

  expect([candidates.map(({ product }) => product.name), total]).toEqual([['Camping mug'], 1]);
  expect(excluded).toEqual([
    { reason: 'rating', count: 2 },
    { reason: 'without', count: 1 },
  ]);
});

test('limits that hold for nothing together are given up, the least important first, and marked', async () => {
  const shop = await mugShop();

  const { candidates, understood } = await findIn(shop, 'plastic mug under 20 euros');

  // The plastic one costs 30 euros, and the price is kept longer than the material.
  expect(candidates.map(({ product }) => product.name)).toEqual(['Camping mug']);
  expect(understood.map(({ text, fate }) => [text, fate])).toEqual([
    ['plastic', 'relaxed'],
    ['mug', 'applied'],
    ['under 20 euros', 'applied'],
  ]);
});

test('only products of the categories allowed are found, and how many were not is told', async () => {
  const shop = await mugShop();
  const { data: rack } = await shop.storefront.GET('/api/storefront/products/{id_or_slug}', {
    params: { path: { id_or_slug: 'mug-rack' } },
  });
  await shop.dashboard.POST('/api/dashboard/collections', {
    body: { title: 'Kitchen', handle: 'kitchen', product_ids: [rack?.id ?? ''] },
  });
  const names = async (categories: string[]) =>
    (await findIn(shop, 'mug', { categories })).candidates.map(({ product }) => product.name);

  expect((await names(['MUGS'])).sort()).toEqual(['Camping mug', 'Travel mug']);
  expect(await names(['Kitchen'])).toEqual(['Mug rack']);
  expect(await names(['unknown'])).toEqual([]);
  expect(await names([])).toEqual([]);
  const { excluded } = await findIn(shop, 'mug', { categories: ['kitchen'] });
  expect(excluded).toContainEqual({ reason: 'category_not_allowed', count: 2 });
});

test('a renamed collection admits under its new handle alone', async () => {
  const shop = await mugShop();
  const { data: collection } = await shop.dashboard.POST('/api/dashboard/collections', {
    body: { title: 'Mugs to go', handle: 'to-go', rules: [{ field: 'vendor', operator: 'equals', value: 'Finch' }] },
  });
  const found = async (category: string) => (await findIn(shop, 'mug', { categories: [category] })).total;

  expect([await found('to-go'), await found('travel')]).toEqual([1, 0]);
  await shop.dashboard.PATCH('/api/dashboard/collections/{collection_id}', {
    params: { path: { collection_id: collection?.id ?? '' } },
    body: { handle: 'travel' },
  });
  expect([await found('to-go'), await found('travel')]).toEqual([0, 1]);
});

test('how many are asked for decides what is available', async () => {
  const shop = await mugShop();

  const few = await findIn(shop, 'I need 2 mugs for camping, blue');
  const many = await findIn(shop, 'I need 20 mugs for camping, blue');

  expect([few.quantity, few.candidates[0]?.availability]).toEqual([2, 'low_stock']);
  expect([many.quantity, many.candidates[0]?.availability]).toEqual([20, 'out_of_stock']);
});

test('in stock means in stock, cheapest means by price', async () => {
  const shop = await mugShop();

  const inStock = await findIn(shop, 'mug in stock');
  const cheapest = await findIn(shop, 'cheapest mug');

  expect(inStock.candidates.map(({ product }) => product.name)).not.toContain('Travel mug');
  const prices = cheapest.candidates.map(({ product }) => Number(product.price));
  expect(prices).toEqual(prices.toSorted((a, b) => a - b));
});
