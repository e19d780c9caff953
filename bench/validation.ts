import { operationTable } from '../server/src/http/contract/contract.ts';
import { type Load, median, medians, type Rate, ratiosOf, roundsOf, turnsOf } from './load.ts';
import { startFile, stop } from './processes.ts';
import { report, table, whole } from './report.ts';

const FEW = 10;

/**
 * Measures the cost of validation: compares a bare Express route with the same route with validation, once with few and
 * once with all operations mounted.
 */
export async function validation(load: Load): Promise<void> {
  const all = operationTable.length;
  const servers = await Promise.all(
    ['bare', String(FEW), String(all)].map((mode) => startFile('validation-server.ts', [mode])),
  );
  const [bare, few, many] = servers.map(({ url }) => ({
    url: `${url}/api/storefront/products?limit=20&in_stock=true`,
    headers: { 'X-Site-ID': crypto.randomUUID(), 'X-Service-Token': 'stk_none' },
  }));
  if (!bare || !few || !many) throw new Error('A server is missing.');
  try {
    // Uses many short rounds, so that the measurements to compare are close together in time.
    const often = { ...load, seconds: Math.max(1, load.seconds / 4), rounds: load.rounds * 4 };
    const rounds = await roundsOf(turnsOf({ bare, few, many }, often), often);
    const row = (name: string, rates: Rate[]) => {
      const { requests, p50, p99 } = medians(rates);
      return [name, whole(requests), percentages(ratiosOf(rates, rounds.bare)), p50, p99];
    };
    const rows = [
      row('bare Express 5', rounds.bare),
      row(`with validation, ${FEW} operations mounted`, rounds.few),
      row(`with validation, all ${all} operations mounted`, rounds.many),
    ];
    await report('validation', undefined, [
      ...table(['Route', 'requests/s', 'of bare', 'p50 ms', 'p99 ms'], rows),
      '',
      `All operations against ${FEW}: ${percentages(ratiosOf(rounds.many, rounds.few))}.`,
    ]);
  } finally {
    await stop(...servers);
  }
}

/** Formats the median of the rounds and their interquartile range. */
function percentages(ratios: number[]): string {
  const sorted = ratios.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN) * 100);
  const spread = at(0.25) === at(0.75) ? '' : ` (${at(0.25)} to ${at(0.75)})`;
  return `${Math.round(median(sorted) * 100)} %${spread}`;
}
