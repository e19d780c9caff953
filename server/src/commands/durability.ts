import type pg from 'pg';

const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'];

/** Returns the settings with which a crash may lose committed transactions, each as `name = value`. */
export async function unsafeDurability(db: pg.Pool | pg.Client): Promise<string[]> {
  const statement = {
    text: 'select name, setting from pg_settings where name = any($1) order by name',
    values: [DURABLE],
    query_timeout: 6_000,
  } as pg.QueryConfig;
  const { rows } = await db.query<{ name: string; setting: string }>(statement);
  return rows.filter(({ setting }) => setting === 'off').map(({ name, setting }) => `${name} = ${setting}`);
}
