import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

const orderPath = '/api/dashboard/orders/{order_id}';
const NEWSLETTER = { utm_source: 'newsletter', utm_campaign: 'spring', referrer: 'https://mail.example.com/' };
const SEARCH = { utm_source: 'search', utm_medium: 'cpc' };

async function attributionOf(shop: OpenShop, order_id: string) {
  const { data } = await shop.dashboard.GET(orderPath, { params: { path: { order_id } } });
  return data?.attribution;
}

/** Orders from a cart that was created with the given body. */
async function buy(shop: OpenShop, cart_body: object, checkout_body: object = {}, client = shop.storefront) {
  const { data: cart } = await client.POST('/api/storefront/cart', { body: cart_body });
  const product = await shop.givenProduct();
  const params = { path: { cart_id: cart?.id ?? '' } };
  const body = { variant_id: product.variants[0]?.id ?? '', quantity: 1 };
  await client.POST('/api/storefront/cart/{cart_id}/items', { params, body });
  const cart_id = cart?.id ?? '';
  await client.POST('/api/storefront/checkout', { body: { cart_id, ...checkout_body } });
  const { id } = await shop.givenOrder({ cart_id, client });
  return id;
}

test('an order has the attribution of its checkout, or of its cart if the checkout has none', async () => {
  const shop = await openShop();
  expect(await attributionOf(shop, await buy(shop, {}))).toBeNull();
  expect(await attributionOf(shop, await buy(shop, { attribution: NEWSLETTER }))).toEqual(NEWSLETTER);
  const told = await buy(shop, { attribution: NEWSLETTER }, { attribution: SEARCH });
  expect(await attributionOf(shop, told)).toEqual(SEARCH);
});

test("an order has the latest attribution of its carts, even of a guest's cart at login, until the customer is erased", async () => {
  const shop = await openShop();
  const { client, id: customer_id, email, password } = await shop.givenCustomer();
  await client.POST('/api/storefront/cart', { body: { attribution: SEARCH } });
  const guest = await shop.storefront.POST('/api/storefront/cart', { body: { attribution: NEWSLETTER } });
  const body = { email, password, cart_id: guest.data?.id ?? '' };
  await shop.storefront.POST('/api/storefront/customer/login', { body });
  const order_id = await buy(shop, {}, {}, client);
  expect(await attributionOf(shop, order_id)).toEqual(NEWSLETTER);

  const params = { path: { order_id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', { params, body: { reason: 'customer' } });
  await shop.dashboard.POST('/api/dashboard/customers/{customer_id}/anonymize', { params: { path: { customer_id } } });
  expect(await attributionOf(shop, order_id)).toBeNull();
});

test.each([{}, { utm_source: '' }, { utm_source: 'x'.repeat(256) }, { gclid: 'x' }])(
  'rejects %j, because it contains no attribution',
  async (attribution) => {
    const { storefront } = await openShop();
    const { error } = await storefront.POST('/api/storefront/cart', { body: { attribution } });
    expect(error).toMatchObject({
      error: 'validation_error',
      detail: [{ loc: expect.arrayContaining(['attribution']) }],
    });
  },
);
