/**
 * Finds words that a shop may use in place of a word in the sentence: other forms, and other words for the same goods.
 */

import type { Language } from '../words/languages.ts';
import { stem } from '../words/normalize.ts';
import { MAX_ENTRY_WORDS, otherWordsFor } from '../words/thesaurus.ts';
import type { Token } from '../words/tokens.ts';
import { inflections } from '../words/word-forms.ts';
import { has, type Lookup } from './known-words.ts';

/** At most this many alternatives are looked up for a word. */
const MAX_ALTERNATIVES = 120;

/** One to three consecutive words. */
export interface Window {
  texts: string[];
  /** The terms of the words, joined by a space. */
  term: string;
}

/** The windows that begin at this word, the longest first. */
export function windowsAt(words: Token[], at: number): Window[] {
  return Array.from({ length: MAX_ENTRY_WORDS }, (_, i) => words.slice(at, at + MAX_ENTRY_WORDS - i))
    .filter((window, i) => window.length === MAX_ENTRY_WORDS - i)
    .map((window) => ({ texts: window.map(({ text }) => text), term: window.map(({ term }) => term).join(' ') }));
}

/** The texts to look up for a window: its own, and words that may replace it. */
export function candidatesFor(window: Window, language: Language): string[] {
  const [text = ''] = window.texts;
  const others = otherWords(window, language);
  if (window.texts.length > 1) return [window.term, ...others];
  if (/^\d/.test(text)) return [];
  return [window.term, ...others, ...inflections(text, language)].slice(0, MAX_ALTERNATIVES);
}

/**
 * The languages whose forms are tried. English includes the others, because a single word may not show its language.
 */
function languagesOf(language: Language): Exclude<Language, 'en'>[] {
  return language === 'en' ? ['de', 'fr'] : [language];
}

/** Other words for the same goods as a window names, as terms. */
export function otherWords({ texts, term }: Window, language: Language): string[] {
  const inflected = texts.length > 1 ? [] : languagesOf(language).flatMap((each) => inflections(texts[0] ?? '', each));
  // Two words that the shop may write as one: `head lamp`.
  const joined = texts.length === 2 && texts.every((word) => /^\p{L}{3,}$/u.test(word)) ? [texts.join('')] : [];
  // An inflected form that is listed in the thesaurus counts as a word itself.
  const listed = [...new Set([texts.join(' '), term, ...inflected])].flatMap((form) => {
    const others = otherWordsFor(form);
    return inflected.includes(form) && others.length > 0 ? [form, ...others] : others;
  });
  const found = [...joined, ...listed].map((phrase) => phrase.split(' ').map(stem).join(' '));
  return [...new Set(found)].filter((other) => other !== term);
}

/** A shorter word is not treated as a compound. */
const MIN_COMPOUND = 6;

/** Whether the shop lacks a word that may be a compound, such as `Damenjacke`. */
export function mayBeCompound(text: string, language: Language, lookup: Lookup): boolean {
  if (text.length < MIN_COMPOUND || !/^\p{L}+$/u.test(text) || language === 'fr') return false;
  const term = stem(text);
  const isOwn = lookup(term)?.isKnown || has(lookup(term));
  return !isOwn && standIn({ texts: [text], term }, language, lookup) === undefined;
}

/**
 * The replacement for a window: another form or another word that is in names or values of the shop. If there is none,
 * for a single word that no product has: another form that is in any text.
 */
export function standIn(window: Window, language: Language, lookup: Lookup): string | undefined {
  const [text = ''] = window.texts;
  const isSingle = window.texts.length === 1;
  const forms = isSingle ? inflections(text, language) : [];
  const others = otherWords(window, language);
  // If the thesaurus lists the word, its synonyms come before its inflected forms, because a form may be another word:
  // `Decken` (blankets) has the form `deck`.
  const listed = [window.texts.join(' '), ...(language === 'en' ? [] : forms)];
  const isListed = listed.some((form) => otherWordsFor(form).length > 0);
  const all = (isListed ? [...others, ...forms] : [...forms, ...others]).filter((phrase) => has(lookup(phrase)));
  // Prefers a type of the shop to a word that a name only mentions: computers for `notebook computer`, although there
  // is a laptop sleeve.
  const [first = ''] = all;
  const isMentioned = !lookup(first)?.isHead && !lookup(first)?.isValue;
  const found = (isMentioned ? all.find((phrase) => lookup(phrase)?.isLabel) : undefined) ?? all[0];
  if (found !== undefined || !isSingle || lookup(window.term)?.isKnown) return found;
  return forms.find((phrase) => lookup(phrase)?.isKnown);
}
