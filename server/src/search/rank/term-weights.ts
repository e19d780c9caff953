/**
 * Looks up the terms of a query, including the shop's synonyms, and computes each group's inverse document frequency in
 * this shop.
 */

import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import sql, { empty, type Sql } from 'sql-template-tag';
import { PLACE } from '../index/postings.ts';
import { namesBeginningWith, termsBeginningWith } from '../query/completions.ts';
import type { SearchDb } from '../search-db.ts';
import { stem } from '../words/normalize.ts';
import { isExactTerm, type TermGroup } from '../words/term-groups.ts';

/** Dampens BM25's idf, which overrates rare terms in short product texts. */
const IDF_EXPONENT = 0.456;
/** The weight of a synonym; the word itself has weight 1. */
const SYNONYM_WEIGHT = 0.8;
/** The weight of a completion of the last word, so that names with the word itself come first. */
const COMPLETION_WEIGHT = 0.2;
const MAX_COMPLETIONS = 50;
/** The maximum number of words of names that are read for completions, because a short prefix has more than needed. */
const MAX_NAME_WORDS = 5_000;

/** The number of products that contain a term: anywhere, in the name, and as the head noun of the name. */
interface DocumentFrequencies {
  products: number;
  titles: number;
  heads: number;
}

/** A group with all its terms combined. */
export interface GroupWeight extends DocumentFrequencies {
  /** The group's inverse document frequency; 0 if no product has any of its terms. */
  idf: number;
}

/** A term that at least one product has. */
interface WeightedTerm {
  /** The index of its group. */
  grp: number;
  term: string;
  weight: number;
  /** Whether the term is the typed word or a synonym, and not a completion or an uncertain correction. */
  exact: boolean;
  /** Whether the term only counts in names. */
  in_names: boolean;
}

export interface WeightedQuery {
  /** The terms to look up, including synonyms. */
  terms: WeightedTerm[];
  weights: GroupWeight[];
  /** The group that has completions in addition to its word. */
  completed: number | undefined;
  /** The groups that no product has. */
  unknown: number[];
  /** The terms that are the head noun of at least one product name. */
  headTerms: ReadonlySet<string>;
  productCount: number;
}

/** Large counts are slow to compute, so they are cached for a minute for the same catalogue version. */
const MIN_CACHED_COUNT = 1_000;
const MINUTE = 60_000;
const frequencyCache = new LRUCache<string, DocumentFrequencies>({ max: 50_000, ttl: MINUTE });
const productCountCache = new LRUCache<string, number>({ max: 10_000, ttl: MINUTE });
/** Caches the weights of whole queries, because people search for the same words repeatedly. */
const weightedCache = new LRUCache<string, WeightedQuery>({ max: 2_000, ttl: MINUTE });

const NO_WORDS: WeightedQuery = {
  terms: [],
  weights: [],
  completed: undefined,
  unknown: [],
  headTerms: new Set(),
  productCount: 0,
};

export interface WeightOptions {
  /**
   * The unfinished last word. Words that begin with it (see `completions`) are added to the last group, but change
   * neither its weight nor other matches.
   */
  prefix?: string | undefined;
}

/**
 * Adds synonyms and weights. Sends one statement; none without words, or if the result for this catalogue version is
 * cached.
 */
export async function weightTerms(
  db: SearchDb,
  groups: TermGroup[],
  options: WeightOptions = {},
): Promise<WeightedQuery> {
  if (groups.length === 0) return NO_WORDS;
  // Without a version, changes of the catalogue could not be detected.
  if (db.catalogVersion === '') return readWeights(db, groups, options);
  const key = `${db.siteId} ${db.catalogVersion} ${hash('sha1', JSON.stringify([groups, options]), 'base64url')}`;
  const known = weightedCache.get(key);
  if (known) return known;
  const weighted = await readWeights(db, groups, options);
  // Queries with unknown words are not cached, because anybody could fill the cache with invented words.
  if (weighted.unknown.length === 0) weightedCache.set(key, weighted);
  return weighted;
}

interface WeightRow extends DocumentFrequencies, WeightedTerm {
  product_count: number;
  is_completion: boolean;
}

async function readWeights(db: SearchDb, groups: TermGroup[], { prefix }: WeightOptions): Promise<WeightedQuery> {
  const key = `${db.siteId} ${db.catalogVersion}`;
  const cachedCount = productCountCache.get(key);
  const cached = cachedFrequencies(key, groups);
  const rows = await db.rows<WeightRow>(
    sql`with ${wantedTerms(db, groups)}
      select w.grp, w.term, w.weight, w.exact, w.in_names, w.is_completion, c.products, c.titles, c.heads,
        ${cachedCount === undefined ? sql`(select count(*) from product_search where site_id = ${db.siteId})` : sql`${cachedCount}::bigint`} as product_count
      from (
        select grp, term, weight, exact, false as in_names, false as is_completion from wanted
        ${completions(db, groups, prefix)}
      ) as w cross join lateral (
        select count(*) as products, count(*) filter (where p.place & ${PLACE.title} > 0) as titles,
          count(*) filter (where p.place & ${PLACE.titleHead} > 0) as heads
        from search_postings p
        where p.site_id = ${db.siteId} and p.term = w.term and not w.is_completion and w.term <> all((select ${[...cached.keys()]}::text[])::text[])) as c
      order by w.grp, w.term`,
  );
  const all = rows.map((row) => ({ ...row, ...cached.get(row.term) }));
  for (const { term, products, titles, heads } of all) {
    if (products >= MIN_CACHED_COUNT && !cached.has(term))
      frequencyCache.set(`${key} ${term}`, { products, titles, heads });
  }
  const [first] = all;
  if (first && cachedCount === undefined && first.product_count >= MIN_CACHED_COUNT) {
    productCountCache.set(key, first.product_count);
  }
  const asked = all.filter(({ is_completion }) => !is_completion);
  const weights = groups.map((_group, grp) => weightOf(asked.filter((row) => row.grp === grp)));
  // Completions of an unknown word are added by the spelling correction instead.
  const isKnown = ({ grp, products, is_completion }: WeightRow) =>
    is_completion ? (weights[grp]?.products ?? 0) > 0 : products > 0;
  const terms = all.filter(isKnown);
  return {
    terms,
    weights,
    completed: terms.find(({ is_completion }) => is_completion)?.grp,
    unknown: weights.flatMap(({ products }, grp) => (products === 0 ? [grp] : [])),
    headTerms: new Set(asked.flatMap(({ term, heads }) => (heads > 0 ? [term] : []))),
    productCount: first?.product_count ?? 0,
  };
}

/** The number of groups is limited, because the estimate takes exponential time in it. */
const MAX_ESTIMATED_GROUPS = 10;

/**
 * Estimates how many products have at least this share of the query's weight, as if terms were independent; 0 if there
 * are too many groups.
 */
export function expectedMatches(
  { weights, productCount }: Pick<WeightedQuery, 'weights' | 'productCount'>,
  share: number,
): number {
  if (weights.length > MAX_ESTIMATED_GROUPS) return 0;
  const total = weights.reduce((sum, { idf }) => sum + idf, 0);
  let expected = 0;
  for (let subset = 1; subset < 1 << weights.length; subset += 1) {
    const isIn = (grp: number) => (subset & (1 << grp)) !== 0;
    const weight = weights.reduce((sum, { idf }, grp) => sum + (isIn(grp) ? idf : 0), 0);
    if (weight < share * total) continue;
    expected += weights.reduce((part, { products }, grp) => {
      const probability = Math.min(1, products / productCount);
      return part * (isIn(grp) ? probability : 1 - probability);
    }, productCount);
  }
  return expected;
}

function cachedFrequencies(key: string, groups: TermGroup[]): Map<string, DocumentFrequencies> {
  const terms = groups.flatMap(({ alternatives }) => alternatives.map(({ term }) => term));
  return new Map(
    terms.flatMap((term) => {
      const frequencies = frequencyCache.get(`${key} ${term}`);
      return frequencies ? [[term, frequencies] as const] : [];
    }),
  );
}

function weightOf(rows: (DocumentFrequencies & { product_count: number })[]): GroupWeight {
  const sum = (name: keyof DocumentFrequencies) => rows.reduce((total, row) => total + row[name], 0);
  const productCount = rows[0]?.product_count ?? 0;
  // Estimates how many products have any of the terms, as if these were independent, because counting the union is too
  // slow.
  const products = Math.round(
    rows.length < 2 || productCount === 0
      ? sum('products')
      : productCount * (1 - rows.reduce((none, row) => none * Math.max(0, 1 - row.products / productCount), 1)),
  );
  const others = Math.max(productCount - products, 0);
  const idf = products === 0 ? 0 : Math.log(1 + (others + 0.5) / (products + 0.5)) ** IDF_EXPONENT;
  return { products, titles: sum('titles'), heads: sum('heads'), idf };
}

/** The terms and their synonyms, each once per group: `wanted (grp, term, weight, exact)`. */
function wantedTerms(db: SearchDb, groups: TermGroup[]): Sql {
  const given = groups.flatMap(({ alternatives }, grp) =>
    alternatives.map(({ term, weight }) => ({ grp, term, weight, exact: isExactTerm(groups, grp, term) })),
  );
  const column = <Key extends keyof (typeof given)[number]>(key: Key) => given.map((one) => one[key]);
  return sql`given as (
      select * from unnest((select ${column('grp')}::int[]), (select ${column('term')}::text[]),
        (select ${column('weight')}::real[]), (select ${column('exact')}::boolean[])) as g (grp, term, weight, exact)
    ), wanted as materialized (
      select grp, term, max(weight) as weight, bool_or(exact) as exact from (
        select * from given
        union all
        select g.grp, synonym, g.weight * ${SYNONYM_WEIGHT}::real, g.exact from given g
        join site_settings t on t.site_id = ${db.siteId},
          jsonb_array_elements_text(t.search_synonym_terms -> g.term) as synonym
      ) as w group by grp, term
    )`;
}

/**
 * A query part with the words that begin with the last word, for its group; empty if there is none. Uses words of
 * names, the most common first. For a single word, words of other texts are added, so that a longer prefix finds no
 * more than a shorter one.
 */
function completions(db: SearchDb, groups: TermGroup[], prefix: string | undefined): Sql {
  const known = groups.at(-1)?.alternatives.map(({ term }) => term) ?? [];
  if (prefix === undefined || known[0] !== stem(prefix)) return empty;
  const isSingle = groups.length === 1;
  const ofNames = sql`(select term from (${namesBeginningWith(db, prefix, MAX_NAME_WORDS)}) as b
            group by term order by count(*) desc, term limit ${MAX_COMPLETIONS}::int)`;
  const ofTexts = isSingle
    ? sql`union select term from (${termsBeginningWith(db, prefix, MAX_COMPLETIONS)}) as t`
    : empty;
  return sql`union all (
          select ${groups.length - 1}::int, n.term, ${COMPLETION_WEIGHT}::real, false, ${!isSingle}::boolean, true
          from (${ofNames} ${ofTexts}) as n where n.term <> all((select ${known}::text[])::text[]))`;
}
