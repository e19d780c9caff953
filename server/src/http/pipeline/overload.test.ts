import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { openPool } from '../../db/connect.ts';
import { logins, MOST_LOGINS } from '../../shop/passwords/passwords.ts';
import { measureLoad } from './shedding.ts';

/** Occupies every place for running and waiting logins until the returned function is called. */
function crowd() {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const all = Promise.all(Array.from({ length: MOST_LOGINS }, () => logins.take(() => held)));
  return () => {
    letGo();
    return all;
  };
}

test('rejects a login before reading its body when the queue is full (503), and serves other requests', async () => {
  const { baseUrl, site_id, credentials, storefront } = await openShop();
  const headers = {
    ...{ 'X-Site-ID': site_id, 'X-Service-Token': credentials.storefront_token },
    ...{ 'Content-Type': 'text/plain', 'Idempotency-Key': randomUUID() },
  };
  const login = () => fetch(`${baseUrl}/api/storefront/customer/login`, { method: 'POST', headers, body: 'no JSON' });
  const letGo = crowd();

  const refused = await login();
  const { response: read } = await storefront.GET('/api/storefront/products');
  await letGo();
  const judged = await login();

  const refusal = (await refused.json()) as { retry_after_seconds: number };
  expect([refused.status, refusal]).toMatchObject([503, { error: 'unavailable', retryable: true }]);
  expect(refusal.retry_after_seconds).toBeGreaterThan(0);
  expect(refused.headers.get('Retry-After')).toBe(String(refusal.retry_after_seconds));
  expect(read.status).toBe(200);
  expect(judged.status).toBe(415);
});

test('under rising load, rejects searches and integrations first (503), then everything except checkouts', async () => {
  const { site_id, credentials } = await openShop();
  let load = 0;
  const server = await startServer(databaseUrl(), { load: () => load });
  onTestFinished(() => stopServer(server));
  const storefront = { 'X-Site-ID': site_id, 'X-Service-Token': credentials.storefront_token };
  const sync = { 'X-Sync-Secret': credentials.sync_secret, 'X-Site-ID': site_id };
  const get = (path: string, headers: Record<string, string>) => fetch(`${server.baseUrl}/api/${path}`, { headers });
  const statuses = async () => {
    const answers = await Promise.all([
      get('sync/products', sync),
      get('storefront/products?q=lamp', storefront),
      get('storefront/products', storefront),
      get(`storefront/checkout/${randomUUID()}`, storefront),
    ]);
    return answers.map(({ status }) => status);
  };

  expect(await statuses()).toEqual([200, 200, 200, 404]);
  load = 1;
  expect(await statuses()).toEqual([503, 503, 200, 404]);
  load = 4;
  expect(await statuses()).toEqual([503, 503, 503, 404]);
  const refused = await get('storefront/products', storefront);
  expect(['1', '2', '3']).toContain(refused.headers.get('Retry-After'));
});

test('the measured load includes requests that wait for database connections', async () => {
  const db = openPool({ url: databaseUrl(), max: 1, pooling: 'session' });
  onTestFinished(() => db.end());
  const load = measureLoad(db);
  const held = await db.connect();
  expect(load()).toBe(0);

  const waiting = Array.from({ length: 10 }, () => db.query('select 1'));
  expect(load()).toBe(2);
  held.release();
  await Promise.all(waiting);

  expect(load()).toBe(0);
});

test('ignores delays of the event loop during the start', async () => {
  const db = openPool({ url: databaseUrl(), max: 1, pooling: 'session' });
  const load = measureLoad(db, 200);
  await sleep(20);

  holdUp(600);
  await sleep(20);

  expect(load()).toBeLessThan(1);
  await sleep(200);
  expect(load()).toBeLessThan(1);
});

test('the measured load includes the delay of a blocked event loop', async () => {
  const db = openPool({ url: databaseUrl(), max: 1, pooling: 'session' });
  const load = measureLoad(db, 1_000);
  load();
  await sleep(20);

  holdUp(600);

  await vi.waitFor(() => expect(load()).toBeGreaterThan(1), { timeout: 20_000, interval: 20 });
});

function holdUp(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
