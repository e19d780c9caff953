import { createStorefrontClient } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { givenAgent, givenAgentCheckout } from '../../test/agents.ts';
import { ordersOf } from '../../test/buying.ts';
import { PaperBrowser } from '../../test/paper-browser.ts';
import { openShop } from '../../test/shop.ts';

const AT = '/api/storefront/checkout/{checkout_id}';
const ELSEWHERE = {
  last_name: 'Okafor',
  address1: 'Hafenstr. 1',
  city: 'Hamburg',
  postal_code: '20095',
  country: 'DE',
};

async function openReady() {
  const shop = await openShop();
  const checkout = await shop.givenCheckout();
  return { shop, checkout, params: { path: { checkout_id: checkout.id } }, expected: checkout.review_token ?? '' };
}

test('the review token does not change while the checkout is unchanged, and completes the checkout', async () => {
  const { shop, params, expected } = await openReady();
  expect((await shop.storefront.GET(AT, { params })).data?.review_token).toBe(expected);
  const { data } = await shop.storefront.POST(`${AT}/complete`, { params, body: { expected } });
  expect(data?.order.email).toBe('june@example.com');
  expect((await shop.storefront.GET(AT, { params })).data?.review_token).toBeNull();
});

test.each([
  ['email', { email: 'other@example.com' }],
  ['phone', { phone: '+49 30 1234567' }],
  ['shipping_address', { shipping_address: ELSEWHERE }],
  ['billing_address', { billing_address: ELSEWHERE }],
  ['payment_method', { payment_method: 'card' }],
  ['note', { note: 'Ring twice' }],
] as const)(
  'rejects an outdated review token after %s has changed (409 review_changed), and accepts the new one',
  async (field, body) => {
    const { shop, params, expected } = await openReady();
    const { data: changed } = await shop.storefront.PATCH(AT, { params, body });
    const { error } = await shop.storefront.POST(`${AT}/complete`, { params, body: { expected } });
    expect(error).toMatchObject({ error: 'review_changed', changed: [field], total: changed?.total });
    expect(await ordersOf(shop)).toEqual([]);
    const now = {
      expected: changed?.review_token ?? '',
      ...(field === 'payment_method' && { payment: { card_token: 'tok_success' } }),
    };
    expect((await shop.storefront.POST(`${AT}/complete`, { params, body: now })).error).toBeUndefined();
  },
);

test('rejects a review token after a price, name, quantity or shipping option has changed, and names the change', async () => {
  const shop = await openShop();
  const product = await shop.givenProduct({ price: '10.00' });
  const checkout = await shop.givenCheckout({ content: [{ variant_id: product.variants[0]?.id ?? '', quantity: 1 }] });
  const params = { path: { checkout_id: checkout.id } };
  const inCart = { path: { cart_id: checkout.cart_id, line_item_id: checkout.items[0]?.id ?? '' } };
  const option = { path: { shipping_option_id: checkout.shipping_option?.id ?? '' } };
  const onProduct = { path: { product_id: product.id } };
  const product_at = '/api/dashboard/products/{product_id}';
  const changes: [string[], () => Promise<unknown>][] = [
    [['items', 'total'], () => shop.dashboard.PATCH(product_at, { params: onProduct, body: { price: '11.00' } })],
    [['items'], () => shop.dashboard.PATCH(product_at, { params: onProduct, body: { name: 'Another mug' } })],
    [
      ['items', 'total'],
      () =>
        shop.storefront.PATCH('/api/storefront/cart/{cart_id}/items/{line_item_id}', {
          params: inCart,
          body: { quantity: 2 },
        }),
    ],
    [
      ['total', 'shipping_option'],
      () =>
        shop.dashboard.PATCH('/api/dashboard/shipping-options/{shipping_option_id}', {
          params: option,
          body: { price: '7.00' },
        }),
    ],
  ];
  for (const [changed, change] of changes) {
    const { data } = await shop.storefront.GET(AT, { params });
    await change();
    const body = { expected: data?.review_token ?? '' };
    const { error } = await shop.storefront.POST(`${AT}/complete`, { params, body });
    expect(error).toMatchObject({ error: 'review_changed', changed });
  }
});

test('rejects an invented review token and the token of another checkout (review_changed)', async () => {
  const { shop, params } = await openReady();
  const other = await shop.givenCheckout();
  for (const expected of [other.review_token ?? '', 'AAAAAAAAAAAAAAAAAAAAAAAA']) {
    const { error } = await shop.storefront.POST(`${AT}/complete`, { params, body: { expected } });
    expect(error?.error).toBe('review_changed');
  }
  expect(await ordersOf(shop)).toEqual([]);
});

test("after the customer submits the page of an agent's checkout, the agent cannot read or change the buyer data", async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { access_token, token_id } = await givenAgent(shop, customer);
  const product = await shop.givenProduct();
  const lines = [{ variant_id: product.variants[0]?.id ?? '', quantity: 1 }];
  const made = await givenAgentCheckout(shop, customer, { token_id, categories: [] }, lines);
  const params = { path: { checkout_id: made.id } };
  const agent = createStorefrontClient({
    ...{ baseUrl: shop.baseUrl, siteId: shop.site_id, storefrontToken: shop.credentials.storefront_token },
    ...{ customerToken: access_token, maxAttempts: 1 },
  });
  const before = await agent.PATCH(AT, { params, body: { note: 'From the agent' } });
  expect(before.data).toMatchObject({ note: 'From the agent', review_token: expect.any(String) });

  const browser = new PaperBrowser(shop.baseUrl);
  const login = await browser.open(made.checkout_url ?? '');
  const review = await browser.press(login, 'log_in', { email: customer.email, password: customer.password });
  expect(review.html).toContain('From the agent');
  await agent.PATCH(AT, { params, body: { shipping_address: ELSEWHERE } });
  const again = await browser.press(review, 'place_order');
  expect(again.html).toContain('Changed: Deliver to.');

  const form = await browser.open(`${made.checkout_url}?change=1`);
  await browser.press(form, 'save', { shipping_address1: 'Kirchweg 3' });
  const locked = await agent.PATCH(AT, { params, body: { shipping_address: ELSEWHERE } });
  expect(locked.error).toMatchObject({ error: 'buyer_data_locked' });
  expect((await agent.GET(AT, { params })).data).toMatchObject({ email: null, review_token: null });
  expect((await agent.POST(`${AT}/cancel`, { params })).error).toMatchObject({ error: 'buyer_data_locked' });
  // The customer's own token can still read and change the checkout.
  const { data: theirs } = await customer.client.PATCH(AT, { params, body: { note: 'Mine' } });
  expect(theirs).toMatchObject({ note: 'Mine', shipping_address: { address1: 'Kirchweg 3' } });
  const body = { expected: theirs?.review_token ?? '' };
  expect((await customer.client.POST(`${AT}/complete`, { params, body })).data?.order.note).toBe('Mine');
});
