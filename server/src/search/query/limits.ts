import { measurementTerm } from '../words/normalize.ts';
import { parseNumberAt } from '../words/number-words.ts';
import { matchesPhrase, type Token } from '../words/tokens.ts';

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
}

type Side = 'min' | 'max';

const phrases = (list: string) => list.split(',').map((phrase) => phrase.trim().split(' '));

const COMPARISONS: [Side, string[][]][] = [
  [
    'max',
    phrases(`under, below, beneath, less than, lower than, cheaper than, fewer than, up to, at most, at max, within,
      maximum price of, max price of, maximum price, max price, maximum of, maximum, max of, max, price limit of, budget of,
      budget is, budget, <, < =, ≤`),
  ],
  [
    'min',
    phrases(`over, above, more than, greater than, higher than, better than, at least, at min, exceeding, exceed,
      starting at, starting from, from, minimum price of, min price of, minimum price, min price, minimum of, minimum,
      min of, min, >, > =, ≥`),
  ],
];
/** These also occur in names (`Pro Max`), or mean something else before a plain number: they need a unit to be a limit. */
const AMBIGUOUS_COMPARISONS = new Set(['max', 'min', 'from', 'within', 'up to', 'starting from', '<', '>']);

const SUFFIXES: [Side, string[][]][] = [
  [
    'max',
    phrases(
      `or less, or under, or below, or lower, or cheaper, or fewer, and under, and below, max, maximum, at most, tops`,
    ),
  ],
  [
    'min',
    phrases(`or more, or higher, or above, or better, or over, or up, and up, and above, and higher, minimum, at least,
      plus, +`),
  ],
];

const NEGATIONS = new Set('not no never cannot cant dont doesnt shouldnt mustnt wont isnt'.split(' '));
const BETWEEN_NEGATION_AND_COMPARISON = new Set('cost costing be exceed go price priced is to any'.split(' '));

const CURRENCIES: Record<string, string> = Object.fromEntries(
  [
    ['USD', 'us$ $ usd dollar dollars buck bucks'],
    ['EUR', '€ eur euro euros'],
    ['GBP', '£ gbp quid'],
    ['JPY', '¥ jpy yen'],
    ['CHF', 'chf francs'],
  ].flatMap(([code = '', names = '']) => names.split(' ').map((name) => [name, code])),
);

const RATING_WORDS = new Set('rated rating ratings star stars score scored'.split(' '));
const STARS = phrases(
  'star ratings, star rating, star rated, stars rating, star reviews, stars, star, ratings, rating',
);
const REVIEWS = phrases('reviews, review, reviewers, buyers, customers, purchasers, ratings from customers');
const REVIEW_ADJECTIVES = new Set('customer user verified positive good plus'.split(' '));

/** Words that may follow a price without unit; before any other word, a number counts or measures that. */
const AFTER_PRICE = new Set(
  'a an and at but by for having if in incl including of on or per please rated that the total which who with'.split(
    ' ',
  ),
);

interface Amount {
  value: number;
  currency?: string;
  to: number;
  isSpelled: boolean;
}

interface NumericPhrase {
  from: number;
  to: number;
  min?: number;
  max?: number;
  currency?: string | undefined;
  /** Whether only a currency or unit makes it a limit: a plain amount, or an ambiguous comparison. */
  needsUnit: boolean;
}

/** All limits of a sentence. A number without comparison, unit or currency is taken for a part of a name. */
export function parseLimits(tokens: Token[]): Limit[] {
  const limits: Limit[] = [];
  for (let i = 0; i < tokens.length; ) {
    const phrase = parseRange(tokens, i) ?? parseComparison(tokens, i) ?? parseSuffixed(tokens, i);
    const limit = phrase && classify(tokens, phrase);
    if (limit) limits.push(limit);
    i = limit ? limit.to : i + 1;
  }
  return limits;
}

/** `between 20 and 40 euros`, `$15-25`, `from $8 to $12`. */
function parseRange(tokens: Token[], at: number): NumericPhrase | undefined {
  const word = tokens[at]?.text ?? '';
  const hasKeyword = word === 'between' || word === 'from' || word === 'ranging';
  const start = word === 'ranging' ? at + 2 : hasKeyword ? at + 1 : at;
  const low = parseAmount(tokens, start);
  if (!low || !['and', 'to', '-', '–', '—'].includes(tokens[low.to]?.text ?? '')) return undefined;
  if (!hasKeyword && tokens[low.to]?.text === 'and') return undefined;
  const high = parseAmount(tokens, low.to + 1);
  if (!high || high.value < low.value) return undefined;
  const currency = low.currency ?? high.currency;
  const needsUnit = word !== 'between' || low.isSpelled || high.isSpelled;
  return { from: at, to: high.to, min: low.value, max: high.value, currency, needsUnit };
}

/** `under $50`, `at least 4 stars`, `does not cost more than 30`. */
function parseComparison(tokens: Token[], at: number): NumericPhrase | undefined {
  for (const [side, comparisons] of COMPARISONS) {
    const length = longestMatch(tokens, at, comparisons);
    const amount = length > 0 ? parseAmount(tokens, at + length) : undefined;
    if (!amount) continue;
    const words = tokens.slice(at, at + length).map(({ text }) => text);
    const from = startOfNegation(tokens, at);
    const bound = from < at ? oppositeOf(side) : side;
    const needsUnit = amount.isSpelled || AMBIGUOUS_COMPARISONS.has(words.join(' '));
    return { from, to: amount.to, [bound]: amount.value, currency: amount.currency, needsUnit };
  }
  return undefined;
}

/** `4.5+ stars`, `$20 or less`, `200 reviews`: a number that a suffix or unit makes a limit. */
function parseSuffixed(tokens: Token[], at: number): NumericPhrase | undefined {
  const amount = parseAmount(tokens, at);
  if (!amount) return undefined;
  const suffix = parseSuffix(tokens, amount.to);
  // `Five Star notebook` is a brand.
  if (!suffix && amount.isSpelled) return undefined;
  if (!suffix) return { from: at, to: amount.to, min: amount.value, currency: amount.currency, needsUnit: true };
  // `iPhone 8 Plus` and `S8+` are names.
  const needsUnit =
    amount.isSpelled ||
    !tokens[suffix.to - 1]?.text.match(/^(?:less|lower|below|under|cheaper|more|higher|above|over|up)$/);
  return { from: at, to: suffix.to, [suffix.side]: amount.value, currency: amount.currency, needsUnit };
}

function parseSuffix(tokens: Token[], at: number): { side: Side; to: number } | undefined {
  for (const [side, suffixes] of SUFFIXES) {
    const length = longestMatch(tokens, at, suffixes);
    if (length > 0) return { side, to: at + length };
  }
  return undefined;
}

/** A number in digits or words, with the currency before or after it. */
function parseAmount(tokens: Token[], at: number): Amount | undefined {
  const before = CURRENCIES[tokens[at]?.text ?? ''];
  const i = before ? at + 1 : at;
  const number = parseNumberAt(tokens, i);
  if (!number) return undefined;
  const { value, to, isSpelled } = number;
  const after = before ? undefined : CURRENCIES[tokens[to]?.text ?? ''];
  const currency = before ?? after;
  return { value, to: after ? to + 1 : to, isSpelled, ...(currency && { currency }) };
}

/** What a phrase limits, if anything: told by its currency, else by the unit after it, else by the word before it. */
function classify(tokens: Token[], phrase: NumericPhrase): Limit | undefined {
  const { from, to, min, max, currency, needsUnit } = phrase;
  const limit = (kind: LimitKind, end: number): Limit => ({
    kind,
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(currency && { currency }),
    from,
    to: end,
  });
  // `$20` alone is not a limit.
  const isPlainAmount =
    needsUnit && max === undefined && !startsWithComparison(tokens, from) && !endsWithSuffix(tokens, to);
  if (currency) return isPlainAmount ? undefined : limit('price', to);
  const unit = parseUnit(tokens, to);
  const highest = Math.max(min ?? 0, max ?? 0);
  if (unit?.kind === 'reviews') return limit('reviews', unit.to);
  if (unit?.kind === 'rating' && highest <= 5) return withSuffix(tokens, limit('rating', unit.to));
  const rated = startOfRatingWord(tokens, from);
  if (rated !== undefined && highest <= 5) return { ...withSuffix(tokens, limit('rating', to)), from: rated };
  return needsUnit || !canEndPrice(tokens, to) ? undefined : limit('price', to);
}

function startsWithComparison(tokens: Token[], at: number): boolean {
  return COMPARISONS.some(([, comparisons]) => longestMatch(tokens, at, comparisons) > 0);
}

function endsWithSuffix(tokens: Token[], end: number): boolean {
  return SUFFIXES.some(([, suffixes]) =>
    suffixes.some((suffix) => matchesPhrase(tokens, end - suffix.length, suffix) && end >= suffix.length),
  );
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
  const suffix = parseSuffix(tokens, limit.to);
  if (!suffix) return limit;
  const value = limit.min ?? limit.max;
  const { min: _min, max: _max, ...rest } = limit;
  const sides =
    limit.min !== undefined && limit.max !== undefined ? { min: limit.min, max: limit.max } : { [suffix.side]: value };
  return { ...rest, ...sides, to: suffix.to };
}

/** The index at which `rated` or `ratings of` begins, if it directly precedes. */
function startOfRatingWord(tokens: Token[], at: number): number | undefined {
  const i = ['of', 'is', 'are', 'at', 'a'].includes(tokens[at - 1]?.text ?? '') ? at - 2 : at - 1;
  return RATING_WORDS.has(tokens[i]?.text ?? '') ? i : undefined;
}

/** Whether a plain number before this token can be a price: it counts or measures nothing. */
function canEndPrice(tokens: Token[], at: number): boolean {
  const next = tokens[at];
  if (!next || next.kind === 'sign') return next?.text !== '-' && next?.text !== '%' && next?.text !== '"';
  return measurementTerm('1', next.term) === undefined && AFTER_PRICE.has(next.text);
}

/** The index at which a negation of the comparison begins, or that of the comparison if there is none. */
function startOfNegation(tokens: Token[], at: number): number {
  let i = at - 1;
  while (BETWEEN_NEGATION_AND_COMPARISON.has(tokens[i]?.text ?? '')) i -= 1;
  if (!NEGATIONS.has(tokens[i]?.text ?? '')) return at;
  return ['do', 'does', 'should', 'must', 'can', 'will'].includes(tokens[i - 1]?.text ?? '') ? i - 1 : i;
}

function oppositeOf(side: Side): Side {
  return side === 'min' ? 'max' : 'min';
}

function longestMatch(tokens: Token[], at: number, candidates: string[][]): number {
  return Math.max(0, ...candidates.map((phrase) => (matchesPhrase(tokens, at, phrase) ? phrase.length : 0)));
}
