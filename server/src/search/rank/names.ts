import { LRUCache } from 'lru-cache';
import { headTermOf } from '../index/postings.ts';
import { stripHtml, termsOf } from '../words/normalize.ts';

/** The parts of a product's name that affect its rank. */
export interface NameTerms {
  terms: string[];
  /** The head noun of the name. */
  head: string | undefined;
}

/**
 * Cached, because the same products are found repeatedly, and analysing a name takes longer than all other work with
 * it.
 */
const known = new LRUCache<string, NameTerms>({ max: 5_000 });

export function nameTerms(name: string): NameTerms {
  let parts = known.get(name);
  if (!parts) {
    parts = { terms: termsOf(stripHtml(name)), head: headTermOf(name, []) };
    known.set(name, parts);
  }
  return parts;
}
