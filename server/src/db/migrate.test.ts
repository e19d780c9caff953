import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import sql from 'sql-template-tag';
import { expect, onTestFinished, test } from 'vitest';
import { send } from '../../test/send-statement.ts';
import { databaseUrl, migratedTemplate, superuserUrl } from '../../test/worker-database.ts';
import { seedDemo } from '../demo/seed.ts';
import { BASELINE } from './baseline.ts';
import { openPool } from './connect.ts';
import { LATEST_MIGRATION, MIGRATION_NAMES, migrate, pendingMigrations, rollback } from './migrate.ts';

/** Runs work with a new database on the test server, in which migrations may be rolled back. */
async function withDatabase(work: (url: string) => Promise<void>, template = 'template1'): Promise<void> {
  const name = `migrate_${process.pid}_${Date.now()}`;
  const admin = new pg.Client(superuserUrl());
  await admin.connect();
  try {
    await admin.query(`create database ${name} template ${template} owner ${new URL(databaseUrl()).username}`);
    const url = new URL(databaseUrl());
    url.pathname = `/${name}`;
    await work(url.href);
  } finally {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  }
}

test('the list of migrations contains every migration file in the order of their numbers', async () => {
  const entries = await readdir(new URL('migrations', import.meta.url), { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name.replace('.ts', ''));

  expect(MIGRATION_NAMES).toEqual(files.toSorted());
});

test("migrates up, down and up again, two processes that start together migrate once, and a killed process's lock has no effect", async () => {
  await withDatabase(async (url) => {
    const [first, second] = await Promise.all([migrate(url), migrate(url)]);
    expect([...first, ...second]).toEqual(MIGRATION_NAMES);
    expect(Math.min(first.length, second.length)).toBe(0);

    const undone = await rollback(url);
    expect(undone).toContain(LATEST_MIGRATION);
    expect(await pendingMigrations(url)).toEqual(undone.toReversed());
    // knex's migration lock stays set if a migrating process is killed.
    await send(url, 'update public.commerce_migrations_lock set is_locked = 1');

    expect(await migrate(url)).toEqual(undone.toReversed());
    expect(await pendingMigrations(url)).toEqual([]);
  });
});

test('migrates down to the baseline and up again with data of every feature', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'commerce-migrate-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  await withDatabase(async (url) => {
    const db = openPool({ url, max: 4, pooling: 'session' });
    try {
      await seedDemo({
        db,
        dataDir,
        baseUrl: 'http://localhost',
        secretKey: 'a secret of the tests, long enough to be one',
      });
    } finally {
      await db.end();
    }
    await putIntoNewBatch(url);
    const indexed = await readTerms(url);

    const undone = await rollback(url);

    expect(undone.toReversed()).toEqual(MIGRATION_NAMES.filter((name) => name > BASELINE));
    const isOfAttribute = (term: string) => term.startsWith('@');
    expect(await readTerms(url)).toEqual(indexed.filter((term) => !isOfAttribute(term)));
    expect(await migrate(url)).toEqual(undone.toReversed());
    expect(indexed.filter(isOfAttribute).length).toBeGreaterThan(0);
    expect(await readTerms(url)).toEqual(indexed);
  }, migratedTemplate());
});

/** The terms of the search index, each with its number of products. */
async function readTerms(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin; alter table commerce.search_postings no force row level security');
    const { rows } = await client.query<{ term: string }>(
      `select term || ' ' || count(*) as term from commerce.search_postings group by search_postings.term order by 1`,
    );
    await client.query('rollback');
    return rows.map(({ term }) => term);
  } finally {
    await client.end();
  }
}

/** Makes the migrations after the baseline a separate batch, because a rollback reverts only the last batch. */
async function putIntoNewBatch(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(sql`update public.commerce_migrations set batch = batch + 1 where name > ${BASELINE}`);
  await client.end();
}

/** Orders as they were before the migration of line quantities. Each has one line: quantity 3, price 10. */
const OLD_ORDERS = sql`
  with shop as (
    insert into commerce.sites (site_id, merchant_id, merchant_name, currency, currency_digits)
    values (gen_random_uuid(), gen_random_uuid(), 'Old', 'EUR', 2) returning site_id
  ), given as (
    select gen_random_uuid() as id, gen_random_uuid() as line_id, gen_random_uuid() as refund_id, g.* from (values
      ('open', 'paid', 'confirmed', 'unfulfilled', 0, 0, 0),
      ('part refunded', 'partially_refunded', 'confirmed', 'unfulfilled', 0, 1, 1),
      ('mixed', 'partially_refunded', 'processing', 'partially_fulfilled', 2, 2, 2),
      ('refunded whole', 'refunded', 'confirmed', 'unfulfilled', 0, 0, 0),
      ('shipped though restocked', 'partially_refunded', 'processing', 'fulfilled', 3, 1, 1)
    ) as g (number, payment, status, fulfillment, shipped, refunded, restocked)
  ), orders as (
    insert into commerce.orders (site_id, id, order_number, subtotal, total, currency, status, payment_status,
      fulfillment_status, source, refunds_begun)
    select site_id, id, number, 30, 30, 'EUR', status, payment, fulfillment, 'storefront', refunded * 10 from shop, given
  ), lines as (
    insert into commerce.order_lines (site_id, id, order_id, position, name, quantity, price, total, refunded_quantity, restocked)
    select site_id, line_id, id, 1, 'Mug', 3, 10, 30, refunded, restocked from shop, given
  ), parcels as (
    insert into commerce.fulfillments (site_id, id, order_id) select site_id, id, id from shop, given where shipped > 0
  ), sent as (
    insert into commerce.fulfillment_items (site_id, fulfillment_id, line_id, quantity)
    select site_id, id, line_id, shipped from shop, given where shipped > 0
  ), refunds as (
    insert into commerce.refunds (site_id, id, order_id, amount, actor_id)
    select site_id, refund_id, id, refunded * 10, gen_random_uuid() from shop, given where refunded > 0
  )
  insert into commerce.refund_items (site_id, refund_id, line_id, quantity, restock)
  select site_id, refund_id, line_id, refunded, true from shop, given where refunded > 0`;

test('fills in line quantities of older orders from their fulfilments and refunds', async () => {
  await withDatabase(async (url) => {
    const client = new pg.Client(Object.assign(new URL(superuserUrl()), { pathname: new URL(url).pathname }).href);
    await client.connect();
    await putIntoNewBatch(url);
    await rollback(url);
    await client.query(OLD_ORDERS);

    await migrate(url);

    const { rows } = await client.query(
      `select order_number, fulfillment_status, array[fulfilled, refunded_quantity, removed, returned] as pieces, (
          select json_agg(array[i.quantity, i.shipped::int] order by i.shipped) from commerce.refund_items i where i.line_id = l.id
        ) as refunds
        from commerce.orders o join commerce.order_lines l on l.order_id = o.id order by order_number`,
    );
    await client.end();
    expect(rows.map(({ order_number, ...rest }) => [order_number, ...Object.values(rest)])).toEqual([
      // Columns: fulfilled, refunded, removed, returned, and then the refunded items, in which 1 marks shipped pieces.
      [
        'mixed',
        'fulfilled',
        [2, 2, 1, 1],
        [
          [1, 0],
          [1, 1],
        ],
      ],
      ['open', 'unfulfilled', [0, 0, 0, 0], null],
      ['part refunded', 'unfulfilled', [0, 1, 1, 0], [[1, 0]]],
      ['refunded whole', 'unfulfilled', [0, 3, 3, 0], null],
      ['shipped though restocked', 'fulfilled', [3, 1, 0, 1], [[1, 1]]],
    ]);
  }, migratedTemplate());
});

/** Statements after which processes of an older release may fail. */
const CONTRACTS = /drop (?:table|column|function)|rename (?:column|to)|alter column \w+ (?:type|set not null)/i;

test('a migration that removes or renames an object raises the minimum release', async () => {
  const folder = new URL('migrations/', import.meta.url);
  for (const name of MIGRATION_NAMES.filter((one) => one > '0245_minimum_release')) {
    const text = await readFile(new URL(`${name}.ts`, folder), 'utf8');
    const up = text.slice(text.indexOf('function up('), text.indexOf('function down('));
    if (CONTRACTS.test(up)) expect(up, name).toContain('function commerce.minimum_release()');
  }
});
