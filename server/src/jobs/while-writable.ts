import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { isReadOnly, isReadOnlyError, noteIfReadOnly, whenWritable } from '../db/read-only.ts';
import { isUnreachable } from '../db/transaction.ts';
import type { Jobs } from './run.ts';

const LOOK_EVERY_MS = 500;
const START_AGAIN_MS = 1_000;

/**
 * Keeps the background jobs running, and stops them and their connections while the database rejects writes. `db` is
 * the pool for which rejected writes are recorded. Resolves after the first attempt to start the jobs. If the database
 * is read-only or unreachable at that time, further attempts follow. Throws if the first attempt fails for another
 * reason.
 */
export async function runWhileWritable(db: pg.Pool, logger: Logger, start: () => Promise<Jobs>): Promise<Jobs> {
  const ending = new AbortController();
  const { signal } = ending;
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
  let jobs = await startIfPossible(db, start);
  const startAgain = async (): Promise<Jobs | undefined> => {
    while (!signal.aborted) {
      await Promise.race([whenWritable(db), ended(signal)]);
      const started = await startIfPossible(db, start).catch((cause: unknown) => {
        logger.warn({ cause }, 'the background jobs cannot start yet');
      });
      if (started) return started;
      await pause(START_AGAIN_MS);
    }
    return undefined;
  };
  const watch = async () => {
    while (!signal.aborted) {
      if (jobs && !isReadOnly(db)) {
        await pause(LOOK_EVERY_MS);
        continue;
      }
      logger.warn('the background jobs wait until the database accepts writes');
      await jobs?.stop().catch((cause: unknown) => logger.debug({ cause }, 'a background job could not be stopped'));
      jobs = await startAgain();
      if (jobs) logger.info('the background jobs run again');
    }
  };
  const watching = watch();
  return {
    async stop() {
      ending.abort();
      await watching;
      await jobs?.stop();
    },
  };
}

/** Starts the jobs. Returns undefined if the database rejects writes or is unreachable. */
async function startIfPossible(db: pg.Pool, start: () => Promise<Jobs>): Promise<Jobs | undefined> {
  try {
    return await start();
  } catch (error) {
    if (!isReadOnlyError(error) && !isUnreachable(error)) throw error;
    noteIfReadOnly(db, error);
    return undefined;
  }
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
