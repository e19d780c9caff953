import type pg from 'pg';
import { expect, test } from 'vitest';
import { superuserUrl } from '../../test/worker-database.ts';
import { withClient } from './client.ts';

const UNKNOWN_SETTING = '42704';

/** Tables whose policies PostgreSQL evaluates while planning. `app.site_id` must not be set on the connection. */
async function readWhilePlanned(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(
    `select format('%I.%I', schemaname, tablename) as table from pg_policies
      where policyname = 'tenant' and schemaname = 'commerce' order by 1`,
  );
  await client.query('set local role commerce_app; savepoint before_planning');
  const found: string[] = [];
  for (const { table } of rows) {
    await client.query(`explain select from ${table}`).catch(async (error: pg.DatabaseError) => {
      if (error.code !== UNKNOWN_SETTING) throw error;
      found.push(table);
      await client.query('rollback to before_planning');
    });
  }
  return found;
}

test.each([
  ['finds no policy that PostgreSQL evaluates while it plans a statement', 'select', []],
  [
    'reports a policy that PostgreSQL evaluates while it plans a statement',
    `set local lock_timeout = '5s'; alter policy tenant on commerce.carts using (site_id = commerce.current_site())`,
    ['commerce.carts'],
  ],
])('the check of row-level security %s', async (_, change, expected) => {
  const found = await withClient({ connectionString: superuserUrl() }, async (client) => {
    await client.query('begin');
    await client.query(change);
    return readWhilePlanned(client).finally(() => client.query('rollback'));
  });

  expect(found).toEqual(expected);
});
