import { phraseAt, phraseTable } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';
import { parseAmount } from './amounts.ts';
import { NOT_PRICES, PRICE_WORDS } from './limit-words.ts';

/** Numbers with two bounds, as a part of the numeric limits. */

/** A number and what it bounds. */
export interface NumericPhrase {
  from: number;
  to: number;
  min?: number;
  max?: number;
  currency?: string | undefined;
  /** Whether only a currency or unit makes it a limit: a plain amount, or an ambiguous comparison. */
  needsUnit: boolean;
  /** Whether a sentence needs none: nobody writes a whole sentence and means a name by `under fifty`. */
  isClear?: boolean;
  /** The tokens of a negation that stands before the thing, `to` exclusive. */
  negation?: { from: number; to: number } | undefined;
  /** A mere amount, which is no limit unless a unit follows. */
  isPlain?: boolean;
}

const RANGE_OPENINGS = new Set('between from ranging zwischen von ab entre de fur pour for starting'.split(' '));
/** Between these, a range needs no unit. */
const CERTAIN_RANGES = new Set(['between', 'zwischen', 'entre']);
/** These begin nothing but a range, and so do those between which it needs no unit. */
const CLEAR_OPENINGS = new Set([...CERTAIN_RANGES, 'from', 'ranging', 'von', 'de', 'ab']);
const RANGE_SIGNS = phraseTable([
  [
    'to',
    'to, -, –, —, ~, . ., . . ., …, bis, bis maximal, bis hochstens, bis max, to max, to maximum, a, until, till, thru, through',
  ],
]);
/** These join one only before a currency: `20 or 30 euros`. */
const CHOICE_SIGNS = phraseTable([['or', 'or, oder, ou, /']]);
/** These join a range only after an opening. */
const RANGE_WORDS = phraseTable([
  [
    'to',
    'and, &, +, und, et, up to, and up to, bis zu, und bis zu, bis maximal, bis hochstens, jusqu a, jusqua, et jusqu a',
  ],
]);
/** `between 90 and maybe 120` */
const BEFORE_HIGH = new Set('maybe perhaps about around roughly max vielleicht etwa peut-etre environ'.split(' '));
/** A tent for 2 to 400 euros is a tent for two. */
const WIDEST_RANGE = 20;

/** `between 20 and 40 euros`, `$15-25`, `from $8 to $12`, `zwischen 10 und 20 Euro`, `de 10 à 20 euros`. */
export function parseRange(tokens: Token[], at: number): NumericPhrase | undefined {
  const word = tokens[at]?.text ?? '';
  const hasKeyword = RANGE_OPENINGS.has(word);
  const low = parseAmount(tokens, startOfRange(tokens, at));
  if (!low) return undefined;
  const isJoinable = hasKeyword || low.currency !== undefined;
  const certain = (isJoinable && phraseAt(RANGE_WORDS, tokens, low.to)) || phraseAt(RANGE_SIGNS, tokens, low.to);
  // `price_range: [90, 120]`
  const isListed = tokens[low.to]?.text === ',' && isAfterPriceWord(tokens, at);
  const link = certain ?? (isListed ? { to: low.to + 1 } : phraseAt(CHOICE_SIGNS, tokens, low.to));
  if (!link) return undefined;
  const high = parseAmount(tokens, BEFORE_HIGH.has(tokens[link.to]?.text ?? '') ? link.to + 1 : link.to);
  if (!high || high.value < low.value || (!certain && !isListed && !high.currency)) return undefined;
  const isClear = CLEAR_OPENINGS.has(word) && !isOfSomethingElse(tokens, at);
  if (hasKeyword && !isClear && !low.currency && high.value > low.value * WIDEST_RANGE) return undefined;
  const currency = low.currency ?? high.currency;
  const isOfPrices = isAfterPriceWord(tokens, at);
  const needsUnit = !isOfPrices && (!CERTAIN_RANGES.has(word) || low.isSpelled || high.isSpelled);
  // `in the 100-150 range`
  const isRange = ['range', 'bereich'].includes(tokens[high.to]?.text ?? '');
  const to = isRange ? high.to + 1 : high.to;
  return {
    from: at,
    to,
    min: low.value,
    max: high.value,
    currency,
    needsUnit: needsUnit && !(isRange && !isOfSomethingElse(tokens, at)),
    isClear,
  };
}

function startOfRange(tokens: Token[], at: number): number {
  const word = tokens[at]?.text ?? '';
  if (word === 'ranging' || word === 'starting') return at + 2;
  const first = RANGE_OPENINGS.has(word) ? at + 1 : at;
  return first > at && ['les', 'the'].includes(tokens[first]?.text ?? '') ? first + 1 : first;
}

/** `price range 20-30`, `Preise von`. */
function isAfterPriceWord(tokens: Token[], at: number): boolean {
  const before = ['of', 'von', 'de', 'in'].includes(tokens[at - 1]?.text ?? '') ? at - 2 : at - 1;
  return PRICE_WORDS.has(tokens[before]?.text ?? '');
}

/** `sizes up to 42`, `iPhone 12 Pro Max 256`. */
export function isOfSomethingElse(tokens: Token[], at: number): boolean {
  const before = tokens.slice(Math.max(0, at - 2), at).map(({ text }) => text);
  return before.at(-1) === 'pro' || before.some((word) => NOT_PRICES.has(word));
}
