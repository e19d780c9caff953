import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  makeWorkerUtils,
  type Runner,
  type RunnerOptions,
  run,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker';
import type { Logger } from 'pino';

const PAUSE_MS = 500;

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
 * the database, its locked jobs are unlocked to run again, and another runner starts. `announce` is called with the
 * name under which each runner locks jobs, and `onError` with each error of its statements.
 */
export async function keepRunning(
  options: RunnerOptions,
  logger: Logger,
  announce: (holder: string) => void = () => undefined,
  onError: (error: unknown) => void = () => undefined,
): Promise<Kept> {
  let stopping = false;
  const watcher = { announce, onError };
  let current = await begin(options, watcher);
  const watch = async () => {
    while (!stopping) {
      await current.runner.promise.catch(() => undefined);
      if (stopping) return;
      logger.warn('the background jobs have stopped; starting them again');
      const next = await beginAgain(options, current.pools, logger, { ...watcher, unwanted: () => stopping });
      if (next && stopping) await next.runner.stop();
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
      // This rejects if the runner has just ended.
      await current.runner.stop().catch(() => undefined);
      await watching;
    },
  };
}

interface Run {
  runner: Runner;
  /** The worker pools, which know the names under which the runner locks jobs. */
  pools: WorkerPool[];
}

interface Watcher {
  announce: (holder: string) => void;
  onError: (error: unknown) => void;
}

async function begin(options: RunnerOptions, { announce, onError }: Watcher): Promise<Run> {
  const events = new EventEmitter() as WorkerEvents;
  const pools: WorkerPool[] = [];
  events.on('pool:create', ({ workerPool }) => {
    pools.push(workerPool);
    announce(workerPool.id);
  });
  for (const event of ['worker:getJob:error', 'worker:fatalError', 'job:error'] as const) {
    events.on(event, ({ error }) => onError(error));
  }
  return { runner: await run({ ...options, events, preset: AWAIT_COMPLETION }), pools };
}

/** Starts a runner once the database is reachable. Returns undefined if it was stopped meanwhile. */
async function beginAgain(
  options: RunnerOptions,
  pools: WorkerPool[],
  logger: Logger,
  { unwanted, ...watcher }: Watcher & { unwanted: () => boolean },
) {
  while (!unwanted()) {
    try {
      await releaseLeases(options, pools);
      return await begin(options, watcher);
    } catch (cause) {
      watcher.onError(cause);
      logger.warn({ cause }, 'the background jobs cannot start yet');
      await sleep(PAUSE_MS);
    }
  }
  return undefined;
}

/** Unlocks the jobs of a runner that has ended, so that others can run them before their locks expire. */
async function releaseLeases({ connectionString, logger }: RunnerOptions, pools: WorkerPool[]): Promise<void> {
  const utils = await makeWorkerUtils({ connectionString, maxPoolSize: 1, logger });
  try {
    await utils.forceUnlockWorkers(pools.map(({ id }) => id));
  } finally {
    await utils.release();
  }
}
