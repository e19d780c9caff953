/** Numbers that may be prices, single or as ranges. */

import { wordSet } from '../words/lists.ts';
import { parseNumberAt } from '../words/number-words.ts';
import { phraseAt, phraseTable } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';

export const CURRENCIES: Record<string, string> = Object.fromEntries(
  [
    ['USD', 'us$ $ usd dollar dollars buck bucks'],
    ['EUR', '€ eur euro euros'],
    ['GBP', '£ gbp quid'],
    ['JPY', '¥ jpy yen'],
    ['CHF', 'chf francs franken'],
  ].flatMap(([code = '', names = '']) => names.split(' ').map((name) => [name, code])),
);
export interface Amount {
  value: number;
  currency?: string;
  /** The index of the next token after the amount. */
  to: number;
  /**
   * Whether the number is written in words or as `4k` or `60ish`. Such a number needs more evidence, such as a currency
   * or a sentence, to set a limit.
   */
  isSpelled: boolean;
  isNear?: boolean;
}

/** Tokens between a number and its currency: `20-dollar`, `20 US dollars`. */
const JOINS_CURRENCY = new Set(['-', 'us', 'american', 'swiss']);

/**
 * Parses a number in digits or words, and the currency before or after it, if there is one: `$20`, `20 euros`, `5k
 * dollars`, `60ish`.
 */
export function amountAt(tokens: Token[], at: number): Amount | undefined {
  const before = CURRENCIES[tokens[at]?.text ?? ''];
  const first = before ? at + 1 : at;
  const [, digits = '', ending] = /^(\d+(?:[.,]\d+)?)(k|ish)$/.exec(tokens[first]?.text ?? '') ?? [];
  const number = ending
    ? { value: Number(digits.replace(',', '.')) * (ending === 'k' ? 1000 : 1), to: first + 1, isSpelled: true }
    : parseNumberAt(tokens, first);
  if (!number) return undefined;
  const { value, to, isSpelled } = number;
  const isNear = ending === 'ish' && { isNear: true };
  if (before) return { value, currency: before, to, isSpelled, ...isNear };
  const isJoined = JOINS_CURRENCY.has(tokens[to]?.text ?? '') && (tokens[to + 1]?.text ?? '') in CURRENCIES;
  const currency = CURRENCIES[tokens[isJoined ? to + 1 : to]?.text ?? ''];
  return currency
    ? { value, currency, to: isJoined ? to + 2 : to + 1, isSpelled, ...isNear }
    : { value, to, isSpelled, ...isNear };
}

/** A number and the bounds that it sets. */
export interface NumericPhrase {
  from: number;
  to: number;
  min?: number;
  max?: number;
  currency?: string | undefined;
  /**
   * Whether a number without a currency is a price always, only in sentences, or never. `under fifty` is a price in a
   * sentence, but may be a name among keywords.
   */
  isPrice: 'always' | 'in sentences' | 'with a currency';
  /** Whether the phrase is only an amount, which usually sets no limit. */
  isPlain?: boolean;
  /** Whether it is unclear which bound the number sets. */
  isUnread?: boolean;
  /** The position of the word that excludes products beyond the amount: the `no` of `no lamps over 100 euros`. */
  none?: number | undefined;
}

const RANGE_OPENINGS = new Set('between from zwischen von ab entre de fur pour for'.split(' '));
/** After these words, a range in digits needs no currency. */
const CERTAIN_OPENINGS = new Set(['between', 'zwischen', 'entre']);
const RANGE_LINKS = phraseTable([['to', 'to, -, –, —, bis, bis maximal, bis hochstens, a, until']]);
/**
 * Words that join the ends of a range only after an opening such as `from`, or if the first amount has a currency: `$20
 * and $40`.
 */
const RANGE_WORDS = phraseTable([['to', 'and, &, und, et, up to, and up to, bis zu, jusqu a, jusqua']]);
/** Words that join two amounts only if the second one has a currency: `20 or 30 euros`. */
const CHOICE_LINKS = phraseTable([['or', 'or, oder, ou, /']]);
/**
 * The largest ratio between the ends of a range after `for`, if the first amount has no currency: `tent for 2 to 400
 * euros` means a tent for two people.
 */
const WIDEST_RANGE = 20;

export const PRICE_WORDS = wordSet('price_words');
const NOT_PRICES = wordSet('not_prices');

/**
 * Parses a range: `between 20 and 40 euros`, `$15-25`, `from $8 to $12`, `zwischen 10 und 20 Euro`, `de 10 à 20 euros`.
 */
export function rangeAt(tokens: Token[], at: number): NumericPhrase | undefined {
  const word = tokens[at]?.text ?? '';
  const isOpened = RANGE_OPENINGS.has(word);
  const low = amountAt(tokens, isOpened ? at + 1 : at);
  if (!low) return undefined;
  const certain =
    ((isOpened || low.currency) && phraseAt(RANGE_WORDS, tokens, low.to)) || phraseAt(RANGE_LINKS, tokens, low.to);
  const isOfPrices = PRICE_WORDS.has(tokens[at - 1]?.text ?? '');
  // As in `price_range: [90, 120]`.
  const isListed = isOfPrices && tokens[low.to]?.text === ',';
  const link = certain || (isListed ? { to: low.to + 1 } : phraseAt(CHOICE_LINKS, tokens, low.to));
  const high = link && amountAt(tokens, link.to);
  if (!high || high.value < low.value || (!certain && !isListed && !high.currency)) return undefined;
  const isCertain = CERTAIN_OPENINGS.has(word);
  const isWide = high.value > low.value * WIDEST_RANGE;
  if (isOpened && !isCertain && !low.currency && isWide && ['for', 'fur', 'pour'].includes(word)) return undefined;
  // As in `in the 100-150 range`.
  const isRange = ['range', 'bereich'].includes(tokens[high.to]?.text ?? '');
  const isSpelled = low.isSpelled || high.isSpelled;
  const isAlways = isOfPrices || isRange || (isCertain && !isSpelled);
  return {
    from: at,
    to: isRange ? high.to + 1 : high.to,
    min: low.value,
    max: high.value,
    currency: low.currency ?? high.currency,
    isPrice: isOfSomethingElse(tokens, at)
      ? 'with a currency'
      : isAlways
        ? 'always'
        : isOpened && !['for', 'fur', 'pour'].includes(word)
          ? 'in sentences'
          : 'with a currency',
  };
}

/** Whether a number belongs to something other than a price: `sizes up to 42`, `iPhone 12 Pro Max 256`. */
export function isOfSomethingElse(tokens: Token[], at: number): boolean {
  return tokens.slice(Math.max(0, at - 2), at).some(({ text }) => NOT_PRICES.has(text));
}
