/** Finds numeric limits on the price, the rating and the number of reviews. */

import { type ListName, list, wordSet } from '../words/lists.ts';
import { measurementTerm } from '../words/normalize.ts';
import { phraseAt, phraseTable } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';
import { amountAt, CURRENCIES, isOfSomethingElse, type NumericPhrase, PRICE_WORDS, rangeAt } from './amounts.ts';
import { openTokens, type ParseState } from './parsed-query.ts';

export type Side = 'min' | 'max';
type Comparison = Side | 'near';

export const tableOf = <Value>(entries: [Value, ListName][]) =>
  phraseTable(entries.map(([value, name]): [Value, string[]] => [value, list(name)]));

export const COMPARISONS = tableOf<Comparison>([
  ['max', 'max'],
  ['min', 'min'],
  ['near', 'near'],
]);
const SUFFIXES = tableOf<Comparison>([
  ['max', 'max_after'],
  ['min', 'min_after'],
  ['near', 'near_after'],
]);
/** Phrases that reject amounts beyond a number: `over 50 is too much`. */
const REFUSED_AMOUNTS = tableOf([['refused', 'refused_amounts']]);
const STARS = tableOf([['rating', 'stars']]);
const REVIEWS = tableOf([['reviews', 'reviews']]);
const REVIEW_ADJECTIVES = wordSet('review_adjectives');
const RATING_WORDS = wordSet('rating_words');

/**
 * These words are also part of names (`Pro Max`), or mean something else before a plain number, so among keywords they
 * need a currency.
 */
export const NEED_CURRENCY = wordSet('needs_currency');
/** Words after which a number is a price only with a currency, even in sentences: `do you have 2 tents`. */
const HAVING = wordSet('having');
export const NEGATIONS = wordSet('negations');
const BETWEEN_NEGATION = wordSet('between_negation');
/** After a price without a currency, these words begin another clause. */
const NEXT_CLAUSE = wordSet('next_clause');
/** These words may follow a price without a currency, even among keywords. */
const AFTER_PRICE = wordSet('after_price');

/** Maximum difference between a price and an amount such as `around 40 euros`, as a share of the amount. */
const NEARNESS = 0.25;
export const OPPOSITE = { min: 'max', max: 'min', near: 'near' } as const;

function bounds(comparison: Comparison, value: number): { min?: number; max?: number } {
  if (comparison !== 'near') return { [comparison]: value };
  const round = (bound: number) => Math.round(bound * 100) / 100;
  return { min: round(value * (1 - NEARNESS)), max: round(value * (1 + NEARNESS)) };
}

/** Adds limits on price, rating and reviews. A plain number is usually part of a name, and sets no limit. */
export function addLimits(state: ParseState): void {
  let tokens = openTokens(state);
  for (let i = state.start; i < tokens.length; i += 1) {
    const range = rangeAt(tokens, i);
    const phrase = range ?? comparisonAt(tokens, i) ?? amountWithSuffix(tokens, i, state);
    const limit = phrase && classified(tokens, phrase, state);
    if (limit) {
      const { from, to, ...constraint } = limit;
      state.add(from, to, constraint);
      if (phrase.none !== undefined) state.taken[phrase.none] = true;
      tokens = openTokens(state);
      i = to - 1;
    }
    // If a range such as `40 bis 42` is not a price, its second number is not a price either.
    else if (range && state.isSentence) i = range.to - 1;
  }
}

/**
 * Parses a comparison with its amount: `under $50`, `at least 4 stars`, `does not cost more than 30`, `höchstens 50
 * Euro`.
 */
export function comparisonAt(tokens: Token[], at: number): NumericPhrase | undefined {
  const found = phraseAt(COMPARISONS, tokens, at);
  if (!found) return undefined;
  // As in `budget: max 40`.
  const inner = phraseAt(COMPARISONS, tokens, found.to);
  const last = inner && (inner.value === found.value || found.words[0] === 'budget') ? inner : found;
  const first = skipLinks(tokens, last.to);
  const isElse = isOfSomethingElse(tokens, at);
  const range = rangeAt(tokens, first);
  if (range) return { ...range, from: at, isPrice: isElse ? 'with a currency' : 'in sentences' };
  const amount = amountAt(tokens, first);
  if (!amount) return undefined;
  const from = startOfNegation(tokens, at);
  const refusal = phraseAt(REFUSED_AMOUNTS, tokens, amount.to);
  const none = from === at ? refusedThing(tokens, at) : undefined;
  const side = from < at || refusal || none !== undefined ? OPPOSITE[last.value] : last.value;
  const suffix = side === 'near' ? undefined : phraseAt(SUFFIXES, tokens, amount.to);
  const to = refusal?.to ?? (suffix?.value === side && suffix.words[0] !== 'plus' ? suffix.to : amount.to);
  if (side === 'min' && from === at && !refusal && refusesInClause(tokens, at, amount.to))
    return { from: at, to: amount.to, isPrice: 'in sentences', isUnread: true };
  const isUnclear = isElse || HAVING.has(found.words.at(-1) ?? '');
  const isDoubtful =
    amount.isSpelled || (NEED_CURRENCY.has(found.words.join(' ')) && !PRICE_WORDS.has(tokens[at - 1]?.text ?? ''));
  const isPrice = isUnclear ? 'with a currency' : isDoubtful ? 'in sentences' : 'always';
  return { from, to, ...bounds(side, amount.value), currency: amount.currency, isPrice, none };
}

/** Skips words between a comparison and its amount: `a price of`, `up to a total of`. */
function skipLinks(tokens: Token[], at: number): number {
  const isLink = ['of', 'is', 'von', 'de', 'a', 'ca', 'the', 'der', 'les'].includes(tokens[at]?.text ?? '');
  return isLink && amountAt(tokens, at + 1) ? at + 1 : at;
}

/** The maximum distance of a negation from its comparison, in tokens. */
const MAX_NEGATION = 8;
const AUXILIARIES = new Set(['do', 'does', 'should', 'must', 'can', 'will', 'would']);

/**
 * The index at which the negation of a comparison begins; without a negation, the index at which the comparison begins.
 */
function startOfNegation(tokens: Token[], at: number): number {
  let i = at - 1;
  const isWithin = ({ text = '' }: Partial<Token> = {}) =>
    BETWEEN_NEGATION.has(text) || text in CURRENCIES || text === ',';
  while (at - i < MAX_NEGATION && !NEGATIONS.has(tokens[i]?.text ?? '') && isWithin(tokens[i])) i -= 1;
  if (!NEGATIONS.has(tokens[i]?.text ?? '')) return at;
  return AUXILIARIES.has(tokens[i - 1]?.text ?? '') ? i - 1 : i;
}

const REFUSING = wordSet('refusing_clauses');

const NONE_OF = new Set('no kein keine keinen aucun aucune'.split(' '));
const RELATIVES = new Set('die der das that which qui'.split(' '));

/** The index of the first token of a clause; `keine Lampen, die mehr als 100 Euro kosten` is one clause. */
function startOfClause(tokens: Token[], at: number): number {
  const isEnd = ({ kind, text }: Token, i: number) =>
    kind === 'sign' && text !== '-' && !RELATIVES.has(tokens[i + 1]?.text ?? '');
  return tokens.slice(0, at).findLastIndex(isEnd) + 1;
}

/** The index of a negation that excludes products only beyond the amount: `no lamps over 100 euros`. */
function refusedThing(tokens: Token[], at: number): number | undefined {
  const start = startOfClause(tokens, at);
  return start < at - 1 && at - start < MAX_NEGATION && NONE_OF.has(tokens[start]?.text ?? '') ? start : undefined;
}

/**
 * Whether the clause has a negation elsewhere, which may reverse the bound: `show no lamps over 100 euros`. The bound
 * is then unclear.
 */
function refusesInClause(tokens: Token[], at: number, to: number): boolean {
  const length = tokens.slice(to).findIndex(({ kind }) => kind === 'sign');
  const clause = [
    ...tokens.slice(startOfClause(tokens, at), at),
    ...tokens.slice(to, length < 0 ? undefined : to + length),
  ];
  return clause.some(({ text }) => REFUSING.has(text));
}

/** After these words, a price is the amount that someone wants to pay. */
const READY_TO_PAY = new Set('for at fur pour a zu'.split(' '));
const LESS_OR_MORE =
  /^(?:less|lower|below|under|cheaper|more|higher|above|over|up|weniger|gunstiger|billiger|mehr|moins)$/;

/**
 * Parses a number that a suffix, unit or preposition makes a limit: `4.5+ stars`, `$20 or less`, `200 reviews`, `for 50
 * dollars`.
 */
function amountWithSuffix(tokens: Token[], at: number, { isSentence, priceOf }: ParseState): NumericPhrase | undefined {
  const isPaid = READY_TO_PAY.has(tokens[at]?.text ?? '');
  const amount = amountAt(tokens, isPaid ? at + 1 : at);
  if (!amount) return undefined;
  const { value, currency, to, isSpelled, isNear } = amount;
  const late = tokens[to]?.text === ',' ? phraseAt(SUFFIXES, tokens, to + 1) : undefined;
  const suffix = phraseAt(SUFFIXES, tokens, to) ?? (late?.value === 'near' ? late : undefined);
  if (!suffix) {
    const isPrice = 'with a currency';
    if (isNear && currency) return { from: at, to, ...bounds('near', value), currency, isPrice };
    // As in `four mugs for 60 altogether`.
    if (isPaid && (currency || (isSentence && priceOf === 'all' && endsClause(tokens[to]))))
      return { from: at, to, max: value, currency, isPrice: currency ? isPrice : 'always' };
    // `Five Star notebook` contains a brand, not a rating.
    if (isPaid || (isSpelled && !currency)) return undefined;
    return { from: at, to, min: value, currency, isPrice, isPlain: true };
  }
  const [word = ''] = suffix.words;
  // As in `150+ euros`.
  const after = currency === undefined ? CURRENCIES[tokens[suffix.to]?.text ?? ''] : undefined;
  // `iPhone 8 Plus`, `S8+` and `60 mark` are names.
  const isName = ['plus', '+', 'ish', '-', 'budget', 'mark', 'limit'].includes(word) && !endsClause(tokens[suffix.to]);
  const isOdd = isName || ['plus', '+'].includes(word) || isOfSomethingElse(tokens, at);
  const isCompared = LESS_OR_MORE.test(suffix.words.at(-1) ?? '') && !isSpelled;
  return {
    from: at,
    to: after ? suffix.to + 1 : suffix.to,
    ...bounds(isNear ? 'near' : suffix.value, value),
    currency: currency ?? after,
    isPrice: isOdd ? 'with a currency' : isCompared ? 'always' : 'in sentences',
  };
}

interface Limit {
  kind: 'price' | 'rating' | 'reviews' | 'value';
  min?: number;
  max?: number;
  currency?: string;
  value?: string;
  isUnread?: boolean;
  from: number;
  to: number;
}

/**
 * The limit that a phrase sets, if any. Its kind follows from the currency, otherwise from the unit after the number,
 * otherwise from a word about ratings before the number. If none of these is there, the limit is a price.
 */
function classified(tokens: Token[], phrase: NumericPhrase, { isSentence, priceOf }: ParseState): Limit | undefined {
  const { from, to, min, max, currency, isPrice, isPlain } = phrase;
  const limit = (kind: Limit['kind'], end: number): Limit => ({
    ...{ kind, from, to: end },
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(currency && { currency }),
  });
  if (phrase.isUnread)
    return isSentence && canEndPrice(tokens[to], isSentence) ? { ...limit('price', to), isUnread: true } : undefined;
  if (isPlain && (currency || (isSentence && isOfPrices(tokens, from) && endsClause(tokens[to])))) {
    // A mere `$20` is a limit only if the sentence names it as the total or the price of each unit.
    if (!isSentence) return undefined;
    const amount = { kind: 'price' as const, from, to, ...(currency && { currency }) };
    return priceOf && min !== undefined ? { ...amount, max: min } : { ...amount, isUnread: true };
  }
  if (currency) return limit('price', to);
  const highest = Math.max(min ?? 0, max ?? 0);
  const unit = unitAfter(tokens, to);
  if (unit?.kind === 'reviews') return limit('reviews', unit.to);
  if (unit?.kind === 'rating' && highest <= 5) return withSuffix(tokens, limit('rating', unit.to));
  const rated = startOfRatingWord(tokens, from);
  if (rated !== undefined && highest <= 5) return { ...withSuffix(tokens, limit('rating', to)), from: rated };
  const isUnclear = isPrice === 'with a currency' || (isPrice === 'in sentences' && !isSentence);
  return isPlain || isUnclear || !canEndPrice(tokens[to], isSentence) ? undefined : limit('price', to);
}

/**
 * Whether a word about prices is near. Then a number such as in `that costs 40` is a price, but its bound is unclear.
 */
function isOfPrices(tokens: Token[], at: number): boolean {
  return tokens.slice(Math.max(0, at - 2), at).some(({ text }) => PRICE_WORDS.has(text));
}

function endsClause(next: Token | undefined): boolean {
  if (!next || next.kind === 'sign') return !['-', '%', '"', '/', '×'].includes(next?.text ?? '');
  return ['for', 'fur', 'pour', 'on'].includes(next.text);
}

/** Parses a unit after a number: `stars`, `-star ratings`, `customer reviews`. */
function unitAfter(tokens: Token[], at: number): { kind: 'rating' | 'reviews'; to: number } | undefined {
  let i = tokens[at]?.text === '-' ? at + 1 : at;
  const stars = phraseAt(STARS, tokens, i);
  if (stars) return { kind: 'rating', to: stars.to };
  while (REVIEW_ADJECTIVES.has(tokens[i]?.text ?? '')) i += 1;
  const reviews = phraseAt(REVIEWS, tokens, i);
  return reviews && { kind: 'reviews', to: reviews.to };
}

/** Adds a comparison that follows the unit: `4 stars or higher`. */
function withSuffix(tokens: Token[], limit: Limit): Limit {
  const suffix = phraseAt(SUFFIXES, tokens, limit.to);
  if (!suffix || suffix.value === 'near' || (limit.min !== undefined && limit.max !== undefined)) return limit;
  const { min, max, ...rest } = limit;
  return { ...rest, [suffix.value]: min ?? max, to: suffix.to };
}

/** The index of `rated` or `ratings of` directly before a number; undefined if there is none. */
function startOfRatingWord(tokens: Token[], at: number): number | undefined {
  const i = ['of', 'is', 'are', 'at', 'a'].includes(tokens[at - 1]?.text ?? '') ? at - 2 : at - 1;
  return RATING_WORDS.has(tokens[i]?.text ?? '') ? i : undefined;
}

/**
 * Whether a plain number before this token may be a price, because the token is not something that is counted or
 * measured.
 */
function canEndPrice(next: Token | undefined, isSentence: boolean): boolean {
  if (!next || next.kind === 'sign') return !['-', '%', '"'].includes(next?.text ?? '');
  if (CURRENCIES[next.text] || (isSentence && NEXT_CLAUSE.has(next.text))) return true;
  return measurementTerm('1', next.term) === undefined && AFTER_PRICE.has(next.text);
}
