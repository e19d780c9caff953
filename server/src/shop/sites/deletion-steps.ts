/**
 * Deletes a large site in many short transactions. A long one would delay the sync clients of all sites, which get only
 * changes older than the oldest running transaction.
 */

import type pg from 'pg';
import { inSite } from './in-site.ts';
import { bareName } from './moved-tables.ts';
import { tablesOfSites } from './tables.ts';

const ROWS_AT_A_TIME = 5_000;

/** Progress of a deletion: the current table, and the number of rows deleted from it. */
export interface Step {
  table: string;
  number: number;
  of: number;
  rows: number;
}

/**
 * Deletes the rows of a site whose deletion has begun, in batches. Skips tables to which remaining rows refer. Returns
 * the number of deleted rows.
 */
export async function emptyInSteps(
  owner: pg.ClientBase,
  site_id: string,
  { rowsAtATime = ROWS_AT_A_TIME, onStep }: { rowsAtATime?: number; onStep?: ((step: Step) => void) | undefined } = {},
): Promise<number> {
  await breakCircles(owner, site_id);
  const tables = await tablesInOrder(owner);
  let all = 0;
  for (const [index, table] of tables.entries()) {
    let rows = 0;
    for (;;) {
      const removed = await removeSome(owner, table, site_id, rowsAtATime);
      rows += removed;
      onStep?.({ table: bareName(table), number: index + 1, of: tables.length, rows });
      if (removed < rowsAtATime) break;
    }
    all += rows;
  }
  return all;
}

/**
 * Foreign keys that form circles. Carts and checkouts refer to their pending payment, and the payment refers to them.
 * Merged carts, exchange orders and credit notes refer to rows of their own table.
 */
const CIRCLES = [
  'carts_site_id_merged_into_fkey',
  'carts_site_id_payment_id_fkey',
  'checkouts_site_id_payment_id_fkey',
  'documents_site_id_invoice_id_fkey',
  'exchange_of_order',
];

async function breakCircles(owner: pg.ClientBase, site_id: string): Promise<void> {
  await inSite(owner, site_id, async () => {
    await owner.query(
      `update commerce.carts set payment_id = null, merged_into = null,
          status = case status when 'merged' then 'expired' else status end
        where site_id = $1::uuid and (payment_id is not null or merged_into is not null)`,
      [site_id],
    );
    await owner.query(
      'update commerce.checkouts set payment_id = null where site_id = $1::uuid and payment_id is not null',
      [site_id],
    );
    await owner.query(
      `update commerce.orders set exchange_of = null, exchange_credit = 0
        where site_id = $1::uuid and exchange_of is not null`,
      [site_id],
    );
    await owner.query(`delete from commerce.documents where site_id = $1::uuid and kind = 'credit_note'`, [site_id]);
  });
}

/** Deletes some rows of a table. The index skips deleted rows; a scan would read them again in each batch. */
async function removeSome(owner: pg.ClientBase, table: string, site_id: string, most: number): Promise<number> {
  return inSite(owner, site_id, async () => {
    await owner.query(`select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`);
    const { rowCount } = await owner.query(
      `delete from ${table} where site_id = $1::uuid and ctid = any(array(
        select ctid from ${table} where site_id = $1::uuid limit $2::int))`,
      [site_id, most],
    );
    return rowCount ?? 0;
  });
}

/**
 * Sorts the tables for deletion: each table after the tables that refer to it, webhooks first so that no events are
 * sent, and tables written by triggers last. Omits tables in a circle of references, and the tables to which these
 * refer.
 */
async function tablesInOrder(owner: pg.ClientBase): Promise<string[]> {
  const { rows } = await owner.query<{ table: string; referring: string[] }>(
    `select format('%I.%I', n.nspname, c.relname) as table,
        array(select distinct format('%I.%I', m.nspname, r.relname) from pg_constraint k
          join pg_class r on r.oid = k.conrelid join pg_namespace m on m.oid = r.relnamespace
          where k.confrelid = c.oid and k.contype = 'f' and k.conname <> all($1::text[])) as referring
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'commerce' and c.relkind in ('r', 'p')`,
    [CIRCLES],
  );
  const referring = new Map(rows.map((row) => [row.table, row.referring]));
  const left = new Set((await tablesOfSites(owner)).filter((table) => table !== 'commerce.sites'));
  // The site's row is deleted last. `removeRows` needs the memberships to find the logins that only this site uses.
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
