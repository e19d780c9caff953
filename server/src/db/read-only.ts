import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/**
 * A database that was demoted, or was set to read-only, refuses every write with SQLSTATE 25006. From the first refusal on, the
 * process takes no connections for its work, closes those it has, and asks on a new one, once a second, whether writes are
 * accepted again: behind the same address there may be another server by then.
 */
const READ_ONLY = '25006';
const ASK_AGAIN_MS = 1_000;
const ANSWER_WITHIN_MS = 1_000;

/** The database refuses writes: no connection was taken. */
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
  /** When the pool was last asked whether writes are accepted. */
  asked: number;
  /** Resolves when writes are accepted; undefined while they are. */
  over: Promise<void> | undefined;
  /** How often writes have been refused. Connections that were taken before the last time are closed. */
  count: number;
}

const refusals = new WeakMap<pg.Pool, Refusal>();

/** Whether the database of the pool refuses writes, as far as is known. */
export function isReadOnly(pool: pg.Pool): boolean {
  return refusals.get(pool)?.over !== undefined;
}

/** How often the database of the pool has been found to refuse writes. */
export function refusalCount(pool: pg.Pool): number {
  return refusals.get(pool)?.count ?? 0;
}

/** Resolves at once if the database of the pool accepts writes, as far as is known, else when it does again. */
export async function whenWritable(pool: pg.Pool): Promise<void> {
  await refusals.get(pool)?.over;
}

/** Records an error of a statement, if it is the refusal of a write. */
export function noteIfReadOnly(pool: pg.Pool, error: unknown): void {
  if (!isReadOnlyError(error) || isReadOnly(pool)) return;
  const { asked = 0, count = 0 } = refusals.get(pool) ?? {};
  const refusal: Refusal = { asked, count: count + 1, over: undefined };
  refusals.set(pool, refusal);
  refusal.over = untilWritable(pool, refusal).finally(() => {
    refusal.over = undefined;
  });
}

/** Asks whether the database accepts writes on a connection of `probe`, and records it for `pool` if it does not. */
export async function findReadOnly(pool: pg.Pool, probe: pg.Pool): Promise<boolean> {
  if (isReadOnly(pool)) return true;
  // The first connection may be older than a failover. It is closed then, so that the second is a new one.
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

/** Whether the database accepts writes, asked on a connection of the pool. One on which they are refused is closed. */
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
