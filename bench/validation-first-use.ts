/** Prints the validation cost of the first request of each operation. Run with --expose-gc. */

import { operationTable } from '../server/src/http/contract/contract.ts';
import { contractMistakes } from '../server/src/http/contract/validate.ts';
import { median } from './load.ts';

export interface FirstUse {
  /** The CPU time of the first request of the process. */
  process_ms: number;
  /** The median CPU time of the first requests of all remaining operations. */
  median_ms: number;
  most_ms: number;
  all_ms: number;
  heap_mb: number;
  resident_mb: number;
}

const before = memory();
const [first = 0, ...others] = operationTable.map((operation) => {
  const started = process.threadCpuUsage();
  contractMistakes(operation, { query: {}, headers: {}, params: {}, body: {} });
  const { user, system } = process.threadCpuUsage(started);
  return (user + system) / 1_000;
});
const after = memory();
const used: FirstUse = {
  process_ms: first,
  median_ms: median(others),
  most_ms: Math.max(...others),
  all_ms: others.reduce((sum, one) => sum + one, first),
  heap_mb: after.heapUsed - before.heapUsed,
  resident_mb: after.rss - before.rss,
};
process.stdout.write(JSON.stringify(used));

function memory() {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapUsed: heapUsed / 2 ** 20, rss: rss / 2 ** 20 };
}
