import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import type { Logger } from 'pino';
import { type Config, ConfigError } from '../config.ts';
import { mergedMetrics } from '../http/operators/merged-metrics.ts';
import { createLogger } from '../http/pipeline/log.ts';
import { prepareOnceWritable } from './check-schema.ts';
import { listen } from './listen.ts';

const START_AGAIN_MS = 1_000;

/** Throws a ConfigError if these settings do not allow several processes on this machine. */
export function refuseMany(processes: number, config: Config): void {
  const given = `start --processes ${processes}`;
  const mistakes: string[] = [];
  if (!config.redisUrl) {
    mistakes.push(
      `${given} needs REDIS_URL: without Redis, each process counts rate limits separately, which multiplies them. Set it, or start one process.`,
    );
  }
  if (!config.databaseUrl) {
    mistakes.push(`${given} needs DATABASE_URL: the embedded database belongs to one process.`);
  }
  if (config.role === 'worker') {
    mistakes.push(`${given} needs ROLE=api or all: the processes share PORT, and only one of them runs jobs.`);
  }
  if (config.metricsToken && !config.metricsPort) {
    mistakes.push(
      `${given} needs METRICS_PORT in addition to METRICS_TOKEN: on PORT, a scraper reaches only one of the processes.`,
    );
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes);
}

/**
 * Runs several processes that share PORT (node:cluster). The first one runs the jobs, with ROLE=all, and the listener
 * for operators. A process that ends is started again. This process migrates, and serves the metrics of all of them.
 */
export async function startMany(processes: number, config: Config): Promise<void> {
  const logger = createLogger(config.logLevel);
  for (const warning of config.warnings) logger.warn(warning);
  const { databaseUrl: url = '', databaseDirectUrl: directUrl = url } = config;
  await prepareOnceWritable({ url, directUrl }, config, (sentence) => logger.warn(sentence));
  const children = new Children(config.port, logger);
  children.endWithSignals();
  try {
    // One after another: the first one may create keys that the others read.
    for (let place = 0; place < processes; place += 1) await children.start(place);
    if (config.metricsPort) await exposeMetrics(config, config.metricsPort);
  } catch (error) {
    await children.stop('SIGTERM', 1);
    throw error;
  }
  logger.info({ port: config.port, role: config.role, processes }, 'listening');
}

class Children {
  readonly #port: number;
  readonly #logger: Logger;
  #ending = false;
  #code = 0;

  constructor(port: number, logger: Logger) {
    this.#port = port;
    this.#logger = logger;
  }

  /** Starts the process with this number, and resolves when it serves requests. Throws if it ends before that. */
  async start(place: number): Promise<void> {
    if (this.#ending) return;
    // The first process keeps ROLE and OPERATOR_PORT.
    const worker = cluster.fork({ MIGRATE: 'off', ...(place > 0 && { ROLE: 'api', OPERATOR_PORT: '' }) });
    const ended = new Promise<number | null>((resolve) => worker.once('exit', resolve));
    const ready = new Promise<'ready'>((resolve) =>
      worker.on('listening', ({ port }) => port === this.#port && resolve('ready')),
    );
    if ((await Promise.race([ready, ended])) === 'ready') {
      void ended.then((code) => this.#replace(place, worker, code));
      return;
    }
    if (!this.#ending) throw new Error('A process of the server did not start.');
  }

  async #replace(place: number, { process: { pid } }: Worker, code: number | null): Promise<void> {
    while (!this.#ending) {
      this.#logger.error({ pid, code }, 'a process of the server has ended; starting another one');
      await sleep(START_AGAIN_MS);
      const started = await this.start(place).then(
        () => true,
        () => false,
      );
      if (started) return;
    }
  }

  /** Stops all processes on SIGTERM or SIGINT. A process that then fails sets the exit code to 1. */
  endWithSignals(): void {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void this.stop(signal));
    cluster.on('exit', (_worker, code) => {
      if (this.#ending && code !== 0) this.#code = 1;
    });
  }

  /** Ends all child processes, and then this process. */
  async stop(signal: NodeJS.Signals, code = 0): Promise<void> {
    const isFirst = !this.#ending;
    this.#ending = true;
    for (const worker of living()) worker.process.kill(signal);
    if (!isFirst) return;
    while (living().length > 0) await once(cluster, 'exit');
    process.exit(this.#code || code);
  }
}

/** The processes that have not ended. */
function living(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined && !worker.isDead()) as Worker[];
}

async function exposeMetrics(config: Config, port: number): Promise<void> {
  const app = express();
  app.disable('x-powered-by');
  app.get('/metrics', mergedMetrics({ open: true, token: config.metricsToken }));
  await listen(app, { ...config, host: config.metricsHost, port });
}
