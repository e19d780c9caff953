/**
 * Amount formats of banks: `1.234,56`, `1,234.56`, `1 234,56 €`, `1'234.50`, `-5,00`, `5,00-`, `(5.00)` and `5,00 H`.
 */

import { CURRENCY_MARKS, comparable, INCOMING, OUTGOING } from './bank-words.ts';

/** An amount as written, with the words and symbols next to it. */
export interface WrittenAmount {
  /** The number without currency and direction, for `amountOf`. */
  number: string;
  /** The possible currencies of each symbol or code. */
  currencies: string[][];
  /** The directions shown by words and signs next to the number. */
  directions: ('in' | 'out')[];
  /** The first unknown word or symbol. */
  unknown: string | undefined;
}

const MARK = /\p{L}+\.?|\p{L}*\p{Sc}/gu;

export function writtenAmount(cell: string): WrittenAmount {
  const found: WrittenAmount = { number: cell.replace(MARK, ''), currencies: [], directions: [], unknown: undefined };
  for (const mark of cell.match(MARK) ?? []) {
    const word = comparable(mark).replace(/\.$/, '');
    const currencies = currenciesOf(mark);
    if (INCOMING.has(word)) found.directions.push('in');
    else if (OUTGOING.has(word)) found.directions.push('out');
    else if (currencies) found.currencies.push(currencies);
    else found.unknown ??= mark;
  }
  if (found.number.includes('+')) found.directions.push('in');
  return found;
}

/** Returns the possible currencies of a code, symbol or word; undefined for other text. */
export function currenciesOf(mark: string): string[] | undefined {
  const text = mark.trim();
  return CURRENCY_MARKS[comparable(text)] ?? (/^[A-Z]{3}$/.test(text) ? [text] : undefined);
}

/** The decimal separator of the amounts in a file; undefined if they use several or none. */
export function decimalMarkOf(amounts: string[]): string | undefined {
  const marks = new Set(amounts.flatMap((written) => /[.,](?=\d{1,2}(?:\D*)$)/.exec(written)?.[0] ?? []));
  return marks.size === 1 ? [...marks][0] : undefined;
}

/**
 * Parses an amount to a plain decimal; undefined if it is invalid or ambiguous. `mark` is the file's decimal separator.
 */
export function amountOf(written: string, mark?: string): string | undefined {
  const text = written.replace(/[\s\u00a0\u202f'’+]/g, '').replace(/^\((.*)\)$/, '-$1');
  const [, minus = '', digits = '', after] = /^([-−]?)([\d.,]*\d)([-−]?)$/.exec(text) ?? [];
  if (digits === '' || digits.length > LONGEST) return undefined;
  const sign = minus || after ? '-' : '';
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (last < 0) return sign + digits;
  const [whole, fraction] = [digits.slice(0, last), digits.slice(last + 1)];
  const here = digits[last] ?? '';
  const other = here === '.' ? ',' : '.';
  // A separator that occurs several times separates thousands. A single separator before three digits does so only if
  // the other one is the file's decimal separator; otherwise the amount is ambiguous.
  if (whole.includes(here)) return thousands(digits, here) ? sign + digits.replaceAll(here, '') : undefined;
  if (whole.includes(other))
    return thousands(whole, other) ? `${sign}${whole.replaceAll(other, '')}.${fraction}` : undefined;
  if (fraction.length !== 3) return `${sign}${whole || '0'}.${fraction}`;
  return mark === other && thousands(digits, here) ? sign + digits.replaceAll(here, '') : undefined;
}

const LONGEST = 20;

function thousands(digits: string, mark: string): boolean {
  const [first = '', ...groups] = digits.split(mark);
  return first.length > 0 && first.length <= 3 && groups.every((group) => group.length === 3);
}
