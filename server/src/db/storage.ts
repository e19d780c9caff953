/**
 * Detects a full disk: the database can be read but rejects writes. After a write failed because the disk was full, the
 * process is not ready until a test write no longer fails for that reason.
 */

import type pg from 'pg';
import { noteIfReadOnly } from './read-only.ts';

const DISK_FULL = '53100';
const refused = new WeakSet<pg.Pool>();

/**
 * The test write. It is much larger than the writes of a request, so that if it succeeds, the disk has room for the
 * next orders.
 */
const TRIAL_WRITE = `begin; set local lock_timeout = '500ms';
  create temporary table trial_of_storage on commit drop as select repeat(md5(i::text), 30) as text from generate_series(1, 1000) i;
  rollback`;

/** Whether a write failed because the disk is full. */
export function isDiskFull(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === DISK_FULL;
}

/** Whether the disk of the pool's database is known to be full. */
export function isKnownFull(pool: pg.Pool): boolean {
  return refused.has(pool);
}

/** Records an error that shows that the database is full or rejects writes. */
export function noteFailure(pool: pg.Pool, error: unknown): void {
  if (isDiskFull(error)) refused.add(pool);
  noteIfReadOnly(pool, error);
}

/** Writes 1 MB and rolls it back. If this throws, the transaction is still open. */
export async function tryToWrite(connection: pg.ClientBase, timeout_ms: number): Promise<void> {
  await connection.query({ text: TRIAL_WRITE, query_timeout: timeout_ms } as pg.QueryConfig);
}

/**
 * Whether the disk of the database has space for writes. After a write failed because the disk was full, sends a test
 * write on a connection of `probe`.
 */
export async function takesWrites(pool: pg.Pool, probe: pg.Pool, timeout_ms: number): Promise<boolean> {
  if (!refused.has(pool)) return true;
  const connection = await probe.connect();
  let failure: Error | undefined;
  try {
    await tryToWrite(connection, timeout_ms);
  } catch (error) {
    failure = error as Error;
  } finally {
    // If the test write failed, closing the connection rolls back its transaction.
    connection.release(failure);
  }
  if (!isDiskFull(failure)) refused.delete(pool);
  return !refused.has(pool);
}
