import { isJoining } from '../words/normalize.ts';
import { numberAt } from '../words/number-words.ts';
import { matchPhrase, type Token, tokensOf } from '../words/tokens.ts';
import { type Limit, limitsIn } from './limits.ts';
import { quantityIn } from './quantity.ts';

/** What a sentence asks for, read from the sentence alone; what only the catalogue can tell is added by `find`. */

export interface Constraint {
  kind: 'price' | 'rating' | 'reviews' | 'quantity' | 'in_stock' | 'without' | 'wish' | 'sort' | 'value' | 'word';
  /** The words that say it, as they were written, and where they stand in the sentence (UTF-16 units, end exclusive). */
  text: string;
  start: number;
  end: number;
  min?: number;
  max?: number;
  currency?: string;
  /** Of `quantity` the number, of `without` and `word` the term, of `wish`, `sort` and `value` what is meant. */
  value?: string;
  /** The word of it that says what the thing is, as it is compared: that is given up last. */
  thing?: string;
  /** Whether `value` was said to be a size: then a range of sizes that holds it will do. */
  isSize?: boolean;
}

/** What the catalogue knows of the words of a sentence. */
export interface Known {
  /** Runs of words that stand in names of products, as they were written in the sentence: `no show`. */
  names: ReadonlySet<string>;
  /** Values of facets, as terms joined by a space. */
  values: ReadonlySet<string>;
}

export interface Understanding {
  constraints: Constraint[];
  /** The words that are left to search for. */
  words: Token[];
  /** What would have been read in another way if the catalogue knew it. */
  doubts: { names: string[]; values: string[] };
}

/** Ways to begin that say nothing of the thing. */
const OPENINGS = [
  'show me', 'find me', 'get me', 'give me', 'buy me', 'order me', 'find', 'search for', 'search', 'look for',
  'i am looking for', 'im looking for', 'looking for', 'i am searching for', 'im searching for', 'searching for',
  'i need', 'i want', 'i would like', 'id like', 'we need', 'we want', 'i want to buy', 'i want to find', 'i need to buy',
  'i am interested in', 'do you have', 'do you sell', 'have you got', 'can you find', 'can i get', 'can i buy', 'recommend',
  'please', 'hello', 'hi', 'do a search for', 'order', 'buy', 'add', 'get', 'purchase', 'to buy', 'to order', 'to get',
  'to find', 'to purchase',
].map((phrase) => phrase.split(' ')); // biome-ignore format: a list
/** Openings that are also how a thing may be called: `order pad`, `find my phone tag`. */
const WEAK_OPENINGS = new Set('order buy add get purchase find search recommend hi hello'.split(' '));
const ARTICLES = new Set('a an some any the me'.split(' '));
const COURTESIES = new Set('please thanks'.split(' '));

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

const NOTHING: Known = { names: new Set(), values: new Set() };

/** Reads a sentence. Pure, and well under a millisecond. */
export function understand(sentence: string, known: Known = NOTHING): Understanding {
  const tokens = tokensOf(sentence);
  const taken = new Array<boolean>(tokens.length).fill(false);
  const constraints: Constraint[] = [];
  const doubts: Understanding['doubts'] = { names: [], values: [] };
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
  const reading = { tokens, opened, taken, take, known, doubts };
  takeQuantity(reading);
  takeNegations(reading);
  takeTies(reading);
  for (let i = tokens.length - 1; i > 0 && COURTESIES.has(tokens[i]?.text ?? ''); i -= 1) taken[i] = true;
  const words = tokens.filter(({ kind }, i) => !taken[i] && kind === 'word');
  // A sentence of fillers alone is looked for as it is.
  const left = words.some(({ term }) => !isJoining(term)) || constraints.length > 0 ? words : tokens.filter(isWord);
  return { constraints: constraints.sort((a, b) => a.start - b.start), words: left, doubts };
}

interface Reading {
  tokens: Token[];
  /** Where the opening ends. */
  opened: number;
  /** Which tokens are no words to search for. */
  taken: boolean[];
  take: (from: number, to: number, constraint: Omit<Constraint, 'text' | 'start' | 'end'>) => void;
  known: Known;
  doubts: Understanding['doubts'];
}

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
  const next = at + opening.length;
  const isWish = ARTICLES.has(tokens[next]?.text ?? '') || numberAt(tokens, next) !== undefined;
  return WEAK_OPENINGS.has(opening.join(' ')) && !isWish;
}

function takeQuantity({ tokens, opened, taken, take, known, doubts }: Reading): void {
  const quantity = quantityIn(tokens, opened);
  if (!quantity || taken.slice(Math.max(quantity.from, opened), quantity.to).includes(true)) return;
  if (quantity.name) doubts.names.push(quantity.name);
  if (quantity.name && known.names.has(quantity.name)) return;
  take(quantity.from, quantity.to, { kind: 'quantity', value: String(quantity.value) });
}

/** `without leather`, `not red`, `no zipper`, `non-leather`: the next word, or a value of several, is not wanted. */
function takeNegations({ tokens, opened, taken, take, known, doubts }: Reading): void {
  for (let i = opened; i < tokens.length; i += 1) {
    const what = taken[i] ? undefined : negatedAt(tokens, opened, i);
    const token = what === undefined ? undefined : tokens[what];
    if (what === undefined || token?.kind !== 'word' || taken[what]) continue;
    const name = `${tokens[i]?.text} ${token.text}`;
    doubts.names.push(name);
    if (known.names.has(name)) continue;
    let to = what + 1;
    let value = token.term;
    for (
      let end = what + 2;
      end <= what + MAX_NEGATED && tokens[end - 1]?.kind === 'word' && !taken[end - 1];
      end += 1
    ) {
      const longer = tokens
        .slice(what, end)
        .map(({ term }) => term)
        .join(' ');
      doubts.values.push(longer);
      if (known.values.has(longer)) [to, value] = [end, longer];
    }
    take(i, to, { kind: 'without', value });
  }
}

/** So many words make a value that is not wanted, at most. */
const MAX_NEGATED = 3;

/** Where what is not wanted begins, if a negation of a thing stands here. */
function negatedAt(tokens: Token[], opened: number, at: number): number | undefined {
  const { text } = tokens[at] ?? { text: '' };
  const before = tokens[at - 1]?.text ?? '';
  if (text === 'non') return tokens[at + 1]?.text === '-' ? at + 2 : undefined;
  const isFirst = at === opened || (at === opened + 1 && ARTICLES.has(before));
  // `No 7 cream`
  const isNo = text === 'no' && tokens[at + 1]?.number === undefined;
  if (!WITHOUT.has(text) && !(isNo && (isFirst || ['with', 'but', 'and', ','].includes(before)))) return undefined;
  let what = at + 1;
  while (AFTER_WITHOUT.has(tokens[what]?.text ?? '')) what += 1;
  return what;
}

/** Takes the words beside constraints that only tie them to the sentence, from the constraints outwards. */
function takeTies({ tokens, opened, taken }: Reading): void {
  const isTie = (i: number) => tokens[i]?.kind === 'sign' || TIES.has(tokens[i]?.text ?? '');
  for (let i = tokens.length - 1; i >= opened; i -= 1) if (!taken[i] && taken[i + 1] && isTie(i)) taken[i] = true;
  for (let i = opened; i < tokens.length; i += 1) {
    if (!taken[i] && i > opened && taken[i - 1] && isTie(i)) taken[i] = true;
  }
}
