import type autocannon from 'autocannon';
import type { Size, Violations } from '../testing/proof.ts';

/**
 * Checks the responses to shoppers who read the catalogue under load. Each request must get a response. On an idle
 * machine, where full forms run, every response must be the catalogue; on a busy machine, a server may also ask for a
 * retry.
 */
export function judgeReads(violations: Violations, size: Size, { errors, statusCodeStats }: autocannon.Result): void {
  const counts = Object.entries(statusCodeStats ?? {}).map(([status, { count = 0 }]) => ({ status, count }));
  const served = sumOf(counts.filter(({ status }) => status === '200'));
  const busy = sumOf(counts.filter(({ status }) => status === '503'));
  const other = sumOf(counts) - served - busy;
  if (errors > 0) violations.add(`${errors} catalogue reads got no response`);
  if (other > 0) violations.add(`${other} catalogue reads got neither 200 nor 503`);
  if (served === 0) violations.add('no catalogue read got 200');
  if (size === 'full' && busy > 0)
    violations.add(`${busy} catalogue reads got 503, although the load allows all of them`);
}

function sumOf(counts: { count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}
