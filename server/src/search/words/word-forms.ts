/** Other forms of a word that a shop may use instead, the best first. Not all of them are real words. */

import type { Language } from './languages.ts';
import { stem } from './normalize.ts';

const IRREGULAR: Record<string, string> = {
  men: 'man', women: 'woman', feet: 'foot', teeth: 'tooth', mice: 'mouse', geese: 'goose',
}; // biome-ignore format: a table

/** Short endings are cut first: `Schalen` is a form of `Schale` rather than of `Schal`. */
const GERMAN_ENDINGS = ['n', 's', 'e', 'en', 'er', 'es', 'em', 'ern'];
const FRENCH_ENDINGS = ['euses', 'euse', 'elles', 'elle', 'ales', 'aux', 'ives', 'es', 'e', 's', 'x'];

const ADDED = { de: ['e', 'en', 'n', 'er', 's'], fr: ['e', 's', 'x'] };

/**
 * The infinitives of a German verb in the third person: `gärtnern` for `gärtnert`, `wandern` for `wandert`, `backen`
 * for `backt`.
 */
function infinitives(word: string): string[] {
  return word.length > 4 && /[^aeiouts]t$/.test(word) ? [`${word.slice(0, -1)}n`, `${word.slice(0, -1)}en`] : [];
}

/** Possible singular, plural and inflected forms of a word, without the word itself. */
export function inflections(word: string, language: Language): string[] {
  if (language === 'en') return englishForms(word);
  // The spelling on keyboards without this letter.
  const typed = word.includes('œ') ? [word.replaceAll('œ', 'oe')] : [];
  const bases = [...typed, word, ...endingsCut(word, language)];
  const verbs = language === 'de' ? infinitives(word) : [];
  const forms = [...bases.flatMap((base) => [base, ...ADDED[language].map((ending) => base + ending)]), ...verbs];
  return [...new Set([...forms.map(stem), ...forms])].filter((form) => form !== word);
}

/** The word without each German or French ending that it has. */
function endingsCut(word: string, language: Exclude<Language, 'en'>): string[] {
  const endings = language === 'de' ? GERMAN_ENDINGS : FRENCH_ENDINGS;
  return endings.flatMap((ending) =>
    word.endsWith(ending) && word.length - ending.length >= 3 ? [word.slice(0, -ending.length)] : [],
  );
}

function englishForms(word: string): string[] {
  const irregular = IRREGULAR[word];
  if (irregular) return [irregular];
  // Too short for `stem`: `tvs`.
  if (/^[b-df-hj-np-tv-z]{2}s$/.test(word)) return [word.slice(0, -1)];
  if (word.endsWith('ves') && word.length > 4) return [`${word.slice(0, -3)}fe`, `${word.slice(0, -3)}f`];
  // `stem` turns `knives` into `knive`.
  return word.endsWith('ve') ? [`${word.slice(0, -2)}fe`, `${word.slice(0, -2)}f`] : [];
}
