import { randomUUID } from 'node:crypto';
import { createDashboardClient, createStorefrontClient } from '@commerce-backend/sdk';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, stopServer } from '../../../test/server.ts';
import { logIn } from '../../../test/session.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { openPool } from '../../db/connect.ts';
import { mintToken } from '../../shop/tokens.ts';

/**
 * A server that closes database connections after 50 ms without use instead of 30 s. On a new connection, PostgreSQL
 * plans the first statement while `app.site_id` is not set.
 */
let server: Awaited<ReturnType<typeof startServer>>;
let db: pg.Pool;

beforeAll(async () => {
  db = openPool({ url: databaseUrl(), max: 10, pooling: 'session', idleMs: 50 });
  server = await startServer(databaseUrl(), { db });
});

afterAll(async () => {
  await stopServer(server);
  await db.end();
});

/** Sends a request when the server has no open database connection. */
async function whenIdle<T>(request: () => Promise<T>): Promise<T> {
  await expect.poll(() => db.totalCount).toBe(0);
  return request();
}

const NO_SITE = { 'X-Site-ID': '8c4d5f6e-6d9e-4d0c-8f5a-2b1a9c7e3d10' };
const PRODUCT = { name: 'Mug', price: '10.00' };

/** Opens a shop whose clients call the server without open connections. */
async function openIdleShop() {
  const shop = await openShop();
  const { credentials } = shop;
  const { baseUrl } = server;
  const options = { baseUrl, maxAttempts: 1 };
  const { site_id: siteId, api_key: apiKey, storefront_token: storefrontToken } = credentials;
  return {
    login: () => logIn({ baseUrl, credentials }),
    dashboard: (secret = apiKey) => createDashboardClient({ ...options, apiKey: secret }),
    staff: (sessionToken: string) => createDashboardClient({ ...options, sessionToken }),
    storefront: createStorefrontClient({ ...options, siteId, storefrontToken }),
  };
}

test('accepts the first dashboard write after all database connections were closed', async () => {
  const { dashboard, login } = await openIdleShop();
  const { staff } = await whenIdle(login);

  const byKey = await whenIdle(() => dashboard().POST('/api/dashboard/products', { body: PRODUCT }));
  const bySession = await whenIdle(() => staff.POST('/api/dashboard/products', { body: PRODUCT }));

  expect([byKey.response.status, bySession.response.status]).toEqual([201, 201]);
});

test('accepts the first storefront write after all database connections were closed', async () => {
  const { storefront } = await openIdleShop();

  const first = await whenIdle(() => storefront.POST('/api/storefront/cart'));
  const second = await whenIdle(() => storefront.POST('/api/storefront/cart'));

  expect([first.response.status, second.response.status]).toEqual([201, 201]);
});

test('accepts the first login after all database connections were closed', async () => {
  const { login } = await openIdleShop();

  const { session } = await whenIdle(login);

  expect(session.access_token).toBeTruthy();
});

test.each([
  ['an API key', '/api/dashboard/products', { 'X-API-Key': mintToken('api_key') }],
  ['a staff session', '/api/dashboard/products', { Authorization: `Bearer ${mintToken('staff')}` }],
  ['a storefront token', '/api/storefront/cart', { ...NO_SITE, 'X-Service-Token': mintToken('storefront') }],
  ['a sync secret', '/api/sync/webhook/register', { ...NO_SITE, 'X-Sync-Secret': mintToken('sync') }],
  ['an agent token', '/api/agent/intent/find', { Authorization: `Bearer ${mintToken('agent')}` }],
])(
  'rejects a mutation with %s that does not exist (401), on a new and on a reused database connection',
  async (_, path, headers) => {
    const send = () =>
      fetch(`${server.baseUrl}${path}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
        body: '{}',
      });

    const first = await whenIdle(send);
    const second = await send();

    expect([first.status, await first.json()]).toMatchObject([401, { error: 'invalid_token' }]);
    expect([second.status, await second.json()]).toMatchObject([401, { error: 'invalid_token' }]);
  },
);

test('accepts a write on a database connection whose previous request had an unknown API key', async () => {
  const { dashboard } = await openIdleShop();
  const body = PRODUCT;

  const unknown = await whenIdle(() => dashboard(mintToken('api_key')).POST('/api/dashboard/products', { body }));
  const known = await dashboard().POST('/api/dashboard/products', { body });

  expect([unknown.response.status, known.response.status]).toEqual([401, 201]);
});
