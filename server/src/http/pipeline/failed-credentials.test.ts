import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { mintToken } from '../../shop/tokens.ts';

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer(databaseUrl(), { rateLimits: true, trustProxy: 1 });
});
afterAll(() => stopServer(server));

type Headers = Record<string, string>;

function call(path: string, headers: Headers, ip: string) {
  return fetch(`${server.baseUrl}${path}`, { headers: { ...headers, 'X-Forwarded-For': ip } });
}

/**
 * Repeats a failing call, at most eight times concurrently. Returns the count of each status, and the last response.
 */
async function failing(times: number, send: () => Promise<Response>) {
  const counts: Record<number, number> = {};
  let last = await send();
  counts[last.status] = 1;
  for (let sent = 1; sent < times; sent += 8) {
    for (const answer of await Promise.all(Array.from({ length: Math.min(8, times - sent) }, send))) {
      counts[answer.status] = (counts[answer.status] ?? 0) + 1;
      if (answer.status === 429) last = answer;
    }
  }
  return { counts, last };
}

test('rejects a client that keeps sending an invalid token (429), but no other client at its IP address', async () => {
  const shop = await openShop();
  const neighbour = await openShop();
  const { api_key, storefront_token, sync_secret } = shop.credentials;
  const pair = { 'X-Site-ID': shop.site_id, 'X-Service-Token': storefront_token };
  const ended = { ...pair, Authorization: `Bearer ${mintToken('customer')}` };
  const ip = '10.9.0.1';

  const { counts, last } = await failing(70, () => call('/api/storefront/customer/me', ended, ip));
  const good: [string, Headers][] = [
    ['/api/storefront/products', pair],
    ['/api/dashboard/products', { 'X-API-Key': api_key }],
    ['/api/sync/products', { 'X-Site-ID': shop.site_id, 'X-Sync-Secret': sync_secret }],
  ];
  const others = await Promise.all(good.map(([path, headers]) => call(path, headers, ip)));
  const badKey = await call('/api/dashboard/products', { 'X-API-Key': mintToken('api_key') }, ip);
  const inOtherShop = { 'X-Site-ID': neighbour.site_id, 'X-Service-Token': neighbour.credentials.storefront_token };
  const elsewhere = await call(
    '/api/storefront/customer/me',
    { ...inOtherShop, Authorization: ended.Authorization },
    ip,
  );
  const otherAddress = await call('/api/storefront/customer/me', ended, '10.9.0.2');

  expect(counts).toEqual({ 401: 60, 429: 10 });
  expect(last.headers.get('RateLimit')).toMatch(/^"failed_credentials";r=0;t=\d+$/);
  expect(last.headers.get('RateLimit-Policy')).toBe('"failed_credentials";q=60;w=60');
  expect(Number(last.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect([badKey.status, elsewhere.status, otherAddress.status]).toEqual([401, 401, 401]);
});

test('serves a customer with a valid token while invalid customer tokens are sent from the same IP address', async () => {
  const shop = await openShop();
  const { access_token } = await shop.givenCustomer();
  const pair = { 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.credentials.storefront_token };
  const ip = '10.9.1.1';
  const { counts } = await failing(65, () =>
    call('/api/storefront/customer/me', { ...pair, Authorization: `Bearer ${mintToken('customer')}` }, ip),
  );

  const mine = await call('/api/storefront/customer/me', { ...pair, Authorization: `Bearer ${access_token}` }, ip);

  expect(counts[429]).toBe(5);
  expect(mine.status).toBe(200);
});

test('rejects a client that sends a new site id with each call (429), but accepts valid credentials from its IP address', async () => {
  const shop = await openShop();
  const invented = () => ({ 'X-Site-ID': randomUUID(), 'X-Service-Token': mintToken('storefront') });
  const ip = '10.9.2.1';

  const { counts } = await failing(610, () => call('/api/storefront/products', invented(), ip));
  const good = { 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.credentials.storefront_token };

  expect(counts).toEqual({ 401: 600, 429: 10 });
  expect((await call('/api/storefront/products', good, ip)).status).toBe(200);
});

test('answers 429 for invalid checkout links after 60 attempts, and still opens a valid one', async () => {
  const shop = await openShop();
  const { checkout_url } = await shop.givenCheckout();
  const ip = '10.9.3.1';

  const { counts } = await failing(65, () => call(`/checkout/${mintToken('checkout')}`, {}, ip));
  const page = await call(new URL(checkout_url ?? '').pathname, {}, ip);

  expect(counts).toEqual({ 404: 60, 429: 5 });
  expect(page.status).toBe(200);
});

test('accepts every correct login from a shared IP address, because the rate limit counts only failed logins', async () => {
  const shop = await openShop();
  const { email, password } = await shop.givenCustomer();
  const headers = {
    'X-Site-ID': shop.site_id,
    'X-Service-Token': shop.credentials.storefront_token,
    'Content-Type': 'application/json',
    'X-Forwarded-For': '10.9.4.1',
  };
  const logIn = () =>
    fetch(`${server.baseUrl}/api/storefront/customer/login`, {
      method: 'POST',
      body: JSON.stringify({ email, password }),
      headers: { ...headers, 'Idempotency-Key': randomUUID() },
    });

  // Logs in one after another, because concurrent logins to one account wait for each other.
  for (let count = 0; count < 33; count += 1) expect((await logIn()).status).toBe(200);
});
