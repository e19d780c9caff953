/**
 * Detects that the history of the database differs from the one that this process knew: a standby was promoted, or a
 * backup was restored. Transactions that this process saw committed may then be missing. Waiting for a lost connection
 * is not enough, because connections to a pooler or to a standby survive a promotion. PostgreSQL numbers histories as
 * timelines: the first 8 characters of the name of a WAL file. The newest row of `change_eras` stores the timeline with
 * the number of the era.
 */

import type pg from 'pg';
import sql from 'sql-template-tag';
import { begin, giveBack, query, send, skippedNumbersOf, takeConnection, together } from './connect.ts';
import { noteIfReadOnly } from './read-only.ts';

/**
 * Selects the number of the current era. Transactions include it in their first statement. On another timeline it
 * fails with ANOTHER_HISTORY before anything is written, and on a standby it fails like a write. It is not an SQL
 * function, because PostgreSQL would plan the function on each call.
 */
export const ERA = sql`(select case
        when right(history, 8) = case when pg_is_in_recovery() then '' else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end
        then era else commerce.refuse_history() end
      from commerce.change_eras order by era desc limit 1)`;

const ANOTHER_HISTORY = 'CE001';

export function isAnotherHistory(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === ANOTHER_HISTORY;
}

/**
 * Runs work whose first statement selects ERA. If the database continues another history, begins its era and runs the
 * work again.
 */
export async function inOneHistory<T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isAnotherHistory(error)) throw error;
    await beginEraOnce(pool);
    return work();
  }
}

const beginning = new WeakMap<pg.Pool, Promise<void>>();

/** Requests that detect another history at the same time begin only one era. */
function beginEraOnce(pool: pg.Pool): Promise<void> {
  const running = beginning.get(pool);
  if (running) return running;
  const begun = beginEra(pool).finally(() => beginning.delete(pool));
  beginning.set(pool, begun);
  return begun;
}

/** Begins an era for the current history, unless another process already has. `forced` begins one in any case. */
export async function beginEra(pool: pg.Pool, { forced = false } = {}): Promise<void> {
  const connection = await takeConnection(pool);
  let broken: Error | undefined;
  try {
    await together(
      send(connection, begin(connection)),
      query(connection, sql`call commerce.begin_era(${skippedNumbersOf(pool)}::int, ${forced}::boolean)`),
      send(connection, 'commit'),
    );
  } catch (error) {
    noteIfReadOnly(pool, error);
    broken = error as Error;
    throw error;
  } finally {
    giveBack(connection, broken);
  }
}
