/**
 * Wakes workers for jobs that become due. graphile-worker is notified of new jobs, but each worker finds jobs that
 * become due later only by polling. Hundreds of workers cannot poll often, so here one statement polls for all of them.
 */

import type { RunnerOptions } from 'graphile-worker';
import type { Logger } from 'pino';
import { openQueuePool } from './queue-pool.ts';

const EVERY_MS = 500;
/** Shortest pause, so that workers for jobs that become due shortly after each other are woken together. */
const SHORTEST_MS = 50;
/**
 * The due jobs. Reads private tables of graphile-worker 0.18.0, so check this query when the version of graphile-worker
 * changes. The public view `jobs` lacks `is_available`, without which the index of available jobs is not used. That
 * index begins with the priority, so later jobs are not even read.
 */
const DUE_SOON = `select count(*) filter (where run_at <= now())::int as due,
    extract(epoch from min(run_at) filter (where run_at > now()) - now())::float8 * 1000 as next_ms
  from (
    select run_at from graphile_worker._private_jobs
    where is_available and priority = any('{0,1}') and run_at <= now() + $3::int * interval '1 millisecond'
      and task_id = any(array(select id from graphile_worker._private_tasks where identifier = any($1)))
    order by run_at limit $2
  ) as soon`;

interface DueSoon {
  due: number;
  /** Milliseconds until the next job becomes due, if that is before the next poll. */
  next_ms: number | null;
}

export interface DueJobs {
  /** The task names of the jobs. Their priority is 0, or 1 if they may wait for others. */
  tasks: string[];
  /** Maximum number of jobs to count. */
  most: number;
  /** Makes this many idle workers look for a job. */
  wake(workers: number): void;
}

/** Wakes workers when jobs become due. Returns a function that stops the polling. */
export function wakeWhenDue(
  { connectionString }: RunnerOptions,
  logger: Logger,
  { tasks, most, wake }: DueJobs,
): () => Promise<void> {
  const queue = openQueuePool({ connectionString, maxPoolSize: 1 });
  let timer: NodeJS.Timeout;
  let looking = Promise.resolve();
  const lookIn = (wait_ms: number) => {
    timer = setTimeout(() => {
      looking = look();
    }, wait_ms);
  };
  const look = async () => {
    let wait_ms = EVERY_MS;
    try {
      const values = [tasks, most, EVERY_MS];
      const { rows } = await queue.query<DueSoon>(DUE_SOON, values);
      const { due = 0, next_ms = null } = rows[0] ?? {};
      wait_ms = Math.max(next_ms ?? EVERY_MS, SHORTEST_MS);
      if (due > 0) wake(due);
    } catch (cause) {
      // The database is unreachable, or the workers are stopping; both are temporary.
      logger.debug({ cause }, 'the search for due jobs failed');
    }
    lookIn(wait_ms);
  };
  lookIn(EVERY_MS);
  return async () => {
    // The timer is cleared after the last poll, which would otherwise set it again.
    await looking;
    clearTimeout(timer);
    await queue.end();
  };
}
