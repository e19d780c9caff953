/** Looks up which words are in names or values of a shop's products. */

import { LRUCache } from 'lru-cache';
import sql from 'sql-template-tag';
import { PLACE, VALUE } from '../index/postings.ts';
import type { SearchDb } from '../search-db.ts';

export interface Known {
  /** Whether the phrase is in a product's name, or the shop has synonyms for the phrase. */
  isNamed: boolean;
  /** Whether the phrase is a whole value of a product. */
  isValue: boolean;
  /** Whether the phrase is a product's type or one of its tags. */
  isLabel: boolean;
  /** Whether the last word of the phrase is the head noun of a product's name. */
  isHead: boolean;
  /** Whether the phrase is a single word that occurs in any text of a product. */
  isKnown: boolean;
}

export type Lookup = (phrase: string) => Known | undefined;

export function has(known: Known | undefined): boolean {
  return known !== undefined && (known.isNamed || known.isValue);
}

/**
 * Results by site, catalogue version and phrase. Sentences repeat words, and each word has up to 120 alternatives. If
 * the cache is full of invented words, other entries are read again.
 */
const knownPhrases = new LRUCache<string, Known>({ max: 50_000, ttl: 60_000 });

/**
 * Looks up phrases in product names and facet values. A phrase of several words counts as a name if its first and last
 * word are in the name of the same product. Sends one statement, or none if all results are cached.
 */
export async function lookUp(db: SearchDb, phrases: string[]): Promise<Map<string, Known>> {
  // Without a version, changes of the catalogue could not be detected.
  if (db.catalogVersion === '') return readKnown(db, phrases);
  const key = (phrase: string) => `${db.siteId} ${db.catalogVersion} ${phrase}`;
  const cached = new Map(
    phrases.flatMap((phrase) => {
      const known = knownPhrases.get(key(phrase));
      return known ? [[phrase, known] as const] : [];
    }),
  );
  const missing = phrases.filter((phrase) => !cached.has(phrase));
  if (missing.length === 0) return cached;
  const read = await readKnown(db, missing);
  for (const [phrase, known] of read) knownPhrases.set(key(phrase), known);
  return new Map([...cached, ...read]);
}

async function readKnown(db: SearchDb, phrases: string[]): Promise<Map<string, Known>> {
  const firsts = phrases.map((phrase) => phrase.split(' ')[0] ?? '');
  const lasts = phrases.map((phrase) => phrase.split(' ').at(-1) ?? '');
  // `place & 1` and `place & 2` are written as in the partial indexes search_postings_in_names and
  // search_postings_of_heads. The terms are concatenated here and not in SQL, because row-level security prevents the
  // use of an index with the result of an operator that might leak.
  const values = phrases.map((phrase) => VALUE + phrase);
  const rows = await db.rows<{
    phrase: string;
    is_named: boolean;
    is_value: boolean;
    is_label: boolean;
    is_head: boolean;
    is_known: boolean;
    is_synonym: boolean;
  }>(
    sql`select w.phrase, exists (select from search_postings a
        where a.site_id = ${db.siteId} and a.term = w.first and a.place & 1 > 0
          and (w.first = w.last or exists (select from search_postings b where b.site_id = ${db.siteId}
            and b.product_id = a.product_id and b.term = w.last and b.place & 1 > 0))) as is_named,
        exists (select from search_postings v where v.site_id = ${db.siteId} and v.term = w.value) as is_value,
        exists (select from search_postings v where v.site_id = ${db.siteId} and v.term = w.value
          and v.place & ${PLACE.product_type | PLACE.tag}::int <> 0) as is_label,
        exists (select from search_postings h
          where h.site_id = ${db.siteId} and h.term = w.last and h.place & 2 > 0) as is_head,
        exists (select from search_postings k where k.site_id = ${db.siteId} and k.term = w.phrase) as is_known,
        exists (select from site_settings t
          where t.site_id = ${db.siteId} and jsonb_exists(t.search_synonym_terms, w.phrase)) as is_synonym
      from unnest((select ${phrases}::text[]), (select ${firsts}::text[]), (select ${lasts}::text[]),
        (select ${values}::text[])) as w (phrase, first, last, value)`,
  );
  return new Map(
    rows.map(({ phrase, is_named, is_value, is_label, is_head, is_known, is_synonym }) => [
      phrase,
      {
        isNamed: is_named || is_synonym,
        isValue: is_value,
        isLabel: is_label,
        isHead: is_head,
        isKnown: is_known,
      },
    ]),
  );
}
