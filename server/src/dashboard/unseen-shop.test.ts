import pg from 'pg';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { testServer } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { superuserUrl } from '../../test/worker-database.ts';
import * as products from '../shop/catalog/merchant-list.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';
import type { Shop } from '../shop/shop.ts';
import * as inventory from '../shop/stock/inventory.ts';

const PRODUCTS = 400;
/**
 * Maximum number of reads per variant for the count, the page and a search. A join of all variants with all products
 * would read each variant 400 times.
 */
const TIMES = 40;
/**
 * Maximum number of scans of the whole variants table per list. The test sets planner statistics that assign all rows
 * to another shop, so PostgreSQL may choose a scan, which also reads rows of other tests.
 */
const SCANS = 2;

const LISTS: Record<string, (shop: Shop) => Promise<{ total: number }>> = {
  'all stock, page 5': (shop) => inventory.list(shop, { page: 5 }),
  'low stock': (shop) => inventory.list(shop, { low_stock: true }),
  'low stock, last page': (shop) => inventory.list(shop, { low_stock: true, page: 21 }),
  'stock searched for': (shop) => inventory.list(shop, { q: 'coat' }),
  'low stock searched for': (shop) => inventory.list(shop, { q: 'coat', low_stock: true }),
  'products low in stock': (shop) => products.list(shop, { stock: 'low' }),
  'products in stock, by name': (shop) => products.list(shop, { stock: 'in', sort: 'name_asc' }),
};

test('a list reads each variant a few times, not once per product, even if the database has no statistics for the shop', async ({
  skip,
}) => {
  const [shop, seen] = [await openShop(), await openShop()];
  const { id } = await shop.givenProduct({ name: 'Coat', inventory_quantity: 2, low_stock_threshold: 5 });
  const superuser = new pg.Client({ connectionString: superuserUrl() });
  await superuser.connect();
  try {
    const { rows } = await superuser.query('show server_version_num');
    if (Number(rows[0].server_version_num) < 180_000) skip('PostgreSQL sets statistics by hand from 18 on.');
    await superuser.query('set session_replication_role = replica');
    await superuser.query(MORE_COATS, [shop.site_id, id]);
    await superuser.query('analyze commerce.products, commerce.variants');
    for (const table of ['products', 'variants']) await superuser.query(ALL_OF, [table, `{${seen.site_id}}`]);
    const { rows: counted } = await superuser.query('select count(*)::integer as variants from commerce.variants');
    const most = TIMES * PRODUCTS + SCANS * counted[0].variants;
    for (const [name, list] of Object.entries(LISTS)) {
      const { total, read } = await readsOf(shop.site_id, list);
      expect.soft(total, name).toBe(PRODUCTS + 1);
      expect.soft(read, name).toBeGreaterThan(0);
      expect.soft(read, name).toBeLessThan(most);
    }
  } finally {
    await superuser.query('delete from commerce.variants where site_id = $1 and product_id <> $2', [shop.site_id, id]);
    await superuser.query('delete from commerce.products where site_id = $1 and id <> $2', [shop.site_id, id]);
    await superuser.query('analyze commerce.products, commerce.variants');
    await superuser.end();
  }
});

/** The number of variant rows that a list reads, as counted by PostgreSQL. */
async function readsOf(site_id: string, list: (shop: Shop) => Promise<{ total: number }>) {
  const { db } = await testServer();
  return inShopAsSystem(db, site_id, async (shop) => {
    const readSoFar = async () => {
      const counted = await shop.one<{ read: number }>(
        sql`select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_all_tables
          where relid = 'commerce.variants'::regclass`,
      );
      return counted?.read ?? 0;
    };
    const before = await readSoFar();
    const { total } = await list(shop);
    return { total, read: (await readSoFar()) - before };
  });
}

const MORE_COATS = `
  with copies as materialized (
    select 'coat-' || n as name, gen_random_uuid() as id from generate_series(1, ${PRODUCTS}) n
  ), products as (
    insert into commerce.products select (jsonb_populate_record(p, jsonb_build_object('id', c.id, 'slug', c.name, 'name', c.name))).*
      from commerce.products p, copies c where p.site_id = $1 and p.id = $2
  )
  insert into commerce.variants
    select (jsonb_populate_record(v, jsonb_build_object('id', gen_random_uuid(), 'product_id', c.id, 'sku', null))).*
    from commerce.variants v, copies c where v.site_id = $1 and v.product_id = $2`;

/** Sets the planner statistics of a table as if all of its rows belonged to one shop. */
const ALL_OF = `select pg_restore_attribute_stats('schemaname', 'commerce', 'relname', $1::text, 'attname', 'site_id',
  'inherited', false, 'version', 180000, 'null_frac', 0::real, 'avg_width', 16, 'n_distinct', 1::real,
  'most_common_vals', $2::text, 'most_common_freqs', '{1}'::real[])`;
