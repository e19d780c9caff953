import { type Limit, limitsIn } from './limits.ts';
import { isJoining } from './text.ts';
import { matchPhrase, type Token, tokensOf } from './tokens.ts';

/** What a sentence asks for, read from the sentence alone; what only the catalogue can tell is added by `find`. */

export interface Constraint {
  kind: 'price' | 'rating' | 'reviews' | 'quantity' | 'in_stock' | 'without' | 'wish' | 'sort' | 'value';
  /** The words that say it, as they were written, and where they stand in the sentence (UTF-16 units, end exclusive). */
  text: string;
  start: number;
  end: number;
  min?: number;
  max?: number;
  currency?: string;
  /** Of `quantity` the number, of `without` the term, of `wish`, `sort` and `value` what is meant. */
  value?: string;
}

export interface Understanding {
  constraints: Constraint[];
  /** The words that are left to search for. */
  words: Token[];
}

/** Ways to begin that say nothing of the thing. */
const OPENINGS = [
  'show me', 'find me', 'get me', 'give me', 'buy me', 'order me', 'find', 'search for', 'search', 'look for',
  'i am looking for', 'im looking for', 'looking for', 'i am searching for', 'im searching for', 'searching for',
  'i need', 'i want', 'i would like', 'id like', 'we need', 'we want', 'i want to buy', 'i want to find', 'i need to buy',
  'i am interested in', 'do you have', 'do you sell', 'have you got', 'can you find', 'can i get', 'can i buy', 'recommend',
  'please', 'hello', 'hi', 'do a search for', 'order', 'buy', 'add',
].map((phrase) => phrase.split(' ')); // biome-ignore format: a list
/** Openings that are also how a thing may be called: `order pad`, `find my phone tag`. */
const WEAK_OPENINGS = new Set(['order', 'buy', 'add', 'find', 'search', 'recommend', 'hi', 'hello']);
const ARTICLES = new Set('a an some any the me'.split(' '));

/** Beside words that made a constraint, these only tie them to the sentence. */
const TIES = new Set(
  `that which who it its is are be was should must has have having been with and or but for at in of do does not to
  price priced prices pricing cost costs costing rated rating ratings reviewed reviews customer please by from`.split(
    /\s+/,
  ),
);

interface Phrase {
  kind: 'in_stock' | 'wish' | 'sort';
  value: string;
  words: string[];
}

const phrases = (kind: Phrase['kind'], value: string, list: string): Phrase[] =>
  list.split(', ').map((phrase) => ({ kind, value, words: phrase.split(' ') }));

const PHRASES: Phrase[] = [
  ...phrases('in_stock', 'true', 'in stock, available now, available today, ready to ship, available immediately'),
  ...phrases(
    'sort',
    'price_asc',
    'cheapest, least expensive, lowest price, lowest priced, cheapest first, lowest price first',
  ),
  ...phrases('sort', 'price_desc', 'most expensive, highest price, highest priced'),
  ...phrases('sort', 'newest', 'newest, newest first, most recent, new arrivals'),
  ...phrases('sort', 'best_selling', 'best selling, bestselling, best seller, best sellers, bestsellers, most popular'),
  ...phrases(
    'wish',
    'low_price',
    'cheap, affordable, inexpensive, low cost, low priced, reasonably priced, budget friendly',
  ),
  ...phrases('wish', 'high_price', 'high end, luxury, expensive'),
  ...phrases(
    'wish',
    'rating',
    `highly rated, top rated, best rated, well rated, decently rated, well reviewed, great reviews,
    good reviews, good ratings, great ratings, strong ratings, excellent ratings, high ratings`.replaceAll(/\s+/g, ' '),
  ),
  ...phrases('wish', 'popular', 'popular, many reviews, lots of reviews, a lot of reviews'),
].sort((a, b) => b.words.length - a.words.length);

const WITHOUT = new Set('without except excluding not minus'.split(' '));
/** Between a negation and what is not wanted. */
const AFTER_WITHOUT = new Set('a an any the made of with in'.split(' '));

/** Reads a sentence. Pure, and well under a millisecond. */
export function understand(sentence: string): Understanding {
  const tokens = tokensOf(sentence);
  const taken = new Array<boolean>(tokens.length).fill(false);
  const constraints: Constraint[] = [];
  const take = (from: number, to: number, constraint: Omit<Constraint, 'text' | 'start' | 'end'>) => {
    taken.fill(true, from, to);
    const start = tokens[from]?.start ?? 0;
    const end = tokens[to - 1]?.end ?? start;
    constraints.push({ ...constraint, text: sentence.slice(start, end), start, end });
  };
  const opened = openingOf(tokens);
  taken.fill(true, 0, opened);
  for (const limit of limitsIn(tokens)) take(limit.from, limit.to, constraintOf(limit));
  for (let i = opened; i < tokens.length; i += 1) {
    if (taken[i]) continue;
    const phrase = PHRASES.find(({ words }) => matchPhrase(tokens, i, words));
    if (phrase) take(i, i + phrase.words.length, { kind: phrase.kind, value: phrase.value });
  }
  takeQuantity(tokens, opened, taken, take);
  takeNegations(tokens, opened, taken, take);
  takeTies(tokens, opened, taken);
  const words = tokens.filter(({ kind }, i) => !taken[i] && kind === 'word');
  // A sentence of fillers alone is looked for as it is.
  const left = words.some(({ term }) => !isJoining(term)) || constraints.length > 0 ? words : tokens.filter(isWord);
  return { constraints: constraints.sort((a, b) => a.start - b.start), words: left };
}

type Take = (from: number, to: number, constraint: Omit<Constraint, 'text' | 'start' | 'end'>) => void;

function constraintOf({ quantity, min, max, currency }: Limit) {
  return {
    kind: quantity,
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(currency !== undefined && { currency }),
  };
}

function isWord({ kind }: Token): boolean {
  return kind === 'word';
}

/** How many tokens at the beginning only say that something is wanted. */
function openingOf(tokens: Token[]): number {
  let at = 0;
  for (;;) {
    const opening = OPENINGS.filter((phrase) => matchPhrase(tokens, at, phrase)).sort((a, b) => b.length - a.length)[0];
    if (!opening || isName(tokens, at, opening)) break;
    at += opening.length;
  }
  while (at > 0 && ARTICLES.has(tokens[at]?.text ?? '')) at += 1;
  return at;
}

/** A weak opening begins a sentence only where an article or a number shows that it is one. */
function isName(tokens: Token[], at: number, opening: string[]): boolean {
  const next = tokens[at + opening.length];
  return WEAK_OPENINGS.has(opening.join(' ')) && !(next && (ARTICLES.has(next.text) || next.number !== undefined));
}

/** `I need 3 mugs`, `I need 3 blue mugs`, `2 x mug`, `5 pieces of`: how many, where a sentence begins with it. */
function takeQuantity(tokens: Token[], opened: number, taken: boolean[], take: Take): void {
  const number = tokens[opened]?.number;
  const next = tokens[opened + 1];
  if (number === undefined || !next || taken[opened] || !Number.isInteger(number) || number < 1 || number > 999) return;
  const counted = ['x', 'pieces', 'pcs', 'units'].includes(next.text);
  const plural = opened > 0 && !ARTICLES.has(tokens[opened - 1]?.text ?? '') && isPluralSoon(tokens, opened + 1);
  if (!counted && !plural) return;
  const of = tokens[opened + 2]?.text === 'of' ? 1 : 0;
  take(opened, counted ? opened + 2 + of : opened + 1, { kind: 'quantity', value: String(number) });
}

/** Whether a plural ends the next few words, before anything joins or counts them. */
function isPluralSoon(tokens: Token[], from: number): boolean {
  for (const { kind, text, term, number } of tokens.slice(from, from + 3)) {
    if (kind !== 'word' || number !== undefined || isJoining(term)) return false;
    if (text !== term) return true;
  }
  return false;
}

/** `without leather`, `not red`, `but no zipper`: the next word is not wanted. */
function takeNegations(tokens: Token[], opened: number, taken: boolean[], take: Take): void {
  for (let i = opened + 1; i < tokens.length; i += 1) {
    const { text } = tokens[i] ?? { text: '' };
    const before = tokens[i - 1]?.text ?? '';
    const negates = WITHOUT.has(text) || (text === 'no' && ['with', 'but', 'and', ','].includes(before));
    if (!negates || taken[i]) continue;
    let what = i + 1;
    while (AFTER_WITHOUT.has(tokens[what]?.text ?? '')) what += 1;
    const token = tokens[what];
    if (token?.kind !== 'word' || taken[what]) continue;
    take(i, what + 1, { kind: 'without', value: token.term });
  }
}

/** Takes the words beside constraints that only tie them to the sentence, from the constraints outwards. */
function takeTies(tokens: Token[], opened: number, taken: boolean[]): void {
  const isTie = (i: number) => tokens[i]?.kind === 'sign' || TIES.has(tokens[i]?.text ?? '');
  for (let i = tokens.length - 1; i >= opened; i -= 1) if (!taken[i] && taken[i + 1] && isTie(i)) taken[i] = true;
  for (let i = opened; i < tokens.length; i += 1) {
    if (!taken[i] && i > opened && taken[i - 1] && isTie(i)) taken[i] = true;
  }
}
