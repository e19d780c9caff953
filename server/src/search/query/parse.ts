import { type Language, languageOf } from '../words/languages.ts';
import { isStopWord } from '../words/normalize.ts';
import { parseNumberAt } from '../words/number-words.ts';
import { phraseAt } from '../words/phrases.ts';
import { type Token, tokenize } from '../words/tokens.ts';
import { dropConnectingWords, dropFillers, dropResultCounts } from './drop-words.ts';
import { FILLERS } from './fillers.ts';
import { ARTICLES, endOfOpening, withoutLabels, withoutMarkup } from './frame.ts';
import { COMPARISONS } from './limit-words.ts';
import { type Limit, parseLimits } from './limits.ts';
import { endOfRefusedUnavailable, MARKS_OF_KEYWORDS, MARKS_OF_SENTENCES, type Mark } from './marks.ts';
import { addMeasures } from './measures.ts';
import type { ParseState } from './parse-state.ts';
import type { CatalogVocabulary, Constraint, ParsedQuery, Reading } from './parsed-query.ts';
import { parseQuantity } from './quantity.ts';
import { perPiece, takeBundle, takeLateCap, takeSpentOn, takeTotals } from './totals.ts';
import { addUnread, takeCurrency } from './unread-limits.ts';
import { addNegations } from './unwanted.ts';

/** What a sentence asks for, from its words alone. Facet values, which depend on the catalogue, are added by facet-values.ts. */

const KEYWORDS: Reading = { isSentence: false, language: 'en' };

const COURTESY_WORDS = new Set('please thanks'.split(' '));

const EMPTY_VOCABULARY: CatalogVocabulary = { names: new Set(), values: new Set() };

/** Parses a sentence. Pure, and well under a millisecond. */
export function parseQuery(
  sentence: string,
  vocabulary: CatalogVocabulary = EMPTY_VOCABULARY,
  reading: Reading = KEYWORDS,
): ParsedQuery {
  const tokens = reading.isSentence ? withoutLabels(tokenize(withoutMarkup(sentence), reading)) : tokenize(sentence);
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
  const isBundle = reading.isSentence && (takeBundle(state) || takeSpentOn(state));
  const priceOf = reading.isSentence && !isBundle ? takeTotals(state) : undefined;
  const isCapped = reading.isSentence && takeLateCap(state);
  const totals = isBundle || priceOf === 'all';
  const plain = !reading.isSentence ? 'no' : totals || isCapped || priceOf === 'each' ? 'max' : 'unclear';
  if (reading.isSentence) addMeasures(state);
  for (const limit of parseLimits(tokens.map(withoutConsumed(state)), plain)) {
    addConstraint(limit.from, limit.to, constraintOf(limit));
    if (limit.negation) consumed.fill(true, limit.negation.from, limit.negation.to);
  }
  addMarks(state);
  if (reading.isSentence) dropResultCounts(state);
  addQuantity(state);
  addNegations(state);
  const currency = reading.isSentence ? takeCurrency(state) : undefined;
  if (reading.isSentence) addUnread(state);
  dropConnectingWords(state);
  if (reading.isSentence) dropFillers(state);
  for (let i = tokens.length - 1; i > 0 && COURTESY_WORDS.has(tokens[i]?.text ?? ''); i -= 1) consumed[i] = true;
  const words = tokens.filter(({ kind }, i) => !consumed[i] && kind === 'word');
  const isBare = reading.isSentence || words.some(({ term }) => !isStopWord(term)) || constraints.length > 0;
  return {
    constraints: perPiece(withCurrency(withoutContradictions(constraints, words), currency), {
      isTotal: totals,
      isEach: priceOf === 'each',
    }).sort((a, b) => a.start - b.start),
    // If only stop words are left, the whole sentence is searched for.
    words: isBare ? words : tokens.filter(isWord),
    ambiguous,
    language,
  };
}

/** `her place has no clock, so I need a wall clock`: what is lacking is wanted. */
function withoutContradictions(constraints: Constraint[], words: Token[]): Constraint[] {
  const wanted = new Set(words.map(({ term }) => term));
  return constraints.filter(({ kind, value }) => kind !== 'without' || value === undefined || !wanted.has(value));
}

function withCurrency(constraints: Constraint[], currency: string | undefined): Constraint[] {
  if (currency === undefined) return constraints;
  return constraints.map((each) => (each.kind === 'price' ? { currency, ...each } : each));
}

/** A consumed word stands for none. */
function withoutConsumed({ consumed }: ParseState) {
  return (token: Token, i: number): Token => {
    if (!consumed[i]) return token;
    const { number: _number, ...rest } = token;
    return { ...rest, kind: 'sign', text: '', term: '' };
  };
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
  const { consumed, addConstraint, vocabulary, ambiguous, reading, language } = state;
  const tokens = state.tokens.map(withoutConsumed(state));
  const start = reading.isSentence ? startOfThing({ ...state, tokens }) : state.start;
  const quantity = parseQuantity(tokens, start, {
    hasOpening: reading.isSentence || start > 0,
    isPlural: language !== 'en',
  });
  if (!quantity || consumed.slice(Math.max(quantity.from, start), quantity.to).includes(true)) return;
  if (quantity.name) ambiguous.names.push(quantity.name);
  if (quantity.name && vocabulary.names.has(quantity.name)) return;
  const from = startOfComparison(tokens, quantity.from);
  addConstraint(from, quantity.to, { kind: 'quantity', value: String(quantity.value) });
}

/** `at least 3 mugs`, `no more than two mugs`: what is compared is how many, and so many are taken. */
function startOfComparison(tokens: Token[], at: number): number {
  const start = [4, 3, 2, 1]
    .map((words) => at - words)
    .find((i) => i >= 0 && phraseAt(COMPARISONS, tokens, i)?.to === at);
  if (start === undefined) return at;
  return ['no', 'not', 'nicht', 'pas'].includes(tokens[start - 1]?.text ?? '') ? start - 1 : start;
}

const IN_STOCK: Mark = { kind: 'in_stock', value: 'true' };

function addMarks({ tokens, start, consumed, addConstraint, reading }: ParseState): void {
  const table = reading.isSentence ? MARKS_OF_SENTENCES : MARKS_OF_KEYWORDS;
  for (let i = start; i < tokens.length; i += 1) {
    // `for sale` tells nothing of the price.
    if (tokens[i]?.text === 'sale' && tokens[i - 1]?.text === 'for') continue;
    const refused = reading.isSentence && !consumed[i] ? endOfRefusedUnavailable(tokens, i) : undefined;
    const mark = consumed[i] ? undefined : refused ? { to: refused, value: IN_STOCK } : phraseAt(table, tokens, i);
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
