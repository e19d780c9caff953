/** A row of a CSV file. If it has a `problem`, its cells are unreliable or missing. */
export type CsvRow = { line: number; cells: string[]; problem?: string };

/** A longer row means that a quote was left open. No product needs such a long row. */
const LONGEST_ROW_BYTES = 4 * 1024 * 1024;

const BAD_QUOTE =
  'A quote inside a quoted cell is not doubled, or a quoted cell is not closed: the row cannot be read.';
const OPEN_QUOTE = 'A quoted cell that begins on this line or after it is never closed: the rows in it cannot be read.';

/** A record of csv-parse with the options `info` and `raw`. */
type Parsed = { record: string[]; info: { lines: number }; raw: string };

/** Number of rows before a quote that is never closed; undefined if all are closed. */
export type OpenQuote = { records?: number };

/** csv-parse options for shop exports. An unclosed quote is recorded in `open`. */
export function csvOptions(delimiter: string, open: OpenQuote) {
  return {
    delimiter,
    bom: true,
    info: true,
    raw: true,
    relax_column_count: true,
    // A stray quote must not corrupt the rest of the file. The raw text shows which rows are affected.
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: LONGEST_ROW_BYTES,
    on_skip: (error: object | undefined) => {
      open.records ??= error && 'records' in error ? Number(error.records) : 0;
      return undefined;
    },
  };
}

/**
 * The rows of a CSV file, header first, without blank rows. `line` is the line number in an editor at which the row
 * starts. A malformed row is returned with its problem, and parsing continues.
 */
export async function* rowsOf(
  parsed: AsyncIterable<unknown> | Iterable<unknown>,
  delimiter: string,
  open: OpenQuote,
): AsyncGenerator<CsvRow> {
  let lastLine = 0;
  // csv-parse counts a CRLF inside quotes as two lines.
  let overcounted = 0;
  let width: number | undefined;
  let records = 0;
  let openQuoteLine: number | undefined;
  for await (const each of parsed) {
    const { record: cells, info, raw } = each as Parsed;
    const inside = newlinesIn(cells);
    overcounted += inside.crlf;
    const line = info.lines - overcounted - inside.all;
    lastLine = line + inside.all;
    records++;
    // csv-parse reads ahead and counts the rows before an unclosed quote. This loop knows the line of the last of these
    // rows.
    if (records === open.records) openQuoteLine = lastLine + 1;
    if (cells.every((cell) => cell.trim() === '')) continue;
    width ??= cells.length;
    const problem = problemOf(cells, raw, delimiter, width);
    yield problem === undefined ? { line, cells } : { line, cells: problem === BAD_QUOTE ? [] : cells, problem };
  }
  if (open.records !== undefined) {
    yield { line: openQuoteLine ?? lastLine + 1, cells: [], problem: OPEN_QUOTE };
  }
}

function newlinesIn(cells: string[]): { all: number; crlf: number } {
  let all = 0;
  let crlf = 0;
  for (const cell of cells) {
    if (!cell.includes('\n') && !cell.includes('\r')) continue;
    all += cell.match(/\r\n|\n|\r/g)?.length ?? 0;
    crlf += cell.match(/\r\n/g)?.length ?? 0;
  }
  return { all, crlf };
}

function problemOf(cells: string[], raw: string, delimiter: string, width: number): string | undefined {
  if (raw.includes('"') && !quotesClose(raw, delimiter)) return BAD_QUOTE;
  if (cells.length > width && cells.slice(width).some((cell) => cell.trim() !== '')) {
    return `The row has ${cells.length} cells and the header ${width}: a cell with the separator in it must be quoted.`;
  }
  return undefined;
}

/** Whether every quoted cell ends directly before a delimiter or the end of the row. */
function quotesClose(record: string, delimiter: string): boolean {
  // `raw` includes blank lines before the record.
  const raw = record.replace(/^[\r\n]+/, '');
  let at = 0;
  while (at < raw.length) {
    if (raw[at] === '"') {
      at = raw.indexOf('"', at + 1);
      while (at !== -1 && raw[at + 1] === '"') at = raw.indexOf('"', at + 2);
      if (at === -1) return false;
      at++;
      if (at < raw.length && ![delimiter, '\r', '\n'].includes(raw[at] ?? '')) return false;
    } else {
      at = raw.indexOf(delimiter, at);
      if (at === -1) return true;
    }
    at++;
  }
  return true;
}
