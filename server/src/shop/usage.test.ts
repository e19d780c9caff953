import { expect, test } from 'vitest';
import { startServer, stopServer, testServer } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { inShopAsSystem } from './in-shop.ts';
import { createUsageCounter, noteHoldings, usageOf } from './usage.ts';

async function present(site_id: string) {
  const { db } = await testServer();
  const [month] = await inShopAsSystem(db, site_id, (shop) => usageOf(shop, 1));
  if (!month) throw new Error('There is no month.');
  return month;
}

test('counts each call with a valid credential, successful or not, for its site, and no other calls', async () => {
  const shop = await openShop();
  const { db } = await testServer();
  const usage = createUsageCounter(db);
  const server = await startServer(databaseUrl(), { usage });
  try {
    const headers = { 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.credentials.storefront_token };
    const get = (path: string, sent: Record<string, string> = headers) =>
      fetch(`${server.baseUrl}${path}`, { headers: sent }).then(({ status }) => status);
    const products = '/api/storefront/products';

    expect(await get(products)).toBe(200);
    expect(await get(`${products}/none`)).toBe(404);
    expect(await get(`${products}?limit=0`)).toBe(422);
    expect(await get(products, { 'X-Site-ID': shop.site_id })).toBe(401);
    expect(await get('/healthz')).toBe(200);
    await usage.flush();
  } finally {
    await stopServer(server);
  }
  expect((await present(shop.site_id)).calls).toBe(3);
});

test('loses no counts when two counters write them concurrently', async () => {
  const { db } = await testServer();
  const shops = await Promise.all(Array.from({ length: 6 }, () => openShop()));
  const counters = [createUsageCounter(db), createUsageCounter(db)];
  for (let round = 0; round < 20; round += 1) {
    for (const { site_id } of shops) counters[0]?.count(site_id, 'calls');
    for (const { site_id } of shops.toReversed()) counters[1]?.count(site_id, 'calls');
    await Promise.all(counters.map((counter) => counter.flush()));
  }
  for (const { site_id } of shops) expect((await present(site_id)).calls).toBe(40);
});

test('repeats a failed write of the counts once, and ignores the counts of deleted sites', async () => {
  const { db } = await testServer();
  const [shop, gone] = [await openShop(), await openShop()];
  const counter = createUsageCounter({
    connect: async () => (isAway ? Promise.reject(new Error('away')) : db.connect()),
  } as unknown as typeof db);
  let isAway = true;
  counter.count(shop.site_id, 'calls');
  counter.count('00000000-0000-7000-8000-000000000001', 'calls');
  await expect(counter.flush()).rejects.toThrow('away');
  isAway = false;
  counter.count(gone.site_id, 'deliveries');
  await counter.flush();
  await counter.flush();
  expect((await present(shop.site_id)).calls).toBe(1);
  expect((await present(gone.site_id)).deliveries).toBe(1);
});

test('reports the highest number of products in a month, even after a product is deleted', async () => {
  const { db } = await testServer();
  const shop = await openShop();
  const { id: product_id } = await shop.givenProduct();
  await shop.givenProduct();
  await inShopAsSystem(db, shop.site_id, noteHoldings);
  await shop.dashboard.DELETE('/api/dashboard/products/{product_id}', { params: { path: { product_id } } });
  await inShopAsSystem(db, shop.site_id, noteHoldings);
  expect((await present(shop.site_id)).products).toBe(2);
});
