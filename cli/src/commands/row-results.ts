import type { Command } from 'commander';
import { CommandError, EXIT } from '../errors.ts';
import { type Column, counted, show, styleOf, table } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';

/** Result of one row in a bulk operation. */
export interface RowResult {
  line: number;
  name: string;
  status: string;
  message: string | null;
}

const COLUMNS: Column<RowResult>[] = [
  { title: 'LINE', value: ({ line }) => line, right: true },
  { title: 'FOR', value: ({ name }) => name },
  { title: 'REFUSED', value: ({ message }) => message, shrinks: true, colour: () => 'yellow' },
];

/** Sends the rows one batch after another, at most `most` rows each. */
export async function inBatches<Row, Result>(
  rows: Row[],
  most: number,
  send: (batch: Row[]) => Promise<Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < rows.length; from += most) results.push(...(await send(rows.slice(from, from + most))));
  return results;
}

/** Shows the number of rows per result, and each rejected row. Then throws if a row was rejected. */
export function showResults(terminal: Terminal, command: Command, results: RowResult[], words: string): void {
  const counts: Record<string, number> = {};
  for (const { status } of results) counts[status] = (counts[status] ?? 0) + 1;
  const failed = results.filter(({ status }) => status === 'failed');
  show(terminal, isJson(command), { counts, results }, (paint) => {
    const summary = `${words}: ${
      Object.entries(counts)
        .map(([status, count]) => `${count} ${status}`)
        .join(', ') || 'no rows'
    }.`;
    return failed.length === 0 ? summary : `${table(COLUMNS, failed, styleOf(terminal, paint))}\n\n${summary}`;
  });
  if (failed.length > 0) {
    const message = `${failed.length} of ${counted(results.length, 'row')} ${failed.length === 1 ? 'was' : 'were'} refused.`;
    throw new CommandError(EXIT.rowsRefused, 'rows_refused', message, 'Correct those rows and send them again.');
  }
}
