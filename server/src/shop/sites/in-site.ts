import type pg from 'pg';
import sql from 'sql-template-tag';
import { notFound } from '../errors.ts';

/**
 * Runs `work` in a transaction of the database owner, with the site as tenant and without a timeout. Throws
 * `not_found`.
 */
export async function inSite<T>(owner: pg.ClientBase, site_id: string, work: () => Promise<T>): Promise<T> {
  await owner.query('begin');
  try {
    await owner.query(sql`select set_config('app.site_id', ${site_id}::uuid::text, true),
      set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`);
    const { rowCount } = await owner.query(sql`select from commerce.sites where site_id = ${site_id}::uuid`);
    if (rowCount === 0) throw notFound('site');
    const result = await work();
    await owner.query('commit');
    return result;
  } catch (error) {
    await owner.query('rollback');
    throw error;
  }
}
