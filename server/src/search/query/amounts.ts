import { isSlipOf } from '../words/misspellings.ts';
import { parseNumberAt } from '../words/number-words.ts';
import { phraseAt } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';
import { COMPARISONS, CURRENCIES } from './limit-words.ts';

/** A number that may be a price, with its currency. */
export interface Amount {
  value: number;
  currency?: string;
  from: number;
  to: number;
  isSpelled: boolean;
  /** `60ish`, `15-odd euros` */
  isNear?: boolean;
  /** Whether it can be nothing but money, although it names no currency: `a tenner`, `50 cents`. */
  isMoney?: boolean;
}

/** Notes that are called by their value. */
const NOTES: Record<string, number> = {
  fiver: 5, tenner: 10, funfer: 5, zehner: 10, zwanziger: 20, funfziger: 50, hunderter: 100,
}; // biome-ignore format: a table
const ARTICLES = new Set(['a', 'einen', 'einem', 'nen', 'n', 'un', 'une']);
/** About so many, before a currency: `une vingtaine d'euros`. */
const ABOUT_SO_MANY: Record<string, number> = {
  dizaine: 10, quinzaine: 15, vingtaine: 20, trentaine: 30, quarantaine: 40, cinquantaine: 50, soixantaine: 60, centaine: 100,
}; // biome-ignore format: a table
const HUNDREDTHS = new Set(['cents', 'cent', 'ct', 'centimes']);

/** A number in digits or words, with the currency before or after it: `$20`, `20 euros`, `5k dollars`, `60ish`, `a tenner`. */
export function parseAmount(tokens: Token[], at: number): Amount | undefined {
  const note = ARTICLES.has(tokens[at]?.text ?? '') ? NOTES[tokens[at + 1]?.text ?? ''] : undefined;
  if (note) return { value: note, from: at, to: at + 2, isSpelled: false, isMoney: true };
  const about = aboutSoMany(tokens, at);
  if (about) return about;
  const before = CURRENCIES[tokens[at]?.text ?? ''];
  const i = before ? at + 1 : at;
  const number = shortNumber(tokens[i]) ?? parseNumberAt(tokens, i);
  if (!number) return undefined;
  const value = number.value;
  const end = 'to' in number ? number.to : i + 1;
  if (!before && HUNDREDTHS.has(tokens[end]?.text ?? ''))
    return { value: value / 100, from: at, to: end + 1, isSpelled: false, isMoney: true };
  const to = endOfOdd(tokens, end);
  const isNear = to > end || ('isNear' in number && number.isNear);
  // `20-dollar`, `20 US dollars`
  const isJoined =
    !before && JOINS_CURRENCY.has(tokens[to]?.text ?? '') && currencyOf(tokens[to + 1]?.text ?? '') !== undefined;
  const unit = isJoined ? to + 1 : to;
  const after = before ? undefined : (currencyOf(tokens[unit]?.text ?? '') ?? poundsAt(tokens, at, unit));
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

/** `15 odd euros`, `fifty-odd dollars`: the end of what says that it is some more or less. */
function endOfOdd(tokens: Token[], at: number): number {
  const odd = tokens[at]?.text === '-' ? at + 1 : at;
  return tokens[odd]?.text === 'odd' && currencyOf(tokens[odd + 1]?.text ?? '') !== undefined ? odd + 1 : at;
}

function aboutSoMany(tokens: Token[], at: number): Amount | undefined {
  const number = ARTICLES.has(tokens[at]?.text ?? '') ? at + 1 : at;
  const value = ABOUT_SO_MANY[tokens[number]?.text ?? ''];
  const unit = ['d', 'de'].includes(tokens[number + 1]?.text ?? '') ? number + 2 : number + 1;
  const currency = currencyOf(tokens[unit]?.text ?? '');
  return value === undefined || currency === undefined
    ? undefined
    : { value, currency, from: at, to: unit + 1, isSpelled: false, isNear: true };
}

const JOINS_CURRENCY = new Set(['-', 'us', 'american', 'amerikanische', 'swiss', 'schweizer']);

/** `a 20 dollar bill`, `20-Euro-Schein` */
function endOfNote(tokens: Token[], at: number): number {
  const note = tokens[at]?.text === '-' ? at + 1 : at;
  return ['bill', 'note', 'schein'].includes(tokens[note]?.text ?? '') ? note + 1 : at;
}

const OF_WEIGHT = new Set(
  'weigh weighs weighing weight heavy heavier light lighter load dumbbell dumbbells kettlebell kettlebells lifting'.split(
    ' ',
  ),
);

/** `under 20 pounds`, in a sentence that weighs nothing. */
export function isMoneyInPounds(tokens: Token[], at: number): boolean {
  const isPound = ['pound', 'pounds'].includes(tokens[at]?.text ?? '');
  return isPound && !tokens.some(({ text }) => OF_WEIGHT.has(text));
}

const BEFORE_PRICE = new Set(['for', 'and', 'to', '-', '–']);

function poundsAt(tokens: Token[], from: number, at: number): string | undefined {
  if (!isMoneyInPounds(tokens, at)) return undefined;
  const isCompared = [1, 2, 3, 4].some((words) => phraseAt(COMPARISONS, tokens, from - words)?.to === from);
  return isCompared || BEFORE_PRICE.has(tokens[from - 1]?.text ?? '') ? 'GBP' : undefined;
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
