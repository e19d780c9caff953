import type pg from 'pg';

/**
 * A database whose disk is full goes on reading, and refuses what needs space. That shows first where somebody writes; from then
 * on, until a trial succeeds, the process is not ready.
 */
const DISK_FULL = '53100';
const refused = new WeakSet<pg.Pool>();

/** Far more than a request writes, so that the first order does not fill the disk again. */
const TRIAL = `begin; set local lock_timeout = '500ms';
  create temporary table trial_of_storage on commit drop as select repeat(md5(i::text), 30) as text from generate_series(1, 1000) i;
  rollback`;

/** True when PostgreSQL had no space left for what it was to write. */
export function isDiskFull(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === DISK_FULL;
}

/** Remembers that the database behind the pool had no space left. */
export function noteFailure(pool: pg.Pool, error: unknown): void {
  if (isDiskFull(error)) refused.add(pool);
}

/** Whether the database behind the pool takes writes, as far as is known; when it last did not, a trial by `probe` tells. */
export async function takesWrites(pool: pg.Pool, probe: pg.Pool, timeout_ms: number): Promise<boolean> {
  if (!refused.has(pool)) return true;
  const connection = await probe.connect();
  let failure: Error | undefined;
  try {
    await connection.query({ text: TRIAL, query_timeout: timeout_ms } as pg.QueryConfig);
  } catch (error) {
    failure = error as Error;
  } finally {
    // What failed in its midst is still in a transaction, which ends with the connection.
    connection.release(failure);
  }
  if (!isDiskFull(failure)) refused.delete(pool);
  return !refused.has(pool);
}
