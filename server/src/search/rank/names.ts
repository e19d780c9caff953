import { LRUCache } from 'lru-cache';
import { headTermOf } from '../index/postings.ts';
import { stripHtml, termsOf } from '../words/normalize.ts';

/** The parts of a product's name that influence its rank. */
export interface NameTerms {
  terms: string[];
  /** Its head noun. */
  head: string | undefined;
}

/** The same products are found repeatedly, and analysing a name takes longer than everything else that is done with it. */
const known = new LRUCache<string, NameTerms>({ max: 5_000 });

export function nameTerms(name: string): NameTerms {
  let parts = known.get(name);
  if (!parts) {
    parts = { terms: termsOf(stripHtml(name)), head: headTermOf(name, []) };
    known.set(name, parts);
  }
  return parts;
}
