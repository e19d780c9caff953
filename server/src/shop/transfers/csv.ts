import { unreadable } from './transfer.ts';

/** A row of a CSV with the line on which it begins, counted from 1. */
export interface CsvRow {
  line: number;
  cells: string[];
}

/**
 * The rows of a CSV; cells may be quoted, and hold quotes doubled, separators and newlines. Blank lines are left out. Refuses a row
 * of more cells than `mostCells` when it gets there.
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

/** The cell that begins at a place, and where it ends: at a separator, a newline, or the end. */
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
    throw unreadable(`In line ${line} a quoted cell is not closed, or a quote in it is not doubled.`);
  }
  const quoted = text.slice(at + 1, close);
  const newlines = quoted.match(/\r\n|\n|\r/g)?.length ?? 0;
  return { value: quoted.replaceAll('""', '"'), end: close + 1, newlines };
}

/** The separator of a line: whichever of the usual ones it has most of. */
export function delimiterOf(line: string): string {
  const count = (character: string) => line.split(character).length;
  return [',', ';', '\t', '|'].reduce((best, next) => (count(next) > count(best) ? next : best));
}
