import type { RequestHandler } from 'express';
import {
  answerPrimary,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  processRegistry,
  Registry,
} from '../../metrics/kinds.ts';
import type { CatalogueCache } from '../pipeline/cache.ts';
import type { Ended } from '../pipeline/log.ts';
import { gaugeDependencies, type Measured } from './dependency-metrics.ts';
import { exposeText, type MetricsAccess } from './expose-text.ts';

/**
 * Prometheus metrics at /metrics. Requests are labelled with the operation id instead of the path, so the number of
 * time series is limited.
 */
export interface Metrics {
  observe(ended: Ended, seconds: number): void;
  /** Starts to collect process metrics now instead of on the first read. */
  watchProcess(): void;
  expose(access: MetricsAccess): RequestHandler;
  /** Sends the metrics to the process that has started this one, whenever it asks. */
  answerPrimary(): void;
}

export interface MetricsDeps extends Measured {
  cache?: CatalogueCache;
}

export function createMetrics({ cache, ...measured }: MetricsDeps): Metrics {
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
  const standbyReads = new Counter({
    name: 'standby_reads_total',
    help: 'Uncached catalogue reads that were tried on a standby, by result',
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
  gaugeDependencies(measured, registers);
  return {
    observe({ request: { context }, status, headers }, seconds) {
      const { operation, protocol, cached: fromCache, standby } = context;
      duration.observe({ operation: operation?.id ?? protocol ?? 'none', status }, seconds);
      if (operation && protocol) protocolCalls.inc({ protocol, operation: operation.id, status });
      if (fromCache !== undefined) cached.inc({ result: fromCache ? 'hit' : 'miss' });
      if (standby !== undefined) standbyReads.inc({ result: standby });
      if (headers['idempotency-replayed'] !== undefined) replayed.inc();
    },
    watchProcess,
    expose: (access) =>
      exposeText(access, () => {
        watchProcess();
        return Registry.merge([registry, processRegistry]).metrics();
      }),
    answerPrimary: () => answerPrimary([registry, processRegistry]),
  };
}
