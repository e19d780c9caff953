/**
 * Parses a sentence without the catalogue. Each pass takes the words that it understands; parse-sentence.ts and
 * facet-values.ts then look up the other words in the shop.
 */

import { type Language, languageOf } from '../words/languages.ts';
import { list } from '../words/lists.ts';
import { isStopWord } from '../words/normalize.ts';
import { type Token, tokenize } from '../words/tokens.ts';
import { CURRENCIES } from './amounts.ts';
import { dropConnectingWords, dropFillers, dropResultCounts, endOfOpening, withoutLabels } from './fillers.ts';
import { addLimits } from './limits.ts';
import { addMarks } from './marks.ts';
import { addMeasures } from './measures.ts';
import { addNegations } from './negations.ts';
import { reportAges, reportUnread } from './not-understood.ts';
import type { CatalogVocabulary, Constraint, ParsedQuery, ParseState, Reading } from './parsed-query.ts';
import { addQuantity } from './quantity.ts';
import { perPiece, takeTotals } from './totals.ts';

const OF_SENTENCES: ((state: ParseState) => void)[] = [
  reportAges,
  takeTotals,
  addMeasures,
  addLimits,
  addMarks,
  dropResultCounts,
  addQuantity,
  addNegations,
  takeCurrency,
  reportUnread,
  dropFillers,
];
/** The passes for a search field. */
const OF_KEYWORDS = [addLimits, addMarks, addQuantity, addNegations, dropConnectingWords, dropCourtesy];

const KEYWORDS: Reading = { isSentence: false, language: 'en' };
const NO_VOCABULARY: CatalogVocabulary = { names: new Set(), values: new Set() };
const LANGUAGES: Language[] = ['en', 'de', 'fr'];
/** Filler words by language, because a function word of one language may be a noun of another (`hat`, `die`). */
const FILLERS = new Map(LANGUAGES.map((language) => [language, new Set(list('fillers', [language]))]));

/** Parses a text without side effects. */
export function parseQuery(text: string, vocabulary = NO_VOCABULARY, reading: Reading = KEYWORDS): ParsedQuery {
  const { isSentence } = reading;
  const tokens = isSentence ? withoutLabels(tokenize(text, reading)) : tokenize(text);
  const language = languageOf(tokens, reading.language);
  const taken = new Array<boolean>(tokens.length).fill(false);
  const constraints: Constraint[] = [];
  const start = endOfOpening(tokens);
  taken.fill(true, 0, start);
  const state: ParseState = {
    ...{ tokens, start, taken, constraints, vocabulary, isSentence, language },
    ambiguous: { names: [], values: [] },
    isIdle: (token) => FILLERS.get(language)?.has(token?.text ?? '') === true,
    add: (from, to, constraint) => {
      taken.fill(true, from, to);
      const [start, end] = [tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0];
      constraints.push({ ...constraint, text: text.slice(start, end), start, end });
    },
  };
  for (const pass of isSentence ? OF_SENTENCES : OF_KEYWORDS) pass(state);
  const words = tokens.filter(({ kind }, i) => !taken[i] && kind === 'word');
  const isEmpty = !isSentence && constraints.length === 0 && words.every(({ term }) => isStopWord(term));
  return {
    constraints: perPiece(withoutContradictions(constraints, words), state.priceOf).sort((a, b) => a.start - b.start),
    // If keywords consist only of stop words, the search is for all of them.
    words: isEmpty ? tokens.filter(({ kind }) => kind === 'word') : words,
    ambiguous: state.ambiguous,
    language,
  };
}

function dropCourtesy({ tokens, taken }: ParseState): void {
  for (let i = tokens.length - 1; i > 0 && ['please', 'thanks'].includes(tokens[i]?.text ?? ''); i -= 1)
    taken[i] = true;
}

/** Removes exclusions of a thing that is wanted too: `her place has no clock, so I need a wall clock`. */
function withoutContradictions(constraints: Constraint[], words: Token[]): Constraint[] {
  const wanted = new Set(words.map(({ term }) => term));
  return constraints.filter(({ kind, value }) => kind !== 'without' || value === undefined || !wanted.has(value));
}

/** Finds the currency for amounts without one: `max_price 35, currency USD`, `prices in dollars`. */
function takeCurrency({ tokens, taken, constraints }: ParseState): void {
  const isNamed = (at: number) => ['in', 'currency'].includes(tokens[at - 1]?.text ?? '');
  const at = tokens.findIndex(({ text }, i) => !taken[i] && text in CURRENCIES && isNamed(i));
  const currency = CURRENCIES[tokens[at]?.text ?? ''];
  if (currency === undefined) return;
  taken.fill(true, at - 1, at + 1);
  for (const each of constraints) if (each.kind === 'price') each.currency ??= currency;
}
