import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { operationTable } from '../server/src/http/contract/contract.ts';
import { type Load, median, medians, type Rate, ratiosOf, roundsOf, turnsOf } from './load.ts';
import { startFile, stop } from './processes.ts';
import { report, table, whole } from './report.ts';
import type { FirstUse } from './validation-first-use.ts';

const FEW = 10;

/**
 * Measures the cost of validation: compares a bare Express route with the same route with validation, once with few and once
 * with all operations mounted.
 */
export async function validation(load: Load): Promise<void> {
  const all = operationTable.length;
  const first = await firstUse();
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
      '',
      firstUseLine(first, all),
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

async function firstUse(): Promise<FirstUse> {
  const script = join(import.meta.dirname, 'validation-first-use.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script]);
  return JSON.parse(stdout) as FirstUse;
}

function firstUseLine({ process_ms, median_ms, most_ms, all_ms, heap_mb, resident_mb }: FirstUse, all: number): string {
  return [
    `The first request of a process is validated in ${whole(process_ms)} ms of CPU, the first of another operation in`,
    `${median_ms.toFixed(1)} ms (median; ${most_ms.toFixed(1)} at most). When all ${all} operations have been asked for, that was`,
    `${(all_ms / 1_000).toFixed(1)} s of CPU, and ${whole(heap_mb)} MB of heap (${whole(resident_mb)} MB resident) are held.`,
  ].join('\n');
}
