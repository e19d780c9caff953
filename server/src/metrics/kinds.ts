import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
type Package = typeof import('prom-client');

/**
 * Loaded from single files, because the whole package loads OpenTelemetry, which is fifty modules, for one of its
 * default metrics.
 */
export const Counter = require('prom-client/lib/counter.js') as Package['Counter'];
export const Gauge = require('prom-client/lib/gauge.js') as Package['Gauge'];
export const Histogram = require('prom-client/lib/histogram.js') as Package['Histogram'];
export const Registry = require('prom-client/lib/registry.js') as Package['Registry'];

/** Metrics of this process's jobs and payments. /metrics shows them together with the metrics of requests. */
export const processRegistry = new Registry();

/** A registry that merges the registries of the processes that this process has started. */
export function clusterRegistry(): InstanceType<Package['AggregatorRegistry']> {
  return new (require('prom-client/lib/cluster.js') as Package['AggregatorRegistry'])();
}

/** Sends the metrics of registries to the process that has started this one, whenever it asks. */
export function answerPrimary(registries: InstanceType<typeof Registry>[]): void {
  (require('prom-client/lib/cluster.js') as Package['AggregatorRegistry']).setRegistries(registries);
  clusterRegistry();
}

type Settings = Parameters<Package['collectDefaultMetrics']>[0];

/** Collects the default metrics of the process. Loads the whole package. */
export function collectDefaultMetrics(settings: Settings): void {
  (require('prom-client') as Package).collectDefaultMetrics(settings);
}
