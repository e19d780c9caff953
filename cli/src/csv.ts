import { stringify } from 'csv-stringify/sync';

/** The characters with which a spreadsheet recognises a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Rows as CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe in front. */
export function csvOf(rows: (string | number | undefined)[][]): string {
  return stringify(rows.map((cells) => cells.map(safe)));
}

function safe(cell: string | number | undefined): string {
  const text = String(cell ?? '');
  return FORMULA.test(text) ? `'${text}` : text;
}
