import type { SearchSynonyms } from '@commerce-backend/spec';
import { termsOf } from './normalize.ts';

/** A shop's synonyms as terms: for each term that is searched for, the terms that are found in addition. */
export function synonymTerms(entries: SearchSynonyms[]): Record<string, string[]> {
  const terms = new Map<string, string[]>();
  for (const { term, synonyms } of entries) {
    const key = termsOf(term).join('');
    const found = synonyms.map((synonym) => termsOf(synonym).join('')).filter((synonym) => synonym && synonym !== key);
    if (key && found.length > 0) terms.set(key, [...new Set([...(terms.get(key) ?? []), ...found])]);
  }
  return Object.fromEntries(terms);
}
