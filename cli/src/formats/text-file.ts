import { readFile } from 'node:fs/promises';
import { usageError } from '../errors.ts';
import { readCsv } from './csv-rows.ts';
import { delimiterOf } from './detect.ts';

/** The text of a small file in UTF-8, or in the older encoding of Windows. The file system's own errors are thrown. */
export async function readText(path: string): Promise<string> {
  const bytes = await readFile(path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** A row of a table by the names of its columns, which are lower-cased; empty cells are left out. */
export interface TableRow {
  line: number;
  cells: Partial<Record<string, string>>;
}

/** The rows of a CSV whose header has at least one of the columns in each group. */
export async function readTable(path: string, groups: string[][]): Promise<TableRow[]> {
  const text = await readText(path);
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

async function* chunk(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

function named(header: string[], cells: string[]): TableRow['cells'] {
  return Object.fromEntries(header.flatMap((title, i) => (cells[i]?.trim() ? [[title, cells[i]?.trim()]] : [])));
}
