import { unreadable } from './transfer.ts';

/** A CSV row with the number of its first line, counted from 1. */
export interface CsvRow {
  line: number;
  cells: string[];
}

/**
 * Parses CSV with quoted cells, which may contain doubled quotes, delimiters and newlines. Skips blank lines. Throws
 * for a row with more than `mostCells` cells.
 */
export function csvRows(text: string, delimiter: string, mostCells: number): CsvRow[] {
  const rows: CsvRow[] = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const begun = line;
    const cells: string[] = [];
    for (;;) {
      const cell = cellAt(text, at, delimiter, begun);
      cells.push(cell.value);
      if (cells.length > mostCells) throw unreadable(`Line ${begun} has more than ${mostCells} columns.`);
      line += cell.newlines;
      at = cell.end;
      if (text[at] !== delimiter) break;
      at += 1;
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    line += 1;
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ line: begun, cells });
  }
  return rows;
}

/** Returns the cell at a position, and the position where it ends: at a delimiter, a newline or the end of the text. */
function cellAt(text: string, at: number, delimiter: string, line: number) {
  if (text[at] !== '"') {
    let end = at;
    while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end += 1;
    return { value: text.slice(at, end), end, newlines: 0 };
  }
  let close = text.indexOf('"', at + 1);
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  const after = text[close + 1];
  if (close < 0 || (after !== undefined && ![delimiter, '\n', '\r'].includes(after))) {
    throw unreadable(`Line ${line} has an unclosed quoted cell or a quote that is not doubled.`);
  }
  const quoted = text.slice(at + 1, close);
  const newlines = quoted.match(/\r\n|\n|\r/g)?.length ?? 0;
  return { value: quoted.replaceAll('""', '"'), end: close + 1, newlines };
}

/** Returns the most frequent of the usual delimiters in a line. */
export function delimiterOf(line: string): string {
  const count = (character: string) => line.split(character).length;
  return [',', ';', '\t', '|'].reduce((best, next) => (count(next) > count(best) ? next : best));
}
