import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const products = '/api/storefront/products';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

async function names({ storefront }: OpenShop, query: object): Promise<string[] | undefined> {
  const { data } = await storefront.GET(products, { params: { query } });
  return data?.products.map(({ name }) => name);
}

/** Creates four products: Mug A was published last, Mug D first. A and C are sold out. */
async function givenFour({ givenProduct }: OpenShop): Promise<void> {
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const all = { product_type: 'Mug' };
  await givenProduct({ ...all, name: 'Mug A', price: '4', inventory_quantity: 0, published_at: at(1) });
  await givenProduct({ ...all, name: 'Mug B', price: '3', inventory_quantity: 2, published_at: at(2) });
  await givenProduct({ ...all, name: 'Mug C', price: '2', inventory_quantity: 0, published_at: at(3) });
  await givenProduct({ ...all, name: 'Mug D', price: '1', inventory_quantity: 2, published_at: at(4) });
}

test('lists unavailable products last by default, and in the requested order with a sort', async () => {
  const shop = await openShop();
  await givenFour(shop);

  expect(await names(shop, {})).toEqual(['Mug B', 'Mug D', 'Mug A', 'Mug C']);
  expect(await names(shop, { unavailable: 'show' })).toEqual(['Mug A', 'Mug B', 'Mug C', 'Mug D']);
  expect(await names(shop, { unavailable: 'hide' })).toEqual(['Mug B', 'Mug D']);
  expect(await names(shop, { sort: 'price_asc' })).toEqual(['Mug D', 'Mug C', 'Mug B', 'Mug A']);
  expect(await names(shop, { sort: 'price_asc', unavailable: 'last' })).toEqual(['Mug D', 'Mug B', 'Mug C', 'Mug A']);
  expect(await names(shop, { in_stock: false })).toEqual(['Mug A', 'Mug C']);
});

test('lists unavailable search results last by default, and in the requested order with a sort', async () => {
  const shop = await openShop();
  await givenFour(shop);
  const places = async (query: object) =>
    (await names(shop, { q: 'mug', ...query }))?.map((name) => name.at(-1)).join('');

  expect((await places({}))?.slice(2)).toMatch(/^(AC|CA)$/);
  expect(await places({ unavailable: 'hide', sort: 'price_asc' })).toBe('DB');
  expect(await places({ unavailable: 'last', sort: 'price_asc' })).toBe('DBCA');
  expect(await places({ sort: 'price_asc' })).toBe('DCBA');
});

test('each product is on one page, whether it is available or not', async () => {
  const shop = await openShop();
  await givenFour(shop);
  const pages = await Promise.all([1, 2, 3, 4, 5].map((page) => names(shop, { limit: 1, page })));
  const found = await Promise.all([1, 2, 3, 4].map((page) => names(shop, { q: 'mug', limit: 1, page })));

  expect(pages).toEqual([['Mug B'], ['Mug D'], ['Mug A'], ['Mug C'], []]);
  expect(new Set(found.flat()).size).toBe(4);
});

test('a sold-out product moves to the end of search results, and back when restocked', async () => {
  const shop = await openShop();
  const mug = await shop.givenProduct({ name: 'Mug' });
  await shop.givenProduct({ name: 'Grey mug of enamel for campers' });
  const found = async () => {
    const pages = [1, 2].map((page) => names(shop, { q: 'mug', limit: 1, page }));
    return [await names(shop, { q: 'mug' }), (await Promise.all(pages)).flat()];
  };
  const adjust = (set_to: number, expected_quantity: number) =>
    shop.dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
      params: { path: { variant_id: mug.variants[0]?.id ?? '' } },
      body: { set_to, expected_quantity, reason: 'correction' },
    });
  const best = ['Mug', 'Grey mug of enamel for campers'];

  expect(await found()).toEqual([best, best]);
  await adjust(0, 10);
  expect(await found()).toEqual([best.toReversed(), best.toReversed()]);
  await adjust(1, 0);
  expect(await found()).toEqual([best, best]);
});

test('a sold-out product moves to the end of a cached list, and back when restocked', async () => {
  const shop = await openShop();
  await givenFour(shop);
  const [first] = (await shop.storefront.GET(products)).data?.products ?? [];
  const adjust = (set_to: number, expected_quantity: number) =>
    shop.dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
      params: { path: { variant_id: first?.variants[0]?.id ?? '' } },
      body: { set_to, expected_quantity, reason: 'correction' },
    });

  await adjust(0, 2);
  expect(await names(shop, {})).toEqual(['Mug D', 'Mug A', 'Mug B', 'Mug C']);
  await adjust(1, 0);
  expect(await names(shop, {})).toEqual(['Mug B', 'Mug D', 'Mug A', 'Mug C']);
});

test('a collection with its own sort order lists unavailable products last', async () => {
  const shop = await openShop();
  await givenFour(shop);
  const { data } = await shop.dashboard.POST('/api/dashboard/collections', {
    body: {
      title: 'Mugs',
      rules: [{ field: 'product_type', operator: 'equals', value: 'mug' }],
      sort_order: 'title_asc',
    },
  });
  const listed = async (query: object) => {
    const params = { path: { id_or_handle: data?.handle ?? '' }, query };
    const answer = await shop.storefront.GET('/api/storefront/collections/{id_or_handle}/products', { params });
    return answer.data?.products.map(({ name }) => name.at(-1)).join('');
  };

  expect(await listed({})).toBe('BDAC');
  expect(await listed({ unavailable: 'show' })).toBe('ABCD');
  expect(await listed({ unavailable: 'hide' })).toBe('BD');
  expect(await listed({ sort: 'price_asc' })).toBe('DCBA');
});
