import { expect, test } from 'vitest';
import { givenAgent } from '../../../test/agents.ts';
import { givenMany } from '../../../test/many-products.ts';
import { openShop } from '../../../test/shop.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

/** The searches of shoppers and staff. Each returns product names, best first if the list is ranked. */
const SEARCHES: Record<string, (shop: OpenShop, q: string) => Promise<string[]>> = {
  'storefront list': async ({ storefront }, q) => {
    const { data } = await storefront.GET('/api/storefront/products', { params: { query: { q } } });
    return data?.products.map(({ name }) => name) ?? [];
  },
  suggestions: async ({ storefront }, q) => {
    const { data } = await storefront.GET('/api/storefront/suggest', { params: { query: { q, limit: 10 } } });
    return data?.products.map(({ name }) => name) ?? [];
  },
  'dashboard products': async ({ dashboard }, q) => {
    const { data } = await dashboard.GET('/api/dashboard/products', { params: { query: { q } } });
    return data?.products.map(({ name }) => name) ?? [];
  },
  stock: async ({ dashboard }, q) => {
    const { data } = await dashboard.GET('/api/dashboard/inventory', { params: { query: { q } } });
    return [...new Set(data?.inventory.map(({ product_name }) => product_name))];
  },
};

async function shopOfEverything() {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Gale Rain Jacket', sku: 'KT-INS114-DRE' });
  await shop.givenProduct({ name: 'Drift Wool Blanket', description: 'As warm as two.' });
  await shop.givenProduct({ name: 'Fell Backpack', tags: ['hiking'], barcode: '4006381333931' });
  await shop.givenProduct({ name: 'Fenwick Secateurs', product_type: 'Garden Tools' });
  await shop.givenProduct({ name: 'Rowan Mug', description: 'Sturdy enough to throw.' });
  return shop;
}

test.each([
  ['a translation', 'Regenjacke', 'Gale Rain Jacket'],
  ['a synonym in place of a word that only a description has', 'throw', 'Drift Wool Blanket'],
  ['a translated compound', 'Wolldecke', 'Drift Wool Blanket'],
  ['a loanword', 'rucksack', 'Fell Backpack'],
  ['the beginning of a synonym', 'rucks', 'Fell Backpack'],
  ['a synonym of two words', 'pruning shears', 'Fenwick Secateurs'],
  ['the beginning of a type', 'garde', 'Fenwick Secateurs'],
  ['a type of two words', 'garden tools', 'Fenwick Secateurs'],
  ['an inner part of an SKU', 'ins114', 'Gale Rain Jacket'],
  ['the beginning of an SKU', 'KT-INS', 'Gale Rain Jacket'],
  ['a segment of an SKU', 'dre', 'Gale Rain Jacket'],
  ['a part of a barcode', '638133', 'Fell Backpack'],
])('every search of a shop finds products by %s: %s', async (_kind, q, name) => {
  const shop = await shopOfEverything();

  for (const [place, find] of Object.entries(SEARCHES)) expect.soft(await find(shop, q), place).toEqual([name]);
});

test('a longer prefix never finds more than a shorter one, in every search', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Pine Camp Stove' });
  await shop.givenProduct({ name: 'Campfire Mug', tags: ['camping'] });
  await shop.givenProduct({ name: 'Larch Tent', product_type: 'Camping' });
  await shop.givenProduct({ name: 'Cast Pan' });
  const camping = ['Campfire Mug', 'Larch Tent'];

  for (const [place, find] of Object.entries(SEARCHES)) {
    const found = async (q: string) => (await find(shop, q)).toSorted();
    expect.soft(await found('ca'), place).toEqual(['Campfire Mug', 'Cast Pan', 'Larch Tent', 'Pine Camp Stove']);
    expect.soft(await found('cam'), place).toEqual([...camping, 'Pine Camp Stove']);
    expect.soft(await found('camp'), place).toEqual([...camping, 'Pine Camp Stove']);
    for (const q of ['campi', 'campin', 'camping']) expect.soft(await found(q), `${place} ${q}`).toEqual(camping);
  }
});

test('completes an unfinished word to every matching word of the shop, instead of correcting it', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Secateurs', product_type: 'Garden Tools' });
  await shop.givenProduct({ name: 'White Flower', tags: ['gardenia'] });

  for (const [place, find] of Object.entries(SEARCHES))
    expect.soft((await find(shop, 'garde')).toSorted(), place).toEqual(['Secateurs', 'White Flower']);
});

test('part of a SKU finds its product for shoppers only if no product contains that word, and for staff always', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Wool Cap' });
  await shop.givenProduct({ name: 'Blue Jug', sku: 'ESCAPE-7' });

  expect(await SEARCHES['storefront list']?.(shop, 'cap')).toEqual(['Wool Cap']);
  expect(await SEARCHES.suggestions?.(shop, 'cap')).toEqual(['Wool Cap']);
  expect(await SEARCHES['dashboard products']?.(shop, 'cap')).toEqual(['Wool Cap', 'Blue Jug']);
  expect(await SEARCHES['storefront list']?.(shop, 'scape')).toEqual(['Blue Jug']);
});

test('staff can find drafts by synonyms, and shoppers cannot', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Arch Mirror', status: 'draft' });

  expect(await SEARCHES['dashboard products']?.(shop, 'Spiegel')).toEqual(['Arch Mirror']);
  expect(await SEARCHES.stock?.(shop, 'Spiegel')).toEqual(['Arch Mirror']);
  expect(await SEARCHES['storefront list']?.(shop, 'Spiegel')).toEqual([]);
  expect(await SEARCHES.suggestions?.(shop, 'Spiegel')).toEqual([]);
});

test('parts of codes, filters and sort orders can be combined on every page', async () => {
  const shop = await openShop();
  for (const [i, price] of ['30.00', '10.00', '20.00'].entries())
    await shop.givenProduct({ name: `Part ${'ABC'[i]}`, sku: `ZX9-${i}`, price });
  await shop.givenProduct({ name: 'Part D', sku: 'ZX9-9', status: 'draft' });
  const list = async (query: object) => {
    const { data } = await shop.storefront.GET('/api/storefront/products', {
      params: { query: { q: 'zx9', ...query } },
    });
    return { names: data?.products.map(({ name }) => name), total: data?.total };
  };

  expect(await list({ sort: 'price_asc' })).toEqual({ names: ['Part B', 'Part C', 'Part A'], total: 3 });
  expect(await list({ sort: 'price_asc', limit: 1, page: 2 })).toEqual({ names: ['Part C'], total: 3 });
  expect((await list({ price_max: '20.00' })).total).toBe(2);
  const staff = await shop.dashboard.GET('/api/dashboard/products', {
    params: { query: { q: 'zx9', status: 'draft' } },
  });
  expect(staff.data?.products.map(({ name }) => name)).toEqual(['Part D']);
});

test('a search by codes or words finds no products of another shop', async () => {
  const [shop, other] = [await openShop(), await shopOfEverything()];
  await shop.givenProduct({ name: 'Kettle' });

  for (const [place, find] of Object.entries(SEARCHES)) {
    expect.soft(await find(shop, 'ins114'), place).toEqual([]);
    expect.soft(await find(shop, 'Regenjacke'), place).toEqual([]);
  }
  expect(await SEARCHES.stock?.(other, 'ins114')).toEqual(['Gale Rain Jacket']);
});

test('a search by code finds only published products for shoppers, and only products in its categories for an agent', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Jug', sku: 'QX7-1', product_type: 'Kitchen' });
  await shop.givenProduct({ name: 'Spade', sku: 'QX7-2', product_type: 'Garden' });
  await shop.givenProduct({ name: 'Draft Jug', sku: 'QX7-3', product_type: 'Kitchen', status: 'draft' });
  await shop.givenProduct({ name: 'Old Jug', sku: 'QX7-4', product_type: 'Kitchen', status: 'archived' });
  const published_at = new Date(Date.now() + 3_600_000).toISOString();
  await shop.givenProduct({ name: 'Later Jug', sku: 'QX7-5', product_type: 'Kitchen', published_at });
  const { agent } = await givenAgent(shop, await shop.givenCustomer(), { categories: ['Kitchen'] });
  const { data } = await agent.POST('/api/agent/intent/find', { body: { query: 'QX7' } });

  expect((await SEARCHES['storefront list']?.(shop, 'qx7'))?.toSorted()).toEqual(['Jug', 'Spade']);
  expect((await SEARCHES.suggestions?.(shop, 'qx7'))?.toSorted()).toEqual(['Jug', 'Spade']);
  expect(data?.candidates.map(({ content }) => content.name)).toEqual(['Jug']);
  expect(await SEARCHES['dashboard products']?.(shop, 'qx7')).toHaveLength(5);
  expect(await SEARCHES.stock?.(shop, 'qx7')).toHaveLength(5);
});

test('all pages of the staff search together contain each product once, the best match first', async () => {
  const shop = await openShop();
  await givenMany(shop, 250, { name: 'Pine shelf', status: 'draft' });
  await shop.givenProduct({ name: 'Shelf' });
  const page = async (page: number) => {
    const query = { q: 'shelf', limit: 75, page };
    const { data } = await shop.dashboard.GET('/api/dashboard/products', { params: { query } });
    return data;
  };
  const pages = await Promise.all([1, 2, 3, 4, 5].map(page));
  const ids = pages.flatMap((each) => each?.products.map(({ id }) => id) ?? []);

  expect(pages[0]?.products[0]?.name).toBe('Shelf');
  expect(pages.map((each) => [each?.products.length, each?.total, each?.pages])).toEqual(
    [75, 75, 75, 26, 0].map((length) => [length, 251, 4]),
  );
  expect(new Set(ids).size).toBe(251);
});

test.each([
  '%',
  '_',
  '%%%',
  'a_b',
  'a%b',
  '\\',
  "o'b",
  '---',
  '= #',
  '#',
  'e\u0301',
  '🫖',
  '+'.repeat(200),
  'q'.repeat(200),
])('every search returns nothing for %j, which is in no product', async (q) => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Kettle', sku: 'A1B2' });

  for (const [place, find] of Object.entries(SEARCHES)) expect.soft(await find(shop, q), place).toEqual([]);
});
