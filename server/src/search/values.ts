import sql from 'sql-template-tag';
import type { Shop } from '../shop/shop.ts';
import { valueTerm } from './postings.ts';
import { isJoining } from './text.ts';
import type { Token } from './tokens.ts';
import type { Constraint } from './understanding.ts';

/** The longest value that is looked for, in words. */
const MAX_WORDS = 4;

/**
 * The values of the shop's own options, vendors, types, tags and metadata that a sentence names, the longest first where
 * they overlap. One statement. Their words stay in the query, too: a product that lacks the value may still be meant.
 */
export async function valuesIn(shop: Shop, sentence: string, words: Token[]): Promise<Constraint[]> {
  const phrases = phrasesOf(words);
  if (phrases.length === 0) return [];
  const rows = await shop.rows<{ term: string }>(
    sql`select w.term from unnest(${phrases.map(({ term }) => term)}::text[]) as w (term)
      where exists (select from search_postings p where p.site_id = ${shop.siteId} and p.term = w.term)`,
  );
  const known = new Set(rows.map(({ term }) => term));
  const taken = new Set<number>();
  return phrases.flatMap(({ term, from, to }) => {
    const places = Array.from({ length: to - from }, (_, i) => from + i);
    if (!known.has(term) || places.some((place) => taken.has(place))) return [];
    for (const place of places) taken.add(place);
    const start = words[from]?.start ?? 0;
    const end = words[to - 1]?.end ?? start;
    return [{ kind: 'value' as const, value: term.slice(1), text: sentence.slice(start, end), start, end }];
  });
}

/** All runs of words that may be a value, longest first. */
function phrasesOf(words: Token[]): { term: string; from: number; to: number }[] {
  const phrases: { term: string; from: number; to: number }[] = [];
  for (let length = MAX_WORDS; length > 0; length -= 1) {
    for (let from = 0; from + length <= words.length; from += 1) {
      const run = words.slice(from, from + length);
      if (run.every(({ term }) => isJoining(term))) continue;
      phrases.push({ term: valueTerm(run.map(({ term }) => term)), from, to: from + length });
    }
  }
  return phrases;
}
