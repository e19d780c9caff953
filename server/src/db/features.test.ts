import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { featuresUsed } from '../../test/database-features.ts';
import { databaseUrl } from '../../test/worker-database.ts';

const client = new pg.Client({ connectionString: databaseUrl() });
let used: Record<string, string[]>;

beforeAll(async () => {
  await client.connect();
  used = await featuresUsed(client);
});

afterAll(() => client.end());

/** Parses the table in docs/scaling.md. Returns for each feature the names in backticks. */
function documented(): Record<string, string[]> {
  const page = readFileSync(new URL('../../../docs/scaling.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('| Feature | In use | On Citus |\n|---|---|---|\n');
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n');
  return Object.fromEntries(
    rows.map((row) => {
      const [feature = '', uses = ''] = row.slice('| '.length).split(' | ');
      return [feature, [...uses.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)];
    }),
  );
}

test('docs/scaling.md lists exactly the PostgreSQL features that the schema and the statements use', () => {
  expect(documented()).toEqual(used);
});

test.each([
  ['Tables without `site_id`', 'create table commerce.notes (id uuid primary key)', ['notes']],
  [
    'Unique keys without `site_id`',
    'create table commerce.notes (site_id uuid, hash bytea, constraint by_hash unique (hash))',
    ['by_hash'],
  ],
  [
    'Foreign keys without `site_id`',
    `create table commerce.notes (site_id uuid, staff_id uuid constraint of_staff references commerce.staff)`,
    ['of_staff'],
  ],
  [
    'Foreign keys from a non-distributable table to a distributed one',
    `create table commerce.notes (hash bytea unique, site_id uuid, product_id uuid,
      constraint of_product foreign key (site_id, product_id) references commerce.products (site_id, id))`,
    ['of_product'],
  ],
  [
    'Constraint triggers, deferred',
    `create constraint trigger tell after insert on commerce.carts deferrable initially deferred
      for each row execute function commerce.tell_customer()`,
    ['tell_customer(carts, customers)'],
  ],
  [
    'Statement triggers',
    'create trigger tell after insert on commerce.carts for each statement execute function commerce.tell_customer()',
    ['tell_customer(carts)'],
  ],
  [
    '`security definer`',
    `create function commerce.peek() returns int language sql security definer as 'select 1'`,
    ['peek'],
  ],
  [
    'Advisory locks',
    `create function commerce.peek() returns void language plpgsql as 'begin perform pg_advisory_xact_lock_shared(1); end'`,
    ['pg_advisory_xact_lock_shared'],
  ],
  ['Types of columns', 'alter table commerce.carts add column place point', ['point']],
  ['Other objects', 'create view commerce.all_carts as select id from commerce.carts', ['all_carts']],
])('the check of docs/scaling.md detects a new use of %s', async (feature, statement, seen) => {
  await client.query('begin');
  await client.query(`set local lock_timeout = '5s'`);
  await client.query(statement);
  const now = await featuresUsed(client).finally(() => client.query('rollback'));

  expect(now[feature]?.filter((item) => !used[feature]?.includes(item))).toEqual(seen);
});
