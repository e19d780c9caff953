import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Config } from '../config.ts';
import type { MigrationWait } from '../db/migration-lock.ts';
import { isReadOnlyError } from '../db/read-only.ts';
import { drainOnSignal } from '../drain.ts';
import { createLogger } from '../http/pipeline/log.ts';
import { once } from '../once.ts';
import { announce } from './announce.ts';
import { openDatabase } from './database.ts';
import { prepareSchema } from './schema.ts';
import type { Stop } from './serve.ts';

/**
 * Runs the server until a signal stops it. If the start fails (because a port is in use, or the database rejects the
 * connection), everything that was already started is stopped again.
 */
export async function start(config: Config): Promise<void> {
  // V8 would never release the young heap that grows during a start, which is 20 MB.
  setFlagsFromString('--semi-space-growth-factor=1');
  const logger = createLogger(config.logLevel);
  for (const warning of config.warnings) logger.warn(warning);
  if (config.production && !config.smtpUrl) logger.warn('SMTP_URL is not set: mails are written to files, not sent.');
  // What was started last is stopped first.
  const stops: Stop[] = [];
  const readiness = { draining: false };
  try {
    if (config.tracing) {
      const { openTracing } = await import('../tracing/open-tracing.ts');
      stops.unshift(await openTracing(config.tracing));
    }
    const database = await openDatabase(config, (sentence) => logger.debug(sentence), loadServe);
    stops.unshift(database.stop);
    const onWait = (sentence: string) => logger.warn(sentence);
    const prepared = prepareOnceWritable(database.directUrl, { onWait, seconds: config.migrationWaitSeconds });
    const [{ serve, runJobs }] = await Promise.all([loadServe(), prepared]);
    const started = { config, logger, database, readiness, stops };
    const serving = await serve(started);
    const { server, metrics } = serving;
    drainOnSignal({ server, readiness, stops, logger, drainSeconds: config.drainSeconds });
    const announced = announce(started, serving);
    // A signal may arrive while the announcement still uses the database.
    stops.unshift(() => announced.catch(() => undefined));
    await announced;
    if (config.role !== 'worker') {
      const { warmUp } = await import('../warm-up.ts');
      await warmUp(metrics);
    }
    if (config.role === 'all' && !readiness.draining) await runJobs(started, serving);
    setFlagsFromString('--semi-space-growth-factor=2');
  } catch (error) {
    readiness.draining = true;
    for (const stop of stops) await stop().catch(() => undefined);
    throw error;
  }
}

/** This takes half of the start, so it happens while the embedded PostgreSQL starts. */
const loadServe = once(() => import('./serve.ts'));

const TRY_AGAIN_MS = 1_000;

/** Prepares the schema. A process that starts during a failover waits until the database accepts writes. */
async function prepareOnceWritable(url: string, wait: Required<MigrationWait>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await prepareSchema(url, wait);
      return;
    } catch (error) {
      if (!isReadOnlyError(error)) throw error;
      if (attempt === 1) wait.onWait('The database is read-only. The server starts when it accepts writes.');
      await sleep(TRY_AGAIN_MS);
    }
  }
}
