import { amountOf, decimalMarkOf } from './amounts.ts';
import { csvRows, delimiterOf } from './csv.ts';
import { refuseMoreThan, type Transfer, unreadable } from './transfer.ts';

/** The CSV of banks, who agree on no header: columns are known by their usual names in English, German and French. */

const COLUMNS = {
  amount: /^(amount|credit|paid in|money in|betrag|umsatz|gutschrift|haben|montant|cr[ée]dit)(?![\p{L}])/iu,
  text: /(reference|description|details|purpose|remittance|narrative|memo|verwendungszweck|buchungstext|vorgang|libell[ée]|motif|r[ée]f[ée]rence)/i,
  payer:
    /(payer|counterparty|debtor|^name|sender|auftraggeber|zahlungspflichtig|beg(?:u|ue|ü)nstigt|empf(?:a|ae|ä)nger|donneur|[ée]metteur|contrepartie)/i,
  currency: /^(currency|ccy|w(?:a|ae|ä)hrung|devise)(?![\p{L}])/iu,
  status: /^(info|status|state|statut|[ée]tat)$/i,
} satisfies Record<string, RegExp>;

const PENDING = /pending|vorgemerkt|en attente|en cours/i;

type Field = keyof typeof COLUMNS;
type Columns = Record<Field, number[]>;

/** Banks put lines about the account above the header. */
const HEADER_WITHIN = 30;

/** More than a request can hold: a bank writes some fifty characters about a payment, and a request has at most a million. */
const MOST_LINES = 20_000;
/** Banks have about 20 columns. */
const MOST_COLUMNS = 100;
const LONGEST_HEADER = 5_000;

/**
 * The rows with money that came in. Refuses a text in which no row is a header with an amount and a text, and before it is read one
 * that would take long to read.
 */
export function readBankCsv(text: string): Transfer[] {
  refuseMoreThan(MOST_LINES, '\n', text, 'lines');
  const lines = text.split('\n', HEADER_WITHIN);
  const top = lines.findIndex((line) => line.length <= LONGEST_HEADER && columnsOf(headerCells(line)) !== undefined);
  if (top < 0) {
    throw unreadable(
      'The statement has no header with a column for the amount (Amount, Betrag, Montant) and one for what the payer wrote ' +
        '(Reference, Verwendungszweck, Libellé) in its first lines. Export CSV with a header, or CAMT.053.',
    );
  }
  const above = lines.slice(0, top).reduce((length, line) => length + line.length + 1, 0);
  const [header, ...rows] = csvRows(text.slice(above), delimiterOf(lines[top] ?? ''), MOST_COLUMNS);
  const columns = columnsOf(header?.cells ?? []);
  if (!columns) throw unreadable(`The header in line ${top + 1} cannot be read.`);
  const mark = decimalMarkOf(rows.flatMap(({ cells }) => written(cells, columns) ?? []));
  return rows.flatMap(({ cells, line }) => transferOf(cells, columns, line + top, mark) ?? []);
}

function headerCells(line: string): string[] {
  return line.split(delimiterOf(line)).map((cell) => cell.trim().replace(/^"|"$/g, ''));
}

function columnsOf(header: string[]): Columns | undefined {
  const all = (field: Field) => header.flatMap((title, i) => (COLUMNS[field].test(title.trim()) ? [i] : []));
  const fields = Object.keys(COLUMNS) as Field[];
  const columns = Object.fromEntries(fields.map((field) => [field, all(field)])) as Columns;
  return columns.amount.length > 0 && columns.text.length > 0 ? columns : undefined;
}

function texts(cells: string[], columns: Columns, field: Field): string[] {
  return columns[field].map((i) => cells[i]?.trim() ?? '').filter(Boolean);
}

/** The amount of a row; some files end with rows without one, such as totals. */
function written(cells: string[], columns: Columns): string | undefined {
  return texts(cells, columns, 'amount').find((cell) => /\d/.test(cell));
}

/** Undefined for outgoing and pending money, and for rows without an amount. */
function transferOf(cells: string[], columns: Columns, line: number, mark: string | undefined): Transfer | undefined {
  const cell = written(cells, columns);
  if (cell === undefined || texts(cells, columns, 'status').some((status) => PENDING.test(status))) return undefined;
  const amount = amountOf(cell, mark);
  if (amount === undefined) throw unreadable(`Line ${line} has no readable amount: ${cell.slice(0, SHOWN)}`);
  if (amount.startsWith('-') || Number(amount) === 0) return undefined;
  const currency = texts(cells, columns, 'currency')[0]?.toUpperCase() ?? /\b[A-Z]{3}\b/.exec(cell)?.[0] ?? null;
  const payer = texts(cells, columns, 'payer')[0] ?? '';
  return { line, amount, currency, payer, text: texts(cells, columns, 'text').join(' ') };
}

const SHOWN = 40;
