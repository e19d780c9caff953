import { isStopWord } from '../words/normalize.ts';
import { parseNumberAt } from '../words/number-words.ts';
import { matchesPhrase, type Token, tokenize } from '../words/tokens.ts';
import { type Limit, parseLimits } from './limits.ts';
import { parseQuantity } from './quantity.ts';

/** What a sentence asks for, from its words alone. Facet values, which depend on the catalogue, are added by facet-values.ts. */

export interface Constraint {
  kind: 'price' | 'rating' | 'reviews' | 'quantity' | 'in_stock' | 'without' | 'wish' | 'sort' | 'value' | 'word';
  /** The words that state it, as they were written, and their position in the sentence (UTF-16 units, end exclusive). */
  text: string;
  start: number;
  end: number;
  min?: number;
  max?: number;
  currency?: string;
  /** For `quantity` the number, for `without` and `word` the term, for `wish`, `sort` and `value` its normalized meaning. */
  value?: string;
  /** The head noun, if it is one of these words: such a constraint is relaxed last. */
  headNoun?: string;
  /** Whether `value` was labelled as a size: then a range of sizes that contains it matches, too. */
  isSize?: boolean;
}

/** Which of the ambiguous words of a sentence occur in the catalogue. */
export interface CatalogVocabulary {
  /** Phrases that occur in product names, as they were written in the sentence: `no show`. */
  names: ReadonlySet<string>;
  /** Facet values, as terms joined by a space. */
  values: ReadonlySet<string>;
}

export interface ParsedQuery {
  constraints: Constraint[];
  /** The remaining words, which are searched for. */
  words: Token[];
  /** Phrases that would have been parsed differently if the catalogue contained them. */
  ambiguous: { names: string[]; values: string[] };
}

/** Phrases at the beginning that say nothing of the product. */
const OPENINGS = [
  'show me', 'find me', 'get me', 'give me', 'buy me', 'order me', 'find', 'search for', 'search', 'look for',
  'i am looking for', 'im looking for', 'looking for', 'i am searching for', 'im searching for', 'searching for',
  'i need', 'i want', 'i would like', 'id like', 'we need', 'we want', 'i want to buy', 'i want to find', 'i need to buy',
  'i am interested in', 'do you have', 'do you sell', 'have you got', 'can you find', 'can i get', 'can i buy', 'recommend',
  'please', 'hello', 'hi', 'do a search for', 'order', 'buy', 'add', 'get', 'purchase', 'to buy', 'to order', 'to get',
  'to find', 'to purchase',
].map((phrase) => phrase.split(' ')); // biome-ignore format: a list
/** Openings that can also begin a product name: `order pad`, `find my phone tag`. */
const AMBIGUOUS_OPENINGS = new Set('order buy add get purchase find search recommend hi hello'.split(' '));
const ARTICLES = new Set('a an some any the me'.split(' '));
const COURTESY_WORDS = new Set('please thanks'.split(' '));

/** Next to the words of a constraint, these only connect it to the sentence. */
const CONNECTING_WORDS = new Set(
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

const NEGATIONS = new Set('without except excluding not minus'.split(' '));
/** Words between a negation and what is not wanted. */
const AFTER_NEGATION = new Set('a an any the made of with in'.split(' '));

const EMPTY_VOCABULARY: CatalogVocabulary = { names: new Set(), values: new Set() };

/** Parses a sentence. Pure, and well under a millisecond. */
export function parseQuery(sentence: string, vocabulary: CatalogVocabulary = EMPTY_VOCABULARY): ParsedQuery {
  const tokens = tokenize(sentence);
  const consumed = new Array<boolean>(tokens.length).fill(false);
  const constraints: Constraint[] = [];
  const ambiguous: ParsedQuery['ambiguous'] = { names: [], values: [] };
  const addConstraint = (from: number, to: number, constraint: Omit<Constraint, 'text' | 'start' | 'end'>) => {
    consumed.fill(true, from, to);
    const start = tokens[from]?.start ?? 0;
    const end = tokens[to - 1]?.end ?? start;
    constraints.push({ ...constraint, text: sentence.slice(start, end), start, end });
  };
  const start = endOfOpening(tokens);
  consumed.fill(true, 0, start);
  for (const limit of parseLimits(tokens)) addConstraint(limit.from, limit.to, constraintOf(limit));
  for (let i = start; i < tokens.length; i += 1) {
    if (consumed[i]) continue;
    const phrase = PHRASES.find(({ words }) => matchesPhrase(tokens, i, words));
    if (phrase) addConstraint(i, i + phrase.words.length, { kind: phrase.kind, value: phrase.value });
  }
  const state = { tokens, start, consumed, addConstraint, vocabulary, ambiguous };
  addQuantity(state);
  addNegations(state);
  dropConnectingWords(state);
  for (let i = tokens.length - 1; i > 0 && COURTESY_WORDS.has(tokens[i]?.text ?? ''); i -= 1) consumed[i] = true;
  const words = tokens.filter(({ kind }, i) => !consumed[i] && kind === 'word');
  // If only stop words are left, the whole sentence is searched for.
  const left = words.some(({ term }) => !isStopWord(term)) || constraints.length > 0 ? words : tokens.filter(isWord);
  return { constraints: constraints.sort((a, b) => a.start - b.start), words: left, ambiguous };
}

interface ParseState {
  tokens: Token[];
  /** The first token after the opening. */
  start: number;
  /** Which tokens are not searched for. */
  consumed: boolean[];
  addConstraint: (from: number, to: number, constraint: Omit<Constraint, 'text' | 'start' | 'end'>) => void;
  vocabulary: CatalogVocabulary;
  ambiguous: ParsedQuery['ambiguous'];
}

function constraintOf({ kind, min, max, currency }: Limit) {
  return {
    kind,
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(currency !== undefined && { currency }),
  };
}

function isWord({ kind }: Token): boolean {
  return kind === 'word';
}

/** The index of the first token after phrases such as `I am looking for a`. */
function endOfOpening(tokens: Token[]): number {
  let at = 0;
  for (;;) {
    const opening = OPENINGS.filter((phrase) => matchesPhrase(tokens, at, phrase)).sort(
      (a, b) => b.length - a.length,
    )[0];
    if (!opening || isPartOfName(tokens, at, opening)) break;
    at += opening.length;
  }
  while (at > 0 && ARTICLES.has(tokens[at]?.text ?? '')) at += 1;
  return at;
}

/** An ambiguous opening is part of a name unless an article or a number follows. */
function isPartOfName(tokens: Token[], at: number, opening: string[]): boolean {
  const next = at + opening.length;
  const isRequest = ARTICLES.has(tokens[next]?.text ?? '') || parseNumberAt(tokens, next) !== undefined;
  return AMBIGUOUS_OPENINGS.has(opening.join(' ')) && !isRequest;
}

function addQuantity({ tokens, start, consumed, addConstraint, vocabulary, ambiguous }: ParseState): void {
  const quantity = parseQuantity(tokens, start);
  if (!quantity || consumed.slice(Math.max(quantity.from, start), quantity.to).includes(true)) return;
  if (quantity.name) ambiguous.names.push(quantity.name);
  if (quantity.name && vocabulary.names.has(quantity.name)) return;
  addConstraint(quantity.from, quantity.to, { kind: 'quantity', value: String(quantity.value) });
}

/** `without leather`, `not red`, `no zipper`, `non-leather`: the next word, or a value of several, is not wanted. */
function addNegations({ tokens, start, consumed, addConstraint, vocabulary, ambiguous }: ParseState): void {
  for (let i = start; i < tokens.length; i += 1) {
    const first = consumed[i] ? undefined : startOfNegated(tokens, start, i);
    const token = first === undefined ? undefined : tokens[first];
    if (first === undefined || token?.kind !== 'word' || consumed[first]) continue;
    const name = `${tokens[i]?.text} ${token.text}`;
    ambiguous.names.push(name);
    if (vocabulary.names.has(name)) continue;
    let to = first + 1;
    let value = token.term;
    for (
      let end = first + 2;
      end <= first + MAX_NEGATED_WORDS && tokens[end - 1]?.kind === 'word' && !consumed[end - 1];
      end += 1
    ) {
      const longer = tokens
        .slice(first, end)
        .map(({ term }) => term)
        .join(' ');
      ambiguous.values.push(longer);
      if (vocabulary.values.has(longer)) [to, value] = [end, longer];
    }
    addConstraint(i, to, { kind: 'without', value });
  }
}

const MAX_NEGATED_WORDS = 3;

/** The index of the first unwanted word, if a negation begins at `at`. */
function startOfNegated(tokens: Token[], start: number, at: number): number | undefined {
  const { text } = tokens[at] ?? { text: '' };
  const before = tokens[at - 1]?.text ?? '';
  if (text === 'non') return tokens[at + 1]?.text === '-' ? at + 2 : undefined;
  const isFirst = at === start || (at === start + 1 && ARTICLES.has(before));
  // `No 7 cream`
  const isNo = text === 'no' && tokens[at + 1]?.number === undefined;
  if (!NEGATIONS.has(text) && !(isNo && (isFirst || ['with', 'but', 'and', ','].includes(before)))) return undefined;
  let unwanted = at + 1;
  while (AFTER_NEGATION.has(tokens[unwanted]?.text ?? '')) unwanted += 1;
  return unwanted;
}

/** Drops connecting words next to constraints, from the constraints outwards. */
function dropConnectingWords({ tokens, start, consumed }: ParseState): void {
  const isConnecting = (i: number) => tokens[i]?.kind === 'sign' || CONNECTING_WORDS.has(tokens[i]?.text ?? '');
  for (let i = tokens.length - 1; i >= start; i -= 1)
    if (!consumed[i] && consumed[i + 1] && isConnecting(i)) consumed[i] = true;
  for (let i = start; i < tokens.length; i += 1) {
    if (!consumed[i] && i > start && consumed[i - 1] && isConnecting(i)) consumed[i] = true;
  }
}
