import { unwrap } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { givenMany } from '../../../test/many-products.ts';
import { openShop } from '../../../test/shop.ts';

const products = '/api/storefront/products';

type Shop = Awaited<ReturnType<typeof openShop>>;

async function answer({ storefront }: Shop, q: string, query: object = {}) {
  const { data } = await storefront.GET(products, { params: { query: { q, ...query } } });
  if (!data) throw new Error(`"${q}" was refused.`);
  return data;
}

async function found(shop: Shop, q: string, query: object = {}): Promise<string[]> {
  return (await answer(shop, q, query)).products.map(({ name }) => name);
}

async function shopWith(...names: string[]): Promise<Shop> {
  const shop = await openShop();
  for (const name of names) await shop.givenProduct({ name });
  return shop;
}

test('a product whose name is the query, or begins with it, ranks first', async () => {
  const shop = await shopWith(
    'Oak table lamp with shade',
    'Lamp shade for an oak table',
    'Oak table',
    'Table oak stain',
  );

  expect((await found(shop, 'oak table'))[0]).toBe('Oak table');
  expect((await found(shop, 'lamp shade'))[0]).toBe('Lamp shade for an oak table');
});

test('finds products by singular or plural, split compounds, compact measures, letters without accents and typing errors', async () => {
  const shop = await shopWith(
    ...['Hiking boots', 'Notebook sleeve', 'Water bottle 500 ml', 'Café chair', 'Turntable', 'Hoodie', 'Batteries'],
  );

  expect(await found(shop, 'hiking boot')).toEqual(['Hiking boots']);
  expect(await found(shop, 'hoodies')).toEqual(['Hoodie']);
  expect(await found(shop, 'battery')).toEqual(['Batteries']);
  expect(await found(shop, 'note book sleeves')).toEqual(['Notebook sleeve']);
  expect(await found(shop, 'bottle 500ml')).toEqual(['Water bottle 500 ml']);
  expect(await found(shop, 'CAFE chairs')).toEqual(['Café chair']);
  expect(await found(shop, 'hikng')).toEqual(['Hiking boots']);
  expect(await found(shop, 'turn table')).toEqual(['Turntable']);
});

test('a compound finds a product whose name has its parts as two words', async () => {
  const shop = await shopWith('Picnic blanket', 'Wool blanket', 'Picnic basket');

  expect((await found(shop, 'picnicblanket'))[0]).toBe('Picnic blanket');
});

test('completes an unfinished last word with words of the shop', async () => {
  const shop = await shopWith('Garden hose', 'Garden chair', 'Umbrella');

  expect(await found(shop, 'umbr')).toEqual(['Umbrella']);
  expect((await found(shop, 'garden ch'))[0]).toBe('Garden chair');
});

test('does not use model numbers as corrections, and corrects a word despite a similar model number', async () => {
  const shop = await shopWith('Kimono', ...Array.from({ length: 5 }, (_, i) => `Robe KI${i}`), 'Kilim');

  expect(await found(shop, 'kiono')).toEqual(['Kimono']);
  expect(await found(shop, 'ki4')).toEqual(['Robe KI4']);
  expect((await found(shop, 'ki')).toSorted()).toEqual([
    'Kilim',
    'Kimono',
    'Robe KI0',
    'Robe KI1',
    'Robe KI2',
    'Robe KI3',
    'Robe KI4',
  ]);
});

test('an accessory ranks below the product that it belongs to', async () => {
  const shop = await shopWith('Case for camera', 'Strap for camera', 'Camera');

  expect((await found(shop, 'camera'))[0]).toBe('Camera');
});

test('among products with the same words, those with the most common head noun rank first', async () => {
  const shop = await shopWith('Garden gnome', 'Garden chair', 'Garden chair, blue', 'Garden chair, grey');

  expect((await found(shop, 'garden')).indexOf('Garden gnome')).toBeGreaterThan(0);
});

test('limits in the sentence filter the results, and are reported with their positions in the sentence', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Plain kettle', price: '20.00' });
  await shop.givenProduct({ name: 'Fine kettle', price: '80.00' });

  const { products: kettles, understood, total } = await answer(shop, 'kettle under 50 euros');

  expect([kettles.map(({ name }) => name), total]).toEqual([['Plain kettle'], 1]);
  expect(understood).toEqual([
    {
      kind: 'price',
      text: 'under 50 euros',
      start: 7,
      end: 21,
      min: null,
      max: 50,
      currency: 'EUR',
      value: null,
      fate: 'applied',
    },
  ]);
});

test('a limit that no product meets is reported as relaxed, and a price in another currency is not applied', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Fine kettle', price: '80.00' });

  const tooDear = await answer(shop, 'kettle under 50 euros');
  const foreign = await answer(shop, 'kettle under $50');

  expect([tooDear.total, tooDear.understood?.[0]?.fate]).toEqual([1, 'relaxed']);
  expect([foreign.total, foreign.understood?.[0]?.fate]).toEqual([1, 'not_available']);
});

test('negated words exclude products, even if no product is left', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Leather belt' });
  await shop.givenProduct({ name: 'Canvas belt', description: 'Not leather.' });

  expect(await found(shop, 'belt without leather')).toEqual(['Canvas belt']);
  expect(await found(shop, 'belt without leather, not canvas')).toEqual([]);
});

test.each(['bar box, not cookie', 'bar box without cookies'])(
  'an excluded value matches singular and plural: %s',
  async (q) => {
    const shop = await openShop();
    for (const flavour of ['Cookie', 'Cookies', 'Oat'])
      await shop.givenProduct({
        name: `Bar box ${flavour.length}`,
        options: [{ name: 'Flavour', values: [flavour] }],
        variants: [{ option1: flavour }],
      });

    expect(await found(shop, q)).toEqual(['Bar box 3']);
  },
);

test('finds the products of a vendor whose name is a phrase that searches begin with (`Made In`)', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Frying pan', vendor: 'Made In' });
  await shop.givenProduct({ name: 'Sauce pan', vendor: 'Alder' });

  expect(await found(shop, 'made in')).toEqual(['Frying pan']);
  expect((await found(shop, 'made in pan'))[0]).toBe('Frying pan');
});

test('sorting, filters, facets and pages also apply to search results', async () => {
  const shop = await openShop();
  for (const [name, price, vendor] of [
    ['Wool sock', '9', 'Alder'],
    ['Sock of wool', '7', 'Finch'],
    ['Wool sock, long', '8', 'Alder'],
    ['Cotton hat', '1', 'Alder'],
  ] as const) {
    await shop.givenProduct({ name, price, vendor });
  }

  expect(await found(shop, 'wool sock', { sort: 'price_asc' })).toEqual([
    'Sock of wool',
    'Wool sock, long',
    'Wool sock',
  ]);
  expect(await found(shop, 'cheapest wool sock')).toEqual(['Sock of wool', 'Wool sock, long', 'Wool sock']);
  expect(await found(shop, 'wool sock', { vendor: ['Finch'] })).toEqual(['Sock of wool']);
  const pages = [1, 2, 3].map((page) => found(shop, 'wool sock', { limit: 1, page }));
  expect((await Promise.all(pages)).flat().sort()).toEqual(['Sock of wool', 'Wool sock', 'Wool sock, long']);
  const { total, facets } = await answer(shop, 'wool sock', { limit: 1, facets: true });
  expect(total).toBe(3);
  expect(facets?.vendors).toEqual([
    { value: 'Alder', count: 2 },
    { value: 'Finch', count: 1 },
  ]);
});

test('hidden products are neither found nor counted', async () => {
  const shop = await shopWith('Pine shelf');
  await shop.givenProduct({ name: 'Pine shelf, raw', status: 'draft' });
  await shop.givenProduct({ name: 'Pine shelf, new', published_at: new Date(Date.now() + 86_400_000).toISOString() });
  for (const body of [{ published_at: null }, { status: 'archived' as const }]) {
    const { id: product_id } = await shop.givenProduct({ name: 'Pine shelf, old' });
    await unwrap(
      shop.dashboard.PATCH('/api/dashboard/products/{product_id}', { params: { path: { product_id } }, body }),
    );
  }

  const { products: shelves, total } = await answer(shop, 'pine shelf');

  expect([shelves.map(({ name }) => name), total]).toEqual([['Pine shelf'], 1]);
});

test('if at least 200 products match a query well, products with weaker matches are on no page', async () => {
  const shop = await openShop();
  await givenMany(shop, 300, { name: 'White shirt', price: '9.00' });
  await givenMany(shop, 199, { name: 'Denim jeans', price: '9.00' });

  expect((await answer(shop, 'white jeans')).total).toBe(499);
  for (const number of [199, 200, 201]) await shop.givenProduct({ name: `Denim jeans ${number}`, price: '9.00' });
  const { total, facets } = await answer(shop, 'white jeans', { facets: true, limit: 100, page: 3 });

  expect([total, facets?.in_stock]).toEqual([202, { true: 202, false: 0 }]);
  expect((await answer(shop, 'white jeans')).total).toBe(202);
  expect(await found(shop, 'white jeans', { limit: 100, page: 3 })).toHaveLength(2);
  expect((await answer(shop, 'white jeans', { sort: 'name_desc' })).products[0]?.name).toBe('Denim jeans 201');
});

test('a query for "white jeans" finds other white products only if no jeans match', async () => {
  const shop = await openShop();
  await givenMany(shop, 1_000, { name: 'Plain shirt', price: '20.00', tags: ['white'] });
  await givenMany(shop, 150, { name: 'Denim jeans', price: '9.00' });
  await givenMany(shop, 850, { name: 'Mug', price: '9.00' });
  const total = async (query: object) => (await answer(shop, 'white jeans', query)).total;

  expect([await total({}), await total({ sort: 'name_asc' })]).toEqual([150, 150]);
  expect([await total({ price_min: '15' }), await total({ price_min: '15', sort: 'name_asc' })]).toEqual([
    1_000, 1_000,
  ]);
  expect(await total({ price_min: '15', page: 50 })).toBe(1_000);
});

test('a product found by a synonym ranks below one found by the word itself, and synonyms work in one direction only', async () => {
  const shop = await shopWith('Grey couch', 'Grey sofa');
  const body = { search_synonyms: [{ term: 'Sofas', synonyms: ['couch'] }] };

  await shop.dashboard.PATCH('/api/dashboard/settings', { body });

  expect(await found(shop, 'sofa')).toEqual(['Grey sofa', 'Grey couch']);
  expect(await found(shop, 'couch')).toEqual(['Grey couch']);
});

test('the words of one shop do not affect corrections and ranking in another', async () => {
  const ours = await shopWith('Kettle black', 'Kettle grey');
  const theirs = await shopWith('Zeppelin', 'Kettle', 'Black pot', 'Black pan', 'Black lid');

  expect(await found(ours, 'zepelin')).toEqual([]);
  expect(await found(theirs, 'zepelin')).toEqual(['Zeppelin']);
  expect((await found(ours, 'kettle black'))[0]).toBe('Kettle black');
  expect((await found(theirs, 'kettle black'))[0]).toBe('Kettle');
});

test('handles a query of symbols, stop words, an emoji or 200 letters without an error', async () => {
  const shop = await shopWith('Mug');

  for (const q of [
    '%',
    "'",
    '\\',
    '$',
    '€€',
    'under',
    'under $',
    '-5',
    '1,000,000+',
    '<script>',
    '🫖',
    'the',
    'x'.repeat(200),
    '= #',
  ]) {
    expect((await answer(shop, q)).products.length).toBeLessThanOrEqual(1);
  }
});
