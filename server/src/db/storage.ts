import type pg from 'pg';
import { noteIfReadOnly } from './read-only.ts';

/**
 * A database whose disk is full still reads, and refuses writes. The first failed write detects it; from then on the
 * process is not ready until a trial write succeeds.
 */
const DISK_FULL = '53100';
const refused = new WeakSet<pg.Pool>();

/** The trial write is much larger than a request's, so that the first order does not fill the disk again. */
const TRIAL = `begin; set local lock_timeout = '500ms';
  create temporary table trial_of_storage on commit drop as select repeat(md5(i::text), 30) as text from generate_series(1, 1000) i;
  rollback`;

/** True if PostgreSQL had no space left for a write. */
export function isDiskFull(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === DISK_FULL;
}

/** Records that the database of the pool is out of space, or refuses all writes. */
export function noteFailure(pool: pg.Pool, error: unknown): void {
  if (isDiskFull(error)) refused.add(pool);
  noteIfReadOnly(pool, error);
}

/** Whether the database is known to accept writes; tries one on a connection of `probe` if the last one failed. */
export async function takesWrites(pool: pg.Pool, probe: pg.Pool, timeout_ms: number): Promise<boolean> {
  if (!refused.has(pool)) return true;
  const connection = await probe.connect();
  let failure: Error | undefined;
  try {
    await connection.query({ text: TRIAL, query_timeout: timeout_ms } as pg.QueryConfig);
  } catch (error) {
    failure = error as Error;
  } finally {
    // After a failed trial, the open transaction ends with the connection.
    connection.release(failure);
  }
  if (!isDiskFull(failure)) refused.delete(pool);
  return !refused.has(pool);
}
