/** Matches cells that spreadsheets would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Converts rows to CSV (RFC 4180). Cells that spreadsheets would run as a formula get an apostrophe as prefix. */
export function csvOf(rows: (string | number | null | undefined)[][]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | number | null | undefined): string {
  const text = value === null || value === undefined ? '' : String(value);
  return quoted(FORMULA.test(text) ? `'${text}` : text);
}

/** Converts rows whose cells are already safe to CSV (RFC 4180). */
export function csvOfSafe(rows: string[][]): string {
  return rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Downloads a text as a file. The byte order mark marks it as UTF-8 for spreadsheets. */
export function download(name: string, text: string, type = 'text/csv'): void {
  save(name, new Blob(['\uFEFF', text], { type: `${type};charset=utf-8` }));
}

/** Downloads bytes in Base64 as a file. */
export function downloadBytes(name: string, base64: string, type: string): void {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  save(name, new Blob([bytes], { type }));
}

function save(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
