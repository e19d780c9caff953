import { measure } from '../words/normalize.ts';
import { numberAt } from '../words/number-words.ts';
import { matchPhrase, type Token } from '../words/tokens.ts';

/** The numeric limits that a sentence states: prices, ratings and numbers of reviews. */

export type Quantity = 'price' | 'rating' | 'reviews';

export interface Limit {
  quantity: Quantity;
  min?: number;
  max?: number;
  /** The currency that the sentence names, as ISO code; absent when it names none. */
  currency?: string;
  /** The tokens that say it: from this one on, up to but not including `to`. */
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
/** These stand in names, too (`Pro Max`), or mean something else before a plain number: only a unit makes them a limit. */
const NEEDS_UNIT = new Set(['max', 'min', 'from', 'within', 'up to', 'starting from', '<', '>']);

const ENDINGS: [Side, string[][]][] = [
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

const RATED = new Set('rated rating ratings star stars score scored'.split(' '));
const STARS = phrases(
  'star ratings, star rating, star rated, stars rating, star reviews, stars, star, ratings, rating',
);
const REVIEWS = phrases('reviews, review, reviewers, buyers, customers, purchasers, ratings from customers');
const KINDS_OF_REVIEWS = new Set('customer user verified positive good plus'.split(' '));

/** What may follow a plain number that is a price; before any other word it counts or measures that. */
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

interface Reading {
  from: number;
  to: number;
  min?: number;
  max?: number;
  currency?: string | undefined;
  /** A comparison that says nothing of prices by itself, or none at all. */
  needsUnit: boolean;
}

/** All limits of a sentence. A number without comparison, unit or currency is none: it belongs to a name. */
export function limitsIn(tokens: Token[]): Limit[] {
  const limits: Limit[] = [];
  for (let i = 0; i < tokens.length; ) {
    const reading = readRange(tokens, i) ?? readComparison(tokens, i) ?? readAlone(tokens, i);
    const limit = reading && judge(tokens, reading);
    if (limit) limits.push(limit);
    i = limit ? limit.to : i + 1;
  }
  return limits;
}

/** `between 20 and 40 euros`, `$15-25`, `from $8 to $12`. */
function readRange(tokens: Token[], at: number): Reading | undefined {
  const word = tokens[at]?.text ?? '';
  const announced = word === 'between' || word === 'from' || word === 'ranging';
  const start = word === 'ranging' ? at + 2 : announced ? at + 1 : at;
  const low = readAmount(tokens, start);
  if (!low || !['and', 'to', '-', '–', '—'].includes(tokens[low.to]?.text ?? '')) return undefined;
  if (!announced && tokens[low.to]?.text === 'and') return undefined;
  const high = readAmount(tokens, low.to + 1);
  if (!high || high.value < low.value) return undefined;
  const currency = low.currency ?? high.currency;
  const needsUnit = word !== 'between' || low.isSpelled || high.isSpelled;
  return { from: at, to: high.to, min: low.value, max: high.value, currency, needsUnit };
}

/** `under $50`, `at least 4 stars`, `does not cost more than 30`. */
function readComparison(tokens: Token[], at: number): Reading | undefined {
  for (const [side, comparisons] of COMPARISONS) {
    const length = longest(tokens, at, comparisons);
    const amount = length > 0 ? readAmount(tokens, at + length) : undefined;
    if (!amount) continue;
    const said = tokens.slice(at, at + length).map(({ text }) => text);
    const from = negationBefore(tokens, at);
    const meant = from < at ? opposite(side) : side;
    const needsUnit = amount.isSpelled || NEEDS_UNIT.has(said.join(' '));
    return { from, to: amount.to, [meant]: amount.value, currency: amount.currency, needsUnit };
  }
  return undefined;
}

/** `4.5+ stars`, `$20 or less`, `200 reviews`: what follows makes the number a limit. */
function readAlone(tokens: Token[], at: number): Reading | undefined {
  const amount = readAmount(tokens, at);
  if (!amount) return undefined;
  const ending = readEnding(tokens, amount.to);
  // `Five Star notebook` is a name.
  if (!ending && amount.isSpelled) return undefined;
  if (!ending) return { from: at, to: amount.to, min: amount.value, currency: amount.currency, needsUnit: true };
  // `iPhone 8 Plus` and `S8+` are names.
  const needsUnit =
    amount.isSpelled ||
    !tokens[ending.to - 1]?.text.match(/^(?:less|lower|below|under|cheaper|more|higher|above|over|up)$/);
  return { from: at, to: ending.to, [ending.side]: amount.value, currency: amount.currency, needsUnit };
}

function readEnding(tokens: Token[], at: number): { side: Side; to: number } | undefined {
  for (const [side, endings] of ENDINGS) {
    const length = longest(tokens, at, endings);
    if (length > 0) return { side, to: at + length };
  }
  return undefined;
}

/** A number, in digits or words, with the currency before or behind it. */
function readAmount(tokens: Token[], at: number): Amount | undefined {
  const before = CURRENCIES[tokens[at]?.text ?? ''];
  const i = before ? at + 1 : at;
  const number = numberAt(tokens, i);
  if (!number) return undefined;
  const { value, to, isSpelled } = number;
  const after = before ? undefined : CURRENCIES[tokens[to]?.text ?? ''];
  const currency = before ?? after;
  return { value, to: after ? to + 1 : to, isSpelled, ...(currency && { currency }) };
}

/** What kind of limit a reading is, if any: by its currency, else by the unit behind it, else by the word before it. */
function judge(tokens: Token[], reading: Reading): Limit | undefined {
  const { from, to, min, max, currency, needsUnit } = reading;
  const limit = (quantity: Quantity, end: number): Limit => ({
    quantity,
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(currency && { currency }),
    from,
    to: end,
  });
  // `$20` alone is no limit.
  const bare = needsUnit && max === undefined && !readsAsComparison(tokens, from) && !endsAsComparison(tokens, to);
  if (currency) return bare ? undefined : limit('price', to);
  const unit = unitBehind(tokens, to);
  const highest = Math.max(min ?? 0, max ?? 0);
  if (unit?.quantity === 'reviews') return limit('reviews', unit.to);
  if (unit?.quantity === 'rating' && highest <= 5) return withEnding(tokens, limit('rating', unit.to));
  const rated = ratedBefore(tokens, from);
  if (rated !== undefined && highest <= 5) return { ...withEnding(tokens, limit('rating', to)), from: rated };
  return needsUnit || !followsPrice(tokens, to) ? undefined : limit('price', to);
}

function readsAsComparison(tokens: Token[], at: number): boolean {
  return COMPARISONS.some(([, comparisons]) => longest(tokens, at, comparisons) > 0);
}

function endsAsComparison(tokens: Token[], end: number): boolean {
  return ENDINGS.some(([, endings]) =>
    endings.some((ending) => matchPhrase(tokens, end - ending.length, ending) && end >= ending.length),
  );
}

/** `stars`, `-star ratings`, `customer reviews`. */
function unitBehind(tokens: Token[], at: number): { quantity: Quantity; to: number } | undefined {
  let i = tokens[at]?.text === '-' ? at + 1 : at;
  const stars = longest(tokens, i, STARS);
  if (stars > 0) return { quantity: 'rating', to: i + stars };
  while (KINDS_OF_REVIEWS.has(tokens[i]?.text ?? '')) i += 1;
  const reviews = longest(tokens, i, REVIEWS);
  return reviews > 0 ? { quantity: 'reviews', to: i + reviews } : undefined;
}

/** `4 stars or higher`: the comparison stands behind the unit. */
function withEnding(tokens: Token[], limit: Limit): Limit {
  const ending = readEnding(tokens, limit.to);
  if (!ending) return limit;
  const value = limit.min ?? limit.max;
  const { min: _min, max: _max, ...rest } = limit;
  const sides =
    limit.min !== undefined && limit.max !== undefined ? { min: limit.min, max: limit.max } : { [ending.side]: value };
  return { ...rest, ...sides, to: ending.to };
}

/** Where `rated` or `ratings of` begins, if it stands right before. */
function ratedBefore(tokens: Token[], at: number): number | undefined {
  const i = ['of', 'is', 'are', 'at', 'a'].includes(tokens[at - 1]?.text ?? '') ? at - 2 : at - 1;
  return RATED.has(tokens[i]?.text ?? '') ? i : undefined;
}

/** Whether a plain number can be a price: nothing follows that it could count or measure. */
function followsPrice(tokens: Token[], at: number): boolean {
  const next = tokens[at];
  if (!next || next.kind === 'sign') return next?.text !== '-' && next?.text !== '%' && next?.text !== '"';
  return measure('1', next.term) === undefined && AFTER_PRICE.has(next.text);
}

/** The token at which a negation of the comparison begins, or the comparison itself where there is none. */
function negationBefore(tokens: Token[], at: number): number {
  let i = at - 1;
  while (BETWEEN_NEGATION_AND_COMPARISON.has(tokens[i]?.text ?? '')) i -= 1;
  if (!NEGATIONS.has(tokens[i]?.text ?? '')) return at;
  return ['do', 'does', 'should', 'must', 'can', 'will'].includes(tokens[i - 1]?.text ?? '') ? i - 1 : i;
}

function opposite(side: Side): Side {
  return side === 'min' ? 'max' : 'min';
}

function longest(tokens: Token[], at: number, candidates: string[][]): number {
  return Math.max(0, ...candidates.map((phrase) => (matchPhrase(tokens, at, phrase) ? phrase.length : 0)));
}
