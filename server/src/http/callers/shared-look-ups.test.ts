import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { openPool } from '../../db/connect.ts';

/** A server with the response cache. Tests can delay its token look-ups after PostgreSQL has answered. */
let server: Awaited<ReturnType<typeof startServer>>;
const db = openPool({ url: databaseUrl(), max: 4, pooling: 'session' });
let lookUps = 0;
let heard: Promise<void> = Promise.resolve();
let answered: () => void = () => undefined;
let fails = false;

beforeAll(async () => {
  db.on('connect', holdUp);
  server = await startServer(databaseUrl(), { db });
  server = { ...server, db };
});

beforeEach(() => {
  heard = Promise.resolve();
  fails = false;
});

afterAll(() => stopServer(server));

function holdUp(connection: pg.PoolClient) {
  const send = connection.query.bind(connection) as (config: unknown) => Promise<unknown>;
  const held = async (config: unknown) => {
    if (!((config as { text?: string }).text ?? '').includes(`set_config('app.site_id'`)) return send(config);
    lookUps += 1;
    const result = await send(fails ? { text: 'select 1 / 0' } : config);
    answered();
    await heard;
    return result;
  };
  Object.assign(connection, { query: held });
}

type Shop = Pick<Awaited<ReturnType<typeof openShop>>, 'site_id' | 'credentials'>;

async function read({ site_id, credentials }: Shop, path: string) {
  const headers = { 'X-Site-ID': site_id, 'X-Service-Token': credentials.storefront_token };
  const reply = await fetch(`${server.baseUrl}/api/storefront${path}`, { headers });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

/** Opens a shop whose products are cached and have different stock. */
async function cachedShop() {
  const shop = await openShop();
  const stocks = { mug: 3, bowl: 14, plate: 159 };
  for (const [slug, inventory_quantity] of Object.entries(stocks))
    await shop.givenProduct({ name: slug, slug, inventory_quantity });
  const paths = [...Object.keys(stocks).map((slug) => `/products/${slug}`), '/products?sort=name_asc', '/collections'];
  for (const path of paths) expect((await read(shop, path)).status).toBe(200);
  return { ...shop, paths };
}

/** Delays the next look-up. `at` resolves when PostgreSQL has answered it. */
function held() {
  const [at, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  answered = at.resolve;
  heard = released.promise;
  return { at: at.promise, release: released.resolve };
}

/** Repeats a list, so that some of its requests arrive together even on a busy machine. */
function repeated<T>(list: T[]): T[] {
  return Array.from({ length: 8 }, () => list).flat();
}

/** Sends requests while the look-up of a first request is delayed. */
async function meanwhile<T>(shop: Shop, send: () => Promise<T>[]) {
  const { at, release } = held();
  const first = read(shop, '/products/mug');
  await at;
  const before = lookUps;
  const sent = send();
  // The test cannot observe when the server has received the requests, so it waits nearly as long as a request may wait
  // for a running look-up.
  await new Promise((resolve) => setTimeout(resolve, 9));
  release();
  return { first: await first, others: await Promise.all(sent), lookUps: () => lookUps - before };
}

test('combines concurrent stock queries, and returns to each request the stock of its own products', async () => {
  const shop = await cachedShop();
  const alone = await Promise.all(shop.paths.map((path) => read(shop, path)));
  const asked = repeated(shop.paths);
  const { others, lookUps: sent } = await meanwhile(shop, () => asked.map((path) => read(shop, path)));

  expect(others).toEqual(repeated(alone));
  expect(others.slice(0, 3).map(({ body }) => body.total_inventory)).toEqual([3, 14, 159]);
  expect(sent()).toBeLessThan(asked.length);
});

test('a token revoked during a look-up is rejected for later requests (401)', async () => {
  const shop = await cachedShop();
  const { at, release } = held();
  const first = read(shop, '/products/mug');
  await at;
  await shop.owner.query('update commerce.tokens set revoked_at = now() where site_id = $1', [shop.site_id]);
  const later = [read(shop, '/products/mug'), read(shop, '/products/bowl')];
  await new Promise((resolve) => setTimeout(resolve, 10));
  release();

  expect((await first).status).toBe(200);
  expect((await Promise.all(later)).map(({ status }) => status)).toEqual([401, 401]);
});

test('the look-up of a token that hangs does not delay other requests', async () => {
  const shop = await cachedShop();
  const { at, release } = held();
  const first = read(shop, '/products/mug');
  await at;
  heard = Promise.resolve();
  await new Promise((resolve) => setTimeout(resolve, 50));

  expect((await read(shop, '/products/bowl')).status).toBe(200);
  release();
  expect((await first).status).toBe(200);
});

test('concurrent requests of two shops each return the product of their own shop', async () => {
  const [shop, other] = [await cachedShop(), await cachedShop()];
  const params = (
    await other.storefront.GET('/api/storefront/products/{id_or_slug}', {
      params: { path: { id_or_slug: 'mug' } },
    })
  ).data;
  const { others } = await meanwhile(shop, () => [read(shop, '/products/mug'), read(other, '/products/mug')]);

  expect(others.map(({ status, body }) => [status, body.id])).toEqual([
    [200, expect.not.stringMatching(String(params?.id))],
    [200, params?.id],
  ]);
});

test('a failed look-up fails only the requests that waited for it (500)', async () => {
  const shop = await cachedShop();
  const { others } = await meanwhile(shop, () => {
    fails = true;
    return [read(shop, '/products/mug'), read(shop, '/products/bowl')];
  });
  expect(others.map(({ status }) => status)).toEqual([500, 500]);
  fails = false;
  expect((await read(shop, '/products/mug')).status).toBe(200);
});
