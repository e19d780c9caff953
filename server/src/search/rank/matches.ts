/** Builds the parts of an SQL statement that find the products for a query and compute their BM25F scores. */

import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { CODE, PLACE } from '../index/postings.ts';
import type { SearchDb } from '../search-db.ts';
import { normalizeText } from '../words/normalize.ts';
import type { CodeMatches } from './codes.ts';
import type { GroupWeight, WeightedQuery } from './term-weights.ts';

/** The exponent of coverage, which determines how much a product loses by lacking part of the query. */
const COVERAGE_EXPONENT = 3.7;
/** A product with a smaller share of the query's weight does not match. */
export const MIN_COVERAGE = 0.35;
/** The score of a matching SKU or barcode, higher than words can reach. */
const CODE_SCORE = 1_000;

export interface Query {
  weighted: WeightedQuery;
  /** The text as typed, for SKUs and barcodes. */
  typed: string;
  /** Products found by a part of an SKU or barcode. */
  codes: CodeMatches;
}

export interface MatchOptions {
  /** The minimum share of the query's weight, from 0 to 1. */
  minCoverage: number;
  /** The groups of the head noun, of which a product must have one. */
  headGroups?: number[];
  /**
   * Whether a product also matches if the modifier is the only word of the query that it contains (see `modifierOf`).
   */
  modifierAlone?: boolean;
  /** A condition on the rest of the statement. If it is false, no postings are read. */
  when?: Sql;
}

/** `coded (product_id)`: the products whose SKU or barcode is the query, and the products of `codes.first`. */
export function codeMatches(db: SearchDb, { typed, codes }: Query): Sql {
  const code = CODE + normalizeText(typed.trim()).slice(0, 255);
  return sql`coded as materialized (
      select product_id from search_postings where site_id = ${db.siteId} and term = ${code}
      ${codes.first.length > 0 ? sql`union select unnest((select ${codes.first}::uuid[]))` : empty}
    )`;
}

/** The products in `coded`, with the columns of `matchesByWords`. */
export const matchesByCode = sql`select product_id, ${CODE_SCORE}::float8 as score, 1::float8 as coverage, 0 as head_groups,
  false as vendor_match, 0 as exact_groups, 0 as guessed_groups, true as code_match from coded`;

/**
 * A query for products that match by their words, visible or not: `(product_id, score, coverage)` and the columns of a
 * candidate. The score adds up, for each group, the impact of its best term times the group's idf; the sum is
 * multiplied by a power of the coverage, which is the share of the query's weight that the product has. Groups are
 * joined, which takes less than half the time of aggregating all postings by product.
 */
export function matchesByWords(db: SearchDb, { weighted, codes }: Query, options: MatchOptions): Sql {
  const total = weighted.weights.reduce((sum, { idf }) => sum + idf, 0);
  const [essential, optional] = partitionGroups(weighted, options);
  const [first, ...more] = essential;
  const when = options.when ?? sql`true`;
  const read = (part: Part) => postings(db, part, weighted, when);
  if (codes.last.length > 0) {
    const part = first ?? { terms: [], idf: 1, bit: 1, at: 0 };
    const coded = codedBehind(db, part, codes.last);
    return matchesOfOne(part, first ? sql`select * from (${read(first)}) as r union all ${coded}` : coded);
  }
  if (!first) return sql`${matchesByCode} where false`;
  if (hasOneGroup(weighted)) return matchesOfOne(first, read(first));
  // The parts are always added up in the same order, so that a product has the same coverage in both parts of a
  // statement.
  const each = (part: (part: Part) => Sql, between: string) => join([...optional, ...essential].map(part), between);
  return sql`select product_id, bm25 * power(coverage, ${COVERAGE_EXPONENT}::float8) as score, coverage, head_groups, vendor_match,
      exact_groups, guessed_groups, false as code_match
    from (
      select product_id, ${each(({ idf, at }) => sql`coalesce(${column(at, 'impact')} * ${idf}::float8, 0)`, ' + ')} as bm25,
        (${each(({ idf, at }) => sql`case when ${column(at, 'impact')} is null then 0 else ${idf}::float8 end`, ' + ')})
          / ${total}::float8 as coverage,
        ${each(({ bit, at }) => sql`case when ${column(at, 'place')} & ${PLACE.titleHead} > 0 then ${bit}::int else 0 end`, ' | ')} as head_groups,
        ${each(({ at }) => sql`coalesce(${column(at, 'place')} & ${PLACE.vendor} > 0, false)`, ' or ')} as vendor_match,
        ${each(({ bit, at }) => sql`case when ${column(at, 'exact')} then ${bit}::int else 0 end`, ' | ')} as exact_groups,
        ${each(({ bit, at }) => sql`case when ${column(at, 'guessed')} then ${bit}::int else 0 end`, ' | ')} as guessed_groups
      from (${read(first)}) as ${alias(first)}
        ${join([empty, ...more.map((part) => sql`full join (${read(part)}) as ${alias(part)} using (product_id)`)], ' ')}
        ${join([empty, ...optional.map((part) => sql`left join (${read(part)}) as ${alias(part)} using (product_id)`)], ' ')}
      ) as hits
    where coverage >= ${options.minCoverage}::float8
      and not exists (select from coded c where c.product_id = hits.product_id)`;
}

/** The products of `product_ids` that have none of the terms, as postings without impact. */
function codedBehind(db: SearchDb, { terms }: Part, product_ids: string[]): Sql {
  return sql`select u.product_id, 0::real as impact, 0::smallint as place, false as exact, false as guessed
    from unnest((select ${product_ids}::uuid[])) as u (product_id)
    where not exists (select from search_postings p where p.site_id = ${db.siteId} and p.product_id = u.product_id
      and p.term = any((select ${terms.map(({ term }) => term)}::text[])::text[]))`;
}

/** Whether the query is a single group. Each match then has the whole query, so none is weak. */
export function hasOneGroup({ weights }: Pick<WeightedQuery, 'weights'>): boolean {
  return weights.length === 1;
}

/** `matchesByWords` for a query with only this group, where the coverage is always 1. */
function matchesOfOne(part: Part, read: Sql): Sql {
  const { idf, bit } = part;
  const flag = (condition: Sql) => sql`case when ${condition} then ${bit}::int else 0 end`;
  return sql`select product_id, impact * ${idf}::float8 as score, 1::float8 as coverage,
      ${flag(sql`place & ${PLACE.titleHead} > 0`)} as head_groups, place & ${PLACE.vendor} > 0 as vendor_match,
      ${flag(sql`exact`)} as exact_groups, ${flag(sql`guessed`)} as guessed_groups, false as code_match
    from (${read}) as hits where not exists (select from coded c where c.product_id = hits.product_id)`;
}

/** A group of which at least one product has a term. */
interface Part {
  terms: WeightedQuery['terms'];
  idf: number;
  /** The group's bit in the bit sets of a candidate. */
  bit: number;
  /** The group's position in the statement. */
  at: number;
}

/**
 * Splits the groups into essential ones, of which a match must have at least one, and optional ones (MaxScore; Turtle
 * and Flood, 1995), each with the most frequent first. Groups of the head noun are essential; without a head noun,
 * those of which a product needs at least one to reach the minimum coverage.
 */
function partitionGroups(
  weighted: WeightedQuery,
  { minCoverage, headGroups = [], modifierAlone = false }: MatchOptions,
): [Part[], Part[]] {
  const { terms, weights } = weighted;
  const essential = new Set(headGroups.length > 0 ? headGroups : essentialGroups(weights, minCoverage));
  const modifier = modifierOf(weighted);
  if (modifier !== undefined && !modifierAlone && essential.size > 1) essential.delete(modifier);
  const all = weights
    .map(({ idf }, grp) => ({ grp, idf, bit: 1 << grp, terms: terms.filter((term) => term.grp === grp) }))
    .filter((part) => part.terms.length > 0)
    .sort((a, b) => a.idf - b.idf);
  const parts = (isEssential: boolean, from: number) =>
    all.filter(({ grp }) => essential.has(grp) === isEssential).map((part, i) => ({ ...part, at: from + i }));
  const optional = parts(false, 0);
  return [parts(true, optional.length), optional];
}

/**
 * All groups except the most frequent ones, as long as these together have less than this share of the query's weight.
 */
export function essentialGroups(weights: Pick<GroupWeight, 'idf'>[], minCoverage: number): number[] {
  const total = weights.reduce((sum, { idf }) => sum + idf, 0);
  let cumulative = 0;
  return weights
    .map(({ idf }, grp) => ({ idf, grp }))
    .sort((a, b) => a.idf - b.idf)
    .flatMap(({ idf, grp }) => {
      cumulative += idf;
      // Tolerates rounding errors, because the statement adds up in another order.
      return cumulative >= minCoverage * total - 1e-9 ? [grp] : [];
    });
}

/** A modifier is in at least this many products and this share of all, but rarely in names. */
const MODIFIER = { minProducts: 1_000, minShare: 0.1, maxTitleShare: 0.1 };

/** The most frequent of several groups, if it is only a modifier: the M in `boots in size M`. */
export function modifierOf({
  weights,
  productCount,
}: Pick<WeightedQuery, 'weights' | 'productCount'>): number | undefined {
  const existing = weights.map((weight, grp) => ({ ...weight, grp })).filter(({ products }) => products > 0);
  const [commonest, ...others] = existing.sort((a, b) => a.idf - b.idf);
  if (!commonest || others.length === 0) return undefined;
  const { products, titles, grp } = commonest;
  const isCommon = products >= MODIFIER.minProducts && products > MODIFIER.minShare * productCount;
  return isCommon && titles < MODIFIER.maxTitleShare * products ? grp : undefined;
}

/** If the only term of a group is in at least this many products, its postings are read without grouping. */
const GROUPED_BELOW = 2_000;

/** A query for the postings of a group by product: `(product_id, impact, place, exact, guessed)`. */
function postings(db: SearchDb, { terms: [term, ...others] }: Part, weighted: WeightedQuery, when: Sql): Sql {
  // All groups of a query use the same form, which limits the number of prepared statements. Frequent terms are an
  // exception, because grouping them takes as long as reading them.
  const { terms, weights } = weighted;
  const isFrequent =
    others.length === 0 && !term?.in_names && (weights[term?.grp ?? 0]?.products ?? 0) >= GROUPED_BELOW;
  const isSimple = isFrequent || new Set(terms.map(({ grp }) => grp)).size === terms.length;
  if (isSimple && term) {
    const isGuess = sql`p.place & ${PLACE.title} > 0 and not ${term.exact}::boolean`;
    return sql`select p.product_id, p.impact * ${term.weight}::real as impact, p.place, ${term.exact}::boolean as exact, ${isGuess} as guessed
      from search_postings p where p.site_id = ${db.siteId} and p.term = ${term.term} and ${when} offset 0`;
  }
  const own = term ? [term, ...others] : [];
  return sql`select p.product_id, max(p.impact * w.weight) as impact, bit_or(p.place) as place, bool_or(w.exact) as exact,
      bool_or(p.place & ${PLACE.title} > 0 and not w.exact) as guessed
    from unnest((select ${own.map((one) => one.term)}::text[]), (select ${own.map(({ weight }) => weight)}::real[]),
      (select ${own.map(({ exact }) => exact)}::boolean[]), (select ${own.map(({ in_names }) => in_names)}::boolean[]))
      as w (term, weight, exact, in_names)
    join search_postings p on p.site_id = ${db.siteId} and p.term = w.term
    where ${when} and (p.place & ${PLACE.title} > 0 or not w.in_names) group by p.product_id`;
}

function alias({ at }: Part): Sql {
  return raw(`g${at}`);
}

/** A column of a group. `raw` is safe here, because it only contains fixed names and a number. */
function column(at: number, name: 'impact' | 'place' | 'exact' | 'guessed'): Sql {
  return raw(`g${at}.${name}`);
}
