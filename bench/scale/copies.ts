import type pg from 'pg';
import type { Site } from '../processes.ts';
import { SMALL } from './sizes.ts';
import { ORDERS, TABLES } from './template.ts';

/**
 * Fills shops with copies of the template's rows, which the server wrote, with one statement per table. Each copy gets
 * its own ids, numbers and e-mail addresses. A shop of 50,000 products consists of fifty copies; a shop of 300 products
 * is a copy of part of the template. Triggers and foreign keys are off, because the copied rows already include the
 * effects of the triggers.
 */
export async function addShops(
  db: pg.Client,
  template: Site,
  sizes: number[],
  { orders = ORDERS } = {},
): Promise<string[]> {
  const own = ownValues(orders);
  await db.query(SETTINGS);
  const { rows } = await db.query<{ site_id: string }>(SHOPS, [sizes]);
  await db.query(COPIES);
  for (const table of OF_THE_SHOP) {
    await db.query(
      insertion(own, table, await columnsOf(db, table), `scale.shops c, commerce.${table} t where t.site_id = $1`),
      [template.site_id],
    );
  }
  const indexes = await dropIndexes(db);
  for (const table of TABLES) {
    const began = performance.now();
    // Reads the template once for each copy, in the order of the copies, so that rows are written in the order of their
    // keys.
    const { rowCount } = await db.query(
      insertion(
        own,
        table,
        await columnsOf(db, table),
        `scale.copies c cross join lateral (select * from scale.${table} where rank <= c.upto offset 0) as t`,
      ),
    );
    say(`${table}: ${rowCount} rows`, began);
  }
  for (const { definition } of indexes) {
    const began = performance.now();
    await db.query(definition);
    say(definition.split(' USING ')[0] ?? '', began);
  }
  await db.query('drop table scale.copies, scale.shops; reset session_replication_role');
  return rows.map(({ site_id }) => site_id);
}

function say(what: string, began: number): void {
  const seconds = (performance.now() - began) / 1000;
  if (seconds > 1) process.stderr.write(`    ${what}, ${seconds.toFixed(0)} s\n`);
}

const SETTINGS = `set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '1GB';
  set max_parallel_maintenance_workers = 2; set work_mem = '64MB'; set search_path = commerce, public;
  set jit = off;
  create table scale.shops (site_id uuid, size int);
  create table scale.copies (copy int, site_id uuid, seq int, upto int)`;

const SHOPS = `with made as (
    select uuid_v7() as site_id, size, n from unnest($1::int[]) with ordinality as s (size, n)
  ), kept as (
    insert into scale.shops select site_id, size from made
  ) select site_id from made order by n`;

/**
 * Records the copies of each shop. `upto` is the rank of the last product in a copy, and `seq` the number of the copy
 * in its shop, from 0.
 */
const COPIES = `insert into scale.copies
  select row_number() over (order by site_id, seq), site_id, seq, least(${SMALL}, size - seq * ${SMALL})
  from scale.shops, generate_series(0, (size - 1) / ${SMALL}) as seq order by site_id, seq`;

/** Tables of the shop itself, not of its products. They are filled first, because the other rows refer to them. */
const OF_THE_SHOP = ['sites', 'site_settings', 'shipping_options', 'catalog_versions', 'order_numbers'];

type Column = { name: string; type: string };

async function columnsOf(db: pg.Client, table: string): Promise<Column[]> {
  const { rows } = await db.query<Column>(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
     where attrelid = ('commerce.' || $1)::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table],
  );
  return rows;
}

function insertion(own: Own, table: string, columns: Column[], from: string): string {
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const values = columns.map((column) => valueIn(own, table, column)).join(', ');
  return `insert into commerce.${table} (${names}) select ${values} from ${from}`;
}

function valueIn(own: Own, table: string, { name, type }: Column): string {
  if (name === 'site_id') return 'c.site_id';
  const value = own[`${table}.${name}`];
  if (value) return value;
  if (OF_THE_SHOP.includes(table)) return `t."${name}"`;
  // Ids sort like the template's, because only their last bits differ.
  return type === 'uuid' ? `(left(t."${name}"::text, 28) || lpad(to_hex(c.copy), 8, '0'))::uuid` : `t."${name}"`;
}

function renumbered(column: string): string {
  return `replace(${column}, lpad(t.rank::text, 7, '0'), lpad((t.rank + c.seq * ${SMALL})::text, 7, '0'))`;
}

type Own = Record<string, string>;

/**
 * Columns that get a new value in each copy, with the SQL expression of the value. `orders` is the number of orders in
 * the template.
 */
const ownValues = (orders: number): Own => ({
  'sites.merchant_id': 'uuid_v7()',
  'order_numbers.last_number': `t.last_number + (c.size - 1) / ${SMALL} * ${orders}`,
  'products.name': renumbered('t.name'),
  'products.slug': renumbered('t.slug'),
  'variants.sku': renumbered('t.sku'),
  'product_search.title': renumbered('t.title'),
  'product_search.skus': `${renumbered('t.skus::text')}::text[]`,
  'product_search.document': `${renumbered('t.document::text')}::tsvector`,
  'product_search.fingerprint': `md5(${renumbered('t.source')})`,
  'search_postings.term': renumbered('t.term'),
  'customers.email': renumbered('t.email'),
  'orders.order_number': `(t.order_number::bigint + c.seq * ${orders})::text`,
});

interface Index {
  name: string;
  definition: string;
}

/** Drops the indexes that belong to no constraint. Building them at the end takes only a fraction of the time. */
async function dropIndexes(db: pg.Client): Promise<Index[]> {
  const { rows } = await db.query<Index>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = any($1::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)`,
    [TABLES.map((table) => `commerce.${table}`)],
  );
  if (rows.length > 0) await db.query(`drop index ${rows.map(({ name }) => name).join(', ')}`);
  return rows;
}
