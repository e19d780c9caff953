/** The meaning of the columns in a bank's CSV file. */

import { currenciesOf } from './amounts.ts';
import {
  BOOKED,
  COLUMNS,
  comparable,
  FOREIGN_COLUMNS,
  HARMLESS_COLUMNS,
  INCOMING,
  NOT_BOOKED,
  OUTGOING,
  PAYER_COLUMNS,
  TEXT_COLUMNS,
} from './bank-words.ts';

export type Field = keyof typeof COLUMNS | 'text' | 'payer';

export interface Columns extends Record<Field, number[]> {
  /** The currency in the name of the amount column, as in `Betrag (EUR)`. */
  named_currency: string | null;
  /** The name of the first unknown column, which may contain the direction; undefined if there is none. */
  unknown: string | undefined;
}

/** Reads a header row. Returns undefined if it has no column for amounts or no column for texts. */
export function columnsOf(header: string[]): Columns | undefined {
  const titles = header.map(titleOf);
  const all = (test: (title: Title) => boolean) => titles.flatMap((title, i) => (test(title) ? [i] : []));
  const named = (field: keyof typeof COLUMNS) =>
    all(({ name, whole }) => has(COLUMNS[field], whole) || (has(COLUMNS[field], name) && !FOREIGN_COLUMNS.test(whole)));
  const fields = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
  const found = Object.fromEntries(fields.map((field) => [field, named(field)])) as Record<
    keyof typeof COLUMNS,
    number[]
  >;
  const text = all(({ whole }) => TEXT_COLUMNS.test(whole));
  const payer = all(({ whole }) => PAYER_COLUMNS.test(whole));
  const amounts = [...found.amount, ...found.credit];
  if (amounts.length === 0 || text.length === 0) return undefined;
  const known = new Set([...Object.values(found).flat(), ...text, ...payer]);
  const unknown = titles.find(({ whole }, i) => !known.has(i) && whole !== '' && !HARMLESS_COLUMNS.test(whole))?.whole;
  const named_currency = titles[amounts[0] ?? 0]?.currency ?? null;
  return { ...found, text, payer, named_currency, unknown };
}

function has(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

interface Title {
  whole: string;
  /** The column name without its currency. */
  name: string;
  currency: string | null;
}

const CURRENCY_IN_TITLE = /^(.+?)\s*(?:[([]\s*([^)\]]+)\s*[)\]]|\b(?:in|en)\s+(\S+))$/;

function titleOf(cell: string): Title {
  const whole = comparable(cell);
  const [, name = '', inBrackets, after] = CURRENCY_IN_TITLE.exec(whole) ?? [];
  const [currency, ...others] = currenciesOf((inBrackets ?? after ?? '').toUpperCase()) ?? [];
  if (currency === undefined || others.length > 0) return { whole, name: whole, currency: null };
  return { whole, name, currency };
}

/**
 * Adds columns whose cells all name a direction or a booking state. Many banks leave their header empty or use words of
 * their own.
 */
export function withColumnsByWords(columns: Columns, rows: string[][], width: number): Columns {
  const taken = new Set([...columns.amount, ...columns.credit, ...columns.debit, ...columns.currency, ...columns.text]);
  const added = { direction: [...columns.direction], status: [...columns.status] };
  for (let i = 0; i < width; i += 1) {
    if (taken.has(i) || columns.direction.includes(i) || columns.status.includes(i)) continue;
    if (hasOnly(rows, i, [INCOMING, OUTGOING])) added.direction.push(i);
    else if (hasOnly(rows, i, [BOOKED, NOT_BOOKED])) added.status.push(i);
  }
  return { ...columns, ...added };
}

/** Whether a column contains at least one word, and only words from these lists. */
function hasOnly(rows: string[][], column: number, lists: Set<string>[]): boolean {
  let found = false;
  for (const cells of rows) {
    const cell = cells[column];
    if (!cell || cell.trim() === '') continue;
    if (!lists.some((list) => list.has(comparable(cell)))) return false;
    found = true;
  }
  return found;
}
