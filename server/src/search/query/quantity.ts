/** Finds the quantity that a sentence requests. */

import { wordSet } from '../words/lists.ts';
import { isStopWord, measurementTerm } from '../words/normalize.ts';
import { type ParsedNumber, parseNumberAt } from '../words/number-words.ts';
import { phraseAt, phraseTable } from '../words/phrases.ts';
import { isWearable, otherWordsFor } from '../words/thesaurus.ts';
import type { Token } from '../words/tokens.ts';
import { inflections } from '../words/word-forms.ts';
import { isFree, openTokens, type ParseState } from './parsed-query.ts';

interface Quantity {
  value: number;
  from: number;
  to: number;
  /** If the number may be part of a product's name, the words that this name would contain. */
  name?: string;
}

const MAX_QUANTITY = 999;
/** Among keywords, a larger number is more likely part of a model name: `501 jeans`. */
const MAX_QUANTITY_OF_KEYWORDS = 24;
/** Late in a sentence, a larger number is a size. */
const MAX_LATE = 12;
const COUNTERS = new Set('x × pieces pcs units pairs stuck'.split(' '));
/** Words that state a quantity only before `of`: `one piece of`, but not `3 piece suite`. */
const CONTAINERS = wordSet('containers');
/** Nouns that form a name with the number before them: `4 person tents`, `2 pin plugs`. */
const COMPOUND_NOUNS = wordSet('counted_in_names');
/** A pair of these things, or of clothes, is one product: `a pair of socks`. */
const PAIRS = wordSet('pairs');
const OF = new Set(['of', 'de', 'von']);
const SOME_OF = phraseTable([['of', 'of the, of these, of those, of your, von den, de ces']]);
const OF_THEM = phraseTable([['of', 'of them, of those, of these, of each, davon']]);

/** Adds the quantity, unless the number is part of a product's name in the catalogue. */
export function addQuantity(state: ParseState): void {
  const { add, vocabulary, ambiguous } = state;
  const tokens = openTokens(state);
  const start = state.isSentence ? startOfThing(tokens, state) : state.start;
  const quantity =
    pairAt(tokens, start) ??
    leading(tokens, start, state) ??
    labelled(tokens, start) ??
    trailing(tokens, start) ??
    (state.isSentence ? late(tokens, start, state) : undefined);
  if (!quantity || !isFree(state, Math.max(quantity.from, start), quantity.to)) return;
  if (quantity.name) ambiguous.names.push(quantity.name);
  if (quantity.name && vocabulary.names.has(quantity.name)) return;
  add(quantity.from, quantity.to, { kind: 'quantity', value: String(quantity.value) });
}

/** The index of the first token after an introduction such as `please put`, `I would like to have`. */
function startOfThing(tokens: Token[], { start, isIdle }: ParseState): number {
  let at = start;
  while (at < tokens.length && !parseNumberAt(tokens, at) && (tokens[at]?.kind === 'sign' || isIdle(tokens[at])))
    at += 1;
  return at;
}

/** Parses a pair: `a pair of socks` is one product, `a pair of mugs` or `a couple of candles` are two. */
function pairAt(tokens: Token[], start: number): Quantity | undefined {
  const pair = ['a', 'the', 'une', 'ein'].includes(tokens[start]?.text ?? '') ? start + 1 : start;
  const word = tokens[pair]?.text ?? '';
  if (!['pair', 'couple', 'paire'].includes(word) || !OF.has(tokens[pair + 1]?.text ?? '')) return undefined;
  const named = tokens.slice(pair + 2, pair + 6);
  const isWorn = named.some(({ term, text }) => PAIRS.has(term) || isWearable(term) || isWearable(text));
  return { value: word !== 'couple' && (word === 'paire' || isWorn) ? 1 : 2, from: start, to: pair + 2 };
}

/** Parses a quantity at the start: `2 x mug`, `5 pieces of`, `2 oat mugs`, `2x mug`. */
function leading(tokens: Token[], start: number, { isSentence, language, isIdle }: ParseState): Quantity | undefined {
  const [, times] = /^(\d{1,3})(?:x|pcs)$/.exec(tokens[start]?.text ?? '') ?? [];
  if (times !== undefined && Number(times) > 0) return { value: Number(times), from: start, to: start + 1 };
  const number = parseNumberAt(tokens, start);
  const next = number && tokens[number.to];
  if (!next || !isCount(number, MAX_QUANTITY)) return undefined;
  const { value, to } = number;
  // `50 x 50` is a size, not a quantity.
  if (['x', '×'].includes(next.text) && tokens[to + 1]?.number !== undefined) return undefined;
  const isOf = OF.has(tokens[to + 1]?.text ?? '');
  if (COUNTERS.has(next.text) || (isOf && CONTAINERS.has(next.text)))
    return { value, from: start, to: to + (isOf ? 2 : 1) };
  if (!isSentence && start === 0 && !isCount(number, MAX_QUANTITY_OF_KEYWORDS)) return undefined;
  const some = phraseAt(SOME_OF, tokens, to);
  if (some) return { value, from: start, to: some.to };
  const isCompound = COMPOUND_NOUNS.has(next.term) || measurementTerm('1', next.term) !== undefined;
  const isPlural = language !== 'en' || isForeignPlural(next) || isBeforePlural(tokens, to);
  const isMeasured = isBeforePlural(tokens, to) && next.number !== undefined;
  if (next.kind !== 'word' || isIdle(next) || (isCompound && !isMeasured) || !isPlural) return undefined;
  return { value, from: start, to, name: `${tokens[to - 1]?.text} ${next.text}` };
}

/** Parses a quantity with a label: `quantity: 2`. */
function labelled(tokens: Token[], start: number): Quantity | undefined {
  const at = tokens.findIndex(({ text }, i) => i >= start && (text === 'quantity' || text === 'qty'));
  const number = at < 0 ? undefined : parseNumberAt(tokens, tokens[at + 1]?.kind === 'sign' ? at + 2 : at + 1);
  return number && isCount(number, MAX_QUANTITY) ? { value: number.value, from: at, to: number.to } : undefined;
}

/** Parses a quantity at the end: `mug in oat, 2 pieces`, `mug x 2`. */
function trailing(tokens: Token[], start: number): Quantity | undefined {
  for (let at = start + 1; at < tokens.length; at += 1) {
    const isTimes = ['x', '×'].includes(tokens[at]?.text ?? '') && tokens[at - 1]?.number === undefined;
    const number = parseNumberAt(tokens, isTimes ? at + 1 : at);
    if (!number || !isCount(number, MAX_QUANTITY_OF_KEYWORDS)) continue;
    const unit = tokens[number.to];
    const isUnit = !isTimes && unit !== undefined && COUNTERS.has(unit.text) && !['x', '×'].includes(unit.text);
    const to = isUnit ? number.to + 1 : number.to;
    if ((isTimes || isUnit) && endsClause(tokens[to]))
      return { value: number.value, from: at, to, ...(isUnit && { name: `${tokens[at]?.text} ${unit.text}` }) };
  }
  return undefined;
}

/** Parses a quantity elsewhere in a sentence: `mugs, three of them`, `need 4 of your mugs`, `grab me 3 mugs`. */
function late(tokens: Token[], start: number, { isIdle }: ParseState): Quantity | undefined {
  for (let at = start; at < tokens.length; at += 1) {
    const number = parseNumberAt(tokens, at);
    if (!number || !isCount(number, MAX_LATE)) continue;
    const of = phraseAt(OF_THEM, tokens, number.to) ?? phraseAt(SOME_OF, tokens, number.to);
    if (of) return { value: number.value, from: at, to: of.to };
    const next = tokens[number.to];
    const before = tokens.slice(start, at).filter((token) => !isIdle(token));
    // `a set of six candles` is one product.
    const isFirst =
      before.length <= 1 && tokens[at - 1]?.text !== 'of' && next?.kind === 'word' && !COMPOUND_NOUNS.has(next.term);
    if (isFirst && measurementTerm('1', next.term) === undefined && isBeforePlural(tokens, number.to))
      return { value: number.value, from: at, to: number.to };
  }
  return undefined;
}

function isCount({ value }: ParsedNumber, max: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max;
}

function endsClause(token: Token | undefined): boolean {
  return !token || [',', '.', ';', '!', '?', 'please', ''].includes(token.text);
}

/** Whether a word is a plural of another language, in a sentence too short to show its language: `5 Notizbücher`. */
function isForeignPlural({ text, kind, number }: Token): boolean {
  if (kind !== 'word' || number !== undefined) return false;
  return (['de', 'fr'] as const).some((language) =>
    inflections(text, language).some((form) => otherWordsFor(form).length > 0),
  );
}

/** Whether one of the next words is a plural, with no stop word or number in between: `ten 1 litre jars`. */
function isBeforePlural(tokens: Token[], from: number): boolean {
  const unit = tokens[from + 1]?.text === '-' ? from + 2 : from + 1;
  const { term = '' } = tokens[unit] ?? {};
  const isMeasured = tokens[from]?.number !== undefined && (measurementTerm('1', term) || COMPOUND_NOUNS.has(term));
  const start = isMeasured ? unit + 1 : from;
  for (const { kind, text, term, number } of tokens.slice(start, start + 4)) {
    if (kind !== 'word' || number !== undefined || isStopWord(term)) return false;
    if (text !== term) return true;
  }
  return false;
}
