import type pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';

/**
 * Wakes the workers of graphile-worker once jobs are committed. The transaction that adds a job sends no NOTIFY itself:
 * commits with a NOTIFY wait for each other across the whole database, including the flush to disk. If the message is
 * lost, workers find the jobs within two seconds by polling.
 */

/** SQLSTATE of the notice in which `commerce.add_jobs` reports how many jobs it added. */
const JOBS_ADDED = 'CJ001';

const added = new WeakMap<object, number>();

/** Counts the jobs that the transactions of a new connection add. Call it once per connection. */
export function countAddedJobs(connection: pg.PoolClient): void {
  connection.on('notice', ({ code, detail }) => {
    if (code === JOBS_ADDED) added.set(connection, (added.get(connection) ?? 0) + Number(detail));
  });
}

/** The number of jobs that the ending transaction has added. Call it at the end, even after a rollback. */
export function takeAddedJobs(connection: pg.PoolClient): number {
  const jobs = added.get(connection) ?? 0;
  if (jobs > 0) added.delete(connection);
  return jobs;
}

/**
 * How long the first of several jobs waits for others, and how long jobs wait that follow soon after a message. Under
 * load, one message, which is a separate transaction, serves the jobs of many requests.
 */
const GATHER_MS = 5;
const PAUSE_MS = 100;

interface Waking {
  /** The number of jobs that were not announced yet. */
  jobs: number;
  timer: NodeJS.Timeout | undefined;
  /** Time of the last message, on the clock of the process. */
  sent: number;
}

const wakings = new WeakMap<pg.Pool, Waking>();

/** Sends the message for which graphile-worker's `add_jobs` uses NOTIFY. */
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
