import { type Language, languageOf } from '../words/languages.ts';
import { isStopWord } from '../words/normalize.ts';
import { parseNumberAt } from '../words/number-words.ts';
import { phraseAt } from '../words/phrases.ts';
import { isSizeLabel } from '../words/sizes.ts';
import { otherWordsFor } from '../words/thesaurus.ts';
import { type Token, tokenize } from '../words/tokens.ts';
import { FILLERS, RESULT_COUNTS } from './fillers.ts';
import { ARTICLES, endOfOpening, withoutLabels } from './frame.ts';
import { type Limit, parseLimits } from './limits.ts';
import { MARKS_OF_KEYWORDS, MARKS_OF_SENTENCES } from './marks.ts';
import { type Negation, negationAt, nextUnwanted, unwantedBefore } from './negations.ts';
import type { Purpose } from './purposes.ts';
import { parseQuantity } from './quantity.ts';
import { perPiece, takeBundle, takeTotals } from './totals.ts';

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
  /** Whether the shop has nothing that tells whether it is kept. */
  isUnread?: boolean;
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
  language: Language;
  /** Words of the shop with the same root, by the term of a word. */
  related?: ReadonlyMap<string, string[]>;
  /** What the sentence wants a thing for, where it names none. */
  purposes?: Purpose[];
}

/** How a text is read. */
export interface Reading {
  /** Whether it is a sentence, of which function words say nothing; else it is words that somebody typed into a field. */
  isSentence: boolean;
  /** The language of the shop, for a text that does not tell its own. */
  language: Language;
}

const KEYWORDS: Reading = { isSentence: false, language: 'en' };

const COURTESY_WORDS = new Set('please thanks'.split(' '));

/** Next to the words of a constraint, these only connect it to the sentence. */
const CONNECTING_WORDS = new Set(
  `that which who it its is are be was should must has have having been with and or but for at in of do does not to
  price priced prices pricing cost costs costing rated rating ratings reviewed reviews customer please by from`.split(
    /\s+/,
  ),
);

const EMPTY_VOCABULARY: CatalogVocabulary = { names: new Set(), values: new Set() };

/** Parses a sentence. Pure, and well under a millisecond. */
export function parseQuery(
  sentence: string,
  vocabulary: CatalogVocabulary = EMPTY_VOCABULARY,
  reading: Reading = KEYWORDS,
): ParsedQuery {
  const tokens = reading.isSentence ? withoutLabels(tokenize(sentence, reading)) : tokenize(sentence);
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
  const language = languageOf(tokens, reading.language);
  const state = { tokens, start, consumed, addConstraint, vocabulary, ambiguous, reading, language };
  const totals = reading.isSentence ? takeBundle(state) || takeTotals(state) : false;
  const plain = !reading.isSentence ? 'no' : totals ? 'max' : 'unclear';
  for (const limit of parseLimits(tokens.map(withoutConsumed(state)), plain)) {
    addConstraint(limit.from, limit.to, constraintOf(limit));
    if (limit.negation) consumed.fill(true, limit.negation.from, limit.negation.to);
  }
  addMarks(state);
  if (reading.isSentence) dropResultCounts(state);
  addQuantity(state);
  addNegations(state);
  dropConnectingWords(state);
  if (reading.isSentence) dropFillers(state);
  for (let i = tokens.length - 1; i > 0 && COURTESY_WORDS.has(tokens[i]?.text ?? ''); i -= 1) consumed[i] = true;
  const words = tokens.filter(({ kind }, i) => !consumed[i] && kind === 'word');
  const isBare = reading.isSentence || words.some(({ term }) => !isStopWord(term)) || constraints.length > 0;
  return {
    constraints: perPiece(constraints, totals).sort((a, b) => a.start - b.start),
    // If only stop words are left, the whole sentence is searched for.
    words: isBare ? words : tokens.filter(isWord),
    ambiguous,
    language,
  };
}

/** A consumed word stands for none. */
function withoutConsumed({ consumed }: ParseState) {
  return (token: Token, i: number): Token => {
    if (!consumed[i]) return token;
    const { number: _number, ...rest } = token;
    return { ...rest, text: '', term: '' };
  };
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
  reading: Reading;
  language: Language;
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

function addQuantity(state: ParseState): void {
  const { tokens, consumed, addConstraint, vocabulary, ambiguous, reading, language } = state;
  const start = reading.isSentence ? startOfThing(state) : state.start;
  const quantity = parseQuantity(tokens, start, {
    hasOpening: reading.isSentence || start > 0,
    isPlural: language !== 'en',
  });
  if (!quantity || consumed.slice(Math.max(quantity.from, start), quantity.to).includes(true)) return;
  if (quantity.name) ambiguous.names.push(quantity.name);
  if (quantity.name && vocabulary.names.has(quantity.name)) return;
  addConstraint(quantity.from, quantity.to, { kind: 'quantity', value: String(quantity.value) });
}

function addMarks({ tokens, start, consumed, addConstraint, reading }: ParseState): void {
  const table = reading.isSentence ? MARKS_OF_SENTENCES : MARKS_OF_KEYWORDS;
  for (let i = start; i < tokens.length; i += 1) {
    const mark = consumed[i] ? undefined : phraseAt(table, tokens, i);
    if (mark && !consumed.slice(i, mark.to).includes(true)) addConstraint(i, mark.to, mark.value);
  }
}

/** The first token after all that says nothing of the thing: `please put`, `I would like to have`. */
function startOfThing({ tokens, start, consumed, language }: ParseState): number {
  let at = start;
  while (at < tokens.length && !parseNumberAt(tokens, at) && isIdle(tokens[at], consumed[at], language)) at += 1;
  const isArticle = ARTICLES.has(tokens[at - 1]?.text ?? '') && ['pair', 'couple'].includes(tokens[at]?.text ?? '');
  return isArticle ? at - 1 : at;
}

function isIdle(token: Token | undefined, isConsumed: boolean | undefined, language: Language): boolean {
  if (['a', 'an'].includes(token?.text ?? '')) return false;
  return isConsumed === true || token?.kind === 'sign' || FILLERS[language].has(token?.text ?? '');
}

/** `without leather`, `not red`, `no zipper`, `non-leather`: the next word, or a value of several, is not wanted. */
function addNegations(state: ParseState): void {
  const { tokens, start, consumed, addConstraint, vocabulary, ambiguous } = state;
  for (let i = start; i < tokens.length; i += 1) {
    if (consumed[i]) continue;
    const before = unwantedBefore(tokens, i);
    if (before) {
      addConstraint(i, before.to, { kind: 'without', value: before.term });
      continue;
    }
    const isFirst = i === start || (i === start + 1 && ARTICLES.has(tokens[i - 1]?.text ?? ''));
    const negation = negationAt(tokens, i, { isFirst, language: state.language });
    const token = negation && tokens[negation.first];
    if (token?.kind !== 'word' || consumed[negation?.first ?? 0]) continue;
    const name = `${tokens[i]?.text} ${token.text}`;
    ambiguous.names.push(name);
    if (!vocabulary.names.has(name)) addUnwanted(state, negation as Negation);
  }
}

function addUnwanted(
  { tokens, consumed, addConstraint, vocabulary, ambiguous, reading, language }: ParseState,
  negation: Negation,
): void {
  let [from, first]: [number, number | undefined] = [negation.from, negation.first];
  // `pas de veste noire` is about the colour, which follows the thing in French.
  const after = tokens[negation.first + 1];
  if (language === 'fr' && after?.kind === 'word' && !consumed[negation.first + 1] && isAttribute(after)) {
    consumed.fill(true, from, negation.first);
    [from, first] = [negation.first + 1, negation.first + 1];
  }
  while (first !== undefined) {
    let to: number = first + 1;
    let value = tokens[first]?.term ?? '';
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
      const isEntry =
        otherWordsFor(
          tokens
            .slice(first, end)
            .map(({ text }) => text)
            .join(' '),
        ).length > 0;
      if (isEntry || vocabulary.values.has(longer)) [to, value] = [end, longer];
    }
    addConstraint(from, to, { kind: 'without', value });
    from = to;
    const next = reading.isSentence ? nextUnwanted(tokens, negation, to) : undefined;
    first = next !== undefined && !consumed[next] && !isSizeLabel(tokens, next) ? next : undefined;
  }
}

/** Whether the shop may call it otherwise, which it does not with what only follows. */
function isAttribute({ text }: Token): boolean {
  return otherWordsFor(text).length > 0;
}

const MAX_NEGATED_WORDS = 3;

/** `the top 3`: how many results are wanted. */
function dropResultCounts({ tokens, consumed }: ParseState): void {
  for (let i = 0; i < tokens.length; i += 1) {
    const count = phraseAt(RESULT_COUNTS, tokens, i);
    if (count && tokens[count.to]?.number !== undefined) consumed.fill(true, i, count.to + 1);
  }
}

/** Takes out what only makes it a sentence: pronouns, auxiliaries, greetings. */
function dropFillers({ tokens, start, consumed, language }: ParseState): void {
  const fillers = FILLERS[language];
  for (let i = start; i < tokens.length; i += 1) {
    if (consumed[i] || (i > start && !consumed[i - 1] && isThingCan(tokens, i)) || isLetterOfWord(tokens, i, fillers))
      continue;
    if (fillers.has(tokens[i]?.text ?? '') || isOwnCart(tokens, i)) consumed[i] = true;
  }
}

/** The `t` of `t-shirt`, where that of `a-t-il` is none. */
function isLetterOfWord(tokens: Token[], at: number, fillers: ReadonlySet<string>): boolean {
  const next = tokens[at + 2];
  const isJoined = tokens[at]?.text.length === 1 && tokens[at + 1]?.text === '-' && tokens[at - 1]?.text !== '-';
  return isJoined && next?.kind === 'word' && !fillers.has(next.text);
}

/** `a watering can`, where the can of `what can I get` is no thing. */
function isThingCan(tokens: Token[], at: number): boolean {
  if (tokens[at]?.text !== 'can' || tokens[at - 1]?.kind !== 'word') return false;
  const next = tokens[at + 1];
  return next?.kind !== 'word' || ['and', 'or', 'in', 'for', 'with', 'of', 'from'].includes(next.text);
}

/** `to my basket`: the shopper's own, where `a basket` is a thing. */
function isOwnCart(tokens: Token[], at: number): boolean {
  if (!['cart', 'basket'].includes(tokens[at]?.text ?? '')) return false;
  let before = at - 1;
  while (['my', 'the', 'our', 'shopping'].includes(tokens[before]?.text ?? '')) before -= 1;
  return ['to', 'in', 'into'].includes(tokens[before]?.text ?? '');
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
