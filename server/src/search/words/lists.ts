/**
 * The word lists for parsing sentences, one file for each language. Each line contains entries, normalized and without
 * accents.
 */

import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };

export type Language = 'en' | 'de' | 'fr';

const LISTS: Record<Language, Record<string, string[] | undefined>> = { en, de, fr };
const LANGUAGES = Object.keys(LISTS) as Language[];

/** The name of a list. English has all lists except `weak`. */
export type ListName = keyof typeof en | 'weak';

export function entriesOf(lines: string[]): string[] {
  return lines.flatMap((line) => line.split(',').map((entry) => entry.trim()));
}

/** The entries of a list in these languages, by default in all. */
export function list(name: ListName, languages: Language[] = LANGUAGES): string[] {
  return languages.flatMap((language) => entriesOf(LISTS[language][name] ?? []));
}

/** The entries of several lists, as a set. */
export function wordSet(...names: ListName[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => list(name)));
}
