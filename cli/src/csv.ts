import { stringify } from 'csv-stringify/sync';

/** Matches cells that spreadsheets would run as a formula. A negative number is none, and has to be summed. */
const FORMULA = /^(?!-\d+(?:\.\d+)?$)[=+\-@\t\r]/;

/** Converts rows to CSV (RFC 4180). Cells that spreadsheets would run as a formula get an apostrophe as prefix. */
export function csvOf(rows: (string | number | undefined)[][]): string {
  return stringify(rows.map((cells) => cells.map(safe)));
}

function safe(cell: string | number | undefined): string {
  const text = String(cell ?? '');
  return FORMULA.test(text) ? `'${text}` : text;
}
