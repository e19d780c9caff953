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

/** Otherwise the library waits for nobody while it writes down how a job ended, and its failure would end the process. */
const WRITES_DOWN = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

/** What is kept running. */
export interface Kept {
  /** Has so many idle workers look for a job now. Throws while they are ending. */
  wake(workers: number): void;
  stop(): Promise<void>;
}

/**
 * Runs graphile-worker until it is stopped. It ends by itself when it cannot write down how a job ended, as when the
 * database goes away; then the jobs that it held are let go, to be done again, and another runner begins. `announce` is told the name
 * under which each runner holds jobs.
 */
export async function keepRunning(
  options: RunnerOptions,
  logger: Logger,
  announce: (holder: string) => void = () => undefined,
): Promise<Kept> {
  let stopping = false;
  let current = await begin(options, announce);
  const watch = async () => {
    while (!stopping) {
      await current.runner.promise.catch(() => undefined);
      if (stopping) return;
      logger.warn('the background jobs have stopped; starting them again');
      const next = await beginAgain(options, current.pools, logger, { announce, unwanted: () => stopping });
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
      // Rejected when it has ended by itself in this moment.
      await current.runner.stop().catch(() => undefined);
      await watching;
    },
  };
}

interface Run {
  runner: Runner;
  /** Under whose names the runner holds jobs. */
  pools: WorkerPool[];
}

async function begin(options: RunnerOptions, announce: (holder: string) => void): Promise<Run> {
  const events = new EventEmitter() as WorkerEvents;
  const pools: WorkerPool[] = [];
  events.on('pool:create', ({ workerPool }) => {
    pools.push(workerPool);
    announce(workerPool.id);
  });
  return { runner: await run({ ...options, events, preset: WRITES_DOWN }), pools };
}

/** Begins as soon as the database lets it. Nothing when that is no longer wanted. */
async function beginAgain(
  options: RunnerOptions,
  pools: WorkerPool[],
  logger: Logger,
  { announce, unwanted }: { announce: (holder: string) => void; unwanted: () => boolean },
) {
  while (!unwanted()) {
    try {
      await releaseLeases(options, pools);
      return await begin(options, announce);
    } catch (cause) {
      logger.warn({ cause }, 'the background jobs cannot start yet');
      await sleep(PAUSE_MS);
    }
  }
  return undefined;
}

/** Jobs that a runner held which is no more may be done by others at once, and not only when their leases have run out. */
async function releaseLeases({ connectionString, logger }: RunnerOptions, pools: WorkerPool[]): Promise<void> {
  const utils = await makeWorkerUtils({ connectionString, maxPoolSize: 1, logger });
  try {
    await utils.forceUnlockWorkers(pools.map(({ id }) => id));
  } finally {
    await utils.release();
  }
}
