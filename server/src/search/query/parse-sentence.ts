/**
 * Parses a sentence and replaces its words with words that the shop uses. A word that is in no product's name or values
 * is replaced with another form of the word or with a synonym, if the shop uses one. The constraints still quote the
 * sentence.
 */

import type { SearchDb } from '../search-db.ts';
import type { Language } from '../words/languages.ts';
import { wordSet } from '../words/lists.ts';
import { isStopWord, measurementTerm, normalizeText, stem } from '../words/normalize.ts';
import { isSizeLabel, sizeSpellings } from '../words/sizes.ts';
import type { Token } from '../words/tokens.ts';
import { meaningOfCompound, splitsOf } from './compounds.ts';
import { parseInCatalog } from './disambiguate.ts';
import { has, type Known, type Lookup, lookUp } from './known-words.ts';
import { namesPeopleOrOccasion } from './not-understood.ts';
import type { Constraint, ParsedQuery } from './parsed-query.ts';
import { readLanguage } from './shop-language.ts';
import { candidatesFor, mayBeCompound, otherWords, standIn, type Window, windowsAt } from './stand-ins.ts';

/** Size systems before a number: the `W` of `W32`. */
const SIZE_SYSTEMS = /^(?:eu|uk|w|gr)(\d{1,3})$/;
/** Names of attributes, which add nothing to their value: `colour sage`. */
const FIELD_LABELS = wordSet('field_labels');
/** Only this many words of a sentence are looked up. */
const MAX_WORDS = 24;

/**
 * Parses a sentence. Sends at most four statements: for the shop's language, for ambiguous phrases, for the words, and
 * for the parts of words that may be compounds.
 */
export async function parseSentence(db: SearchDb, sentence: string): Promise<ParsedQuery> {
  const reading = { isSentence: true, language: await readLanguage(db) };
  const parsed = await parseInCatalog(db, sentence, reading);
  const { language } = parsed;
  const words = parsed.words.map(withoutSizeSystem);
  const asked = words.slice(0, MAX_WORDS);
  const unwanted = parsed.constraints.filter(({ kind, value }) => kind === 'without' && value !== undefined);
  const known = await readKnown(db, { asked, unwanted, language });
  if (!known) return parsed;
  const lookup: Lookup = (phrase) => known.get(phrase);
  const people = asked.filter((word) => isUnreadPerson(sentence, word, language, lookup));
  const read = replaced(
    asked.filter((word) => !people.includes(word)),
    language,
    lookup,
  );
  const wordConstraint = (word: Token, fate: Partial<Constraint>): Constraint => {
    const { start, end } = word;
    return { kind: 'word', text: sentence.slice(start, end), start, end, ...fate };
  };
  return {
    ...parsed,
    words: [...withoutFieldLabels(read.words, lookup), ...words.slice(MAX_WORDS)],
    constraints: [
      ...parsed.constraints.map((each) => inUnwantedWords(each, read.words, { language, lookup })),
      ...people.map((word) => wordConstraint(word, { isUnread: true })),
      ...read.halfRead.map((word) => wordConstraint(word, { isUnknown: true })),
    ],
  };
}

/** Looks up all words that the sentence may mean; undefined if there are none. */
async function readKnown(
  db: SearchDb,
  { asked, unwanted, language }: { asked: Token[]; unwanted: Constraint[]; language: Language },
): Promise<Map<string, Known> | undefined> {
  const phrases = new Set([
    ...asked.flatMap((_word, at) => windowsAt(asked, at).flatMap((window) => candidatesFor(window, language))),
    ...unwanted.flatMap(unwantedWindows).flatMap((window) => candidatesFor(window, language)),
  ]);
  if (phrases.size === 0) return undefined;
  const known = await lookUp(db, [...phrases]);
  const lookup: Lookup = (phrase) => known.get(phrase);
  const unread = [...asked.map(({ text }) => text), ...unwanted.flatMap(({ value }) => value ?? [])].filter((text) =>
    mayBeCompound(text, language, lookup),
  );
  const parts = new Set(unread.flatMap((text) => splitsOf(text).flatMap(({ left, right }) => [...left, ...right])));
  if (parts.size > 0) for (const [phrase, found] of await lookUp(db, [...parts])) known.set(phrase, found);
  return known;
}

/** Matches words before the person or occasion that a thing is for. */
const FOR = /\b(?:for|my|our|his|her|für|mein\p{L}*|unser\p{L}*|pour|mon|ma|mes)\s+(?:\p{L}+\s+)?$/iu;

/**
 * Whether a word names a person or occasion and must be reported: it is not a value of the shop, and either is in no
 * product's name (unlike in `dad mug`) or follows a word such as `for`.
 */
function isUnreadPerson(sentence: string, word: Token, language: Language, lookup: Lookup): boolean {
  if (!namesPeopleOrOccasion(word)) return false;
  const isValue = (phrase: string | undefined) => phrase !== undefined && lookup(phrase)?.isValue === true;
  if (isValue(word.term) || isValue(standIn({ texts: [word.text], term: word.term }, language, lookup))) return false;
  return !lookup(word.term)?.isNamed || FOR.test(sentence.slice(0, word.start));
}

function withoutSizeSystem(word: Token): Token {
  const [, size] = SIZE_SYSTEMS.exec(word.text) ?? [];
  return size === undefined ? word : { ...word, text: size, term: size, number: Number(size) };
}

/**
 * Replaces words with those that the shop uses. `halfRead` contains the compounds of which the shop uses only the
 * second half: a `Kochmesser` is a knife.
 */
function replaced(words: Token[], language: Language, lookup: Lookup): { words: Token[]; halfRead: Token[] } {
  const result: Token[] = [];
  const halfRead: Token[] = [];
  for (let at = 0; at < words.length; ) {
    const windows = windowsAt(words, at);
    // A value of several words is kept together: the rose of `rose gold` is not pink, and `Größe M` does not mean a
    // large M.
    const value = windows.find(({ texts, term }) => texts.length > 1 && lookup(term)?.isValue);
    const isOwn = value !== undefined || isSizeLabel(words, at);
    const window = windows.find((each) => each.texts.length === 1 || isEntry(each, language, lookup));
    const length = value?.texts.length ?? (isOwn ? 1 : (window?.texts.length ?? 1));
    const own = words.slice(at, at + length);
    at += length;
    const [first] = own;
    if (isOwn || !window || !first) {
      result.push(...own);
      continue;
    }
    const compound = mayBeCompound(first.text, language, lookup)
      ? meaningOfCompound(first.text, language, lookup)
      : undefined;
    if (compound?.isHeadOnly) halfRead.push(first);
    if (compound) result.push(...compound.terms.map((term) => ({ ...first, text: term, term })));
    else result.push(...inShopWords(own, window, language, lookup));
  }
  return { words: result, halfRead };
}

/** Whether several words together mean a thing for which the shop has another word. */
function isEntry(window: Window, language: Language, lookup: Lookup): boolean {
  return !has(lookup(window.term)) && otherWords(window, language).some((other) => has(lookup(other)));
}

/** The words themselves, or their replacement. */
function inShopWords(own: Token[], window: Window, language: Language, lookup: Lookup): Token[] {
  const [first, last] = [own[0], own.at(-1)];
  if (!first || !last || isStopWord(first.term) || first.number !== undefined || has(lookup(window.term))) return own;
  const isSize = sizeSpellings(window.term).length > 1 || measurementTerm('1', window.term) !== undefined;
  const meaning = isSize ? undefined : standIn(window, language, lookup);
  return meaning?.split(' ').map((term) => ({ ...first, text: term, term, end: last.end })) ?? own;
}

/** Removes the name of an attribute next to its value. */
function withoutFieldLabels(words: Token[], lookup: Lookup): Token[] {
  const isValue = (word: Token | undefined) => word !== undefined && lookup(word.term)?.isValue === true;
  return words.filter((word, i) => !FIELD_LABELS.has(word.text) || !(isValue(words[i - 1]) || isValue(words[i + 1])));
}

/**
 * The forms of an unwanted word: its stem and, if different, the word as written, because the stem of `bougie` is not a
 * French word.
 */
function unwantedWindows({ text, value = '' }: Constraint): Window[] {
  const written = normalizeText(text).match(/[\p{L}\d]+$/u)?.[0] ?? value;
  const texts = written !== value && stem(written) === value ? [value, written] : [value];
  return texts.map((each) => ({ texts: [each], term: value }));
}

/**
 * Replaces an unwanted thing with a word of the shop. If there is none and no product has the thing's own word, the
 * constraint is marked as unknown, because products cannot be checked.
 */
function inUnwantedWords(
  constraint: Constraint,
  wanted: Token[],
  { language, lookup }: { language: Language; lookup: Lookup },
): Constraint {
  const { kind, value } = constraint;
  if (kind !== 'without' || !value || has(lookup(value))) return constraint;
  const meaning =
    unwantedWindows(constraint).flatMap((window) => standIn(window, language, lookup) ?? [])[0] ??
    (mayBeCompound(value, language, lookup) ? meaningOfCompound(value, language, lookup)?.terms.join(' ') : undefined);
  // `candles, but no scented candles`: if the shop has no word for `scented`, the exclusion must not apply to all
  // candles.
  const isWanted = wanted.some(({ term }) => term === meaning);
  if (meaning !== undefined && !isWanted) return { ...constraint, value: meaning };
  return !isWanted && (value.includes(' ') || lookup(value)?.isKnown) ? constraint : { ...constraint, isUnknown: true };
}
