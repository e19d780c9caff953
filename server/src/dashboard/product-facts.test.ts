import { expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { openShop } from '../../test/shop.ts';

const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`fact-${i}`, `value ${i}`]));
const long = '€'.repeat(500);

test('accepts 50 metadata entries of 500 characters for a product', async () => {
  const { givenProduct } = await openShop();
  const metadata = Object.fromEntries(Object.keys(many).map((key) => [key, long]));
  const made = await givenProduct({ name: 'Scarf', price: '9', metadata });
  expect(made.metadata).toEqual(metadata);
});

test('creating, changing or importing a product with metadata beyond the limits is rejected and writes nothing', async () => {
  const { givenProduct, dashboard } = await openShop();
  const product = await givenProduct({ name: 'Scarf', price: '9' });
  const params = { path: { product_id: product.id } };
  const beyond: [Record<string, string>, string[]][] = [
    [{ story: `${long}x` }, ['metadata', 'story']],
    [{ ...many, more: 'x' }, ['metadata']],
  ];

  for (const [metadata, place] of beyond) {
    const body = { name: 'A', price: '9', metadata };
    const made = await dashboard.POST('/api/dashboard/products', { body });
    const patched = await dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { metadata } });
    const products = [{ slug: 'b', ...body }];
    const imported = await dashboard.POST('/api/dashboard/products/import', { body: { products } });

    for (const { response, error } of [made, patched]) {
      expect(response.status).toBe(422);
      expect(error).toMatchObject({ detail: [{ loc: ['body', ...place] }] });
    }
    const refused = imported.data?.results[0]?.errors ?? (imported.error as { detail: unknown } | undefined)?.detail;
    expect(refused).toMatchObject([{ loc: ['body', 'products', 0, ...place] }]);
  }
  const { data: list } = await dashboard.GET('/api/dashboard/products');
  expect(list?.products.map(({ name, metadata }) => [name, metadata])).toEqual([['Scarf', {}]]);
});

test('finds products by words in their metadata, and returns all 50 entries to agents', async () => {
  const shop = await openShop();
  const { agent } = await givenAgent(shop, await shop.givenCustomer());
  const some = Object.fromEntries(Object.entries(many).slice(0, 48));
  const story = 'Spun in the valley of the river, dyed with woad; '.repeat(10);
  const metadata = { ...some, fabric: 'merino', story };
  const { id } = await shop.givenProduct({ name: 'Scarf', price: '9', status: 'active', metadata });
  const found = async (q: string) =>
    (await shop.storefront.GET('/api/storefront/products', { params: { query: { q } } })).data?.products.length;

  expect([await found('merino'), await found('woad'), await found('cashmere')]).toEqual([1, 1, 0]);
  const params = { path: { product_id: id } };
  const { data } = await agent.GET('/api/agent/catalog/products/{product_id}', { params });
  expect(data?.content.attributes).toHaveLength(50);
});
