/**
 * Standbys of the database. A standby serves catalogue reads instead of the primary if it has the catalogue version
 * that the primary has just reported. If a standby lags, hangs, is lost or was promoted, the primary serves the reads.
 */

import type pg from 'pg';
import sql from 'sql-template-tag';
import { type Connection, cut, query } from './connect.ts';
import { isUnreachable, withConnection } from './transaction.ts';

/** Time limit for a read on a standby. */
const WITHIN_MS = 2_000;
/** After a failure of a standby, one read per interval of this length tries the standby again. */
const REST_MS = 5_000;

/**
 * The result of an attempt to read on a standby. After `behind` (the standby had another version) or `failed`, the
 * primary must do the read.
 */
export type StandbyResult = 'read' | 'behind' | 'failed';

export class Standbys {
  readonly #standbys: { pool: pg.Pool; retryAt: number }[];
  #turn = 0;

  constructor(pools: pg.Pool[]) {
    this.#standbys = pools.map((pool) => ({ pool, retryAt: 0 }));
  }

  /**
   * Runs a read of the catalogue on a standby that has this version of it. Every statement of the read sees that
   * version or a later one, because the snapshots of a standby only advance.
   */
  async read(
    { site_id, catalog_version }: { site_id: string; catalog_version: string },
    work: (connection: Connection) => Promise<unknown>,
  ): Promise<StandbyResult> {
    const now = Date.now();
    const ready = this.#standbys.filter(({ retryAt }) => retryAt <= now);
    this.#turn += 1;
    const standby = ready[this.#turn % ready.length];
    if (!standby) return 'failed';
    if (standby.retryAt > 0) standby.retryAt = now + REST_MS;
    try {
      const result = await withConnection(standby.pool, (connection) =>
        inTime(connection, async () => {
          const { rows } = await query<{ has: boolean }>(
            connection,
            sql`select pg_is_in_recovery() and catalog_version(${site_id}) = ${catalog_version} as has,
              set_config('app.site_id', ${site_id}, ${!connection.keepsSession})`,
          );
          if (!rows[0]?.has) return 'behind';
          await work(connection);
          return 'read';
        }),
      );
      standby.retryAt = 0;
      return result;
    } catch (error) {
      if (isUnreachable(error) || rejectsConnections(error)) standby.retryAt = Date.now() + REST_MS;
      return 'failed';
    }
  }
}

/**
 * Whether the standby rejects the login, lacks the database or has too many connections (SQLSTATE classes 28, 3D, 53).
 */
function rejectsConnections(error: unknown): boolean {
  return /^(28|3D|53)/.test(String((error as { code?: string }).code));
}

async function inTime<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => cut(connection, new Error('Query read timeout')), WITHIN_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** The system identifier of a database's cluster, and whether the database is a standby. */
export interface Identity {
  cluster: string;
  standby: boolean;
}

export async function identityOf(db: Pick<pg.Pool, 'query'>): Promise<Identity> {
  const { rows } = await db.query<Identity>(
    `select (select system_identifier from pg_control_system())::text as cluster, pg_is_in_recovery() as standby`,
  );
  if (!rows[0]) throw new Error('PostgreSQL does not report its cluster.');
  return rows[0];
}

/** Explains why a database cannot be a standby of this primary. Returns undefined if it can be one. */
export function standbyFault(primary: Identity, { cluster, standby }: Identity): string | undefined {
  if (cluster !== primary.cluster) return `belongs to another cluster (${cluster} instead of ${primary.cluster})`;
  return standby ? undefined : 'is a primary';
}
