/**
 * CSV files of banks, which have no common format. Rows that are outgoing or not booked are left out. Staff must check
 * rows whose direction, amount, state or currency is doubtful.
 */

import { amountOf, currenciesOf, decimalMarkOf, type WrittenAmount, writtenAmount } from './amounts.ts';
import { type Columns, columnsOf, type Field, withColumnsByWords } from './bank-columns.ts';
import {
  BOOKED,
  CURRENCY_OF_ACCOUNT,
  comparable,
  INCOMING,
  NEUTRAL_TYPES,
  NOT_BOOKED,
  OUTGOING,
  RETURNED,
} from './bank-words.ts';
import { csvRows, delimiterOf } from './csv.ts';
import {
  collect,
  type LeftOut,
  type ReadStatement,
  type ReadTransfer,
  refuseMoreThan,
  unreadable,
} from './transfer.ts';

/** The header must be among this many lines. Banks write lines about the account above it. */
const HEADER_WITHIN = 30;

/** As many payments as a request can contain: a request has at most a million characters, and a payment about fifty. */
const MOST_LINES = 20_000;
/** Files of banks have about 20 columns. */
const MOST_COLUMNS = 100;
const LONGEST_HEADER = 5_000;

/**
 * Reads a bank's CSV file. Throws a ValidationError if there is no header row, or if the text would take long to parse.
 */
export function readBankCsv(text: string, shopCurrency: string): ReadStatement {
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
  const named = columnsOf(header?.cells ?? []);
  if (!header || !named) throw unreadable(`The header in line ${top + 1} cannot be read.`);
  const cells = rows.map((row) => row.cells);
  const columns = withColumnsByWords(named, cells, header.cells.length);
  const numbers = cells.flatMap((row) => amountsIn(row, columns).map(({ cell }) => writtenAmount(cell).number));
  const file = {
    ...{ columns, shopCurrency, mark: decimalMarkOf(numbers), signed: numbers.some((n) => /[-−+(]/.test(n)) },
    accountCurrencies: currenciesAbove(lines.slice(0, top)),
  };
  return collect(rows.map((row) => transferOf({ ...row, line: row.line + top }, file)));
}

interface File {
  columns: Columns;
  shopCurrency: string;
  /** The decimal separator. */
  mark: string | undefined;
  /** Whether at least one amount has a sign. */
  signed: boolean;
  /** The currencies in the lines above the header. */
  accountCurrencies: string[];
}

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

function currenciesAbove(lines: string[]): string[] {
  const codes = lines.flatMap((line) =>
    [...line.matchAll(CURRENCY_OF_ACCOUNT)].map(([, code = '']) => code.toUpperCase()),
  );
  return codes.filter((code) => CURRENCIES.has(code));
}

interface Row {
  line: number;
  cells: string[];
}

function headerCells(line: string): string[] {
  return line.split(delimiterOf(line)).map((cell) => cell.trim().replace(/^"|"$/g, ''));
}

function texts(cells: string[], columns: Columns, field: Field): string[] {
  return columns[field].map((i) => cells[i]?.trim() ?? '').filter(Boolean);
}

interface AmountCell {
  field: 'amount' | 'credit' | 'debit';
  cell: string;
}

/** Returns the cells of a row with an amount other than 0. A row may have none. */
function amountsIn(cells: string[], columns: Columns): AmountCell[] {
  const fields = ['amount', 'credit', 'debit'] as const;
  return fields.flatMap((field) =>
    texts(cells, columns, field)
      .filter((cell) => /[1-9]/.test(cell))
      .map((cell) => ({ field, cell })),
  );
}

/** Returns the transfer in a row, or the reason why it is left out; undefined for a row without an amount. */
function transferOf({ line, cells }: Row, file: File): ReadTransfer | keyof LeftOut | undefined {
  const { columns } = file;
  const amounts = amountsIn(cells, columns);
  const [first] = amounts;
  if (!first) return undefined;
  const written = writtenAmount(first.cell);
  const read = amountOf(written.number, file.mark);
  const directions = directionsOf(cells, amounts, written, read, columns);
  if (directions.length > 0 && directions.every((direction) => direction === 'out')) return 'outgoing';
  const states = texts(cells, columns, 'status');
  if (states.some((state) => NOT_BOOKED.has(comparable(state)))) return 'not_booked';
  const { currency, doubt } = currencyOf(cells, written, file);
  const text = texts(cells, columns, 'text').join(' ');
  return {
    identity: { texts: cells, hasReference: false },
    ...{ line, currency, payer: texts(cells, columns, 'payer')[0] ?? '', text },
    amount: read?.replace(/^-/, '') ?? first.cell.slice(0, LONGEST_AMOUNT),
    doubt:
      doubtOfDirection(cells, directions, file) ??
      doubtOfAmount(amounts, written, read) ??
      doubtOfState(states, columns) ??
      doubt ??
      (RETURNED.test(comparable([text, ...texts(cells, columns, 'type')].join(' '))) ? RETURN : null),
  };
}

const LONGEST_AMOUNT = 32;
const RETURN = 'Its text mentions a return, a reversal or a refund.';

type Direction = 'in' | 'out' | 'unknown';

/** The directions that the columns of a row show. */
function directionsOf(
  cells: string[],
  amounts: AmountCell[],
  written: WrittenAmount,
  read: string | undefined,
  columns: Columns,
): Direction[] {
  const named = texts(cells, columns, 'direction').map((cell): Direction => wordDirection(cell) ?? 'unknown');
  const typed = texts(cells, columns, 'type').flatMap((cell) => wordDirection(cell) ?? []);
  const minus: Direction[] = read?.startsWith('-') && amounts[0]?.field !== 'debit' ? ['out'] : [];
  const placed = amounts.flatMap(({ field }): Direction[] => {
    if (field === 'debit') return ['out'];
    return field === 'credit' ? ['in'] : [];
  });
  return [...named, ...typed, ...written.directions, ...minus, ...placed];
}

function wordDirection(cell: string): Direction | undefined {
  const word = comparable(cell);
  if (OUTGOING.has(word)) return 'out';
  return INCOMING.has(word) ? 'in' : undefined;
}

function doubtOfAmount(amounts: AmountCell[], written: WrittenAmount, read: string | undefined): string | null {
  const [first, ...others] = amounts;
  if (written.unknown) return `Its amount has an unknown word: ${written.unknown.slice(0, LONGEST_WORD)}.`;
  if (read === undefined) return `Its amount cannot be read: ${(first?.cell ?? '').slice(0, LONGEST_AMOUNT)}.`;
  return others.some(({ cell }) => cell !== first?.cell) ? 'Its row has two amounts.' : null;
}

function doubtOfDirection(cells: string[], directions: Direction[], { columns, signed }: File): string | null {
  if (directions.includes('unknown')) {
    const words = texts(cells, columns, 'direction').join(', ').slice(0, LONGEST_WORD);
    return `Its direction is unknown: ${words}.`;
  }
  if (directions.includes('out')) return 'Its row names both directions, in and out.';
  if (directions.includes('in') || signed) return null;
  if (columns.direction.length > 0) return 'Its direction is missing.';
  const type = typesOf(cells, columns).find((cell) => !NEUTRAL_TYPES.has(comparable(cell)));
  if (type)
    return `No amount of the file has a sign, and its type may name the direction: ${type.slice(0, LONGEST_WORD)}.`;
  if (columns.unknown === undefined) return null;
  const name = columns.unknown.slice(0, LONGEST_WORD);
  return `No amount of the file has a sign, and the column "${name}" may indicate the direction.`;
}

/** The transaction types in a row. Columns that contain the payer's text are ignored, because it may mention a type. */
function typesOf(cells: string[], { type, text }: Columns): string[] {
  return type.filter((i) => !text.includes(i)).flatMap((i) => cells[i]?.trim() || []);
}

function doubtOfState(states: string[], columns: Columns): string | null {
  if (columns.status.length > 0 && states.length === 0) return 'Its state is missing.';
  const unknown = states.find((state) => !BOOKED.has(comparable(state)));
  return unknown === undefined ? null : `Its state is unknown: ${unknown.slice(0, LONGEST_WORD)}.`;
}

const LONGEST_WORD = 40;

/** The currency of a row, from a column, the amount, the header or the lines above it. All of these must agree. */
function currencyOf(cells: string[], written: WrittenAmount, { columns, shopCurrency, accountCurrencies }: File) {
  const columnCells = texts(cells, columns, 'currency');
  const ofColumn = columnCells.map((cell) => currenciesOf(cell.toUpperCase()) ?? []);
  const ofHeader = columns.named_currency === null ? [] : [[columns.named_currency]];
  const named = [...ofColumn, ...written.currencies, ...ofHeader, ...accountCurrencies.map((code) => [code])];
  if (named.every((currencies) => currencies.includes(shopCurrency))) {
    return { currency: named.length > 0 ? shopCurrency : null, doubt: null };
  }
  const [currency = null] = named.find((currencies) => currencies.length === 1 && currencies[0] !== shopCurrency) ?? [];
  const doubt =
    currency === null
      ? `Its currency is not known to be ${shopCurrency}.`
      : `It is in ${currency}, the shop's currency is ${shopCurrency}.`;
  return { currency, doubt };
}
