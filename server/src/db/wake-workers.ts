import type pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';

/**
 * Wakes the workers of graphile-worker once jobs are committed. The transaction that adds a job sends no NOTIFY itself: commits
 * with a NOTIFY wait for each other across the whole database, including the flush to disk. If the message gets lost, workers
 * find the jobs when they look next, within two seconds.
 */

/** The code of the notice by which `commerce.add_jobs` reports how many jobs it has added. */
const JOBS_ADDED = 'CJ001';

const added = new WeakMap<object, number>();

/** To be called once for each new connection. */
export function countAddedJobs(connection: pg.PoolClient): void {
  connection.on('notice', ({ code, detail }) => {
    if (code === JOBS_ADDED) added.set(connection, (added.get(connection) ?? 0) + Number(detail));
  });
}

/** How many jobs the transaction that ends has added. Must be called at its end, also when it is rolled back. */
export function takeAddedJobs(connection: pg.PoolClient): number {
  const jobs = added.get(connection) ?? 0;
  if (jobs > 0) added.delete(connection);
  return jobs;
}

/**
 * How long the first of some jobs waits for others, and how long those wait that come soon after a message: under load one
 * message, which is a transaction of its own, stands for the jobs of many requests.
 */
const GATHER_MS = 5;
const PAUSE_MS = 100;

interface Waking {
  /** Jobs that no message has told of yet. */
  jobs: number;
  timer: NodeJS.Timeout | undefined;
  /** When the last message was sent, on the clock of the process. */
  sent: number;
}

const wakings = new WeakMap<pg.Pool, Waking>();

/** Sends the message for which graphile-worker's `add_jobs` would use NOTIFY. */
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
