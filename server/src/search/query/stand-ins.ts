import type { Language } from '../words/languages.ts';
import { stem } from '../words/normalize.ts';
import { MAX_ENTRY_WORDS, otherWordsFor } from '../words/thesaurus.ts';
import type { Token } from '../words/tokens.ts';
import { inflections } from '../words/word-forms.ts';
import { has, type Lookup } from './known-words.ts';

/** Substitutes that a shop may have for a word: another form of it, or another word for the same goods. */

/** No more other words for one are looked up. */
const MAX_ALTERNATIVES = 120;

/** One to three neighbouring words. */
export interface Window {
  texts: string[];
  /** The terms, joined by a space. */
  term: string;
}

/** The longest first. */
export function windowsAt(words: Token[], at: number): Window[] {
  return Array.from({ length: MAX_ENTRY_WORDS }, (_, i) => words.slice(at, at + MAX_ENTRY_WORDS - i))
    .filter((window, i) => window.length === MAX_ENTRY_WORDS - i)
    .map((window) => ({ texts: window.map(({ text }) => text), term: window.map(({ term }) => term).join(' ') }));
}

/** The texts to look up for a window: itself, and its possible substitutes. */
export function candidatesFor(window: Window, language: Language): string[] {
  const [text = ''] = window.texts;
  const others = otherWords(window, language);
  if (window.texts.length > 1) return [window.term, ...others];
  if (/^\d/.test(text)) return [];
  return [window.term, ...others, ...inflections(text, language)].slice(0, MAX_ALTERNATIVES);
}

/** A single word may not show its language. */
function languagesOf(language: Language): Exclude<Language, 'en'>[] {
  return language === 'en' ? ['de', 'fr'] : [language];
}

/** Other words for it, as terms. */
export function otherWords({ texts, term }: Window, language: Language): string[] {
  const inflected = texts.length > 1 ? [] : languagesOf(language).flatMap((each) => inflections(texts[0] ?? '', each));
  // Two words that the shop writes as one: `head lamp`.
  const joined = texts.length === 2 && texts.every((word) => /^\p{L}{3,}$/u.test(word)) ? [texts.join('')] : [];
  // A form that is listed is a word itself.
  const listed = [...new Set([texts.join(' '), term, ...inflected])].flatMap((form) => {
    const others = otherWordsFor(form);
    return inflected.includes(form) && others.length > 0 ? [form, ...others] : others;
  });
  const found = [...joined, ...listed].map((phrase) => phrase.split(' ').map(stem).join(' '));
  return [...new Set(found)].filter((other) => other !== term);
}

/** A shorter word is no compound. */
const MIN_COMPOUND = 6;

/** Whether the shop does not have a word, and it may be a compound of words that it has: `Damenjacke`. */
export function mayBeCompound(text: string, language: Language, lookup: Lookup): boolean {
  if (text.length < MIN_COMPOUND || !/^\p{L}+$/u.test(text) || language === 'fr') return false;
  const term = stem(text);
  const isOwn = lookup(term)?.isKnown || has(lookup(term));
  return !isOwn && standIn({ texts: [text], term }, language, lookup) === undefined;
}

/** The substitute for it: another form or another word in names and values; for a word that no product has, any other form. */
export function standIn(window: Window, language: Language, lookup: Lookup): string | undefined {
  const [text = ''] = window.texts;
  const isSingle = window.texts.length === 1;
  const forms = isSingle ? inflections(text, language) : [];
  const others = otherWords(window, language);
  // The word or its singular may be listed; its forms may be other words: the deck for `Decken`.
  const listed = [window.texts.join(' '), ...(language === 'en' ? [] : forms)];
  const isListed = listed.some((form) => otherWordsFor(form).length > 0);
  const all = (isListed ? [...others, ...forms] : [...forms, ...others]).filter((phrase) => has(lookup(phrase)));
  // Prefers a type of the shop to a word that only a name mentions: computers for a `notebook computer`, although there is a laptop sleeve.
  const [first = ''] = all;
  const isMentioned = !lookup(first)?.isHead && !lookup(first)?.isValue;
  const found = (isMentioned ? all.find((phrase) => lookup(phrase)?.isLabel) : undefined) ?? all[0];
  if (found !== undefined || !isSingle || lookup(window.term)?.isKnown) return found;
  return forms.find((phrase) => lookup(phrase)?.isKnown);
}
