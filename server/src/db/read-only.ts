/**
 * Detects that the database was demoted or set to read-only: it rejects writes with SQLSTATE 25006. The process then
 * closes all connections, and opens none for requests. Once a second it opens a new connection, because the URL may
 * lead to another server by then, and checks whether that server accepts writes.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const READ_ONLY = '25006';
const ASK_AGAIN_MS = 1_000;
const ANSWER_WITHIN_MS = 1_000;

/** Thrown instead of taking a connection while the database rejects writes. */
export class DatabaseReadOnly extends Error {
  readonly code = READ_ONLY;

  constructor() {
    super('The database is read-only.');
    this.name = 'DatabaseReadOnly';
  }
}

export function isReadOnlyError(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === READ_ONLY;
}

interface Refusal {
  /** Time of the last check. */
  asked: number;
  /** Resolves when writes are accepted again; undefined if they are accepted. */
  over: Promise<void> | undefined;
  /**
   * Number of times that the database has started to reject writes. Connections opened before the last time are closed.
   */
  count: number;
}

const refusals = new WeakMap<pg.Pool, Refusal>();

/** Whether the pool's database is known to reject writes. */
export function isReadOnly(pool: pg.Pool): boolean {
  return refusals.get(pool)?.over !== undefined;
}

/** Returns how often the database has started to reject writes. */
export function refusalCount(pool: pg.Pool): number {
  return refusals.get(pool)?.count ?? 0;
}

/** Resolves when the database accepts writes. Resolves immediately if it is not known to reject them. */
export async function whenWritable(pool: pg.Pool): Promise<void> {
  await refusals.get(pool)?.over;
}

/** Checks whether an error is a rejected write, and if so records that the database is read-only. */
export function noteIfReadOnly(pool: pg.Pool, error: unknown): void {
  if (!isReadOnlyError(error) || isReadOnly(pool)) return;
  const { asked = 0, count = 0 } = refusals.get(pool) ?? {};
  const refusal: Refusal = { asked, count: count + 1, over: undefined };
  refusals.set(pool, refusal);
  refusal.over = untilWritable(pool, refusal).finally(() => {
    refusal.over = undefined;
  });
}

/**
 * Checks on a connection of `probe` whether the database rejects writes. If so, records it for `pool` and returns true.
 */
export async function findReadOnly(pool: pg.Pool, probe: pg.Pool): Promise<boolean> {
  if (isReadOnly(pool)) return true;
  // The first connection may have been opened before a failover. A connection that rejects writes is closed, so the
  // second attempt uses a new one.
  if ((await acceptsWrites(probe)) || (await acceptsWrites(probe))) return false;
  noteIfReadOnly(pool, new DatabaseReadOnly());
  return true;
}

async function untilWritable(pool: pg.Pool, refusal: Refusal): Promise<void> {
  do {
    await closeIdle(pool);
    await sleep(Math.max(0, refusal.asked + ASK_AGAIN_MS - Date.now()), undefined, { ref: false });
    refusal.asked = Date.now();
  } while (!pool.ending && !(await acceptsWrites(pool).catch(() => false)));
}

async function closeIdle(pool: pg.Pool): Promise<void> {
  while (pool.idleCount > 0 && !pool.ending) (await pool.connect()).release(true);
}

/**
 * Checks whether a connection of the pool accepts writes (`transaction_read_only` is off). If not, closes that
 * connection.
 */
export async function acceptsWrites(pool: pg.Pool): Promise<boolean> {
  const connection = await pool.connect();
  let writable = false;
  try {
    const statement = { text: 'show transaction_read_only', query_timeout: ANSWER_WITHIN_MS } as pg.QueryConfig;
    const { rows } = await connection.query<{ transaction_read_only: string }>(statement);
    writable = rows[0]?.transaction_read_only === 'off';
    return writable;
  } finally {
    connection.release(!writable);
  }
}
