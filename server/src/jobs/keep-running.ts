import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeWorkerUtils, type Runner, type RunnerOptions, run, type WorkerEvents } from 'graphile-worker';
import type { Logger } from 'pino';

const PAUSE_MS = 500;

/** Otherwise the library waits for nobody while it writes down how a job ended, and its failure would end the process. */
const WRITES_DOWN = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

/**
 * Runs graphile-worker until it is stopped, each time with the events of the options. It ends by itself when it cannot write down how a job ended, as when the
 * database goes away; then the jobs that it held are let go, to be done again, and another runner begins.
 */
export async function keepRunning(options: RunnerOptions, logger: Logger): Promise<{ stop(): Promise<void> }> {
  let stopping = false;
  let current = await begin(options);
  const watch = async () => {
    while (!stopping) {
      await current.runner.promise.catch(() => undefined);
      if (stopping) return;
      logger.warn('the background jobs have stopped; starting them again');
      const next = await beginAgain(options, current.holders, logger, () => stopping);
      if (next && stopping) await next.runner.stop();
      else if (next) current = next;
    }
  };
  const watching = watch();
  return {
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
  holders: string[];
}

async function begin(options: RunnerOptions): Promise<Run> {
  const events: WorkerEvents = options.events ?? new EventEmitter();
  const holders: string[] = [];
  const note = ({ workerPool }: { workerPool: { id: string } }) => holders.push(workerPool.id);
  events.on('pool:create', note);
  const runner = await run({ ...options, events, preset: WRITES_DOWN }).finally(() => events.off('pool:create', note));
  return { runner, holders };
}

/** Begins as soon as the database lets it. Nothing when that is no longer wanted. */
async function beginAgain(options: RunnerOptions, holders: string[], logger: Logger, unwanted: () => boolean) {
  while (!unwanted()) {
    try {
      await letGo(options, holders);
      return await begin(options);
    } catch (cause) {
      logger.warn({ cause }, 'the background jobs cannot start yet');
      await sleep(PAUSE_MS);
    }
  }
  return undefined;
}

/** Jobs that a runner held which is no more may be done by others at once, and not only when their leases have run out. */
async function letGo({ pgPool, connectionString, logger }: RunnerOptions, holders: string[]): Promise<void> {
  const utils = await makeWorkerUtils({ ...(pgPool ? { pgPool } : { connectionString, maxPoolSize: 1 }), logger });
  try {
    await utils.forceUnlockWorkers(holders);
  } finally {
    await utils.release();
  }
}
