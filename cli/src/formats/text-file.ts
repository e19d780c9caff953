import { readFile } from 'node:fs/promises';
import { usageError } from '../errors.ts';
import type { CsvRow } from './csv-records.ts';
import { readCsv } from './csv-rows.ts';
import { delimiterOf } from './detect.ts';
import { decodedText } from './encoding.ts';
import { FormatError } from './reading.ts';

/** Reads and decodes a file. Throws like `encodingOf`, and the file system's errors. */
export async function readText(path: string, encoding?: string): Promise<string> {
  return decodedText(path, await readFile(path), encoding);
}

/** A table row by column name in lower case. Empty cells are omitted. */
export interface TableRow {
  line: number;
  cells: Partial<Record<string, string>>;
}

/** Reads a CSV file whose header must contain at least one column of each group. */
export async function readTable(path: string, groups: string[][], encoding?: string): Promise<TableRow[]> {
  const text = await readText(path, encoding);
  const rows: TableRow[] = [];
  let header: string[] | undefined;
  for await (const { cells, line, problem } of readCsv(chunk(text), delimiterOf(text))) {
    if (problem) throw usageError(`Line ${line} of ${path}: ${problem}`);
    if (header) rows.push({ line, cells: named(header, cells) });
    else header = cells.map((title) => title.trim().toLowerCase());
  }
  for (const group of groups) {
    if (!group.some((column) => header?.includes(column))) {
      throw usageError(`${path} has no column ${group.join(' or ')}.`, 'Its first line must name the columns.');
    }
  }
  return rows;
}

/** Parses the header and rows of a CSV text. Throws a FormatError if the header is unreadable. */
export async function openTable(
  path: string,
  text: string,
): Promise<{ header: string[]; rows: AsyncIterable<CsvRow> }> {
  const rows = readCsv(chunk(text), delimiterOf(text));
  const header = await rows.next();
  if (header.done) throw new FormatError(`${path} is empty.`);
  if (header.value.problem) throw new FormatError(`The header of ${path} cannot be read: ${header.value.problem}`);
  return { header: header.value.cells, rows };
}

async function* chunk(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

function named(header: string[], cells: string[]): TableRow['cells'] {
  return Object.fromEntries(header.flatMap((title, i) => (cells[i]?.trim() ? [[title, cells[i]?.trim()]] : [])));
}
