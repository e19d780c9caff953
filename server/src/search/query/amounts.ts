import { isSlipOf } from '../words/misspellings.ts';
import { parseNumberAt } from '../words/number-words.ts';
import type { Token } from '../words/tokens.ts';
import { CURRENCIES } from './limit-words.ts';

/** A number that may be a price, with its currency. */
export interface Amount {
  value: number;
  currency?: string;
  from: number;
  to: number;
  isSpelled: boolean;
  /** `60ish` */
  isNear?: boolean;
}

/** Notes that are called by their value. */
const NOTES: Record<string, number> = {
  fiver: 5, tenner: 10, funfer: 5, zehner: 10, zwanziger: 20, funfziger: 50, hunderter: 100,
}; // biome-ignore format: a table
const ARTICLES = new Set(['a', 'einen', 'einem']);

/** A number in digits or words, with the currency before or after it: `$20`, `20 euros`, `5k dollars`, `60ish`, `a tenner`. */
export function parseAmount(tokens: Token[], at: number): Amount | undefined {
  const note = ARTICLES.has(tokens[at]?.text ?? '') ? NOTES[tokens[at + 1]?.text ?? ''] : undefined;
  if (note) return { value: note, from: at, to: at + 2, isSpelled: false };
  const before = CURRENCIES[tokens[at]?.text ?? ''];
  const i = before ? at + 1 : at;
  const number = shortNumber(tokens[i]) ?? parseNumberAt(tokens, i);
  if (!number) return undefined;
  const value = number.value;
  const to = 'to' in number ? number.to : i + 1;
  const isNear = 'isNear' in number ? number.isNear : false;
  // `20-dollar`, `20 US dollars`
  const isJoined =
    !before && JOINS_CURRENCY.has(tokens[to]?.text ?? '') && currencyOf(tokens[to + 1]?.text ?? '') !== undefined;
  const unit = isJoined ? to + 1 : to;
  const after = before ? undefined : currencyOf(tokens[unit]?.text ?? '');
  const currency = before ?? after;
  // Without a currency, `4k` and `60ish` are as doubtful as a word.
  const isSpelled = !('to' in number) || number.isSpelled;
  return {
    value,
    from: at,
    to: after ? endOfNote(tokens, unit + 1) : to,
    isSpelled,
    ...(currency && { currency }),
    ...(isNear && { isNear }),
  };
}

const JOINS_CURRENCY = new Set(['-', 'us', 'american', 'amerikanische', 'swiss', 'schweizer']);

/** `a 20 dollar bill`, `20-Euro-Schein` */
function endOfNote(tokens: Token[], at: number): number {
  const note = tokens[at]?.text === '-' ? at + 1 : at;
  return ['bill', 'note', 'schein'].includes(tokens[note]?.text ?? '') ? note + 1 : at;
}

/** By its name, also misspelt after a number: `200 eruos`. */
function currencyOf(text: string): string | undefined {
  const known = CURRENCIES[text];
  if (known || text.length < MIN_NAME) return known;
  const name = LONG_NAMES.find((each) => isSlipOf(text, each));
  return name && CURRENCIES[name];
}

const MIN_NAME = 5;
const LONG_NAMES = Object.keys(CURRENCIES).filter((name) => name.length >= MIN_NAME - 1);

function shortNumber(token: Token | undefined): { value: number; isNear: boolean } | undefined {
  const [, digits, ending] = /^(\d+(?:[.,]\d+)?)(k|ish)$/.exec(token?.text ?? '') ?? [];
  if (digits === undefined) return undefined;
  const value = Number(digits.replace(',', '.'));
  return { value: ending === 'k' ? value * 1000 : value, isNear: ending === 'ish' };
}
