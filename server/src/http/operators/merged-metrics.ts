import cluster from 'node:cluster';
import type { RequestHandler } from 'express';
import { clusterRegistry, Gauge, Registry } from '../../metrics/kinds.ts';
import { exposeText, type MetricsAccess } from './expose-text.ts';

/** Serves the combined metrics of all processes that this one has started. */
export function mergedMetrics(access: MetricsAccess): RequestHandler {
  const own = new Registry();
  new Gauge({
    name: 'server_processes',
    help: 'Running processes of the server on this machine',
    registers: [own],
    collect() {
      this.set(Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected()).length);
    },
  });
  const merged = clusterRegistry();
  return exposeText(access, async () => `${await merged.clusterMetrics()}\n${await own.metrics()}`);
}
