import type { Language } from '../words/languages.ts';
import { normalizeText, stem } from '../words/normalize.ts';
import { thingsFor } from '../words/purposes.ts';
import { otherWordsFor } from '../words/thesaurus.ts';
import type { Token } from '../words/tokens.ts';
import { inflections } from '../words/word-forms.ts';
import type { Lookup } from './known-words.ts';

/** Whom a thing is for, where a sentence names the thing: `a jacket for my husband`, `a bed for my dog`. */

/** What stands before somebody that a thing is for. */
const IS_FOR =
  /(?:^|\s)(?:for|fur|pour)\s+(?:\p{L}+\s+){0,2}$|(?:^|\s)(?:i['’]?m an?|i am an?|ich bin eine?|je suis une?)\s+$/u;
/** Values by which shops tell whom a thing is made for. */
export const GROUPS: ReadonlySet<string> = new Set(['women', 'men', 'children']);
/** What says too little to be looked for among what is made for women or men: a present for her may be anything. */
export const GIFTS = /\b(?:gifts?|presents?|surprise|ideas?|geschenke?|geschenkidee|cadeaux?|idees?)\b/;
/** What is for one of them serves no human, and the other way round. */
const ANIMALS = new Set('dog puppy hund chien chiot cat kitten katze chat chaton bird vogel oiseau'.split(' '));

function isRecipient(sentence: string, { start }: Token): boolean {
  return IS_FOR.test(normalizeText(sentence.slice(Math.max(0, start - 40), start)));
}

function formsOf({ text, term }: Pick<Token, 'text' | 'term'>, language: Language): string[] {
  return language === 'en' ? [text, term] : [text, term, ...inflections(text, language)];
}

/** The values that may stand for a person, as terms: those of men's clothes for a husband. None for a word that is no person. */
export function groupTerms(sentence: string, word: Token, language: Language): string[] {
  if (!isRecipient(sentence, word) || GIFTS.test(normalizeText(sentence))) return [];
  const groups = formsOf(word, language)
    .flatMap(thingsFor)
    .filter((thing) => GROUPS.has(thing));
  return [...new Set(groups.flatMap((group) => [group, ...otherWordsFor(group)]).map(stem))];
}

/** The value of the shop by which it tells for whom a thing is, if it has one. */
export function groupOf(sentence: string, word: Token, language: Language, lookup: Lookup): string | undefined {
  return groupTerms(sentence, word, language).find((term) => lookup(term)?.isValue);
}

export function isForAnimal(sentence: string, word: Token, language: Language): boolean {
  return isRecipient(sentence, word) && formsOf(word, language).some((form) => ANIMALS.has(form));
}

/** Whether a word names people or animals that things are made for: `men`, `my husband`, `dogs`. */
export function namesRecipient(word: string, language: Language): boolean {
  const forms = formsOf({ text: word, term: stem(word) }, language);
  const groups = forms.flatMap((form) => [form, ...thingsFor(form), ...otherWordsFor(form)]);
  return groups.some((group) => GROUPS.has(group)) || forms.some((form) => ANIMALS.has(form));
}
