import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

async function suggest({ storefront }: OpenShop, q: string, limit?: number) {
  const query = limit === undefined ? { q } : { q, limit };
  const { data } = await storefront.GET('/api/storefront/suggest', { params: { query } });
  return {
    products: data?.products.map(({ name }) => name),
    collections: data?.collections.map(({ title }) => title),
    terms: data?.terms.map(({ text }) => text),
  };
}

test('a search for a word also finds longer words that begin with it, ranked after exact matches', async () => {
  const { storefront, givenProduct } = await openShop();
  await givenProduct({ name: 'Stoneware Mug' });
  await givenProduct({ name: 'Boots', description: 'Soles as hard as stone.' });
  await givenProduct({ name: 'Stone Bowl' });
  const found = async (q: string) => {
    const { data } = await storefront.GET('/api/storefront/products', { params: { query: { q } } });
    return data?.products.map(({ name }) => name);
  };

  expect(await found('stone')).toEqual(['Stone Bowl', 'Boots', 'Stoneware Mug']);
  expect(await found('stonew')).toEqual(['Stoneware Mug']);
  // Only the last word may be a prefix.
  expect((await found('stone bowl'))?.includes('Stoneware Mug')).toBe(false);
});

test('suggestions contain products, published collections and completed words', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Stoneware Mug' });
  await shop.givenProduct({ name: 'Stoneware Bowl', inventory_quantity: 0 });
  await shop.givenProduct({ name: 'Stone', status: 'draft' });
  await shop.givenProduct({ name: 'Glass Mug' });
  await shop.dashboard.POST('/api/dashboard/collections', { body: { title: 'Fine stoneware' } });
  await shop.dashboard.POST('/api/dashboard/collections', { body: { title: 'Stone age', published: false } });

  expect(await suggest(shop, 'Sto')).toEqual({
    products: ['Stoneware Mug', 'Stoneware Bowl'],
    collections: ['Fine stoneware'],
    terms: ['stoneware'],
  });
  expect(await suggest(shop, 'stoneware m')).toEqual({
    products: ['Stoneware Mug'],
    collections: [],
    terms: ['stoneware mug'],
  });
  expect((await suggest(shop, 'glas')).products).toEqual(['Glass Mug']);
  expect((await suggest(shop, 'sto', 1)).products).toHaveLength(1);
  expect(await suggest(shop, '?%_\\')).toEqual({ products: [], collections: [], terms: [] });
});

test('suggests products by the prefix of the last word', async () => {
  const shop = await openShop();
  const soup = await shop.givenProduct({ name: 'Stoneware Mushroom Bowl' });
  await shop.givenProduct({ name: 'Stoneware Plate', description: 'For mussels.' });
  const found = async () =>
    Promise.all(['m', 'mu', 'mus', 'bowl mu'].map(async (q) => (await suggest(shop, `stoneware ${q}`)).products));
  const few = await found();

  await Promise.all(Array.from({ length: 40 }, (_, i) => shop.givenProduct({ name: `Mustard ${i}` })));

  expect(few).toEqual(Array(4).fill([soup.name]));
  expect(await found()).toEqual(few);
});

test('suggestions show catalogue changes immediately, and only products of the shop', async () => {
  const shop = await openShop();
  const other = await openShop();
  await other.givenProduct({ name: 'Kettle of another shop' });
  const kettle = await shop.givenProduct({ name: 'Kettle' });
  expect((await suggest(shop, 'ket')).products).toEqual(['Kettle']);

  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', {
    params: { path: { product_id: kettle.id } },
    body: { name: 'Kettledrum' },
  });
  expect((await suggest(shop, 'ket')).products).toEqual(['Kettledrum']);
});
