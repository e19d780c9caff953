/**
 * Replaces keywords with words of the shop. A word that is in no product's name or values is replaced with a synonym, a
 * translation or the parts of its compound, if the shop uses those.
 */

import sql from 'sql-template-tag';
import type { SearchDb } from '../search-db.ts';
import { type Language, languageOf } from '../words/languages.ts';
import { stem } from '../words/normalize.ts';
import { entriesBeginningWith, otherWordsFor } from '../words/thesaurus.ts';
import type { Token } from '../words/tokens.ts';
import { termsBeginningWith } from './completions.ts';
import { meaningOfCompound, splitsOf } from './compounds.ts';
import { has, type Lookup, lookUp } from './known-words.ts';
import { readLanguage } from './shop-language.ts';
import { candidatesFor, mayBeCompound, otherWords, standIn, type Window, windowsAt } from './stand-ins.ts';

/** Only this many words of a query are looked up. */
const MAX_WORDS = 16;
/** Shorter beginnings match too many words. */
const MIN_BEGINNING = 4;
/** The maximum number of synonyms that are looked up for an unfinished word. */
const MAX_SYNONYMS = 40;

export interface Keywords {
  words: Token[];
  /** Whether a product's name contains the word. Such a word is not replaced on its own. */
  isNamed: (word: Token) => boolean;
  /** The last word, if it may be the beginning of a longer one. */
  unfinished: Token | undefined;
}

/** The words with their replacements; the same array if there are none. Sends at most four statements. */
export async function keywordsOfShop(db: SearchDb, { words, isNamed, unfinished }: Keywords): Promise<Token[]> {
  const asked = words.slice(0, MAX_WORDS);
  const open = new Set(asked.filter((word) => !/\d/.test(word.text) && !isNamed(word)));
  // `garde` begins `garden`, a word of the shop, so it is neither unknown nor misspelt.
  const beginsOwnWord = unfinished && open.has(unfinished) && (await beginsWordOfShop(db, unfinished.text));
  if (beginsOwnWord && !isListed(unfinished)) open.delete(unfinished);
  if (open.size === 0) return words;
  const language = languageOf(words, await readLanguage(db));
  const windowsOf = (at: number) =>
    windowsAt(asked, at).filter(({ texts }) => asked.slice(at, at + texts.length).some((word) => open.has(word)));
  const synonyms = unfinished && open.has(unfinished) && !beginsOwnWord ? synonymsOfBegun(unfinished.text) : [];
  const phrases = asked.flatMap((_word, at) => windowsOf(at).flatMap((each) => candidatesFor(each, language)));
  const lookup = await lookUpWithParts(db, [...phrases, ...synonyms], { open: [...open], language });
  const completed = synonyms.find((phrase) => has(lookup(phrase)))?.split(' ');
  const replaced: Token[] = [];
  for (let at = 0; at < asked.length; ) {
    const found = windowsOf(at)
      .map((window) => ({ terms: termsFor(window, language, lookup), length: window.texts.length }))
      .find(({ terms }) => terms !== undefined);
    const own = asked.slice(at, at + (found?.length ?? 1));
    replaced.push(...withTerms(own, found?.terms ?? (own[0] === unfinished ? completed : undefined)));
    at += own.length;
  }
  const isSame = replaced.length === asked.length && replaced.every((word, i) => word === asked[i]);
  return isSame ? words : [...replaced, ...words.slice(MAX_WORDS)];
}

function withTerms(own: Token[], terms: string[] | undefined): Token[] {
  const [first, last] = [own[0], own.at(-1)];
  return terms && first && last ? terms.map((term) => ({ ...first, text: term, term, end: last.end })) : own;
}

/** Looks up phrases, and the parts of words that may be compounds. */
async function lookUpWithParts(
  db: SearchDb,
  phrases: string[],
  { open, language }: { open: Token[]; language: Language },
): Promise<Lookup> {
  const known = await lookUp(db, [...new Set(phrases)]);
  const lookup: Lookup = (phrase) => known.get(phrase);
  const compounds = open.filter(({ text }) => mayBeCompound(text, language, lookup));
  const parts = compounds.flatMap(({ text }) => splitsOf(text).flatMap(({ left, right }) => [...left, ...right]));
  if (parts.length > 0) {
    for (const [phrase, found] of await lookUp(db, [...new Set(parts)])) known.set(phrase, found);
  }
  return lookup;
}

/** The shop's terms for one or several words; undefined if there are none, or if the shop has the words themselves. */
function termsFor(window: Window, language: Language, lookup: Lookup): string[] | undefined {
  if (has(lookup(window.term))) return undefined;
  if (window.texts.length > 1)
    return otherWords(window, language)
      .find((other) => has(lookup(other)))
      ?.split(' ');
  const [text = ''] = window.texts;
  const found = standIn(window, language, lookup);
  if (found !== undefined) return found.split(' ');
  return mayBeCompound(text, language, lookup) ? meaningOfCompound(text, language, lookup)?.terms : undefined;
}

async function beginsWordOfShop(db: SearchDb, text: string): Promise<boolean> {
  return (await db.one(sql`select 1 from (${termsBeginningWith(db, text, 1)}) as t`)) !== undefined;
}

function isListed({ text, term }: Token): boolean {
  return otherWordsFor(text).length + otherWordsFor(term).length > 0;
}

/**
 * The words of the thesaurus that begin with the text, each followed by its synonyms, as terms: `rucksack` and
 * `backpack` for `rucks`.
 */
function synonymsOfBegun(text: string): string[] {
  if (text.length < MIN_BEGINNING) return [];
  const phrases = entriesBeginningWith(text).flatMap((entry) => [entry, ...otherWordsFor(entry)]);
  return [...new Set(phrases.map((phrase) => phrase.split(' ').map(stem).join(' ')))].slice(0, MAX_SYNONYMS);
}
