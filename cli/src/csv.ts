import { stringify } from 'csv-stringify/sync';

/** What a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Rows as CSV (RFC 4180). A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvOf(rows: (string | number | undefined)[][]): string {
  return stringify(rows.map((cells) => cells.map(safe)));
}

function safe(cell: string | number | undefined): string {
  const text = String(cell ?? '');
  return FORMULA.test(text) ? `'${text}` : text;
}
