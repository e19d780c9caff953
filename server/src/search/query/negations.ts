/** Finds unwanted things in a sentence: `without leather`, `not red`, `polyester-free`, `black is a no-go`. */

import { list, wordSet } from '../words/lists.ts';
import { phraseAt, phraseTable } from '../words/phrases.ts';
import { isSizeLabel } from '../words/sizes.ts';
import { isAttribute, otherWordsFor } from '../words/thesaurus.ts';
import type { Token } from '../words/tokens.ts';
import { COMPARISONS } from './limits.ts';
import { isFree, type ParseState } from './parsed-query.ts';

const OPENINGS = phraseTable<'always' | 'plain no'>([
  ['always', list('without')],
  ['plain no', 'no'],
]);
/** Negations that exclude nothing, because the missing thing is wanted. */
const HARMLESS = phraseTable([['harmless', list('harmless')]]);
const NEGATED_VERBS = phraseTable([['negated', list('refused_verbs')]]);
const REFUSING_VERBS = wordSet('refusing_verbs');
const REFUSED_AFTER = phraseTable([['refused', list('refused_after')]]);
const PAUSES = new Set(['with', 'but', 'and', 'please', 'just', ',', ';', '.', '-', '–', '—', '(', ':']);
/** Words that may stand between a negation and the unwanted thing. */
const AFTER_NEGATION = wordSet('after_negation');
/** Pronouns, which refer to something else in the sentence. */
const PRONOUNS = new Set('that this it those these them das dies davon ca cela'.split(' '));
/** Conjunctions between unwanted things. */
const OR = wordSet('or');
const AND = new Set(['and', 'und', 'et']);
/** After these negations, `and` continues the list of unwanted things: `without wool and leather`. */
const LISTING = new Set('without avoid exclude except neither ohne außer ausser sans sauf'.split(' '));
const MAX_NEGATED_WORDS = 3;

/** Adds the unwanted things next to negations: one word, or several that form a value. */
export function addNegations(state: ParseState): void {
  const { tokens, taken, add, vocabulary, ambiguous, isSentence, isIdle } = state;
  for (let i = state.start; i < tokens.length; i += 1) {
    if (taken[i]) continue;
    const harmless = phraseAt(HARMLESS, tokens, i);
    if (harmless) {
      if (isSentence) taken.fill(true, i, harmless.to);
      i = harmless.to - 1;
      continue;
    }
    const before = refusedBefore(tokens, i);
    if (before) {
      add(i, before.to, { kind: 'without', value: before.term });
      continue;
    }
    const first = firstUnwanted(state, i);
    const token = first === undefined ? undefined : tokens[first];
    if (first === undefined) continue;
    const name = `${tokens[i]?.text} ${token?.text}`;
    ambiguous.names.push(name);
    if (vocabulary.names.has(name)) continue;
    const isWord = token?.kind === 'word' && !taken[first] && !isIdle(token);
    if (isWord && !phraseAt(COMPARISONS, tokens, first)) addUnwanted(state, i, first);
    else if (isSentence) addUnclear(state, i, first);
  }
}

/** Reports a negation whose object is unclear: `none of that`. */
function addUnclear(state: ParseState, at: number, first: number): void {
  const isPronoun = PRONOUNS.has(state.tokens[first]?.text ?? '');
  const to = isPronoun ? first + 1 : Math.max(at + 1, Math.min(first, state.tokens.length));
  const isIdle = ['nothing', 'nichts', 'rien', 'no'].includes(state.tokens[at]?.text ?? '');
  if (!isIdle && isFree(state, at, to)) state.add(at, to, { kind: 'without', isUnread: true });
}

/** The index of the first unwanted word, if a negation begins at this token. */
function firstUnwanted({ tokens, start, isSentence, language }: ParseState, at: number): number | undefined {
  const [text, next] = [tokens[at]?.text ?? '', tokens[at + 1]];
  // Handles `non-leather`, and `non noir` in French.
  if (text === 'non') return next?.text === '-' ? at + 2 : at > 0 && language === 'fr' ? at + 1 : undefined;
  if (isMinus(tokens, at)) return at + 1;
  const verb = isSentence ? phraseAt(NEGATED_VERBS, tokens, at) : undefined;
  if (verb && REFUSING_VERBS.has(tokens[verb.to]?.text ?? '') && tokens[verb.to + 1]?.kind === 'word')
    return skip(tokens, verb.to + 1);
  const found = phraseAt(OPENINGS, tokens, at);
  if (!found) return undefined;
  if (found.value === 'always') return skip(tokens, found.to);
  // Among keywords, `no` may be part of a name: `No 7 cream`.
  const isFirst = at === start || (at === start + 1 && ['a', 'the', 'some'].includes(tokens[start]?.text ?? ''));
  const isClear = isSentence || isFirst || PAUSES.has(tokens[at - 1]?.text ?? '');
  return isClear && next?.number === undefined ? skip(tokens, found.to) : undefined;
}

function skip(tokens: Token[], at: number): number {
  let i = at;
  while (AFTER_NEGATION.has(tokens[i]?.text ?? '') && tokens[i + 1]?.kind === 'word') i += 1;
  return i;
}

/**
 * Whether a minus excludes the next word, as in search engines: `jacket -black`, with a space before the sign and none
 * after it.
 */
function isMinus(tokens: Token[], at: number): boolean {
  const [before, sign, after] = [tokens[at - 1], tokens[at], tokens[at + 1]];
  if (!before || !sign || !after || !['-', '!'].includes(sign.text)) return false;
  const isSpaced = before.kind === 'word' && before.end < sign.start && after.start === sign.end;
  return isSpaced && after.kind === 'word' && after.number === undefined;
}

/** Parses an unwanted thing that comes before its negation: `polyester-free`, `polyesterfrei`, `black is a no-go`. */
function refusedBefore(tokens: Token[], at: number): { term: string; to: number } | undefined {
  const [before, token] = [tokens[at - 1], tokens[at]];
  if (token?.kind !== 'word') return undefined;
  const isFree = tokens[at + 1]?.text === '-' && ['free', 'frei'].includes(tokens[at + 2]?.text ?? '');
  if (isFree) return { term: token.term, to: at + 3 };
  const [, stem] = /^(\p{L}{4,})frei(?:e|er|es|en)?$/u.exec(token.text) ?? [];
  if (stem !== undefined) return { term: stem, to: at + 1 };
  const refusal = phraseAt(REFUSED_AFTER, tokens, at + 1);
  const isClause =
    (!before ||
      before.kind === 'sign' ||
      AND.has(before.text) ||
      ['but', 'aber', 'mais', 'la', 'le'].includes(before.text)) &&
    (tokens[refusal?.to ?? 0]?.kind ?? 'sign') === 'sign';
  return refusal && isClause ? { term: token.term, to: refusal.to } : undefined;
}

/** Adds the unwanted thing that begins at `beginning`, and the things joined to it: `neither black nor blue`. */
function addUnwanted(state: ParseState, negation: number, beginning: number): void {
  const { tokens, taken, add, isSentence, language } = state;
  let [from, first]: [number, number | undefined] = [negation, beginning];
  // In French the colour follows the thing: `pas de veste noire` excludes black.
  const after = tokens[first + 1];
  if (language === 'fr' && after?.kind === 'word' && !taken[first + 1] && otherWordsFor(after.text).length > 0) {
    taken.fill(true, from, first);
    [from, first] = [first + 1, first + 1];
  }
  while (first !== undefined) {
    const { to, value } = longestValue(state, negation, first);
    add(from, to, { kind: 'without', value });
    from = to;
    const next = isSentence ? nextUnwanted(tokens, negation, to) : undefined;
    first = next !== undefined && !taken[next] && !isSizeLabel(tokens, next) ? next : undefined;
  }
}

/**
 * Finds the unwanted value: one word, or several that are a value, an entry of the thesaurus or part of a name: `not
 * sports bras`.
 */
function longestValue({ tokens, taken, vocabulary, ambiguous }: ParseState, negation: number, first: number) {
  let [to, value] = [first + 1, tokens[first]?.term ?? ''];
  // A prefix negates several words only if they are a value or an entry of the thesaurus: `a non-leather handbag` is
  // a handbag.
  const isPrefixed = ['non', '-'].includes(tokens[negation]?.text ?? '');
  const isOne = (end: number) =>
    end <= first + MAX_NEGATED_WORDS && tokens[end - 1]?.kind === 'word' && !taken[end - 1];
  for (let end = first + 2; isOne(end); end += 1) {
    const longer = tokens
      .slice(first, end)
      .map(({ term }) => term)
      .join(' ');
    const texts = tokens.slice(first, end).map(({ text }) => text);
    const name = [...texts.slice(0, -1), tokens[end - 1]?.term].join(' ');
    ambiguous.values.push(longer);
    ambiguous.names.push(name);
    const isEntry = otherWordsFor(texts.join(' ')).length > 0 || (!isPrefixed && vocabulary.names.has(name));
    if (isEntry || vocabulary.values.has(longer)) [to, value] = [end, longer];
  }
  return { to, value };
}

/** The index of the next unwanted thing after a conjunction: the blue in `neither black nor blue`. */
function nextUnwanted(tokens: Token[], negation: number, to: number): number | undefined {
  const [link = '', following = '', opening = ''] = [tokens[to]?.text, tokens[to + 1]?.text, tokens[negation]?.text];
  // In `not black and white`, `and` continues the negation, because nothing follows the second attribute.
  const isAttributes = isAttribute(following) && (tokens[to + 2]?.kind ?? 'sign') === 'sign';
  const isListed = AND.has(link) && (LISTING.has(opening) || isAttributes);
  const isOther = AFTER_NEGATION.has(following) || phraseAt(OPENINGS, tokens, to + 1) !== undefined;
  if (!OR.has(link) && (!isListed || isOther)) return undefined;
  const next = skip(tokens, to + 1);
  return tokens[next]?.kind === 'word' ? next : undefined;
}
