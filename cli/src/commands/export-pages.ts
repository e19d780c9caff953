import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { Command } from 'commander';
import { csvOf } from '../csv.ts';
import { counted, show } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { choice, isJson } from './options.ts';

export interface ExportOptions {
  format: 'csv' | 'jsonl';
  output?: string;
  after?: string;
}

/** CSV columns by name. Each function returns the value for a row. */
export type CsvColumns<Row> = Record<string, (row: Row) => string | number | boolean | null | undefined>;

interface Page<Entry> {
  entries: Entry[];
  next_cursor: string | null;
}

interface Exported<Entry, Row> {
  noun: string;
  /** Reads the page at a cursor. */
  read(cursor: string | undefined): Promise<Page<Entry>>;
  /** The CSV rows for one entry. */
  rowsOf(entry: Entry): Row[];
  columns: CsvColumns<Row>;
}

/** An export reads all pages itself, so it has no flags for pages. */
export const PAGES = { cursor: false, limit: false } as const;

export function addExportOptions(command: Command): Command {
  return command
    .addOption(choice('--format <format>', 'how to write it', ['csv', 'jsonl']).default('csv'))
    .option('--output <file>', 'the file to write; replaced only when the export is complete')
    .option('--after <cursor>', 'continue an interrupted export, from the cursor that it printed');
}

/**
 * Writes each page before it reads the next one. Without --json, prints to stderr the progress and the cursor from
 * which to continue after an interruption. Until an export to a file is complete, the file is named FILE.partial.
 */
export async function exportPages<Entry, Row>(
  { noun, read, rowsOf, columns }: Exported<Entry, Row>,
  { format, output, after }: ExportOptions,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const json = isJson(command);
  const draft = `${output}.partial`;
  const file = output === undefined ? undefined : createWriteStream(draft, { flags: after ? 'a' : 'w' });
  const target = file ?? terminal.stdout;
  const write = async (text: string) => {
    if (text !== '' && !target.write(text)) await once(target, 'drain');
  };
  if (file) await once(file, 'open');
  let cursor = after;
  let count = 0;
  try {
    if (format === 'csv' && !after) await write(csvOf([Object.keys(columns)]));
    do {
      const { entries, next_cursor }: Page<Entry> = await read(cursor);
      await write(
        format === 'jsonl' ? jsonlOf(entries) : csvOf(entries.flatMap(rowsOf).map((row) => cellsOf(row, columns))),
      );
      count += entries.length;
      cursor = next_cursor ?? undefined;
      if (!json && cursor) terminal.stderr.write(`${count} ${noun}, next --after ${cursor}\n`);
    } while (cursor);
  } catch (error) {
    const again = cursor ? ` Continue with the same command and --after ${cursor}` : ' Run the same command again';
    if (!json) terminal.stderr.write(`Stopped after ${count} ${noun}.${again}.\n`);
    throw error;
  } finally {
    if (file) await finished(file.end());
  }
  if (output === undefined) return;
  await rename(draft, output);
  show(
    terminal,
    json,
    { file: output, format, [noun]: count },
    () => `Exported ${counted(count, noun.replace(/s$/, ''))} to ${output}.`,
  );
}

function cellsOf<Row>(row: Row, columns: CsvColumns<Row>): string[] {
  return Object.values(columns).map((value) => String(value(row) ?? ''));
}

function jsonlOf(entries: unknown[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}
