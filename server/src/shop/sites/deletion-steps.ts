import type pg from 'pg';
import { tablesOfSites } from './tables.ts';

/**
 * How a large site is emptied: in transactions of a bounded number of rows, since integrations of all sites are told of changes only
 * when no older transaction writes any more.
 */
const ROWS_AT_A_TIME = 5_000;

/** Empties the tables to which no row refers that is left. Returns how many rows were removed. Others keep some rows. */
export async function emptyInSteps(
  owner: pg.ClientBase,
  site_id: string,
  rowsAtATime = ROWS_AT_A_TIME,
): Promise<number> {
  let removed = 0;
  for (const table of await tablesInOrder(owner)) {
    for (;;) {
      const rows = await removeSome(owner, table, site_id, rowsAtATime);
      removed += rows;
      if (rows < rowsAtATime) break;
    }
  }
  return removed;
}

/** By the index, which passes by what was removed before; other scans would read all of it again. */
async function removeSome(owner: pg.ClientBase, table: string, site_id: string, most: number): Promise<number> {
  await owner.query('begin');
  try {
    await owner.query(
      `select set_config('app.site_id', $1::uuid::text, true), set_config('statement_timeout', '0', true),
        set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
      [site_id],
    );
    const { rowCount } = await owner.query(
      `delete from ${table} where site_id = $1::uuid and ctid = any(array(
        select ctid from ${table} where site_id = $1::uuid limit $2::int))`,
      [site_id, most],
    );
    await owner.query('commit');
    return rowCount ?? 0;
  } catch (error) {
    await owner.query('rollback');
    throw error;
  }
}

/**
 * The tables of sites that can be emptied, each after those that refer to it: webhooks first, so that nobody is told, and what
 * triggers write meanwhile last. Those that refer to each other in a circle are left out, and what they refer to.
 */
async function tablesInOrder(owner: pg.ClientBase): Promise<string[]> {
  const { rows } = await owner.query<{ table: string; referring: string[] }>(
    `select format('%I.%I', n.nspname, c.relname) as table,
        array(select distinct format('%I.%I', m.nspname, r.relname) from pg_constraint k
          join pg_class r on r.oid = k.conrelid join pg_namespace m on m.oid = r.relnamespace
          where k.confrelid = c.oid and k.contype = 'f') as referring
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'commerce' and c.relkind in ('r', 'p')`,
  );
  const referring = new Map(rows.map((row) => [row.table, row.referring]));
  const left = new Set((await tablesOfSites(owner)).filter((table) => table !== 'commerce.sites'));
  // The site row is the last, and logins are of no site: what refers to members of staff is decided then.
  left.delete('commerce.staff_memberships');
  const order: string[] = [];
  for (;;) {
    const free = [...left].filter((table) => (referring.get(table) ?? []).every((other) => order.includes(other)));
    if (free.length === 0) break;
    const next = free.find((table) => /^commerce\.(webhook|event_listeners)/.test(table)) ?? (free[0] as string);
    order.push(next);
    left.delete(next);
  }
  return [...order, ...WRITTEN_BY_TRIGGERS];
}

const WRITTEN_BY_TRIGGERS = ['commerce.product_changes', 'commerce.search_postings'];
