import { LRUCache } from 'lru-cache';
import sql, { type Sql } from 'sql-template-tag';
import { PLACE } from '../index/postings.ts';
import type { SearchDb } from '../search-db.ts';
import { type Group, isWhole } from '../words/term-groups.ts';

/** What a query looks for, and how much each of its words tells in this shop. */

/** Rarer words count more, but not as much more as plain BM25 has it. */
const RARITY = 0.456;
/** What a synonym counts beside the word itself. */
const SYNONYM = 0.8;

/** How many products have a term, in the name, and as what the name says the thing is. */
interface Counts {
  products: number;
  titles: number;
  heads: number;
}

/** A group as it is in this shop: all its terms together. */
export interface Weight extends Counts {
  /** How much it tells of a product; 0 where no product has it. */
  rarity: number;
}

/** A term that some products have. */
interface WeighedTerm {
  /** The place of its group. */
  grp: number;
  term: string;
  weight: number;
  /** Whether it is the word that was asked for, and no guess. */
  whole: boolean;
}

export interface Weighed {
  /** What to look for, synonyms included. */
  terms: WeighedTerm[];
  /** One for each group. */
  weights: Weight[];
  /** Groups that no product has. */
  unknown: number[];
  /** Terms that are what names of the shop say a thing is. */
  heads: ReadonlySet<string>;
  /** How many products the shop has. */
  size: number;
}

/**
 * Counting many products takes longer than looking for few, and some more or less change nothing: such numbers may be a
 * minute old; where the answer is kept for a version of the catalogue, only as long as that is the version.
 */
const MANY = 1_000;
const MINUTE = 60_000;
const counted = new LRUCache<string, Counts>({ max: 50_000, ttl: MINUTE });
/** How many products a shop has. */
const sizes = new LRUCache<string, number>({ max: 10_000, ttl: MINUTE });

/** Adds the synonyms and the weights. One statement. */
export async function weigh(db: SearchDb, groups: Group[]): Promise<Weighed> {
  const key = `${db.siteId} ${db.catalogVersion}`;
  const size = sizes.get(key);
  const known = knownCounts(key, groups);
  const rows = await db.rows<Counts & WeighedTerm & { size: number }>(
    sql`with ${wantedTerms(db, groups)}
      select w.grp, w.term, w.weight, w.whole, c.products, c.titles, c.heads,
        ${size === undefined ? sql`(select count(*) from product_search where site_id = ${db.siteId})` : sql`${size}::bigint`} as size
      from wanted w cross join lateral (
        select count(*) as products, count(*) filter (where p.place & ${PLACE.title} > 0) as titles,
          count(*) filter (where p.place & ${PLACE.headOfTitle} > 0) as heads
        from search_postings p
        where p.site_id = ${db.siteId} and p.term = w.term and w.term <> all((select ${[...known.keys()]}::text[])::text[])) as c
      order by w.grp, w.term`,
  );
  const all = rows.map((row) => ({ ...row, ...known.get(row.term) }));
  for (const { term, products, titles, heads } of all) {
    if (products >= MANY && !known.has(term)) counted.set(`${key} ${term}`, { products, titles, heads });
  }
  const [first] = all;
  if (first && size === undefined && first.size >= MANY) sizes.set(key, first.size);
  const weights = groups.map((_group, grp) => weightOf(all.filter((row) => row.grp === grp)));
  return {
    terms: all.filter(({ products }) => products > 0),
    weights,
    unknown: weights.flatMap(({ products }, grp) => (products === 0 ? [grp] : [])),
    heads: new Set(all.flatMap(({ term, heads }) => (heads > 0 ? [term] : []))),
    size: first?.size ?? 0,
  };
}

/** Of more words nobody reckons: there are two to the power of that many cases. */
const MAX_RECKONED = 10;

/** About how many products have this share of the query's weight, if words come together by chance; 0 for very many words. */
export function strongExpected({ weights, size }: Pick<Weighed, 'weights' | 'size'>, share: number): number {
  if (weights.length > MAX_RECKONED) return 0;
  const total = weights.reduce((sum, { rarity }) => sum + rarity, 0);
  let expected = 0;
  for (let has = 1; has < 1 << weights.length; has += 1) {
    const isIn = (grp: number) => (has & (1 << grp)) !== 0;
    const weight = weights.reduce((sum, { rarity }, grp) => sum + (isIn(grp) ? rarity : 0), 0);
    if (weight < share * total) continue;
    expected += weights.reduce((part, { products }, grp) => {
      const chance = Math.min(1, products / size);
      return part * (isIn(grp) ? chance : 1 - chance);
    }, size);
  }
  return expected;
}

/** Of the terms those that need not be counted. */
function knownCounts(key: string, groups: Group[]): Map<string, Counts> {
  const terms = groups.flatMap(({ alternatives }) => alternatives.map(({ term }) => term));
  return new Map(
    terms.flatMap((term) => {
      const counts = counted.get(`${key} ${term}`);
      return counts ? [[term, counts] as const] : [];
    }),
  );
}

function weightOf(rows: (Counts & { size: number })[]): Weight {
  const sum = (name: keyof Counts) => rows.reduce((total, row) => total + row[name], 0);
  const size = rows[0]?.size ?? 0;
  // How many have any of the terms, if those come together by chance: nobody counts what 50 completions have in common.
  const products = Math.round(
    rows.length < 2 || size === 0
      ? sum('products')
      : size * (1 - rows.reduce((none, row) => none * Math.max(0, 1 - row.products / size), 1)),
  );
  const others = Math.max(size - products, 0);
  const rarity = products === 0 ? 0 : Math.log(1 + (others + 0.5) / (products + 0.5)) ** RARITY;
  return { products, titles: sum('titles'), heads: sum('heads'), rarity };
}

/** What to look for with the synonyms, each term of a group once: `wanted (grp, term, weight, whole)`. */
function wantedTerms(db: SearchDb, groups: Group[]): Sql {
  const given = groups.flatMap(({ alternatives }, grp) =>
    alternatives.map(({ term, weight }) => ({ grp, term, weight, whole: isWhole(groups, grp, term) })),
  );
  const column = <Key extends keyof WeighedTerm>(key: Key) => given.map((one) => one[key]);
  return sql`given as (
      select * from unnest((select ${column('grp')}::int[]), (select ${column('term')}::text[]),
        (select ${column('weight')}::real[]), (select ${column('whole')}::boolean[])) as g (grp, term, weight, whole)
    ), wanted as materialized (
      select grp, term, max(weight) as weight, bool_or(whole) as whole from (
        select * from given
        union all
        select g.grp, synonym, g.weight * ${SYNONYM}::real, g.whole from given g
        join site_settings t on t.site_id = ${db.siteId},
          jsonb_array_elements_text(t.search_synonym_terms -> g.term) as synonym
      ) as w group by grp, term
    )`;
}
