/**
 * Wakes graphile-worker's workers after jobs were committed. The transaction that adds a job does not use NOTIFY,
 * because commits with a NOTIFY run one after the other in the whole database, including the flush to disk. If a
 * wake-up is lost, workers find the jobs within two seconds by polling.
 */

import type pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';

/** SQLSTATE of the notice in which `commerce.add_jobs` reports the number of added jobs. */
const JOBS_ADDED = 'CJ001';

const added = new WeakMap<object, number>();

/** Starts counting the jobs that transactions of a connection add. Call it once per new connection. */
export function countAddedJobs(connection: pg.PoolClient): void {
  connection.on('notice', ({ code, detail }) => {
    if (code === JOBS_ADDED) added.set(connection, (added.get(connection) ?? 0) + Number(detail));
  });
}

/**
 * Returns the number of jobs that the transaction has added, and resets it. Call it when the transaction ends, even
 * after a rollback.
 */
export function takeAddedJobs(connection: pg.PoolClient): number {
  const jobs = added.get(connection) ?? 0;
  if (jobs > 0) added.delete(connection);
  return jobs;
}

/**
 * Time to wait for more jobs before a wake-up. A wake-up is a separate transaction, so under load one should serve many
 * requests.
 */
const GATHER_MS = 5;
const PAUSE_MS = 100;

interface Waking {
  /** Number of jobs without a wake-up yet. */
  jobs: number;
  timer: NodeJS.Timeout | undefined;
  /** Time of the last wake-up, by `performance.now()`. */
  sent: number;
}

const wakings = new WeakMap<pg.Pool, Waking>();

/** Sends the NOTIFY that graphile-worker's own `add_jobs` would send. */
export function wakeWorkers(pool: pg.Pool, jobs: number, send: (statement: Sql) => Promise<unknown>): void {
  const waking = wakings.get(pool) ?? { jobs: 0, timer: undefined, sent: Number.NEGATIVE_INFINITY };
  wakings.set(pool, waking);
  waking.jobs += jobs;
  if (waking.timer) return;
  const pause = waking.sent + PAUSE_MS - performance.now();
  waking.timer = setTimeout(
    () => {
      const count = waking.jobs;
      Object.assign(waking, { jobs: 0, timer: undefined, sent: performance.now() });
      if (pool.ended) return;
      send(sql`select pg_notify('jobs:insert', json_build_object('count', ${count}::int)::text)`).catch(
        () => undefined,
      );
    },
    Math.max(GATHER_MS, pause),
  );
  waking.timer.unref();
}
