import { mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createClient,
  createDashboardClient,
  createStorefrontClient,
  paginate,
  type Schemas,
} from '@commerce-backend/sdk';
import sql from 'sql-template-tag';
import { afterAll, expect, test } from 'vitest';
import { testServer } from '../../test/server.ts';
import { openCheckout } from './example-checkout.ts';
import { seedDemo } from './seed.ts';
import { holdsShops, reopenDemo } from './stored.ts';

const SECRET_KEY = 'a secret of the tests, long enough to be one';

let shared: ReturnType<typeof seedSomewhere> | undefined;

/** Creates the demo shop that all tests share, in a temporary data directory. Tests that change it come last. */
function demoShop() {
  shared ??= seedSomewhere();
  return shared;
}

afterAll(async () => {
  if (shared) await rm((await shared).dataDir, { recursive: true });
});

async function seedSomewhere() {
  const server = await testServer();
  const dataDir = await mkdtemp(join(tmpdir(), 'commerce-seed-'));
  // `localhost` as with `npm start`: settings accept http URLs only for localhost.
  const baseUrl = server.baseUrl.replace('127.0.0.1', 'localhost');
  const options = { db: server.db, dataDir, baseUrl, secretKey: SECRET_KEY };
  const { demo } = await seedDemo(options);
  const storefront = createStorefrontClient({
    baseUrl: server.baseUrl,
    siteId: demo.site_id,
    storefrontToken: demo.storefront_token,
  });
  const dashboard = createDashboardClient({ baseUrl: server.baseUrl, apiKey: demo.api_key });
  return { ...server, baseUrl, options, demo, storefront, dashboard, dataDir, file: join(dataDir, 'demo.json') };
}

test('the demo shop has products with reduced prices, low stock and no stock, collections and images', async () => {
  const { storefront, baseUrl } = await demoShop();

  const { data: page } = await storefront.GET('/api/storefront/products', { params: { query: { limit: 100 } } });
  const { data: collections } = await storefront.GET('/api/storefront/collections');

  const products = page?.products ?? [];
  expect(products.length).toBeGreaterThanOrEqual(40);
  expect(products.some(({ compare_at_price }) => compare_at_price !== null)).toBe(true);
  expect(products.some(({ in_stock }) => !in_stock)).toBe(true);
  expect(products.some(({ variants }) => variants.some(({ is_low_stock }) => is_low_stock))).toBe(true);
  expect(collections?.total).toBeGreaterThanOrEqual(5);
  for (const { products_count } of collections?.collections ?? []) expect(products_count).toBeGreaterThan(0);
  const [image] = products[0]?.images ?? [];
  const picture = await fetch(image?.url ?? '');
  expect(image?.url.startsWith(`${baseUrl}/demo-images/`)).toBe(true);
  expect(picture.headers.get('Content-Type')).toContain('image/svg+xml');
});

test('the demo shop has orders in every state except an authorized payment, and exactly one awaits its bank transfer', async () => {
  const { dashboard } = await demoShop();

  const orders: Schemas['Order'][] = [];
  for await (const order of paginate(dashboard, '/api/dashboard/orders')) orders.push(order);

  const states = (field: 'status' | 'payment_status' | 'fulfillment_status' | 'payment_method') =>
    [...new Set(orders.map((order) => order[field]))].sort();
  expect(states('status')).toEqual(['cancelled', 'completed', 'confirmed', 'pending', 'processing']);
  expect(states('payment_status')).toEqual([
    ...['awaiting_payment', 'expired', 'failed', 'paid', 'partially_refunded', 'pending', 'refunded', 'voided'],
  ]);
  expect(states('fulfillment_status')).toEqual([
    ...['delivered', 'fulfilled', 'partially_fulfilled', 'returned', 'unfulfilled'],
  ]);
  expect(states('payment_method')).toEqual(['bank_transfer', 'card', 'free', 'manual']);
  expect(orders.filter(({ payment_status }) => payment_status === 'awaiting_payment')).toHaveLength(1);
  expect(orders.every(({ tax, total }) => total === '0.00' || Number(tax) > 0)).toBe(true);
});

test('the demo customers can log in and see their orders', async () => {
  const { demo, storefront } = await demoShop();
  expect(demo.customers).toHaveLength(3);
  for (const body of demo.customers) {
    const { data } = await storefront.POST('/api/storefront/customer/login', { body });
    const customer = storefront.withCustomer(data?.access_token ?? '');
    const { data: own } = await customer.GET('/api/storefront/customer/me/orders');
    expect(own?.total).toBeGreaterThanOrEqual(2);
  }
});

test('the demo discount codes apply, or fail because of their minimum, usage limit or expiry', async () => {
  const { storefront } = await demoShop();
  const { data: list } = await storefront.GET('/api/storefront/products', { params: { query: { q: 'KH-POT-20CM' } } });
  const variant_id = list?.products[0]?.variants.find(({ sku }) => sku === 'KH-POT-20CM')?.id ?? '';
  const { data: cart } = await storefront.POST('/api/storefront/cart');
  const params = { path: { cart_id: cart?.id ?? '' } };
  await storefront.POST('/api/storefront/cart/{cart_id}/items', { params, body: { variant_id, quantity: 2 } });
  const apply = async (code: string) => {
    const call = storefront.POST('/api/storefront/cart/{cart_id}/discounts', { params, body: { code } });
    const { data, error } = await call;
    return data?.amount_off ?? (error as { error?: string } | undefined)?.error;
  };

  expect(await apply('welcome10')).toBe('3.90');
  expect(await apply('FREESHIP')).toBe('0.00');
  expect(await apply('FIVEOFF')).toBe('discount_minimum_not_met');
  expect(await apply('ONTHEHOUSE')).toBe('discount_usage_limit_reached');
  expect(await apply('SUMMER26')).toBe('discount_expired');
});

test('the demo shop delivers to neighbouring countries, with express to two of them, and offers pickup everywhere', async () => {
  const { storefront } = await demoShop();
  const { data: list } = await storefront.GET('/api/storefront/products', { params: { query: { q: 'KH-POT-20CM' } } });
  const variant_id = list?.products[0]?.variants[0]?.id ?? '';
  const { data: cart } = await storefront.POST('/api/storefront/cart');
  const path = { cart_id: cart?.id ?? '' };
  await storefront.POST('/api/storefront/cart/{cart_id}/items', {
    params: { path },
    body: { variant_id, quantity: 1 },
  });
  for (const [country, count] of [
    ['DE', 3],
    ['NL', 2],
    ['JP', 1],
  ] as const) {
    const params = { path, query: { country } };
    const { data } = await storefront.GET('/api/storefront/cart/{cart_id}/shipping-options', { params });
    expect(data?.shipping_options).toHaveLength(count);
  }
});

test('seeding stores the credentials in a file that only its owner can read', async () => {
  const { demo, file, baseUrl } = await demoShop();

  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(demo);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { response } = await createClient({ baseUrl }).POST('/api/dashboard/auth/login', { body: demo.staff });
  expect(response.status).toBe(200);
});

test('seeding again does not create a second demo shop', async () => {
  const { options, demo, owner } = await demoShop();
  const count = () => owner.query(sql`select from commerce.sites where merchant_name = 'Alder & Finch'`);
  const { rowCount: before } = await count();

  const again = await seedDemo(options);

  expect(again).toEqual({ demo, seeded: false });
  expect((await count()).rowCount).toBe(before);
});

test('seeding creates a new demo shop if the credentials file was lost', async () => {
  const { options, demo, file } = await demoShop();
  expect(await reopenDemo(options)).toEqual(demo);
  await rename(file, `${file}.lost`);
  expect(await reopenDemo(options)).toBeUndefined();
  expect(await holdsShops(options.db)).toBe(true);

  const { demo: fresh, seeded: made } = await seedDemo(options);
  await rename(`${file}.lost`, file);

  expect(made).toBe(true);
  expect(fresh.site_id).not.toBe(demo.site_id);
  expect(fresh.staff.email).not.toBe(demo.staff.email);
});

test('the demo shop’s legal links open pages in each language, until the shop uses other legal links', async () => {
  const { dashboard, baseUrl } = await demoShop();
  const { data } = await dashboard.GET('/api/dashboard/settings');
  const { terms_url, privacy_url, withdrawal_url, imprint_url } = data?.legal ?? {};

  const titles: Record<string, string[]> = {
    en: ['Terms', 'Privacy', 'Right of withdrawal', 'Imprint'],
    de: ['AGB', 'Datenschutz', 'Widerruf', 'Impressum'],
    fr: ['Conditions générales', 'Confidentialité', 'Rétractation', 'Mentions légales'],
  };
  for (const [language, expected] of Object.entries(titles)) {
    const seen = [];
    for (const address of [terms_url, privacy_url, withdrawal_url, imprint_url]) {
      const answer = await fetch(address ?? '', { headers: { 'Accept-Language': language } });
      const html = await answer.text();
      expect([answer.status, /<html lang="(..)/.exec(html)?.[1]]).toEqual([200, language]);
      seen.push(/<h1>(.*?)<\/h1>/.exec(html)?.[1] ?? '');
    }
    expect(seen).toEqual(expected);
  }
  expect((await fetch(`${terms_url}x`)).status).toBe(404);
  const elsewhere = { ...data?.legal, terms_url: 'https://shop.example/terms' };
  await dashboard.PATCH('/api/dashboard/settings', { body: { legal: elsewhere } });
  expect((await fetch(terms_url ?? '')).status).toBe(404);
  await dashboard.PATCH('/api/dashboard/settings', { body: { legal: { ...data?.legal } } });
  expect(terms_url?.startsWith(baseUrl)).toBe(true);
});

test('the image and legal URLs of the demo shop change with the server’s base URL', async () => {
  const { options, storefront, dashboard, file } = await demoShop();

  const { demo: moved } = await seedDemo({ ...options, baseUrl: 'http://localhost:9999' });

  const stored = JSON.parse(await readFile(file, 'utf8'));
  const { data } = await storefront.GET('/api/storefront/products', { params: { query: { limit: 100 } } });
  const { data: settings } = await dashboard.GET('/api/dashboard/settings');
  await seedDemo(options);
  expect(settings?.legal.imprint_url?.startsWith('http://localhost:9999/demo-shop/')).toBe(true);
  expect(stored).toEqual(moved);
  const addresses = data?.products.flatMap(({ images }) => images.map(({ url }) => url)) ?? [];
  expect(addresses.every((url) => url.startsWith('http://localhost:9999/demo-images/'))).toBe(true);
});

test('the demo order that awaits its bank transfer can be paid, shipped and delivered', async () => {
  const { dashboard } = await demoShop();
  const query = { payment_status: 'awaiting_payment' } as const;
  const { data: page } = await dashboard.GET('/api/dashboard/orders', { params: { query } });
  const params = { path: { order_id: page?.orders[0]?.id ?? '' } };

  await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params });
  await dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body: {} });
  const { data } = await dashboard.POST('/api/dashboard/orders/{order_id}/mark-delivered', { params });

  expect(data).toMatchObject({ status: 'completed', payment_status: 'paid', fulfillment_status: 'delivered' });
});

test('each call opens a new example checkout in the demo shop, or none if its products are no longer for sale', async () => {
  const { options, demo, owner } = await demoShop();

  const first = await openCheckout(options.db, demo.site_id, options);
  const second = await openCheckout(options.db, demo.site_id, options);
  expect(first).toMatch(/\/checkout\/chk_\w+$/);
  expect(second).not.toBe(first);

  await owner.query(sql`update commerce.products set status = 'draft' where site_id = ${demo.site_id}`);
  expect(await openCheckout(options.db, demo.site_id, options)).toBeUndefined();
});
