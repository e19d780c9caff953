import { createDashboardClient, unwrap } from '@commerce-backend/sdk';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';
import { openPool } from './connect.ts';
import { beginEra } from './era.ts';
import { inTransaction } from './transaction.ts';

const oneProduct = '/api/storefront/products/{id_or_slug}';
const listener = '/api/dashboard/events/listeners/{listener_id}';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

/** Simulates the promotion of a standby by assigning another timeline to the current era. */
async function promote({ owner }: OpenShop): Promise<void> {
  await owner.query(
    sql`update commerce.change_eras set history = left(history, -8) || '0000000F'
      where era = (select max(era) from commerce.change_eras)`,
  );
}

async function eras({ owner }: OpenShop): Promise<number[]> {
  const { rows } = await owner.query<{ era: number }>(sql`select era from commerce.change_eras order by era`);
  return rows.map(({ era }) => era);
}

async function numberOf(shop: OpenShop): Promise<number> {
  return Number((await shop.givenOrder()).order_number);
}

test('after a standby is promoted, concurrent requests record one new era and no order number is assigned twice', async () => {
  const [shop, idle] = [await openShop(), await openShop()];
  const first = await numberOf(shop);
  const before = await eras(shop);

  await promote(shop);
  const statuses = await Promise.all(
    Array.from({ length: 16 }, async () => (await shop.dashboard.GET('/api/dashboard/settings')).response.status),
  );

  expect(statuses).toEqual(statuses.map(() => 200));
  const after = await eras(shop);
  expect(after).toHaveLength(before.length + 1);
  const sinceTwenty = Date.now() / 1000 - Date.UTC(2020) / 1000;
  expect(Math.abs((after.at(-1) ?? 0) - sinceTwenty)).toBeLessThan(600);
  expect(await numberOf(shop)).toBe(first + 1_000);
  // A shop without orders skips numbers too, because its first orders may have been lost.
  expect(await numberOf(idle)).toBe(2_000);
  expect(await eras(shop)).toEqual(after);
});

test('the first write after the promotion of a standby succeeds, and takes effect once', async () => {
  const shop = await openShop();
  const before = await eras(shop);
  await promote(shop);

  const { id } = await shop.givenProduct({ name: 'Kettle' });

  const { rows } = await shop.owner.query<{ era: number }>(
    sql`select era from commerce.product_changes where site_id = ${shop.site_id} and product_id = ${id}`,
  );
  const after = await eras(shop);
  expect(after).toHaveLength(before.length + 1);
  expect(rows).toEqual([{ era: after.at(-1) }]);
});

test('after the promotion of a standby that lacks a change, no cached response contains that change', async () => {
  const shop = await openShop();
  const { id } = await shop.givenProduct({ name: 'Old name' });
  const nameNow = async () => {
    const { data } = await shop.storefront.GET(oneProduct, { params: { path: { id_or_slug: id } } });
    return data?.name;
  };
  const rename = (name: string) =>
    shop.dashboard.PATCH('/api/dashboard/products/{product_id}', {
      params: { path: { product_id: id } },
      body: { name },
    });
  await rename('Lost name');
  expect([await nameNow(), await nameNow()]).toEqual(['Lost name', 'Lost name']);

  const client = await shop.owner.connect();
  await client.query('set session_replication_role = replica');
  await client.query(sql`update commerce.products set name = 'Old name' where id = ${id}`);
  client.release(true);
  await promote(shop);

  expect(await nameNow()).toBe('Old name');
  // Also brings the search index up to date, which the invariants check after this file.
  await rename('Next name');
});

test('after a standby is promoted, older cursors of product changes and events are rejected (410 cursor_expired)', async () => {
  const shop = await openShop();
  await shop.givenProduct();
  const { resume_cursor: cursor } = await unwrap(shop.sync.GET('/api/sync/products'));
  const made = await unwrap(shop.dashboard.POST('/api/dashboard/events/listeners', { body: {} }));
  const path = { listener_id: made.id };
  const { next_cursor } = await unwrap(shop.dashboard.GET(listener, { params: { path } }));

  await promote(shop);
  const products = await shop.sync.GET('/api/sync/products', { params: { query: { cursor } } });
  const events = await shop.dashboard.GET(listener, { params: { path, query: { cursor: next_cursor } } });

  for (const { response, error } of [products, events]) {
    expect([response.status, error]).toMatchObject([410, { error: 'cursor_expired', retryable: false }]);
  }
  const again = await unwrap(shop.dashboard.GET(listener, { params: { path } }));
  const later = await shop.dashboard.GET(listener, { params: { path, query: { cursor: again.next_cursor } } });
  expect(later.response.status).toBe(200);
  const crawled = await unwrap(shop.sync.GET('/api/sync/products'));
  const resumed = await shop.sync.GET('/api/sync/products', { params: { query: { cursor: crawled.resume_cursor } } });
  expect(resumed.response.status).toBe(200);
});

test.each([
  ['a job', (shop: OpenShop) => inShopAsSystem(shop.db, shop.site_id, ({ era }) => Promise.resolve(era))],
  [
    'a command',
    (shop: OpenShop) =>
      inTransaction(shop.db, async ({ client }) => {
        const { rows } = await client.query<{ era: number }>('select commerce.change_era() as era');
        return rows[0]?.era;
      }),
  ],
])('after a standby is promoted, %s also begins a new era', async (_who, run) => {
  const shop = await openShop();
  const before = await eras(shop);
  await promote(shop);

  const seen = await run(shop);

  const after = await eras(shop);
  expect(after).toHaveLength(before.length + 1);
  expect(seen).toBe(after.at(-1));
});

test('after a standby is promoted, a request with invalid credentials is still rejected (401)', async () => {
  const shop = await openShop();
  await promote(shop);
  const stranger = createDashboardClient({ baseUrl: shop.baseUrl, apiKey: 'key_unknown', maxAttempts: 1 });

  expect((await stranger.GET('/api/dashboard/settings')).response.status).toBe(401);
});

test('a new era can be forced without a promotion, and advances order numbers by the configured number', async () => {
  const shop = await openShop();
  const first = await numberOf(shop);
  const before = await eras(shop);
  const db = openPool({ url: databaseUrl(), max: 1, pooling: 'session', skippedNumbers: 5 });

  await beginEra(db);
  expect(await eras(shop)).toEqual(before);
  await beginEra(db, { forced: true });
  await db.end();

  expect(await eras(shop)).toHaveLength(before.length + 1);
  expect(await numberOf(shop)).toBe(first + 5);
});
