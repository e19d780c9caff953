import { measurementTerm } from '../words/normalize.ts';
import { phraseAt, phraseTable } from '../words/phrases.ts';
import { matchesPhrase, type Token } from '../words/tokens.ts';
import { sideByCues } from './amount-cues.ts';
import { type Amount, parseAmount } from './amounts.ts';
import { bounds, parseComparison } from './comparisons.ts';
import { FILLERS } from './fillers.ts';
import { AMBIGUOUS_COMPARISONS, COMPARISONS, CURRENCIES, NEXT_CLAUSE, PRICE_WORDS, SUFFIXES } from './limit-words.ts';
import { isOfSomethingElse, type NumericPhrase, parseRange } from './ranges.ts';

/** The numeric limits in a sentence: on price, rating and number of reviews. */

export type LimitKind = 'price' | 'rating' | 'reviews';

export interface Limit {
  kind: LimitKind;
  min?: number;
  max?: number;
  /** The ISO code of the currency that the sentence names, if any. */
  currency?: string;
  /** The tokens that state it, `to` exclusive. */
  from: number;
  to: number;
  /** Further tokens that belong to it, before words that do not. */
  negation?: NumericPhrase['negation'];
}

const phrases = (list: string) => list.split(',').map((phrase) => phrase.trim().split(' '));

const RATING_WORDS = new Set('rated rating ratings star stars score scored bewertet bewertung'.split(' '));
const STARS = phrases(
  `star ratings, star rating, star rated, stars rating, star reviews, stars, star, ratings, rating, sterne bewertung, sterne, sternen,
  etoiles, etoile`,
);
const REVIEWS = phrases(
  `reviews, review, reviewers, buyers, customers, purchasers, ratings from customers, bewertungen, rezensionen, kundenbewertungen,
  avis, avis clients, commentaires`,
);
const REVIEW_ADJECTIVES = new Set('customer user verified positive good plus positive guten'.split(' '));

/** Words that may follow a price without unit; before any other word, a number counts or measures that. */
const AFTER_PRICE = new Set(
  'a an and at but by for having if in incl including of on or per please rated that the total which who with'.split(
    ' ',
  ),
);

/** What a mere amount of money is: no limit, one that is not understood, or the most that may be paid. */
export type PlainAmounts = 'no' | 'unclear' | 'max';

/** All limits of a sentence. A number without comparison, unit or currency is taken for a part of a name. */
export function parseLimits(tokens: Token[], plain: PlainAmounts = 'no'): Limit[] {
  const limits: Limit[] = [];
  for (let i = 0; i < tokens.length; ) {
    const range = parseRange(tokens, i);
    const phrase = range ?? parseComparison(tokens, i) ?? parseSuffixed(tokens, i, plain);
    const limit = phrase && classify(tokens, phrase, plain);
    const told = limit || plain === 'no' ? undefined : unreadAmount(tokens, i);
    if (limit ?? told) limits.push((limit ?? told) as Limit);
    // Of a range that is no price, such as `40 bis 42`, the second half is none either.
    i = limit?.to ?? (plain === 'no' ? undefined : range?.to) ?? i + 1;
  }
  return withJoinedRanges(tokens, limits);
}

/** `under 25e`: what is compared begins like an amount, and is none that is known. It is told as a price. */
function unreadAmount(tokens: Token[], at: number): Limit | undefined {
  const found = phraseAt(COMPARISONS, tokens, at);
  if (!found || found.value === 'near' || AMBIGUOUS_COMPARISONS.has(found.words.join(' '))) return undefined;
  const isUnread = /^\d+e$/.test(tokens[found.to]?.text ?? '') && !isOfSomethingElse(tokens, at);
  return isUnread ? { kind: 'price', from: at, to: found.to + 1 } : undefined;
}

/** Between the two bounds of one range: `more than 50 but less than 60`. */
const WITHIN_RANGE = new Set(', and but also or und aber auch sowie et mais aussi'.split(' '));

function withJoinedRanges(tokens: Token[], limits: Limit[]): Limit[] {
  const joined: Limit[] = [];
  for (const limit of limits) {
    const before = joined.at(-1);
    const both = before && joinedRange(tokens, before, limit);
    if (both) joined.pop();
    joined.push(both ?? limit);
  }
  return joined;
}

/** A lower and an upper price that follow one another, as one limit. */
function joinedRange(tokens: Token[], a: Limit, b: Limit): Limit | undefined {
  const isOneSided = ({ min, max }: Limit) => (min === undefined) !== (max === undefined);
  if (a.kind !== 'price' || b.kind !== 'price' || !isOneSided(a) || !isOneSided(b)) return undefined;
  const [min, max] = [a.min ?? b.min, a.max ?? b.max];
  const isBeside = tokens.slice(a.to, b.from).every(({ text }) => WITHIN_RANGE.has(text));
  const isSameCurrency = !a.currency || !b.currency || a.currency === b.currency;
  if (min === undefined || max === undefined || min > max || !isBeside || !isSameCurrency) return undefined;
  const currency = a.currency ?? b.currency;
  const negation = a.negation ?? b.negation;
  return {
    kind: 'price',
    min,
    max,
    ...(currency && { currency }),
    ...(negation && { negation }),
    from: a.from,
    to: b.to,
  };
}

/** Before these, a price is what one is ready to pay. */
const READY_TO_PAY = new Set('for at fur pour a zu'.split(' '));

/** `4.5+ stars`, `$20 or less`, `200 reviews`, `for 50 dollars`: a number that a suffix, unit or preposition makes a limit. */
function parseSuffixed(tokens: Token[], at: number, plain: PlainAmounts): NumericPhrase | undefined {
  const isPaid = READY_TO_PAY.has(tokens[at]?.text ?? '');
  const amount = parseAmount(tokens, isPaid ? at + 1 : at);
  if (!amount) return undefined;
  const suffix = suffixAt(tokens, amount.to);
  const spread = spreadAfter(tokens, amount);
  if (spread) return { from: at, ...spread, needsUnit: true, isClear: false };
  // `four mugs for 60 altogether`
  const isOfAll = isPaid && plain === 'max' && endsClause(tokens, amount.to);
  if (isOfAll && !suffix)
    return { from: at, to: amount.to, max: amount.value, currency: amount.currency, needsUnit: false };
  const isMoney = amount.currency !== undefined || amount.isMoney === true;
  if (isPaid && !isMoney && !suffix && sideByCues(tokens, at, amount.to) === undefined) return undefined;
  // `Five Star notebook` is a brand.
  if (!suffix && amount.isSpelled && !isMoney) return undefined;
  if (!suffix) return withoutSuffix(tokens, amount, { from: at, isPaid });
  // `iPhone 8 Plus` and `S8+` are names.
  const needsUnit =
    amount.isSpelled ||
    !tokens[suffix.to - 1]?.text.match(
      /^(?:less|lower|below|under|cheaper|more|higher|above|over|up|weniger|gunstiger|billiger|mehr|moins)$/,
    );
  const { value } = amount;
  // `150+ euros`
  const late = amount.currency === undefined ? CURRENCIES[tokens[suffix.to]?.text ?? ''] : undefined;
  const currency = amount.currency ?? late;
  const isClear =
    (!['plus', '+', 'ish', '-', 'budget', 'mark'].includes(suffix.words[0] ?? '') || endsBudget(tokens, suffix)) &&
    !isOfSomethingElse(tokens, at);
  return {
    from: at,
    to: late ? suffix.to + 1 : suffix.to,
    ...bounds(amount.isNear ? 'near' : suffix.value, value),
    currency,
    needsUnit,
    isClear,
  };
}

const SPREAD = phraseTable([['spread', '±, + / -, + -, plus or minus, give or take, plus ou moins, plus minus']]);

/** `20 euros give or take 5`, `€20 ± 5`: how far from the amount a price may be. */
function spreadAfter(tokens: Token[], { value, currency, to }: Amount) {
  const found = phraseAt(SPREAD, tokens, to);
  const by = found && parseAmount(tokens, found.to);
  if (!by || by.value >= value) return undefined;
  return { to: by.to, min: value - by.value, max: value + by.value, currency: currency ?? by.currency };
}

/** `40 or so`, and after a pause what says that it is only near: `40, give or take`. */
function suffixAt(tokens: Token[], at: number) {
  const late = tokens[at]?.text === ',' ? phraseAt(SUFFIXES, tokens, at + 1) : undefined;
  return phraseAt(SUFFIXES, tokens, at) ?? (late?.value === 'near' ? late : undefined);
}

function withoutSuffix(
  tokens: Token[],
  { value, currency, to, isNear, isMoney }: Amount,
  { from, isPaid }: { from: number; isPaid: boolean },
): NumericPhrase {
  if (isNear && currency) return { from, to, ...bounds('near', value), currency, needsUnit: true };
  const isRange = ['range', 'bereich', 'ballpark'].includes(tokens[to]?.text ?? '');
  const isThatOfPrices = isRange && ['the', 'this', 'im'].includes(tokens[from - 1]?.text ?? '');
  if (isRange && (currency || isThatOfPrices))
    return { from, to: to + 1, ...bounds('near', value), currency, needsUnit: true, isClear: isThatOfPrices };
  if (isMoney && isPaid) return { from, to, max: value, needsUnit: false };
  if (currency && isPaid) return { from, to, max: value, currency, needsUnit: true };
  return { from, to, min: value, currency, needsUnit: true, isPlain: true };
}

/** `on a 40 budget`; the `5 budget mugs` are five. */
function endsBudget(tokens: Token[], { words, to }: { words: string[]; to: number }): boolean {
  return words[0] === 'budget' && (tokens[to]?.kind ?? 'sign') === 'sign';
}

/** What a phrase limits, if anything: told by its currency, else by the unit after it, else by the word before it. */
function classify(tokens: Token[], phrase: NumericPhrase, plain: PlainAmounts): Limit | undefined {
  const { from, to, min, max, currency, needsUnit } = phrase;
  const isSentence = plain !== 'no';
  const limit = (kind: LimitKind, end: number): Limit => ({
    kind,
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(currency && { currency }),
    ...(phrase.negation && { negation: phrase.negation }),
    from,
    to: end,
  });
  // `$20` alone is not a limit.
  if (currency && phrase.isPlain) {
    if (plain === 'no') return undefined;
    const side = plain === 'max' ? plain : sideByCues(tokens, from, to);
    return { kind: 'price', from, to, currency, ...(side && min !== undefined && { [side]: min }) };
  }
  if (currency) return limit('price', to);
  const unit = parseUnit(tokens, to);
  const highest = Math.max(min ?? 0, max ?? 0);
  if (unit?.kind === 'reviews') return limit('reviews', unit.to);
  if (unit?.kind === 'rating' && highest <= 5) return withSuffix(tokens, limit('rating', unit.to));
  const rated = startOfRatingWord(tokens, from);
  if (rated !== undefined && highest <= 5) return { ...withSuffix(tokens, limit('rating', to)), from: rated };
  if (phrase.isPlain && isSentence && !isOfSomethingElse(tokens, from) && endsClause(tokens, to)) {
    const side = sideByCues(tokens, from, to);
    if (side) return { kind: 'price', from, to, [side]: min };
    // Beside a word of prices, what is not understood is told as a price.
    if (isOfPrices(tokens, from)) return { kind: 'price', from, to, ...(plain === 'max' && { max: min as number }) };
  }
  // `20 is my upper bound`, of which the last words say which bound.
  if (phrase.isPlain && isSentence && isSubject(tokens, from, to)) {
    const side = sideByCues(tokens, from, to);
    return { kind: 'price', from, to, ...(side && { [side]: min }) };
  }
  const isUnclear = needsUnit && !(isSentence && phrase.isClear);
  return isUnclear || !canEndPrice(tokens, to, isSentence) ? undefined : limit('price', to);
}

const COPULAS = new Set('is ist sind est sont'.split(' '));
const OF_SOMEBODY = new Set('my our the mein meine unser unsere das die mon ma notre le la'.split(' '));

/** Whether a clause begins with the number and says what it is. */
function isSubject(tokens: Token[], from: number, to: number): boolean {
  const isBeginning = (tokens[from - 1]?.kind ?? 'sign') === 'sign';
  return isBeginning && COPULAS.has(tokens[to]?.text ?? '') && OF_SOMEBODY.has(tokens[to + 1]?.text ?? '');
}

function isOfPrices(tokens: Token[], at: number): boolean {
  const before = tokens.slice(Math.max(0, at - 3), at).reverse();
  const end = before.findIndex(({ kind, number }) => kind === 'sign' || number !== undefined);
  return (end < 0 ? before : before.slice(0, end)).some(({ text }) => PRICE_WORDS.has(text));
}

/** Whether a number stands where nothing can be counted by it: at the end of a clause, or before what it is for. */
function endsClause(tokens: Token[], at: number): boolean {
  const next = tokens[at];
  return !next || canEndClause(next) || ['for', 'fur', 'pour', 'on', 'ausgeben'].includes(next.text);
}

function canEndClause({ kind, text }: Token): boolean {
  return kind === 'sign' && !['-', '%', '"', '/', '×'].includes(text);
}

/** `stars`, `-star ratings`, `customer reviews`. */
function parseUnit(tokens: Token[], at: number): { kind: LimitKind; to: number } | undefined {
  let i = tokens[at]?.text === '-' ? at + 1 : at;
  const stars = longestMatch(tokens, i, STARS);
  if (stars > 0) return { kind: 'rating', to: i + stars };
  while (REVIEW_ADJECTIVES.has(tokens[i]?.text ?? '')) i += 1;
  const reviews = longestMatch(tokens, i, REVIEWS);
  return reviews > 0 ? { kind: 'reviews', to: i + reviews } : undefined;
}

/** `4 stars or higher`: the comparison follows the unit. */
function withSuffix(tokens: Token[], limit: Limit): Limit {
  const suffix = phraseAt(SUFFIXES, tokens, limit.to);
  if (!suffix || (suffix.value !== 'min' && suffix.value !== 'max')) return limit;
  const value = limit.min ?? limit.max;
  const { min: _min, max: _max, ...rest } = limit;
  const sides =
    limit.min !== undefined && limit.max !== undefined ? { min: limit.min, max: limit.max } : { [suffix.value]: value };
  return { ...rest, ...sides, to: suffix.to };
}

/** The index at which `rated` or `ratings of` begins, if it directly precedes. */
function startOfRatingWord(tokens: Token[], at: number): number | undefined {
  const i = ['of', 'is', 'are', 'at', 'a'].includes(tokens[at - 1]?.text ?? '') ? at - 2 : at - 1;
  return RATING_WORDS.has(tokens[i]?.text ?? '') ? i : undefined;
}

/** Whether a plain number before this token can be a price: it counts or measures nothing. */
function canEndPrice(tokens: Token[], at: number, isSentence: boolean): boolean {
  const next = tokens[at];
  if (!next || next.kind === 'sign') return next?.text !== '-' && next?.text !== '%' && next?.text !== '"';
  if (CURRENCIES[next.text] || (isSentence && (NEXT_CLAUSE.has(next.text) || isFiller(next)))) return true;
  return measurementTerm('1', next.term) === undefined && AFTER_PRICE.has(next.text);
}

/** These count, although they say nothing of the product. */
const COUNTED = new Set(
  'item items product products article articles thing things one ones piece pieces stuck teil teile artikel produkt produkte'.split(
    ' ',
  ),
);

function isFiller({ text }: Token): boolean {
  return !COUNTED.has(text) && Object.values(FILLERS).some((fillers) => fillers.has(text));
}

function longestMatch(tokens: Token[], at: number, candidates: string[][]): number {
  return Math.max(0, ...candidates.map((phrase) => (matchesPhrase(tokens, at, phrase) ? phrase.length : 0)));
}
