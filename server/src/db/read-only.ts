import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/**
 * Detects a database that was demoted or set to read-only, which rejects every write with SQLSTATE 25006. After the
 * first rejection the process takes no connections, closes the existing ones, and checks once a second, on a new one,
 * whether writes are accepted again: the URL may lead to another server by then.
 */
const READ_ONLY = '25006';
const ASK_AGAIN_MS = 1_000;
const ANSWER_WITHIN_MS = 1_000;

/** The database rejects writes, so no connection was taken. */
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
  /** Resolves when writes are accepted again; undefined while they are accepted. */
  over: Promise<void> | undefined;
  /** The number of times that writes were rejected. Connections from before the last time are closed. */
  count: number;
}

const refusals = new WeakMap<pg.Pool, Refusal>();

/** Whether the pool's database is known to reject writes. */
export function isReadOnly(pool: pg.Pool): boolean {
  return refusals.get(pool)?.over !== undefined;
}

/** How often the pool's database has started to reject writes. */
export function refusalCount(pool: pg.Pool): number {
  return refusals.get(pool)?.count ?? 0;
}

/** Resolves once the pool's database accepts writes, which is at once unless it is known to reject them. */
export async function whenWritable(pool: pg.Pool): Promise<void> {
  await refusals.get(pool)?.over;
}

/** Records an error if it is the rejection of a write. */
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
 * Checks on a connection of `probe` whether the database rejects writes, and if so records it for `pool`. Returns
 * whether it does.
 */
export async function findReadOnly(pool: pg.Pool, probe: pg.Pool): Promise<boolean> {
  if (isReadOnly(pool)) return true;
  // The first connection may have been opened before a failover. It is then closed, so that the second is new.
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

/** Whether the database accepts writes on a connection of the pool. Closes the connection if it does not. */
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
