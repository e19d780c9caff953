import { readCsv } from './csv-rows.ts';
import { delimiterOf } from './detect.ts';
import { FormatError } from './reading.ts';
import type { Transfer } from './transfer.ts';

/** The CSV of banks, who agree on no header: columns are known by their usual names in English, German and French. */

const COLUMNS = {
  amount: /^(amount|credit|paid in|money in|betrag|umsatz|gutschrift|haben|montant|cr[ée]dit)\b/i,
  text: /(reference|description|details|purpose|remittance|narrative|memo|verwendungszweck|buchungstext|vorgang|libell[ée]|motif|r[ée]f[ée]rence)/i,
  payer:
    /(payer|counterparty|debtor|^name|sender|auftraggeber|zahlungspflichtig|beg(?:u|ue|ü)nstigt|empf(?:a|ae|ä)nger|donneur|[ée]metteur|contrepartie)/i,
  currency: /^(currency|ccy|w(?:a|ae|ä)hrung|devise)\b/i,
} satisfies Record<string, RegExp>;

type Field = keyof typeof COLUMNS;
type Columns = Record<Field, number[]>;

/** Banks put lines about the account above the header. */
const HEADER_WITHIN = 30;

/** The rows with money that came in. Throws a FormatError when no row is a header with an amount and a text. */
export async function readStatementCsv(csv: string, path: string): Promise<Transfer[]> {
  const lines = csv.split(/\r\n|\n|\r/);
  const at = lines.slice(0, HEADER_WITHIN).findIndex((line) => columnsOf(cellsOf(line)) !== undefined);
  if (at < 0) {
    throw new FormatError(
      `${path} has no header with a column for the amount (Amount, Betrag, Montant) and one for what the payer wrote ` +
        '(Reference, Verwendungszweck, Libellé) in its first lines. Export CSV with a header, or CAMT.053.',
    );
  }
  const transfers: Transfer[] = [];
  let columns: Columns | undefined;
  const table = lines.slice(at).join('\n');
  for await (const { cells, line, problem } of readCsv(chunk(table), delimiterOf(table))) {
    if (problem) throw new FormatError(`Line ${line + at} of ${path} cannot be read: ${problem}`);
    if (columns) transfers.push(...transferOf(cells, columns, line + at, path));
    else columns = columnsOf(cells);
  }
  return transfers;
}

async function* chunk(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

function cellsOf(line: string): string[] {
  return line.split(delimiterOf(line)).map((cell) => cell.trim().replace(/^"|"$/g, ''));
}

function columnsOf(header: string[]): Columns | undefined {
  const all = (field: Field) => header.flatMap((title, i) => (COLUMNS[field].test(title.trim()) ? [i] : []));
  const columns = { amount: all('amount'), text: all('text'), payer: all('payer'), currency: all('currency') };
  return columns.amount.length > 0 && columns.text.length > 0 ? columns : undefined;
}

/** Undefined for outgoing money, and for rows without an amount, such as the totals at the end of some files. */
function transferOf(cells: string[], columns: Columns, line: number, path: string): Transfer[] {
  const texts = (field: Field) => columns[field].map((i) => cells[i]?.trim() ?? '').filter(Boolean);
  const [written] = texts('amount');
  if (written === undefined || !/\d/.test(written)) return [];
  const amount = amountOf(written);
  if (amount === undefined) throw new FormatError(`Line ${line} of ${path} has no readable amount: ${written}`);
  if (amount.startsWith('-') || Number(amount) === 0) return [];
  const currency = texts('currency')[0]?.toUpperCase() ?? /\b[A-Z]{3}\b/.exec(written)?.[0] ?? null;
  return [{ line, amount, currency, payer: texts('payer')[0] ?? '', text: texts('text').join(' ') }];
}

/** `1.234,56`, `1,234.56`, `1 234,56 €` and `-5,00` as a plain decimal; undefined for what is ambiguous or not an amount. */
export function amountOf(written: string): string | undefined {
  const text = written.replace(/[\s\u00a0\u202f'’]|[A-Z]{3}|[€$£¥+]/g, '').replace(/^\((.*)\)$/, '-$1');
  const [, minus = '', digits = '', after] = /^([-−]?)([\d.,]*\d)([-−]?)$/.exec(text) ?? [];
  if (digits === '') return undefined;
  const sign = minus || after ? '-' : '';
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (last < 0) return sign + digits;
  const [whole, fraction] = [digits.slice(0, last), digits.slice(last + 1)];
  const mark = digits[last] ?? '';
  const other = mark === '.' ? ',' : '.';
  // A mark that occurs more than once separates thousands, and so does one before three digits, unless the other does.
  if (whole.includes(mark)) return thousands(digits, mark) ? sign + digits.replaceAll(mark, '') : undefined;
  if (whole.includes(other))
    return thousands(whole, other) ? `${sign}${whole.replaceAll(other, '')}.${fraction}` : undefined;
  return fraction.length === 3 ? undefined : `${sign}${whole || '0'}.${fraction}`;
}

function thousands(digits: string, mark: string): boolean {
  const [first = '', ...groups] = digits.split(mark);
  return first.length <= 3 && groups.every((group) => group.length === 3);
}
