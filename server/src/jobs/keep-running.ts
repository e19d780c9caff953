import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Runner, type RunnerOptions, run, type WorkerEvents, type WorkerPool } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { withClient } from '../db/client.ts';
import type { JobHolder } from './abandoned-jobs.ts';
import { openQueuePool } from './queue-pool.ts';

const PAUSE_MS = 500;
/** Time limit for stopping a runner. Graphile-worker may wait forever for workers that could not complete a job. */
const STOP_MS = 15_000;

/**
 * Makes graphile-worker await the statement that completes a job. Otherwise a failure of that statement would end the
 * process.
 */
const AWAIT_COMPLETION = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

/** A runner of graphile-worker that is kept running. */
export interface Kept {
  /** Makes this many idle workers look for a job now. Throws while they are stopping. */
  wake(workers: number): void;
  stop(): Promise<void>;
}

/**
 * Runs graphile-worker until it is stopped. If a runner ends because it cannot complete a job, for example after losing
 * the database, its locked jobs are unlocked to run again, and another runner starts. `announce` is called with
 * each runner, and `onError` with each error of its statements.
 */
export async function keepRunning(
  options: RunnerOptions,
  logger: Logger,
  announce: (holder: JobHolder) => void = () => undefined,
  onError: (error: unknown) => void = () => undefined,
): Promise<Kept> {
  let stopping = false;
  const watcher = { announce, onError };
  let current = await begin(options, watcher);
  const stopped = Promise.withResolvers<void>();
  const watch = async () => {
    while (!stopping) {
      await Promise.race([current.ended, stopped.promise]);
      if (stopping) return;
      logger.warn('the background jobs have stopped; starting them again');
      await stopInTime(current);
      const next = await beginAgain(options, current.pools, logger, { ...watcher, unwanted: () => stopping });
      if (next && stopping) await stopInTime(next);
      else if (next) current = next;
    }
  };
  const watching = watch();
  return {
    wake(workers) {
      for (const pool of current.pools) pool.nudge(workers);
    },
    async stop() {
      stopping = true;
      stopped.resolve();
      await stopInTime(current);
      await watching;
    },
  };
}

interface Run {
  runner: Runner;
  connections: pg.Pool;
  /** The worker pools. Their ids are the names under which the runner locks jobs. */
  pools: WorkerPool[];
  /** Resolves when the runner stops, or when one of its workers has ended, because the pool does not replace it. */
  ended: Promise<unknown>;
}

async function stopInTime({ runner, connections }: Run): Promise<void> {
  // `stop` rejects if the runner has just ended.
  const stopping = runner.stop().catch(() => undefined);
  await Promise.race([stopping, sleep(STOP_MS, undefined, { ref: false })]);
  // `end` is not awaited, because a job that still runs may hold a connection.
  if (!connections.ending) void connections.end();
}

interface Watcher {
  announce: (holder: JobHolder) => void;
  onError: (error: unknown) => void;
}

async function begin(
  { connectionString, maxPoolSize, ...options }: RunnerOptions,
  { announce, onError }: Watcher,
): Promise<Run> {
  const events = new EventEmitter() as WorkerEvents;
  const pools: WorkerPool[] = [];
  const running = new Set<string>();
  events.on('pool:create', ({ workerPool }) => {
    pools.push(workerPool);
    announce({ name: workerPool.id, running });
  });
  // The ids are numbers, although their type is string, because the server parses int8 as a number.
  events.on('job:start', ({ job }) => running.add(String(job.id)));
  events.on('job:complete', ({ job }) => running.delete(String(job.id)));
  for (const event of ['worker:getJob:error', 'worker:fatalError', 'pool:fatalError', 'job:error'] as const) {
    events.on(event, ({ error }) => onError(error));
  }
  const failed = new Promise((resolve) => events.once('worker:fatalError', resolve));
  // The pool then locks no more jobs, but the runner's promise may stay pending: it waits for running jobs and for
  // completions that failed.
  const closing = new Promise((resolve) => events.once('pool:gracefulShutdown', resolve));
  const connections = openQueuePool({ connectionString, maxPoolSize });
  try {
    const runner = await run({ ...options, pgPool: connections, events, preset: AWAIT_COMPLETION });
    const ended = Promise.race([runner.promise.catch(() => undefined), failed, closing]);
    return { runner, connections, pools, ended };
  } catch (error) {
    void connections.end();
    throw error;
  }
}

/** Starts a runner once the database is reachable. Returns undefined if it was stopped meanwhile. */
async function beginAgain(
  options: RunnerOptions,
  pools: WorkerPool[],
  logger: Logger,
  { unwanted, ...watcher }: Watcher & { unwanted: () => boolean },
) {
  for (let failures = 0; !unwanted(); failures += 1) {
    try {
      await releaseLeases(options, pools);
      return await begin(options, watcher);
    } catch (cause) {
      watcher.onError(cause);
      // Only the first failure is a warning, because a failover takes many attempts.
      logger[failures === 0 ? 'warn' : 'debug']({ cause }, 'the background jobs cannot start yet');
      await sleep(PAUSE_MS);
    }
  }
  return undefined;
}

/** Unlocks the jobs of a runner that has ended, so that others can run them before their locks expire. */
async function releaseLeases({ connectionString }: RunnerOptions, pools: WorkerPool[]): Promise<void> {
  await withClient({ connectionString }, (client) =>
    client.query('select graphile_worker.force_unlock_workers($1::text[])', [pools.map(({ id }) => id)]),
  );
}
