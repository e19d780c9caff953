import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDashboardClient, createStorefrontClient, unwrap } from '@commerce-backend/sdk';
import type { Logger } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { KEY_SCOPES } from '../../test/key-scopes.ts';
import { startServer, stopServer, type TestServer } from '../../test/server.ts';
import { StreamingStandby } from '../../test/streaming-standby.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { openPool } from '../db/connect.ts';
import { type Embedded, startEmbedded } from '../db/embedded.ts';
import { freePort } from '../db/free-port.ts';
import { Standbys } from '../db/standby.ts';
import { inTransaction } from '../db/transaction.ts';
import { createSite, mintPassword } from '../shop/merchant/sites.ts';
import { mintToken } from '../shop/tokens.ts';
import { examine } from './doctor.ts';
import { checkReplicas } from './doctor-replicas.ts';
import { openStandbys } from './open-standbys.ts';
import { prepareSchema } from './schema.ts';
import type { Stop } from './serve.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'commerce-standby-'));
chmodSync(dataDir, 0o755);
let primary: Embedded;
let standby: StreamingStandby;
let server: Awaited<ReturnType<typeof startServer>>;
/** A server without a standby. */
let alone: typeof server;
let standbyPool: ReturnType<typeof openPool>;
let shop: Awaited<ReturnType<typeof openShop>>;
let limit = 0;

beforeAll(async () => {
  primary = await startEmbedded({ dataDir });
  await prepareSchema(primary.url);
  standby = await StreamingStandby.start(dataDir, primary.superuserUrl);
  standbyPool = openPool({ url: standby.urlFor(primary.url), max: 4, pooling: 'session', connectWithinMs: 1_000 });
  server = await startServer(primary.url, { standbys: new Standbys([standbyPool]) }, primary.superuserUrl);
  alone = await startServer(primary.url, {}, primary.superuserUrl);
  shop = await openShop();
}, 120_000);

afterAll(async () => {
  await Promise.all([server, alone].map(stopServer));
  await standbyPool.end();
  await standby.kill();
  await primary.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function openShop() {
  const password = await mintPassword();
  const { credentials } = await inTransaction(server.db, (connection) =>
    createSite(connection, {
      ...{ name: 'Shop', currency: 'EUR', staff: { email: 'staff@example.com', name: 'Staff' }, password },
      key_scopes: KEY_SCOPES,
    }),
  );
  const { baseUrl } = server;
  const { site_id, api_key, storefront_token } = credentials;
  const dashboard = createDashboardClient({ baseUrl, apiKey: api_key, maxAttempts: 1 });
  const body = { name: 'Mug', price: '10.00', status: 'active' as const, inventory_quantity: 10 };
  const product = await unwrap(dashboard.POST('/api/dashboard/products', { body }));
  const collection = { title: 'Old title', handle: 'mugs', type: 'manual' as const, published: true };
  const made = await unwrap(dashboard.POST('/api/dashboard/collections', { body: collection }));
  return {
    ...{ site_id, storefront_token, dashboard, product, collection_id: made.id },
    storefront: createStorefrontClient({ baseUrl, siteId: site_id, storefrontToken: storefront_token, maxAttempts: 1 }),
  };
}

/** Returns the number of reads on a standby, by result. */
async function standbyReads(): Promise<Record<string, number>> {
  const text = await (await fetch(`${server.baseUrl}/metrics`)).text();
  const counted = [...text.matchAll(/^standby_reads_total\{result="(\w+)"\} (\d+)$/gm)];
  return {
    read: 0,
    behind: 0,
    failed: 0,
    ...Object.fromEntries(counted.map(([, name, count]) => [name, Number(count)])),
  };
}

/** Runs work. Returns how often the server read on a standby meanwhile, by result. */
async function standbyReadsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await standbyReads();
  await work();
  const after = await standbyReads();
  return Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]));
}

/** The products of a list that is not cached. */
async function list() {
  limit += 1;
  const params = { query: { limit } };
  return (await unwrap(shop.storefront.GET('/api/storefront/products', { params }))).products;
}

/** Lets the standby lag while work runs. */
async function whileLagging<T>(work: () => Promise<T>): Promise<T> {
  await standby.caughtUp();
  await standby.query('select pg_wal_replay_pause()');
  try {
    return await work();
  } finally {
    await standby.query('select pg_wal_replay_resume()');
  }
}

async function setPrice(price: string): Promise<void> {
  const params = { path: { product_id: shop.product.id } };
  await unwrap(shop.dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { price } }));
}

test("reads a list from a standby with the primary's catalogue version, and the stock from the primary", async () => {
  const { products, reads } = await whileLagging(async () => {
    // A sale does not change the version of the catalogue.
    await server.owner.query('update commerce.variants set on_hand = 7 where site_id = $1', [shop.site_id]);
    let products: Awaited<ReturnType<typeof list>> = [];
    const reads = await standbyReadsOf(async () => {
      products = await list();
    });
    return { products, reads };
  });

  expect(products).toMatchObject([{ name: 'Mug', variants: [{ inventory_quantity: 7 }] }]);
  expect(reads).toEqual({ read: 1, behind: 0, failed: 0 });
});

test.each([
  ['the shop', '/shop'],
  ['a search', '/products?q=mug'],
  ['a search without results', '/products?q=xylophone', 2],
  ['facets', '/products?facets=true&in_stock=true'],
  ['a product', '/products/mug'],
  ['collections', '/collections?limit=7'],
  ['a collection', '/collections/mugs'],
  ['the products of a collection', '/collections/mugs/products?sort=best_selling'],
  ['suggestions', '/suggest?q=mu'],
])('a standby returns the same response as the primary for %s', async (_what, path, reads = 1) => {
  await standby.caughtUp();
  const headers = { 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.storefront_token };
  const readAt = async ({ baseUrl }: TestServer) => {
    const response = await fetch(`${baseUrl}/api/storefront${path}`, { headers });
    return { status: response.status, body: await response.json() };
  };
  const expected = await readAt(alone);

  const used = await standbyReadsOf(async () => {
    for (let read = 0; read < reads; read += 1) expect(await readAt(server)).toEqual(expected);
  });

  expect(expected.status).toBe(200);
  expect(used).toEqual({ read: reads, behind: 0, failed: 0 });
});

test('caches a response that was read from a standby', async () => {
  await standby.caughtUp();

  const reads = await standbyReadsOf(async () => {
    await list();
    limit -= 1;
    await list();
  });

  expect(reads).toEqual({ read: 1, behind: 0, failed: 0 });
});

test('while a standby lags, lists and collections show the changes of the primary', async () => {
  await whileLagging(async () => {
    await setPrice('12.00');
    const body = { title: 'New title' };
    const params = { path: { collection_id: shop.collection_id } };
    await unwrap(shop.dashboard.PATCH('/api/dashboard/collections/{collection_id}', { params, body }));

    const reads = await standbyReadsOf(async () => {
      expect(await list()).toMatchObject([{ price: '12.00' }]);
      const { collections } = await unwrap(shop.storefront.GET('/api/storefront/collections'));
      expect(collections).toMatchObject([{ title: 'New title' }]);
    });

    expect(reads).toEqual({ read: 0, behind: 2, failed: 0 });
  });
});

test('a standby is not read for a request with an unknown token (401)', async () => {
  const { baseUrl } = server;
  const stranger = createStorefrontClient({
    ...{ baseUrl, siteId: shop.site_id, storefrontToken: mintToken('storefront'), maxAttempts: 1 },
  });

  const reads = await standbyReadsOf(async () => {
    expect((await stranger.GET('/api/storefront/products')).response.status).toBe(401);
  });

  expect(reads).toEqual({ read: 0, behind: 0, failed: 0 });
});

test('the catalogue version depends on which of its counters changed, not only on the number of changes', async () => {
  const client = await server.owner.connect();
  const version = async () => {
    const { rows } = await client.query('select commerce.catalog_version($1) as version', [shop.site_id]);
    return (rows as { version: string }[])[0]?.version;
  };
  const give = (first: number, second: number) =>
    client.query(
      `insert into commerce.catalog_versions (site_id, stripe, version) values ($1, 0, $2), ($1, 1, $3)
        on conflict (site_id, stripe) do update set version = excluded.version`,
      [shop.site_id, first, second],
    );
  await client.query('begin');
  await give(1_001, 1_000);
  const one = await version();
  await give(1_000, 1_001);
  const other = await version();
  await client.query('rollback');
  client.release();

  expect(other).not.toBe(one);
});

test('reads from a standby behind a pooler in transaction mode, with the right role and site id', async () => {
  await standby.caughtUp();
  const pool = openPool({ url: standby.urlFor(primary.url), max: 1, pooling: 'transaction' });
  const { rows } = await server.owner.query('select commerce.catalog_version($1)', [shop.site_id]);
  const [{ catalog_version }] = rows as [{ catalog_version: string }];

  const read = new Standbys([pool]).read({ site_id: shop.site_id, catalog_version }, async ({ client }) => {
    const found = await client.query("select current_user, current_setting('app.site_id') as site");
    expect(found.rows).toEqual([{ current_user: 'commerce_app', site: shop.site_id }]);
  });

  expect(await read).toBe('read');
  await pool.end();
});

test('doctor names the standby, and reports a primary, another cluster and an address without PostgreSQL', async () => {
  const nobody = `postgres://commerce@127.0.0.1:${await freePort()}/commerce`;
  const urls = [standby.urlFor(primary.url), primary.url, databaseUrl(), nobody];

  expect(await checkReplicas(primary.url, urls)).toMatchObject([
    { state: 'ok', found: expect.stringContaining('is a standby of this database') },
    { state: 'wrong', found: expect.stringContaining('is a primary') },
    { state: 'wrong', found: expect.stringContaining('belongs to another cluster') },
    { state: 'warning', mend: expect.stringContaining('until then the primary reads') },
  ]);
});

test('doctor reports a standby in DATABASE_URL with the settings to change, and still makes other checks', async () => {
  await standby.caughtUp();

  const findings = await examine({ DATABASE_URL: standby.urlFor(primary.url), DATA_DIR: dataDir });

  const wrong = findings.filter(({ state }) => state === 'wrong');
  expect(wrong).toMatchObject([
    { check: 'standby', found: expect.stringContaining('this database is a standby') },
    { check: 'requests', mend: expect.stringContaining('set DATABASE_URL and DATABASE_DIRECT_URL to the primary') },
  ]);
  expect(findings.map(({ check }) => check)).toEqual(expect.arrayContaining(['migrations', 'queue', 'locks']));
});

describe('at startup', () => {
  const openAt = (url: string, warnings: string[] = []) => {
    const config = { databaseReplicaUrls: [url], databasePoolMax: 2, databasePooling: 'session' as const };
    const logger = { warn: (...parts: unknown[]) => warnings.push(String(parts.at(-1))) } as unknown as Logger;
    const stops: Stop[] = [];
    onTestFinished(async () => {
      for (const stop of stops) await stop();
    });
    return openStandbys(server.db, config, { logger, stops });
  };

  test('the server starts with a standby of the primary in DATABASE_REPLICA_URLS', async () => {
    expect(await openAt(standby.urlFor(primary.url))).toBeInstanceOf(Standbys);
  });

  test('the server does not start with a standby of another cluster, and the error does not contain its password', async () => {
    const { host, password } = new URL(databaseUrl());
    const refusal = (await openAt(databaseUrl()).catch((error: unknown) => error)) as Error;

    expect(refusal.message).toContain(`DATABASE_REPLICA_URLS: ${host} belongs to another cluster`);
    if (password) expect(refusal.message).not.toContain(password);
  });

  test('the server starts with a warning if a standby has become a primary', async () => {
    const warnings: string[] = [];

    expect(await openAt(primary.url, warnings)).toBeInstanceOf(Standbys);

    expect(warnings).toEqual([expect.stringContaining('is a primary')]);
  });

  test('the server starts with a warning if a standby is unreachable', async () => {
    const warnings: string[] = [];
    await openAt(`postgres://commerce@127.0.0.1:${await freePort()}/commerce`, warnings);

    expect(warnings).toEqual([expect.stringContaining('cannot be reached')]);
  });
});

test('reads continue when a standby fails, and use the standby again within seconds after it returns', async () => {
  await standby.kill();

  const without = await standbyReadsOf(async () => {
    for (let read = 0; read < 5; read += 1) expect(await list()).toMatchObject([{ name: 'Mug' }]);
  });
  await standby.run();
  await standby.caughtUp();

  expect(without).toEqual({ read: 0, behind: 0, failed: 5 });
  await expect.poll(() => standbyReadsOf(list), { timeout: 15_000, interval: 500 }).toMatchObject({ read: 1 });
});

test('no request reads from a promoted standby', async () => {
  await standby.promote();

  const reads = await standbyReadsOf(async () => {
    expect(await list()).toMatchObject([{ name: 'Mug' }]);
  });

  expect(reads.read).toBe(0);
});
