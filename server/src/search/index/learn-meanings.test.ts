import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { testServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { inShopAsSystem } from '../../shop/in-shop.ts';
import { learnMeanings } from './learn-meanings.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;

async function trainIn({ site_id }: Shop): Promise<number> {
  const { db } = await testServer();
  return learnMeanings((work) => inShopAsSystem(db, site_id, work));
}

async function found({ storefront }: Shop, q: string): Promise<string[]> {
  const { data } = await storefront.GET('/api/storefront/products', { params: { query: { q } } });
  return data?.products.map(({ name }) => name) ?? [];
}

/** One of the 120 words that describe a kind. */
function wordOf(kind: string, number: number): string {
  return `${kind}${number % 120}`;
}

/** Imports a thousand products of two kinds, described with words of their kind. Some gowns are also called dresses. */
async function fill({ dashboard }: Shop): Promise<void> {
  const rows = Array.from({ length: 1_000 }, (_, i) => {
    const kind = i % 2 === 0 ? 'gown' : 'watch';
    const words = [3, 7, 11, 13].map((step) => wordOf(kind, i * step + Math.floor(i / 9)));
    const description = [...words, i % 6 === 0 ? 'dress' : ''].join(' ');
    return {
      slug: `p-${i}`,
      name: `${wordOf(kind, i * 17)} ${kind}`,
      description,
      price: '9.00',
      status: 'active' as const,
    };
  });
  for (let from = 0; from < rows.length; from += 100) {
    const { error } = await dashboard.POST('/api/dashboard/products/import', {
      body: { products: rows.slice(from, from + 100) },
    });
    if (error) throw new Error(JSON.stringify(error));
  }
}

test('among products with the same words, those that are semantically closest to the query rank first', {
  timeout: 120_000,
}, async () => {
  const shop = await openShop();
  await fill(shop);
  const watch = { name: 'Golden dress, small', description: 'watch1 watch2 watch3' };
  const gown = { name: 'Golden dress, short', description: 'gown1 gown2 gown3' };
  await shop.givenProduct(watch);
  await shop.givenProduct(gown);
  expect((await found(shop, 'golden dress')).slice(0, 2)).toEqual([watch.name, gown.name]);

  const before = await versionOf(shop);
  expect(await trainIn(shop)).toBe(1_002);
  // Responses stay cached while the vectors are computed, and are invalidated once all are stored.
  expect(await versionOf(shop)).toBe(before + 1);

  expect((await found(shop, 'golden dress')).slice(0, 2)).toEqual([gown.name, watch.name]);
  // Nothing has changed since the last run.
  expect(await trainIn(shop)).toBe(0);
  expect(await versionOf(shop)).toBe(before + 1);
  // A new or changed product is found immediately, and gets its vector in the next run.
  const late = await shop.givenProduct({ name: 'Golden dress, long', description: 'gown4 gown5' });
  expect(await found(shop, 'golden dress long')).toContain('Golden dress, long');
  expect(await trainIn(shop)).toBe(1);
  const params = { path: { product_id: late.id } };
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', {
    params,
    body: { description: 'watch6 watch7' },
  });
  expect(await trainIn(shop)).toBe(1);
  await shop.dashboard.DELETE('/api/dashboard/products/{product_id}', { params });
  expect(await trainIn(shop)).toBe(0);
  await expectOnlyOwnVectors(shop);
});

/** The catalogue version, which increases each time cached responses are invalidated. */
async function versionOf({ site_id }: Shop): Promise<number> {
  const { db } = await testServer();
  const found = await inShopAsSystem(db, site_id, (shop) =>
    shop.one<{ version: number }>(
      sql`select sum(version)::int as version from catalog_versions where site_id = ${site_id}`,
    ),
  );
  return found?.version ?? 0;
}

/** Expects that row-level security hides the vectors of other shops. */
async function expectOnlyOwnVectors(owner: Shop): Promise<void> {
  const { db } = await testServer();
  const stranger = await openShop();
  const count = ({ site_id }: Shop, table: 'words' | 'products') =>
    inShopAsSystem(db, site_id, (shop) =>
      shop.one(
        table === 'words'
          ? sql`select count(*)::int as n from search_word_vectors`
          : sql`select count(*)::int as n from search_product_vectors`,
      ),
    );
  expect(await count(stranger, 'words')).toEqual({ n: 0 });
  expect(await count(stranger, 'products')).toEqual({ n: 0 });
  expect(await count(owner, 'products')).toEqual({ n: 1_002 });
}

test('no model is trained for a small shop', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Mug' });

  expect(await trainIn(shop)).toBe(0);
  expect(await found(shop, 'mug')).toEqual(['Mug']);
});
