import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { Shop } from '../shop/shop.ts';
import { CODE, PLACE } from './postings.ts';
import { fold } from './text.ts';
import type { Weighed } from './weigh.ts';

/** Which products match a query, and how well, as parts of a statement. */

/** How much it costs a product to lack some of the words. */
const COVERAGE = 3.7;
/** A product that has less than this share of the query's weight is no match. */
export const LEAST_COVERAGE = 0.35;
/** A whole SKU or barcode comes before everything that words could reach. */
const CODE_SCORE = 1_000;

/** What is looked for. */
export interface Query {
  weighed: Weighed;
  /** As it was typed, for SKUs and barcodes. */
  typed: string;
}

/** Which of the products are meant. */
export interface Bounds {
  /** The least share of the query's weight, from 0 to 1. */
  least: number;
  /** Groups of which a product must have one: what the thing is called. */
  naming?: number[];
  /** When any are at all, told by what else is in the statement: the postings are not read otherwise. */
  when?: Sql;
}

/** `wanted (grp, term, weight)` and `coded (product_id)`, on which the other parts are built. */
export function wantedAndCoded(shop: Shop, { weighed: { terms }, typed }: Query): Sql {
  const code = CODE + fold(typed.trim()).slice(0, 255);
  return sql`wanted as (
      select * from unnest(${terms.map(({ grp }) => grp)}::int[], ${terms.map(({ term }) => term)}::text[],
        ${terms.map(({ weight }) => weight)}::real[]) as w (grp, term, weight)
    ), coded as materialized (
      select product_id from search_postings where site_id = ${shop.siteId} and term = ${code}
    )`;
}

/** The products of which the query is a whole SKU or barcode, in the form of `matchesByWords`. */
export const matchesByCode = sql`select product_id, ${CODE_SCORE}::float8 as score, 1::float8 as covered, 0 as heads,
  false as by_vendor from coded`;

/**
 * The products that match by their words, visible or not, as `(product_id, score, covered, heads, by_vendor)`: for each group
 * the strongest of its terms, weighted by how rare the group is in this shop, times the share of the query's weight that is
 * covered. Each group is a column: postings are put together by product once, and once only.
 */
export function matchesByWords(shop: Shop, { weighed }: Query, bounds: Bounds): Sql {
  const { weights } = weighed;
  const total = weights.reduce((sum, { rarity }) => sum + rarity, 0) || 1;
  const each = (part: (grp: number, rarity: number) => Sql) =>
    weights.length > 0
      ? join(
          weights.map(({ rarity }, grp) => part(grp, rarity)),
          '',
        )
      : empty;
  const impact = (grp: number) => raw(`impact_${grp}`);
  return sql`select product_id, mass * power(covered, ${COVERAGE}::float8) as score, covered, heads, by_vendor from (
      select product_id, heads, by_vendor,
        ${each((grp, rarity) => sql`coalesce(${impact(grp)} * ${rarity}::float8, 0) + `)} 0 as mass,
        (${each((grp, rarity) => sql`case when ${impact(grp)} is null then 0 else ${rarity}::float8 end + `)} 0) / ${total}::float8 as covered
      from (
        select product_id, ${each((grp) => sql`max(impact) filter (where grp = ${grp}) as ${impact(grp)}, `)}
          bit_or(case when place & ${PLACE.headOfTitle} > 0 then 1 << grp else 0 end) as heads,
          bool_or(place & ${PLACE.vendor} > 0) as by_vendor
        from (${postings(shop, weighed, bounds)}) as p
        group by product_id) as hits
      where not exists (select from coded c where c.product_id = hits.product_id)) as m
    where covered >= ${bounds.least}::float8`;
}

/** To look up a posting takes as long as reading so many that stand together. */
const LOOKUP = 10;

/**
 * The postings of what can match, as `(product_id, grp, impact, place)`: of what has the thing, else of what has one of the words
 * without which too much is lacking. What most products have is the first that can be done without (MaxScore; Turtle and
 * Flood, 1995).
 */
function postings(shop: Shop, { terms, weights }: Weighed, { least, naming = [], when = sql`true` }: Bounds): Sql {
  const all = sql`select p.product_id, w.grp, p.impact * w.weight as impact, p.place
    from wanted w join search_postings p on p.site_id = ${shop.siteId} and p.term = w.term where ${when}`;
  const needed = new Set(naming.length > 0 ? naming : neededOf(weights, least));
  const left = terms.filter(({ grp }) => needed.has(grp)).map(({ term }) => term);
  if (left.length === terms.length) return all;
  const sizeOf = (isNeeded: boolean) =>
    weights.reduce((sum, { products }, grp) => sum + (needed.has(grp) === isNeeded ? products : 0), 0);
  const areFew = sizeOf(true) * (terms.length - left.length) * LOOKUP < sizeOf(false);
  return sql`select * from (${all} ${areFew ? empty : sql`offset 0`}) as p
    where product_id in (select x.product_id from search_postings x
      where x.site_id = ${shop.siteId} and x.term = any(${left}::text[]) and ${when})`;
}

function neededOf(weights: Weighed['weights'], least: number): number[] {
  const total = weights.reduce((sum, { rarity }) => sum + rarity, 0);
  let without = 0;
  return weights
    .map(({ rarity }, grp) => ({ rarity, grp }))
    .sort((a, b) => a.rarity - b.rarity)
    .flatMap(({ rarity, grp }) => {
      without += rarity;
      // A hair less, for what is added up in another order.
      return without >= least * total - 1e-9 ? [grp] : [];
    });
}
