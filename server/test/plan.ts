import type pg from 'pg';
import type { Sql } from 'sql-template-tag';

/**
 * Returns PostgreSQL's plan of a statement in a request of this shop. Row-level security is on, because it prevents
 * the use of some indexes.
 */
export async function planFor({ db, site_id }: { db: pg.Pool; site_id: string }, statement: Sql): Promise<string> {
  const connection = await db.connect();
  try {
    await connection.query('begin');
    await connection.query(`select set_config('app.site_id', $1, true)`, [site_id]);
    const { rows } = await connection.query(`explain (analyze, costs off) ${statement.text}`, statement.values);
    await connection.query('rollback');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    connection.release(true);
  }
}
