import { expect, test } from 'vitest';
import { openNetwork } from '../../test/backend.ts';
import { judged } from '../../test/contract-check.ts';
import {
  ConnectionError,
  createAgentClient,
  createCartSession,
  createClient,
  createStorefrontClient,
  isError,
  paginate,
  requestConsent,
  unwrap,
} from '../index.ts';
import { createMockFetch } from './fetch.ts';
import { createMockShop, type MockOptions } from './index.ts';

const network = openNetwork();

function given(options?: MockOptions) {
  const { shop, fetch } = createMockFetch(options);
  const client = { ...shop, fetch: judged(fetch), maxAttempts: 1 };
  return { shop, client, storefront: createStorefrontClient(client) };
}

async function cartWith(storefront: ReturnType<typeof given>['storefront'], variant_id: string, quantity = 1) {
  const { id: cart_id } = await unwrap(storefront.POST('/api/storefront/cart'));
  const params = { path: { cart_id } };
  return unwrap(storefront.POST('/api/storefront/cart/{cart_id}/items', { params, body: { variant_id, quantity } }));
}

test('buys a product with the SDK through msw handlers', async () => {
  const { handlers, shop } = createMockShop({ baseUrl: 'https://mock.test' });
  network.use(...handlers);
  const storefront = createStorefrontClient(shop);
  const slugs: string[] = [];
  for await (const product of paginate(storefront, '/api/storefront/products')) slugs.push(product.slug);
  expect(slugs).toContain('stoneware-mug');
  const session = createCartSession(storefront, { storage: storageOf(new Map()) });
  await session.add({ variant_id: shop.variantId('MUG-OAT'), quantity: 2 });
  const { email = '', password = '' } = shop.customers[0] ?? {};
  await session.login({ email, password });
  expect(await session.get()).toMatchObject({ total: '37.00', customer_id: expect.any(String) });
  const checkout = await session.run((cart_id, client) =>
    unwrap(client.POST('/api/storefront/checkout', { body: { cart_id } })),
  );
  expect(shop.confirm(checkout.id)).toMatchObject({ order_number: '1001', total: '41.90', currency: 'EUR' });
  expect(shop.orders).toHaveLength(1);
  shop.fail('storefront.getShop', 'no_answer', { times: 3 });
  await expect(storefront.GET('/api/storefront/shop')).rejects.toBeInstanceOf(ConnectionError);
});

function storageOf(kept: Map<string, string>) {
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

test('reserves stock at checkout, rejects another buyer, and releases the stock when the checkout expires', async () => {
  const { shop, storefront } = given();
  const lamp = shop.variantId('LAMP-OAK');
  shop.setStock('LAMP-OAK', 1);
  const [one, other] = [await cartWith(storefront, lamp), await cartWith(storefront, lamp)];
  const begin = (cart_id: string) => storefront.POST('/api/storefront/checkout', { body: { cart_id } });
  const { id } = await unwrap(begin(one.id));
  const refused = await unwrap(begin(other.id)).catch((error: unknown) => error);
  if (!isError(refused, 'insufficient_stock')) throw refused;
  expect(refused.body.lines).toEqual([expect.objectContaining({ requested: 1, available: 0 })]);
  shop.expireCheckout(id);
  const params = { path: { checkout_id: id } };
  expect((await storefront.GET('/api/storefront/checkout/{checkout_id}', { params })).response.status).toBe(410);
  expect((await begin(other.id)).response.status).toBe(201);
});

test('the mocks keep the expiry that an agent requested, unless the customer chooses an earlier one', async () => {
  const { shop, client } = given();
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const lifetimeOf = async (wish: { expires_at?: string }, lifetime_days: number) => {
    const { user_code, device_code } = await requestConsent(client, { agent_name: 'Gift finder', ...wish });
    shop.approve(user_code, { lifetime_days });
    const issued = await unwrap(createClient(client).POST('/api/agent/consent/poll', { body: { device_code } }));
    return Math.round(issued.expires_in / 86_400);
  };

  expect(await lifetimeOf({ expires_at: inDays(3) }, 30)).toBe(3);
  expect(await lifetimeOf({ expires_at: inDays(30) }, 7)).toBe(7);
  expect(await lifetimeOf({}, 30)).toBe(30);
});

test('the mocks accept an agent after `approve()`, within its budget and categories, until it is revoked', async () => {
  const { shop, client } = given();
  const wish = { agent_name: 'Gift finder', budget_cents: 5_000, categories: ['Tableware'] };
  const pending = await requestConsent(client, wish);
  shop.approve(pending.user_code, { budget_cents: 4_500 });
  const { device_code } = pending;
  const issued = await unwrap(createClient(client).POST('/api/agent/consent/poll', { body: { device_code } }));
  expect(issued).toMatchObject({ budget_cents: 4_500, categories: ['Tableware'] });
  const agent = createAgentClient({ ...client, agentToken: issued.access_token });
  const buy = (variant: string, quantity: number) =>
    unwrap(agent.POST('/api/agent/intent/find-and-buy', { body: { variant_id: shop.variantId(variant), quantity } }));

  const found = await unwrap(agent.POST('/api/agent/intent/find', { body: { query: 'a mug under 20 euros' } }));
  expect(found.candidates.map(({ content }) => content.name)).toEqual(['Stoneware Mug']);
  const dear = await buy('MUG-OAT', 3).catch((error: unknown) => error);
  if (!isError(dear, 'budget_exceeded')) throw dear;
  expect(dear.body).toMatchObject({ limit: 'budget', required_cents: 5_550, budget_cents: 4_500 });
  await expect(buy('TOWEL', 1)).rejects.toMatchObject({ status: 403, code: 'category_not_allowed' });

  const { checkout, totals } = await buy('MUG-OAT', 2);
  expect(totals?.total).toBe('41.90');
  expect(shop.confirm(checkout?.id ?? '')).toMatchObject({ source: 'agent', total: '41.90' });
  const token = await unwrap(agent.GET('/api/agent/token'));
  expect(token).toMatchObject({ budget_used_cents: 4_190, budget_remaining_cents: 310 });
  const calls = await unwrap(agent.GET('/api/agent/audit/me'));
  expect(calls.audit_events.map(({ action }) => action)).toContain('agent.findAndBuy');
  shop.revoke(issued.access_token);
  await expect(unwrap(agent.GET('/api/agent/token'))).rejects.toMatchObject({ status: 401, code: 'invalid_token' });
});

test('the mocks can fail the next call with an error and its fields, or with a lost connection', async () => {
  const { shop, storefront } = given();
  shop.fail('storefront.getShop', { error: 'rate_limited', retry_after_seconds: 7, message: 'Slow down.' });
  const { error, response } = await storefront.GET('/api/storefront/shop');
  expect(response.status).toBe(429);
  expect(response.headers.get('Retry-After')).toBe('7');
  expect(error).toMatchObject({ error: 'rate_limited', message: 'Slow down.', retryable: true });
  expect((await storefront.GET('/api/storefront/shop')).response.status).toBe(200);
  shop.fail('storefront.getShop', 'no_answer');
  await expect(storefront.GET('/api/storefront/shop')).rejects.toBeInstanceOf(ConnectionError);
  expect(shop.calls.map(({ status }) => status)).toEqual([429, 200, 0]);
  expect(() => shop.fail('storefront.getShops', 'not_found')).toThrow(
    'The contract has no operation storefront.getShops.',
  );
  expect(() => shop.fail('storefront.getShop', 'no_such' as 'not_found')).toThrow('no error no_such');
});

test('the mock shop uses the data in its options, and restores it on reset', async () => {
  const { shop, storefront } = given({
    data: {
      name: 'Tea',
      currency: 'JPY',
      products: [{ slug: 'tea', name: 'Tea', price: '500', inventory_quantity: 3 }],
    },
  });
  const { total } = await cartWith(storefront, shop.variantId('tea'), 3);
  expect(total).toBe('1500');
  shop.setStock('tea', 0);
  expect((await unwrap(storefront.GET('/api/storefront/products'))).products[0]).toMatchObject({ in_stock: false });
  shop.reset();
  expect((await unwrap(storefront.GET('/api/storefront/products'))).products[0]).toMatchObject({ total_inventory: 3 });
  expect(shop.calls).toHaveLength(1);
  expect(() => shop.variantId('coffee')).toThrow('The mock shop has no variant coffee.');
});

test("changes a customer's addresses, and revokes the token at logout", async () => {
  const { shop, storefront } = given();
  const { email = '', password = '' } = shop.customers[0] ?? {};
  const { access_token } = await unwrap(
    storefront.POST('/api/storefront/customer/login', { body: { email, password } }),
  );
  const customer = storefront.withCustomer(access_token);
  const { addresses } = await unwrap(customer.GET('/api/storefront/customer/me/addresses'));
  const path = { address_id: addresses[0]?.id ?? '' };
  const base = '/api/storefront/customer/me/addresses/{address_id}' as const;
  expect(await unwrap(customer.PATCH(base, { params: { path }, body: { city: 'Bonn' } }))).toMatchObject({
    city: 'Bonn',
  });
  await unwrap(customer.DELETE(base, { params: { path } }));
  expect((await unwrap(customer.GET('/api/storefront/customer/me/addresses'))).addresses).toEqual([]);
  await unwrap(customer.POST('/api/storefront/customer/logout'));
  await expect(unwrap(customer.GET('/api/storefront/customer/me'))).rejects.toMatchObject({ code: 'invalid_token' });
});

test('the mocks reject a credential of another shop (invalid_token) and an unknown path (404)', async () => {
  const { shop, client } = given();
  const stranger = createStorefrontClient({ ...client, storefrontToken: 'stk_other' });
  await expect(unwrap(stranger.GET('/api/storefront/shop'))).rejects.toMatchObject({ code: 'invalid_token' });
  const response = await client.fetch(new Request(`${shop.baseUrl}/api/storefront/nothing`));
  expect(response.status).toBe(404);
});
