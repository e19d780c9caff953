import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/**
 * A database that was demoted or set to read-only refuses every write with SQLSTATE 25006. After the first refusal the
 * process takes no connections for its work, closes the existing ones, and checks once a second on a new one whether
 * writes are accepted again: the address may lead to another server by then.
 */
const READ_ONLY = '25006';
const ASK_AGAIN_MS = 1_000;
const ANSWER_WITHIN_MS = 1_000;

/** The database refuses writes, so no connection was taken. */
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
  /** Resolves when writes are accepted again; undefined while they are. */
  over: Promise<void> | undefined;
  /** The number of refused writes. Connections from before the last one are closed. */
  count: number;
}

const refusals = new WeakMap<pg.Pool, Refusal>();

/** Whether the database of the pool is known to refuse writes. */
export function isReadOnly(pool: pg.Pool): boolean {
  return refusals.get(pool)?.over !== undefined;
}

/** How often the database of the pool refused writes. */
export function refusalCount(pool: pg.Pool): number {
  return refusals.get(pool)?.count ?? 0;
}

/** Resolves at once unless the database of the pool is known to refuse writes, else when it accepts them again. */
export async function whenWritable(pool: pg.Pool): Promise<void> {
  await refusals.get(pool)?.over;
}

/** Records an error if it is the refusal of a write. */
export function noteIfReadOnly(pool: pg.Pool, error: unknown): void {
  if (!isReadOnlyError(error) || isReadOnly(pool)) return;
  const { asked = 0, count = 0 } = refusals.get(pool) ?? {};
  const refusal: Refusal = { asked, count: count + 1, over: undefined };
  refusals.set(pool, refusal);
  refusal.over = untilWritable(pool, refusal).finally(() => {
    refusal.over = undefined;
  });
}

/** Checks on a connection of `probe` whether the database accepts writes, and records it for `pool` if not. */
export async function findReadOnly(pool: pg.Pool, probe: pg.Pool): Promise<boolean> {
  if (isReadOnly(pool)) return true;
  // The first connection may be older than a failover. It is then closed, so that the second is new.
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

/** Whether the database accepts writes on a connection of the pool. Closes one on which it does not. */
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
