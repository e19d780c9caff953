import { stringify } from 'csv-stringify/sync';

/**
 * Matches cells that spreadsheets would run as a formula. Excludes negative numbers, so that spreadsheets can add them
 * up.
 */
const FORMULA = /^(?!-\d+(?:\.\d+)?$)[=+\-@\t\r]/;

/** Converts rows to CSV (RFC 4180). Cells that spreadsheets would run as a formula get an apostrophe as prefix. */
export function csvOf(rows: (string | number | undefined)[][]): string {
  return stringify(rows.map((cells) => cells.map(safe)));
}

function safe(cell: string | number | undefined): string {
  const text = String(cell ?? '');
  return FORMULA.test(text) ? `'${text}` : text;
}
