import type pg from 'pg';
import { noteIfReadOnly } from './read-only.ts';

/**
 * Detects a full disk: the database still reads, but rejects writes. After the first failed write the process is not
 * ready until a trial write succeeds.
 */
const DISK_FULL = '53100';
const refused = new WeakSet<pg.Pool>();

/** A trial write. It is much larger than that of a request, so that the next order does not fill the disk again. */
const TRIAL = `begin; set local lock_timeout = '500ms';
  create temporary table trial_of_storage on commit drop as select repeat(md5(i::text), 30) as text from generate_series(1, 1000) i;
  rollback`;

/** Whether PostgreSQL had no space left for a write. */
export function isDiskFull(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === DISK_FULL;
}

/** Records that the pool's database is out of space, or rejects all writes. */
export function noteFailure(pool: pg.Pool, error: unknown): void {
  if (isDiskFull(error)) refused.add(pool);
  noteIfReadOnly(pool, error);
}

/** Whether the database is known to accept writes. If the last write failed, tries one on a connection of `probe`. */
export async function takesWrites(pool: pg.Pool, probe: pg.Pool, timeout_ms: number): Promise<boolean> {
  if (!refused.has(pool)) return true;
  const connection = await probe.connect();
  let failure: Error | undefined;
  try {
    await connection.query({ text: TRIAL, query_timeout: timeout_ms } as pg.QueryConfig);
  } catch (error) {
    failure = error as Error;
  } finally {
    // After a failed trial, closing the connection ends the open transaction.
    connection.release(failure);
  }
  if (!isDiskFull(failure)) refused.delete(pool);
  return !refused.has(pool);
}
