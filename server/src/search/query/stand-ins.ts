import type { Language } from '../words/languages.ts';
import { stem } from '../words/normalize.ts';
import { isGoods, MAX_ENTRY_WORDS, misspeltEntries, otherWordsFor } from '../words/thesaurus.ts';
import type { Token } from '../words/tokens.ts';
import { endingsCut, inflections, relatives } from '../words/word-forms.ts';
import { has, type Lookup } from './known-words.ts';

/** What a shop may have in place of a word: another form of it, another word for the same goods, or one of the same root. */

/** No more other words for one are looked up. */
const MAX_ALTERNATIVES = 120;

/** Names of attributes, which say nothing beside a value: `colour sage`. */
export const FIELD_LABELS = new Set(
  `colour color coloured colored material fabric farbe farbig farben couleur coloris matiere flavour scent width
  height length diameter capacity volume durchmesser breite hohe lange inhalt fassungsvermogen volumen diametre hauteur
  largeur longueur contenance`.split(/\s+/),
);
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

/** What to look up for a window: itself, and for what it may stand. */
export function candidatesFor(window: Window, language: Language): string[] {
  const others = otherWords(window, language);
  if (window.texts.length > 1) return [window.term, ...others];
  const [text = ''] = window.texts;
  if (/^\d/.test(text)) return [];
  return [
    window.term,
    ...others,
    ...relatives(window.term),
    ...inflections(text, language),
    ...(others.length > 0 ? [] : misspeltWords(text, language)),
  ].slice(0, MAX_ALTERNATIVES);
}

/** The goods that a misspelt word may name, as terms. */
function misspeltWords(text: string, language: Language): string[] {
  const forms = [text, stem(text), ...languagesOf(language).flatMap((each) => endingsCut(text, each))];
  const found = [...new Set(forms)].flatMap(misspeltEntries);
  return [...new Set(found.map((phrase) => phrase.split(' ').map(stem).join(' ')))];
}

/** A single word may not tell its language. */
export function languagesOf(language: Language): Exclude<Language, 'en'>[] {
  return language === 'en' ? ['de', 'fr'] : [language];
}

/** Other words for it, as terms. */
export function otherWords({ texts, term }: Window, language: Language): string[] {
  const text = texts.join(' ');
  const inflected = texts.length > 1 ? [] : languagesOf(language).flatMap((each) => inflections(text, each));
  const forms = [text, term, ...inflected];
  // Two words that the shop writes as one: `head lamp`.
  const joined = texts.length === 2 && texts.every((word) => /^\p{L}{3,}$/u.test(word)) ? [texts.join('')] : [];
  // A form that is listed is a word itself.
  const found = [...joined, ...[...new Set(forms)].flatMap((form) => withOthers(form, inflected.includes(form)))];
  return [...new Set(found.map((phrase) => phrase.split(' ').map(stem).join(' ')))].filter((other) => other !== term);
}

function withOthers(word: string, isForm: boolean): string[] {
  const others = otherWordsFor(word);
  return isForm && others.length > 0 ? [word, ...others] : others;
}

/** A shorter word is no compound. */
const MIN_COMPOUND = 6;

/** Whether a word means nothing to the shop, and may be put together of words that do: `Damenjacke`. */
export function mayBeCompound(text: string, language: Language, lookup: Lookup): boolean {
  if (text.length < MIN_COMPOUND || !/^\p{L}+$/u.test(text) || language === 'fr' || FIELD_LABELS.has(text))
    return false;
  const term = stem(text);
  return (
    !lookup(term)?.isKnown &&
    !has(lookup(term)) &&
    spelledStandIn({ texts: [text], term }, language, lookup) === undefined
  );
}

/** A value of the shop that a word stands for just as it was written. */
export function foreignValue({ texts, term }: Window, lookup: Lookup): string | undefined {
  const [text = ''] = texts;
  if (texts.length > 1 || text === term || lookup(term)?.isValue || lookup(text)?.isValue) return undefined;
  return otherWordsFor(text)
    .map(stem)
    .find((other) => lookup(other)?.isValue);
}

/** A stroller is no boots for a stroll: goods are themselves, whatever their name comes from. */
export function isDevice(text: string): boolean {
  return isGoods(text) || isGoods(stem(text));
}

/** What stands in for it, or for goods that it may misspell. */
export function standIn(window: Window, language: Language, lookup: Lookup): string | undefined {
  const found = spelledStandIn(window, language, lookup);
  const [text = ''] = window.texts;
  const isOther = window.texts.length > 1 || lookup(window.term)?.isKnown || otherWords(window, language).length > 0;
  if (found !== undefined || isOther) return found;
  return misspeltWords(text, language).find((phrase) => has(lookup(phrase)));
}

/** Another form, another word, or for a word that no product has, one of the same root. */
function spelledStandIn(window: Window, language: Language, lookup: Lookup): string | undefined {
  const [text = ''] = window.texts;
  const isSingle = window.texts.length === 1;
  const forms = isSingle ? inflections(text, language) : [];
  const others = otherWords(window, language);
  // The word or its singular may be listed; its forms may be other words: the deck for `Decken`.
  const listed = [window.texts.join(' '), ...(language === 'en' ? [] : forms)];
  const isListed = listed.some((form) => otherWordsFor(form).length > 0);
  const all = (isListed ? [...others, ...forms] : [...forms, ...others]).filter((phrase) => has(lookup(phrase)));
  const [first = ''] = all;
  // A type of the shop rather than what only a name mentions: computers for a `notebook computer`, where there is a laptop sleeve.
  const isMentioned = !lookup(first)?.isHead && !lookup(first)?.isValue;
  const found = (isMentioned ? all.find((phrase) => lookup(phrase)?.isLabel) : undefined) ?? all[0];
  if (found !== undefined || !isSingle || lookup(window.term)?.isKnown) return found;
  return (
    forms.find((phrase) => lookup(phrase)?.isKnown) ??
    (isDevice(text) ? undefined : relativeOf(window.term, lookup)) ??
    (isDevice(text) ? undefined : relatives(window.term).find((phrase) => lookup(phrase)?.isKnown)) ??
    labelOf(window.term, lookup) ??
    others.flatMap((other) => labelOf(other, lookup) ?? [])[0]
  );
}

/** One of the same root, a type or tag if there is one: a camper is for `camping` rather than for what is called a camp. */
function relativeOf(term: string, lookup: Lookup): string | undefined {
  const all = relatives(term).filter((phrase) => has(lookup(phrase)));
  return all.find((phrase) => lookup(phrase)?.isLabel) ?? all[0];
}

/** How a value that is about a thing goes on: `kitchenware`, `gardening`, `garden tools`; not `lightweight`. */
const ABOUT = /^(?: |ware|wear|ing\b|er\b)/;

function labelOf(term: string, lookup: Lookup): string | undefined {
  const label = lookup(term)?.label;
  // A plant is no planter.
  const isOther = isGoods(term) && label !== undefined && !label.startsWith(`${term} `);
  return label !== undefined && !isOther && ABOUT.test(label.slice(term.length)) ? label : undefined;
}

/** Values of the shop by another word for goods, where the word itself is none: the bouquets beside what is named a flower. */
export function typesFor(window: Window, language: Language, lookup: Lookup): string[] {
  const [text = ''] = window.texts;
  const known = lookup(window.term);
  if (!known?.isNamed || known.isValue || !(isGoods(text) || isGoods(window.term))) return [];
  return otherWords(window, language).filter((other) => !other.includes(' ') && lookup(other)?.isValue);
}

export function namesGoods({ text, term }: Token, language: Language, isOne = isGoods): boolean {
  const forms = [text, term, ...languagesOf(language).flatMap((each) => endingsCut(text, each))];
  return forms.some(isOne);
}
