import { hash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { Pool } from 'pg';
import { type JobBacklog, readQueue } from '../../db/queue-state.ts';
import { jobRegistry } from '../../jobs/job-metrics.ts';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '../../jobs/metric-kinds.ts';
import { ShopError } from '../../shop/errors.ts';
import { contextOf } from '../express/context.ts';
import type { CatalogueCache } from '../pipeline/cache.ts';
import { answerTo } from '../pipeline/errors.ts';
import type { Ended } from '../pipeline/log.ts';

/** Who may read the metrics. */
export interface MetricsAccess {
  /** Whether anybody may read the metrics if no token is set. */
  open: boolean;
  /** Bearer token that allows reading them. */
  token: string | undefined;
}

/** Metrics for Prometheus at /metrics. Labels come from the contract, so their number is limited. */
export interface Metrics {
  observe(ended: Ended, seconds: number): void;
  /** Starts the process metrics now. Otherwise they start when they are first read. */
  watchProcess(): void;
  expose(access: MetricsAccess): RequestHandler;
}

export function createMetrics(db: Pool, cache?: CatalogueCache): Metrics {
  const registry = new Registry();
  let watched = false;
  const watchProcess = () => {
    if (!watched) collectDefaultMetrics({ register: registry });
    watched = true;
  };
  const registers = [registry];
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of the request to the last of the answer',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  const cached = new Counter({
    name: 'catalogue_cache_total',
    help: 'Catalogue reads by cache result',
    labelNames: ['result'],
    registers,
  });
  if (cache) {
    new Gauge({
      name: 'catalogue_cache_bytes',
      help: 'Memory that the catalogue cache holds',
      registers,
      collect() {
        this.set(cache.held().bytes);
      },
    });
  }
  const protocolCalls = new Counter({
    name: 'protocol_calls_total',
    help: 'Operations that agents called through another protocol, such as MCP',
    labelNames: ['protocol', 'operation', 'status'],
    registers,
  });
  const replayed = new Counter({
    name: 'idempotent_replays_total',
    help: 'Answers replayed from an idempotency key',
    registers,
  });
  gaugePool(db, registers);
  gaugeQueue(db, registers);
  return {
    observe({ request: { context }, status, headers }, seconds) {
      const { operation, protocol, cached: fromCache } = context;
      duration.observe({ operation: operation?.id ?? protocol ?? 'none', status }, seconds);
      if (operation && protocol) protocolCalls.inc({ protocol, operation: operation.id, status });
      if (fromCache !== undefined) cached.inc({ result: fromCache ? 'hit' : 'miss' });
      if (headers['idempotency-replayed'] !== undefined) replayed.inc();
    },
    watchProcess,
    expose: (access) => async (req, res, next) => {
      if (!access.token && !access.open) return next();
      if (access.token && !bears(req, access.token)) {
        const refusal = new ShopError('unauthorized', 'Send METRICS_TOKEN as a Bearer token.');
        const { status, headers, body } = answerTo(refusal, contextOf(res).request_id);
        res.status(status).set(headers).type('application/json').send(body);
        return;
      }
      watchProcess();
      res.type(registry.contentType).send(await Registry.merge([registry, jobRegistry]).metrics());
    },
  };
}

type Registers = InstanceType<typeof Registry>[];

function gaugePool(db: Pool, registers: Registers): void {
  new Gauge({
    name: 'database_pool_connections',
    help: 'Connections of the pool by state',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'open' }, db.totalCount);
      this.set({ state: 'idle' }, db.idleCount);
      this.set({ state: 'waiting' }, db.waitingCount);
    },
  });
}

/**
 * Reports the job queue whenever the metrics are read. It is in the database, so every process reports the same values.
 * Absent if it cannot be read.
 */
function gaugeQueue(db: Pool, registers: Registers): void {
  let reading: Promise<JobBacklog[]> | undefined;
  // One statement for both metrics.
  const read = () => {
    reading ??= readQueue(db)
      .catch(() => [])
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const gauge = (name: string, help: string, figure: (due: JobBacklog) => number) =>
    new Gauge({
      ...{ name, help, labelNames: ['job'], registers },
      async collect() {
        const queue = await read();
        this.reset();
        for (const due of queue) this.set({ job: due.job }, figure(due));
      },
    });
  gauge('jobs_due', 'Jobs that are due and not started, by name', ({ waiting }) => waiting);
  gauge('jobs_oldest_due_seconds', 'How long the oldest of them has been due', ({ oldest_seconds }) => oldest_seconds);
}

/**
 * Whether the request has the token. Compares hashes, which have the same length, so that the time reveals nothing
 * about the token.
 */
function bears(req: Request, token: string): boolean {
  const [scheme = '', given = ''] = (req.get('Authorization') ?? '').split(' ');
  return (
    scheme.toLowerCase() === 'bearer' &&
    timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', token, 'buffer'))
  );
}
