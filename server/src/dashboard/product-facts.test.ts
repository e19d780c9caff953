import { expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { openShop } from '../../test/shop.ts';

const many = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`fact-${i}`, `value ${i}`]));

test('a product keeps 250 facts, and long ones whole', async () => {
  const { givenProduct } = await openShop();
  const long = 'Woven by hand. '.repeat(4000);
  const made = await givenProduct({ name: 'Scarf', price: '9', metadata: { ...many, 'fact-0': long } });
  expect(made.metadata).toEqual({ ...many, 'fact-0': long });
});

test('facts beyond the bounds are refused by field, however they come, and nothing is written', async () => {
  const { givenProduct, dashboard } = await openShop();
  const product = await givenProduct({ name: 'Scarf', price: '9' });
  const params = { path: { product_id: product.id } };
  const half = 'x'.repeat(65_535);
  const tooMuch = { a: half, b: half, c: 'x' };
  const msg = 'The names and values have 131074 characters; together they have at most 131072.';

  const made = await dashboard.POST('/api/dashboard/products', { body: { name: 'A', price: '9', metadata: tooMuch } });
  const patched = await dashboard.PATCH('/api/dashboard/products/{product_id}', {
    params,
    body: { metadata: tooMuch },
  });
  const { data } = await dashboard.POST('/api/dashboard/products/import', {
    body: { products: [{ slug: 'b', name: 'B', price: '9', metadata: tooMuch }] },
  });

  for (const { response, error } of [made, patched]) {
    expect(response.status).toBe(422);
    expect(error).toMatchObject({ detail: [{ loc: ['body', 'metadata'], msg, type: 'too_long' }] });
  }
  expect(data?.results[0]?.errors).toMatchObject([{ loc: ['body', 'products', 0, 'metadata'], msg }]);
  const beyond: Record<string, string>[] = [{ a: `${half}x` }, { ...many, more: 'x' }];
  for (const metadata of beyond) {
    const { response } = await dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { metadata } });
    expect(response.status).toBe(422);
  }
  const { data: list } = await dashboard.GET('/api/dashboard/products');
  expect(list?.products.map(({ name, metadata }) => [name, metadata])).toEqual([['Scarf', {}]]);
});

test('short facts are found as values, long texts by their words, and agents get the first fifty', async () => {
  const shop = await openShop();
  const { agent } = await givenAgent(shop, await shop.givenCustomer());
  const some = Object.fromEntries(Object.entries(many).slice(0, 60));
  const story = `{"type":"root","children":["${'Spun in the valley of the river, dyed with woad; '.repeat(40)}"]}`;
  const metadata = { ...some, fabric: 'merino', story };
  const { id } = await shop.givenProduct({ name: 'Scarf', price: '9', status: 'active', metadata });
  const found = async (q: string) =>
    (await shop.storefront.GET('/api/storefront/products', { params: { query: { q } } })).data?.products.length;

  expect([await found('merino'), await found('woad'), await found('cashmere')]).toEqual([1, 1, 0]);
  const params = { path: { product_id: id } };
  const { data } = await agent.GET('/api/agent/catalog/products/{product_id}', { params });
  expect(data?.content.attributes).toHaveLength(50);
});
