import type { Deletion, Shop } from '@commerce-backend/spec';
import { HttpResponse, http } from 'msw';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { baseUrl, openNetwork, refusal, requestId, siteId } from '../test/backend.ts';
import {
  ConnectionError,
  createClient,
  createDashboardClient,
  createStorefrontClient,
  createSyncClient,
  type Schemas,
  unwrap,
} from './index.ts';

const network = openNetwork();
const storefront = createStorefrontClient({ baseUrl, siteId, storefrontToken: 'stk_1' });
const dashboard = createDashboardClient({ baseUrl, apiKey: 'key_1' });
const product_id = '0192f3a0-4444-7000-8000-000000000001';
const params = { path: { product_id } };
const cart = { path: { cart_id: product_id } };
const linePath = '/api/storefront/cart/{cart_id}/items/{line_item_id}';
const line = { path: { cart_id: product_id, line_item_id: product_id } };
const checkoutPath = '/api/storefront/checkout/{checkout_id}';
const checkout = { path: { checkout_id: product_id } };

const shop = {
  site_id: siteId,
  merchant_id: siteId,
  name: 'Alder & Finch',
  currency: 'EUR',
  currency_digits: 2,
  prices_include_tax: true,
  support_email: null,
  support_phone: null,
  policies: { terms_url: null, privacy_url: null, imprint_url: null, withdrawal_url: null },
  withdrawal_form_path: null,
} satisfies Shop;

const deletion = { id: product_id, deleted: true } satisfies Deletion;

/** Answers every call with this body, and records the requests. */
function answerAll(body: object) {
  const requests: Request[] = [];
  network.use(
    http.all(`${baseUrl}/*`, ({ request }) => {
      requests.push(request);
      return HttpResponse.json(body);
    }),
  );
  return requests;
}

describe('credentials', () => {
  test('sends the site id and the token with a storefront call', async () => {
    const [requests, { data }] = [answerAll(shop), await storefront.GET('/api/storefront/shop')];

    expect(data).toEqual(shop);
    expect(requests[0]?.headers.get('X-Site-ID')).toBe(siteId);
    expect(requests[0]?.headers.get('X-Service-Token')).toBe('stk_1');
  });

  test("sends the IP address of each buyer with that buyer's calls", async () => {
    const requests = answerAll(shop);
    const one = storefront.withBuyerIp('203.0.113.7');
    await one.withCustomer('cust_1').GET('/api/storefront/shop');
    await one.withBuyerIp('2001:db8::1').GET('/api/storefront/shop');
    await storefront.GET('/api/storefront/shop');
    await storefront.GET('/api/storefront/shop', { headers: { 'X-Buyer-IP': '203.0.113.8' } });

    const addresses = ['203.0.113.7', '2001:db8::1', null, '203.0.113.8'];
    expect(requests.map(({ headers }) => headers.get('X-Buyer-IP'))).toEqual(addresses);
    expect(requests[0]?.headers.get('Authorization')).toBe('Bearer cust_1');
    expect(() => storefront.withBuyerIp('')).toThrow('buyerIp');
  });

  test('sends the site id and the secret with a sync call, and throws without a secret', async () => {
    const requests = answerAll({ changes: [], next_cursor: null, resume_cursor: '1-1-0' });
    const sync = createSyncClient({ baseUrl, siteId, syncSecret: 'syk_1' });

    const { data } = await sync.GET('/api/sync/products', { params: { query: { limit: 500 } } });

    expect(data?.resume_cursor).toBe('1-1-0');
    expect(requests[0]?.headers.get('X-Site-ID')).toBe(siteId);
    expect(requests[0]?.headers.get('X-Sync-Secret')).toBe('syk_1');
    expect(() => createSyncClient({ baseUrl, siteId, syncSecret: '' })).toThrow('syncSecret is missing.');
  });

  test('sends the API key or the session token with a dashboard call, and the chosen merchant if there is one', async () => {
    const requests = answerAll({});

    await dashboard.GET('/api/dashboard/me');
    await createDashboardClient({ baseUrl, sessionToken: 'mch_1', merchantId: siteId }).GET('/api/dashboard/me');

    const sent = requests.map(({ headers }) =>
      ['X-API-Key', 'Authorization', 'X-Service-Merchant-Id'].map((name) => headers.get(name)),
    );
    expect(sent).toEqual([
      ['key_1', null, null],
      [null, 'Bearer mch_1', siteId],
    ]);
  });

  test("withCustomer returns a client with the customer's token, and does not change the guest client", async () => {
    const requests = answerAll({});

    const options = { baseUrl, siteId, storefrontToken: 'stk_1', customerToken: 'cust_1' };
    const first = createStorefrontClient(options);
    await first.GET('/api/storefront/customer/me');
    await first.withCustomer('cust_2').GET('/api/storefront/customer/me');
    await storefront.withCustomer('cust_3').GET('/api/storefront/customer/me');
    await storefront.POST('/api/storefront/cart');

    const sent = requests.map(({ headers }) =>
      ['X-Site-ID', 'X-Service-Token', 'Authorization'].map((name) => headers.get(name)),
    );
    expect(sent).toEqual([
      [siteId, 'stk_1', 'Bearer cust_1'],
      [siteId, 'stk_1', 'Bearer cust_2'],
      [siteId, 'stk_1', 'Bearer cust_3'],
      [siteId, 'stk_1', null],
    ]);
  });

  test('a login call requires no credentials', async () => {
    const requests = answerAll({});

    await createClient({ baseUrl }).POST('/api/dashboard/auth/login', {
      body: { email: 'a@b.example', password: 'c' },
    });

    expect(requests[0]?.headers.has('Authorization')).toBe(false);
  });

  test('throws an error for a missing credential before it sends a request', () => {
    const unset = undefined as unknown as string;
    expect(() => createDashboardClient({ baseUrl, apiKey: unset })).toThrow('apiKey or sessionToken is missing.');
    expect(() => createStorefrontClient({ baseUrl, siteId, storefrontToken: '' })).toThrow(
      'storefrontToken is missing.',
    );
    expect(() => storefront.withCustomer(unset)).toThrow('customerToken is missing.');
    expect(() => storefront.withCustomer('')).toThrow('customerToken is missing.');
  });
});

describe('Idempotency-Key', () => {
  test('sends a new Idempotency-Key with each mutation, and none with a read', async () => {
    const requests = answerAll(deletion);

    await dashboard.DELETE('/api/dashboard/products/{product_id}', { params });
    await dashboard.DELETE('/api/dashboard/products/{product_id}', { params });
    await dashboard.GET('/api/dashboard/products/{product_id}', { params });

    const [first, second, read] = requests.map(({ headers }) => headers.get('Idempotency-Key'));
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).not.toBe(first);
    expect(read).toBeNull();
  });

  test("sends the caller's Idempotency-Key unchanged", async () => {
    const requests = answerAll(deletion);
    const header = { 'Idempotency-Key': product_id };

    await dashboard.DELETE('/api/dashboard/products/{product_id}', { params: { ...params, header } });
    await dashboard.DELETE('/api/dashboard/products/{product_id}', { params, headers: header });

    expect(requests.map(({ headers }) => headers.get('Idempotency-Key'))).toEqual([product_id, product_id]);
  });
});

describe('responses', () => {
  test('returns the body of an error response in `error`', async () => {
    network.use(http.get(`${baseUrl}/api/dashboard/products/:id`, () => refusal(404, 'not_found')));

    const { data, error, response } = await dashboard.GET('/api/dashboard/products/{product_id}', { params });

    expect(data).toBeUndefined();
    expect(error).toEqual({ error: 'not_found', message: 'It is not_found.', request_id: requestId, retryable: false });
    expect(response.status).toBe(404);
  });

  test('returns undefined as data for a response without a body', async () => {
    network.use(http.post(`${baseUrl}/api/dashboard/auth/logout`, () => new HttpResponse(null, { status: 204 })));
    expect(await unwrap(dashboard.POST('/api/dashboard/auth/logout'))).toBeUndefined();
  });

  test('returns a 304 response without data', async () => {
    network.use(http.get(`${baseUrl}/api/storefront/shop`, () => new HttpResponse(null, { status: 304 })));
    const header = { 'If-None-Match': '"1"' };

    const { data, response } = await storefront.GET('/api/storefront/shop', { params: { header } });

    expect(data).toBeUndefined();
    expect(response.status).toBe(304);
  });
});

describe('mistakes of the caller', () => {
  test('throws an error for a baseUrl without a scheme', () => {
    expect(() => createClient({ baseUrl: 'localhost:8080' })).toThrow('must begin with http:// or https://');
  });

  test('explains a wrong baseUrl if the response is an HTML page instead of JSON', async () => {
    network.use(http.get(`${baseUrl}/api/storefront/shop`, () => HttpResponse.html('<h1>Welcome</h1>')));

    const call = storefront.GET('/api/storefront/shop');

    await expect(call).rejects.toThrow(ConnectionError);
    await expect(call).rejects.toThrow('https://shop.test answered with text/html');
  });

  test('does not follow a redirect, and names its target in the error', async () => {
    network.use(
      http.all(
        `${baseUrl}/*`,
        () => new HttpResponse(null, { status: 301, headers: { Location: 'https://other.test/' } }),
      ),
    );
    await expect(storefront.GET('/api/storefront/shop')).rejects.toThrow('redirects to https://other.test/');
  });

  test.each(['', '.', '..'])(
    'rejects the path parameter "%s", because it would call another operation',
    async (id_or_slug) => {
      const call = storefront.GET('/api/storefront/products/{id_or_slug}', { params: { path: { id_or_slug } } });
      await expect(call).rejects.toThrow('The path parameter id_or_slug must not be');
    },
  );

  test('encodes a path parameter as a single segment', async () => {
    const requests = answerAll({});
    const path = { id_or_slug: '../collections?x#y' };

    await storefront.GET('/api/storefront/products/{id_or_slug}', { params: { path } });

    expect(requests[0]?.url).toBe(`${baseUrl}/api/storefront/products/..%2Fcollections%3Fx%23y`);
  });
});

/** Never called. Compiling it is the test: an unused @ts-expect-error is a compile error. */
export function typesRefuseWhatTheContractDoesNotHave() {
  // @ts-expect-error A storefront client has no dashboard paths.
  void storefront.GET('/api/dashboard/products');
  // @ts-expect-error A dashboard client has no storefront paths.
  void dashboard.GET('/api/storefront/products');
  // @ts-expect-error Without credentials there is only the login.
  void createClient({ baseUrl }).GET('/api/storefront/shop');
  // @ts-expect-error The path has no such verb.
  void storefront.POST('/api/storefront/products');
  // @ts-expect-error The path parameter is required.
  void dashboard.GET('/api/dashboard/products/{product_id}');
  // @ts-expect-error The body is required.
  void dashboard.POST('/api/dashboard/products', {});
  // @ts-expect-error The body has no such field.
  void dashboard.POST('/api/dashboard/products', { body: { name: 'Mug', colour: 'red' } });
  // @ts-expect-error Enums of requests are closed.
  void dashboard.POST('/api/dashboard/products', { body: { name: 'Mug', status: 'hidden' } });
  // @ts-expect-error The list has no such filter.
  void storefront.GET('/api/storefront/products', { params: { query: { colour: 'red' } } });
  // @ts-expect-error There is no such option.
  void storefront.GET('/api/storefront/products', { param: {} });
  // @ts-expect-error The code is required.
  void storefront.POST('/api/storefront/cart/{cart_id}/discounts', { params: cart, body: {} });
  // @ts-expect-error A quantity is a number.
  void storefront.PATCH(linePath, { params: line, body: { quantity: '2' } });
  // @ts-expect-error Only the server sets the payment method `free`.
  void storefront.PATCH(checkoutPath, { params: checkout, body: { payment_method: 'free' } });
  // @ts-expect-error Only one credential may be given.
  createDashboardClient({ baseUrl, apiKey: 'key_1', sessionToken: 'mch_1' });
  // @ts-expect-error A credential is required.
  createDashboardClient({ baseUrl });
}

test('a response has the type of the contract, whose enums allow unknown values', () => {
  const read = () => unwrap(dashboard.GET('/api/dashboard/products/{product_id}', { params }));
  type Product = Awaited<ReturnType<typeof read>>;

  expectTypeOf<Product>().toEqualTypeOf<Schemas['Product']>();
  expectTypeOf<Product['price']>().toEqualTypeOf<string>();
  expectTypeOf<string>().toExtend<Product['status']>();
  const complete = () =>
    unwrap(storefront.POST('/api/storefront/checkout/{checkout_id}/complete', { params: checkout, body: {} }));
  expectTypeOf<Awaited<ReturnType<typeof complete>>['order']>().toEqualTypeOf<Schemas['Order']>();
  const logout = () => unwrap(dashboard.POST('/api/dashboard/auth/logout'));
  expectTypeOf<Awaited<ReturnType<typeof logout>>>().toEqualTypeOf<undefined>();
});
