import type pg from 'pg';
import { noteIfReadOnly } from './read-only.ts';

/**
 * A database whose disk is full still reads, and refuses what needs space. The first failed write shows it; from then on the
 * process is not ready, until a trial write succeeds.
 */
const DISK_FULL = '53100';
const refused = new WeakSet<pg.Pool>();

/** The size of the trial write: far more than a request writes, so that the first order does not fill the disk again. */
const TRIAL = `begin; set local lock_timeout = '500ms';
  create temporary table trial_of_storage on commit drop as select repeat(md5(i::text), 30) as text from generate_series(1, 1000) i;
  rollback`;

/** True if PostgreSQL had no space left for a write. */
export function isDiskFull(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === DISK_FULL;
}

/** Records that the database of the pool had no space left, or refuses all writes. */
export function noteFailure(pool: pg.Pool, error: unknown): void {
  if (isDiskFull(error)) refused.add(pool);
  noteIfReadOnly(pool, error);
}

/** Whether the database accepts writes, as far as is known; tries a write on a connection of `probe` if the last one failed. */
export async function takesWrites(pool: pg.Pool, probe: pg.Pool, timeout_ms: number): Promise<boolean> {
  if (!refused.has(pool)) return true;
  const connection = await probe.connect();
  let failure: Error | undefined;
  try {
    await connection.query({ text: TRIAL, query_timeout: timeout_ms } as pg.QueryConfig);
  } catch (error) {
    failure = error as Error;
  } finally {
    // If the trial failed, its transaction is still open, and ends with the connection.
    connection.release(failure);
  }
  if (!isDiskFull(failure)) refused.delete(pool);
  return !refused.has(pool);
}
