import { makeWorkerUtils, type RunnerOptions } from 'graphile-worker';
import type { Logger } from 'pino';

/**
 * graphile-worker is told of new jobs, but those whose time comes later are found by polling alone, each worker for itself.
 * Hundreds of workers cannot poll often; here one statement asks for all of them.
 */
const EVERY_MS = 500;
/** Jobs that are due one shortly after the other are woken together. */
const SHORTEST_MS = 50;
/**
 * The one place that reads private tables of graphile-worker, as they are in 0.18.0: look here when its version changes.
 * Its public view `jobs` hides `is_available`, without which the index of the available jobs is not used. That index begins
 * with the priority, so that what is due later is not even looked at.
 */
const DUE_SOON = `select count(*) filter (where run_at <= now())::int as due,
    extract(epoch from min(run_at) filter (where run_at > now()) - now())::float8 * 1000 as next_ms
  from (
    select run_at from graphile_worker._private_jobs
    where is_available and priority = any('{0,1}') and run_at <= now() + $3::int * interval '1 millisecond'
      and task_id = (select id from graphile_worker._private_tasks where identifier = $1)
    order by run_at limit $2
  ) as soon`;

interface DueSoon {
  due: number;
  /** Until the nearest of the others, if that is due before the next look. */
  next_ms: number | null;
}

export interface DueJobs {
  /** The task of the jobs, whose priority is 0, or 1 for those that let others go first. */
  task: string;
  /** More are not counted. */
  most: number;
  /** Has so many workers look for a job. */
  wake(workers: number): void;
}

/** Wakes workers when jobs are due. Answers how to end that. */
export async function wakeWhenDue(
  { connectionString, logger: jobLogger }: RunnerOptions,
  logger: Logger,
  { task, most, wake }: DueJobs,
): Promise<() => Promise<void>> {
  const queue = await makeWorkerUtils({ connectionString, logger: jobLogger, maxPoolSize: 1 });
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
      const values = [task, most, EVERY_MS];
      const { rows } = await queue.withPgClient((client) => client.query<DueSoon>(DUE_SOON, values));
      const { due = 0, next_ms = null } = rows[0] ?? {};
      wait_ms = Math.max(next_ms ?? EVERY_MS, SHORTEST_MS);
      if (due > 0) wake(due);
    } catch (cause) {
      // The database is away, or the workers are just ending; both pass.
      logger.debug({ cause }, 'due jobs could not be looked for');
    }
    lookIn(wait_ms);
  };
  lookIn(EVERY_MS);
  return async () => {
    // Cleared after the last look, which would set it anew.
    await looking;
    clearTimeout(timer);
    await queue.release();
  };
}
