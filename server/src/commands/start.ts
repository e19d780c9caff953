import { setFlagsFromString } from 'node:v8';
import type { Config } from '../config.ts';
import { drainOnSignal } from '../drain.ts';
import { createLogger } from '../http/pipeline/log.ts';
import { once } from '../once.ts';
import { announce } from './announce.ts';
import { prepareOnceWritable } from './check-schema.ts';
import { openDatabase } from './database.ts';
import { lacksMails, SET_SMTP } from './mail-transport.ts';
import type { Stop } from './serve.ts';

/**
 * Runs the server until a signal stops it. If the start fails, for example because a port is in use, stops everything
 * that was already started. `isOneOfMany`: another process has started this one (start-many.ts).
 */
export async function start(config: Config, { isOneOfMany = false } = {}): Promise<void> {
  // By default, V8 never releases the 20 MB by which its young heap grows during a start.
  setFlagsFromString('--semi-space-growth-factor=1');
  const logger = createLogger(config.logLevel);
  for (const warning of config.warnings) logger.warn(warning);
  if (lacksMails(config)) throw new Error(`Mails would not be sent. ${SET_SMTP}`);
  // Parts are stopped in reverse order.
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
    const prepared = prepareOnceWritable(database, config, onWait);
    const [{ serve, runJobs }] = await Promise.all([loadServe(), prepared]);
    const started = { config, isOneOfMany, logger, database, readiness, stops };
    const serving = await serve(started);
    const { server, metrics } = serving;
    drainOnSignal({ server, readiness, stops, logger, drainSeconds: config.drainSeconds });
    const announced = isOneOfMany ? Promise.resolve() : announce(started, serving);
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

/** Loads the modules that take half of the startup time, while the embedded PostgreSQL starts. */
const loadServe = once(() => import('./serve.ts'));
