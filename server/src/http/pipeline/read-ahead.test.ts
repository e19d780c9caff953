import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { openPool } from '../../db/connect.ts';
import { createCatalogueCache } from './cache.ts';

/** A server without cache, on one connection that all shops share. */
let server: Awaited<ReturnType<typeof startServer>>;
const db = openPool({ url: databaseUrl(), max: 1, pooling: 'session' });
let sent = 0;
let together = 0;
let lookUpsFail = false;

beforeAll(async () => {
  db.on('connect', countStatements);
  server = await startServer(databaseUrl(), { db, cache: createCatalogueCache({ enabled: false }) });
  server = { ...server, db };
});

afterAll(() => stopServer(server));

function countStatements(connection: pg.PoolClient) {
  const send = connection.query.bind(connection) as (config: unknown) => Promise<unknown>;
  let underWay = 0;
  const counted = async (config: unknown) => {
    sent += 1;
    underWay += 1;
    together = Math.max(together, underWay);
    const isLookUp = ((config as { text?: string }).text ?? '').includes(`set_config('app.site_id'`);
    try {
      return await send(lookUpsFail && isLookUp ? { text: 'select 1 / 0' } : config);
    } finally {
      underWay -= 1;
    }
  };
  Object.assign(connection, { query: counted });
}

type Shop = Pick<Awaited<ReturnType<typeof openShop>>, 'site_id' | 'credentials'>;

/** The answer, with how many statements were sent for it, and how many at once. */
async function read({ site_id, credentials }: Shop, path: string, headers: Record<string, string> = {}) {
  [sent, together] = [0, 0];
  const own = { 'X-Site-ID': site_id, 'X-Service-Token': credentials.storefront_token };
  const reply = await fetch(`${server.baseUrl}/api/storefront${path}`, { headers: { ...own, ...headers } });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown>, sent, together };
}

async function readTwice(shop: Shop) {
  await read(shop, '/products');
  await read(shop, '/products');
}

test('a read is sent together with the look-up of a credential that was found twice with the same version', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Clay mug', slug: 'mug' });
  await read(shop, '/products/mug');

  expect(await read(shop, '/products/mug')).toMatchObject({ status: 200, sent: 2, together: 1 });
  expect(await read(shop, '/products/mug')).toMatchObject({ status: 200, sent: 2, together: 2 });
  expect(await read(shop, '/products/none')).toMatchObject({ status: 404, sent: 2, together: 2 });
});

test('what was read for an older catalogue or another setting is not told', async () => {
  const shop = await openShop();
  const { id: product_id } = await shop.givenProduct({ name: 'Clay mug', slug: 'mug', inventory_quantity: 7 });
  await readTwice(shop);

  const params = { path: { product_id } };
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { name: 'Stone mug' } });
  expect(await read(shop, '/products/mug')).toMatchObject({ body: { name: 'Stone mug' }, sent: 3 });

  await readTwice(shop);
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { show_stock: 'never' } });
  expect((await read(shop, '/products/mug')).body).toMatchObject({ total_inventory: 1 });
});

test.each([
  ['a revoked token', 401, 'update commerce.tokens set revoked_at = now() where site_id = $1', {}],
  [
    'a browser on a foreign origin',
    403,
    "update commerce.tokens set allowed_origins = '{https://shop.example}' where site_id = $1",
    { Origin: 'https://elsewhere.example' },
  ],
] as const)('%s is told nothing, and after one refusal nothing is read for it', async (_, status, change, headers) => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Clay mug', slug: 'mug' });
  await readTwice(shop);
  await shop.owner.query(change, [shop.site_id]);

  const first = await read(shop, '/products/mug', headers);
  expect([first.status, JSON.stringify(first.body)]).toEqual([status, expect.not.stringContaining('Clay')]);
  expect(await read(shop, '/products/mug', headers)).toMatchObject({ status, together: 1 });
});

test('a look-up that fails leaves nothing behind of what was sent with it', async () => {
  const [shop, other] = [await openShop(), await openShop()];
  await shop.givenProduct({ name: 'Clay mug', product_type: 'Mug' });
  await readTwice(shop);
  // The connection still names this tenant to row-level security when the next look-up fails.
  await read(other, '/products');
  lookUpsFail = true;
  expect(await read(shop, '/products?product_type=Mug')).toMatchObject({ status: 500, together: 2 });
  lookUpsFail = false;

  expect(await read(shop, '/products?product_type=Mug')).toMatchObject({ body: { total: 1, products: [{}] } });
});
