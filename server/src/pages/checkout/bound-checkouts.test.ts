import { createStorefrontClient } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { ordersOf } from '../../../test/buying.ts';
import { PaperBrowser } from '../../../test/paper-browser.ts';
import { openShop } from '../../../test/shop.ts';

const ADDRESS = { last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' };
const ELSEWHERE = { ...ADDRESS, address1: 'Hafenstr. 1', city: 'Hamburg', postal_code: '20095' };
const DETAILS = {
  email: 'ada@example.com',
  shipping_country: 'DE',
  shipping_last_name: 'Byron',
  shipping_address1: 'Kirchweg 3',
  shipping_postal_code: '50667',
  shipping_city: 'Köln',
  payment_method: 'bank_transfer',
};

/** Opens a shop with a complete checkout, and a browser on its review page. */
async function openReview() {
  const shop = await openShop();
  const checkout = await shop.givenCheckout({ shipping_address: ADDRESS, email: 'june@example.com' });
  const url = checkout.checkout_url ?? '';
  const browser = new PaperBrowser(shop.baseUrl);
  const review = await browser.open(url);
  const params = { path: { checkout_id: checkout.id } };
  return { shop, checkout, url, browser, review, params };
}

/** Like openReview, but posts the form once, which binds the checkout to the browser. */
async function openBound() {
  const opened = await openReview();
  const form = await opened.browser.open(`${opened.url}?change=1`);
  const review = await opened.browser.press(form, 'save', { email: 'june@example.com', note: 'Ring twice' });
  expect(review.html).toContain('value="place_order"');
  return { ...opened, review };
}

async function privateClient({ dashboard, baseUrl, site_id, storefront }: Awaited<ReturnType<typeof openShop>>) {
  const { data } = await dashboard.POST('/api/dashboard/storefront-tokens', {
    body: { description: 'Server', kind: 'private' },
  });
  if (!data) throw new Error('There is no private token.');
  return createStorefrontClient({
    baseUrl,
    siteId: site_id,
    storefrontToken: data.secret,
    maxAttempts: 1,
  }) as typeof storefront;
}

const SWAPS = [
  ['shipping_address', 'Deliver to', { shipping_address: ELSEWHERE }],
  ['email', 'Contact', { email: 'mallory@example.com' }],
  ['phone', 'Contact', { phone: '+49 30 7654321' }],
  ['billing_address', 'Bill to', { billing_address: ELSEWHERE }],
  ['note', 'Note', { note: 'Leave it at the corner' }],
] as const;

test.each(SWAPS)(
  'if %s changes while the review is open, the order button creates no order and shows the change (409)',
  async (_, heading, patch) => {
    const { shop, browser, review, params } = await openReview();
    const { error } = await shop.storefront.PATCH('/api/storefront/checkout/{checkout_id}', { params, body: patch });
    expect(error).toBeUndefined();

    const again = await browser.press(review, 'place_order');
    expect(again.response.status).toBe(409);
    expect(again.html).toContain(`Changed: ${heading}.`);
    expect(again.html).toMatch(new RegExp(`<div class="answer changed"><dt>${heading} <strong>changed</strong>`));
    expect(await ordersOf(shop)).toEqual([]);

    // The order is placed after the page has shown the change.
    expect((await browser.press(again, 'place_order')).html).toContain('Order number');
    expect(await ordersOf(shop)).toMatchObject([patch]);
  },
);

test('starts no card payment if the address changes while the review is open', async () => {
  const shop = await openShop();
  const { id, checkout_url } = await shop.givenCheckout({ payment_method: 'card' });
  const browser = new PaperBrowser(shop.baseUrl);
  const review = await browser.open(checkout_url ?? '');
  const params = { path: { checkout_id: id } };
  await shop.storefront.PATCH('/api/storefront/checkout/{checkout_id}', {
    params,
    body: { shipping_address: ELSEWHERE },
  });
  const again = await browser.press(review, 'place_order', { card_token: 'tok_success' });
  expect(again.html).toContain('Changed: Deliver to.');
  const { rows } = await shop.owner.query('select from commerce.payments where site_id = $1', [shop.site_id]);
  expect(rows).toEqual([]);
  await browser.press(again, 'place_order', { card_token: 'tok_success' });
  expect(await ordersOf(shop)).toMatchObject([{ shipping_address: { city: 'Hamburg' }, payment_status: 'paid' }]);
});

test('opening the checkout page does not bind the checkout to the browser, so the API can still read and change it', async () => {
  const { shop, params } = await openReview();
  const { data } = await shop.storefront.PATCH('/api/storefront/checkout/{checkout_id}', {
    params,
    body: { email: 'new@example.com' },
  });
  expect(data).toMatchObject({ email: 'new@example.com', review_token: expect.any(String) });
});

test('after the buyer submits the checkout page, a public token cannot read or change buyer data, or cancel the checkout', async () => {
  const { shop, checkout, review, browser, params } = await openBound();
  const at = '/api/storefront/checkout/{checkout_id}';
  const hidden = { email: null, phone: null, shipping_address: null, billing_address: null, note: null };
  const { data: read } = await shop.storefront.GET(at, { params });
  expect(read).toMatchObject({ ...hidden, review_token: null, total: checkout.total, missing: [] });
  const { data: renewed } = await shop.storefront.POST('/api/storefront/checkout', {
    body: { cart_id: checkout.cart_id },
  });
  expect(renewed).toMatchObject(hidden);

  for (const body of [{ email: null }, { phone: '+49 30 1' }, { shipping_address: ELSEWHERE }, { note: 'x' }]) {
    const { error } = await shop.storefront.PATCH(at, { params, body });
    expect(error).toMatchObject({ error: 'buyer_data_locked' });
  }
  const { data: other } = await shop.storefront.PATCH(at, { params, body: { locale: 'en' } });
  expect(other).toMatchObject({ locale: 'en', ...hidden });
  const cancelled = await shop.storefront.POST('/api/storefront/checkout/{checkout_id}/cancel', { params });
  expect(cancelled.error).toMatchObject({ error: 'buyer_data_locked' });
  const emptied = await shop.storefront.POST('/api/storefront/cart/{cart_id}/cancel', {
    params: { path: { cart_id: checkout.cart_id } },
  });
  expect(emptied.error).toMatchObject({ error: 'buyer_data_locked' });
  const unpaid = await shop.storefront.POST(`${at}/payment/cancel`, { params });
  expect(unpaid.error).toMatchObject({ error: 'buyer_data_locked' });

  expect((await browser.press(review, 'place_order')).html).toContain('Order number');
  const again = await shop.storefront.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} });
  expect(again.data?.order).toMatchObject({ ...hidden, total: checkout.total });
  expect((await shop.storefront.GET(at, { params })).data).toMatchObject({ ...hidden, status: 'completed' });
  expect(await ordersOf(shop)).toMatchObject([
    { email: 'june@example.com', shipping_address: ADDRESS, note: 'Ring twice' },
  ]);
});

test('after the buyer submits the checkout page, a public token or another customer cannot complete the checkout', async () => {
  const { shop, checkout, review, browser, params } = await openBound();
  const { data: express } = await shop.dashboard.POST('/api/dashboard/shipping-options', {
    body: { name: 'Express', price: '99.00', countries: ['DE'] },
  });
  const at = '/api/storefront/checkout/{checkout_id}';
  const body = { shipping_option_id: express?.id ?? '' };
  const { data: dearer } = await shop.storefront.PATCH(at, { params, body });
  expect(dearer?.shipping_option?.name).toBe('Express');

  const stranger = await shop.givenCustomer();
  for (const client of [shop.storefront, stranger.client]) {
    for (const seen of [{}, { expected_total: dearer?.total ?? '' }, { expected: checkout.review_token ?? '' }]) {
      const { error } = await client.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: seen });
      expect(error).toMatchObject({ error: 'buyer_data_locked' });
    }
  }
  expect(await ordersOf(shop)).toEqual([]);

  // The page shows the changed shipping option for confirmation before anything is ordered.
  const again = await browser.press(review, 'place_order');
  expect(again.html).toContain('Express');
  expect(await ordersOf(shop)).toEqual([]);
  expect((await browser.press(again, 'place_order')).html).toContain('Order number');
});

test('the customer and a private token can complete a bound checkout with the displayed total', async () => {
  const guest = await openBound();
  const server = await privateClient(guest.shop);
  const done = await server.POST('/api/storefront/checkout/{checkout_id}/complete', {
    params: guest.params,
    body: { expected_total: guest.checkout.total },
  });
  expect(done.data?.order.email).toBe('june@example.com');

  const customer = await guest.shop.givenCustomer();
  const own = await guest.shop.givenCheckout({ client: customer.client, shipping_address: ADDRESS });
  const browser = new PaperBrowser(guest.shop.baseUrl);
  await browser.press(await browser.open(`${own.checkout_url}?change=1`), 'save', { note: 'Ring twice' });
  const theirs = await customer.client.POST('/api/storefront/checkout/{checkout_id}/complete', {
    params: { path: { checkout_id: own.id } },
    body: { expected_total: own.total },
  });
  expect(theirs.data?.order).toMatchObject({ customer_id: customer.id, note: 'Ring twice' });
});

test('a private token can read, change and cancel a bound checkout', async () => {
  const { shop, params } = await openBound();
  const server = await privateClient(shop);
  const at = '/api/storefront/checkout/{checkout_id}';
  const { data: read } = await server.GET(at, { params });
  expect(read).toMatchObject({ email: 'june@example.com', note: 'Ring twice', review_token: expect.any(String) });
  const { data: changed } = await server.PATCH(at, { params, body: { note: 'Ring once' } });
  expect(changed?.note).toBe('Ring once');
  const { data: over } = await server.POST('/api/storefront/checkout/{checkout_id}/cancel', { params });
  expect(over?.status).toBe('cancelled');
});

test('another customer can neither read nor take over a bound guest checkout', async () => {
  const { shop, params, browser, review } = await openBound();
  const stranger = await shop.givenCustomer();
  const at = '/api/storefront/checkout/{checkout_id}';
  const { data } = await stranger.client.PATCH(at, { params, body: { locale: 'en' } });
  expect(data).toMatchObject({ email: null, shipping_address: null, customer_id: null });
  const locked = await stranger.client.PATCH(at, { params, body: { shipping_address: ELSEWHERE } });
  expect(locked.error).toMatchObject({ error: 'buyer_data_locked' });
  expect((await browser.press(review, 'place_order')).html).toContain('Order number');
  expect(await ordersOf(shop)).toMatchObject([{ customer_id: null, shipping_address: ADDRESS }]);
});

test('another browser with the checkout link shows empty fields, and takes the checkout over only after its user enters data', async () => {
  const { shop, url, browser, review } = await openBound();
  const second = new PaperBrowser(shop.baseUrl);
  const form = await second.open(url);
  expect(form.html).toContain('in another browser');
  for (const word of ['june@example.com', 'Lindenallee', 'Okafor', 'Ring twice', 'value="place_order"']) {
    expect(form.html).not.toContain(word);
  }
  // The first browser keeps its review until the second one enters data.
  const theirs = await second.press(form, 'save', DETAILS);
  expect(theirs.html).toContain('Kirchweg 3');
  expect(theirs.html).not.toContain('Ring twice');

  const refused = await browser.press(review, 'place_order');
  expect(refused.html).toContain('in another browser');
  expect(refused.html).not.toContain('Kirchweg');
  expect(await ordersOf(shop)).toEqual([]);

  const done = await second.press(theirs, 'place_order');
  expect(done.html).toContain('Kirchweg 3');
  expect(await ordersOf(shop)).toMatchObject([
    { email: 'ada@example.com', note: null, shipping_address: { city: 'Köln' } },
  ]);
  // Only this browser shows the buyer's data on the confirmation page, with a link to the order.
  const elsewhere = await browser.open(url);
  expect(elsewhere.html).toContain('Order number');
  for (const word of ['Kirchweg', 'ada@example.com', 'view_order']) expect(elsewhere.html).not.toContain(word);
});

test('a customer who logs in with another browser can continue their own checkout there', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { checkout_url } = await shop.givenCheckout({ client: customer.client, shipping_address: ADDRESS });
  const first = new PaperBrowser(shop.baseUrl);
  await first.press(await first.open(`${checkout_url}?change=1`), 'save', { note: 'Ring twice' });

  const second = new PaperBrowser(shop.baseUrl);
  expect((await second.open(checkout_url ?? '')).html).not.toContain('Lindenallee 7');
  const login = await second.open(`/account?site_id=${shop.site_id}`);
  await second.press(login, 'log_in', { email: customer.email, password: customer.password });
  const review = await second.open(checkout_url ?? '');
  for (const word of ['Lindenallee 7', 'Ring twice']) expect(review.html).toContain(word);
  expect((await second.press(review, 'place_order')).html).toContain('Order number');
  expect(await ordersOf(shop)).toMatchObject([{ customer_id: customer.id, shipping_address: ADDRESS }]);
});

test("logging in with the cart of a bound checkout copies its items to the customer's cart, and leaves the checkout usable", async () => {
  const { shop, checkout, browser, review } = await openBound();
  const { email, password } = await shop.givenCustomer();
  const { data: session } = await shop.storefront.POST('/api/storefront/customer/login', {
    body: { email, password, cart_id: checkout.cart_id },
  });
  const { data: cart } = await shop.storefront
    .withCustomer(session?.access_token ?? '')
    .GET('/api/storefront/cart/{cart_id}', { params: { path: { cart_id: session?.cart_id ?? '' } } });
  expect(cart?.items.map(({ variant_id }) => variant_id)).toEqual(checkout.items.map(({ variant_id }) => variant_id));
  expect((await browser.press(review, 'place_order')).html).toContain('Order number');
  expect(await ordersOf(shop)).toMatchObject([{ customer_id: null, email: 'june@example.com' }]);
});
