import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, createStorefrontClient } from '@commerce-backend/sdk';
import sql from 'sql-template-tag';
import { expect, onTestFinished, test } from 'vitest';
import { testServer } from '../../test/server.ts';
import { seedDemo } from './seed.ts';

/** A data directory of its own, with the demo shop made in it. */
async function seeded() {
  const server = await testServer();
  const dataDir = await mkdtemp(join(tmpdir(), 'commerce-seed-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const options = { db: server.db, dataDir, baseUrl: server.baseUrl };
  const { demo } = await seedDemo(options);
  const storefront = createStorefrontClient({
    baseUrl: server.baseUrl,
    siteId: demo.site_id,
    storefrontToken: demo.storefront_token,
  });
  return { ...server, options, demo, storefront, file: join(dataDir, 'demo.json') };
}

test('the demo shop looks like a shop', async () => {
  const { storefront, baseUrl } = await seeded();

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

test('the credentials are in a file that only its owner reads', async () => {
  const { demo, file, baseUrl } = await seeded();

  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(demo);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { response } = await createClient({ baseUrl }).POST('/api/dashboard/auth/login', { body: demo.staff });
  expect(response.status).toBe(200);
});

test('seeding again makes no second shop', async () => {
  const { options, demo, owner } = await seeded();
  const count = () => owner.query(sql`select from commerce.sites where merchant_name = 'Alder & Finch'`);
  const { rowCount: before } = await count();

  const again = await seedDemo(options);

  expect(again).toEqual({ demo, seeded: false });
  expect((await count()).rowCount).toBe(before);
});

test('a data directory that lost its file gets a new shop', async () => {
  const { options, demo, file } = await seeded();
  await rm(file);

  const { demo: fresh, seeded: made } = await seedDemo(options);

  expect(made).toBe(true);
  expect(fresh.site_id).not.toBe(demo.site_id);
  expect(fresh.staff.email).not.toBe(demo.staff.email);
});

test('images follow the server to another address', async () => {
  const { options, storefront, file } = await seeded();

  const { demo: moved } = await seedDemo({ ...options, baseUrl: 'http://localhost:9999' });

  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(moved);
  const { data } = await storefront.GET('/api/storefront/products', { params: { query: { limit: 100 } } });
  const addresses = data?.products.flatMap(({ images }) => images.map(({ url }) => url)) ?? [];
  expect(addresses.every((url) => url.startsWith('http://localhost:9999/demo-images/'))).toBe(true);
});
