import sql, { empty, join, type Sql } from 'sql-template-tag';
import { visible } from '../shop/product-rows.ts';
import type { Shop } from '../shop/shop.ts';
import { learnSize } from './catalogue-size.ts';
import { meaningsOf, vectorsIn, vectorsOf } from './latent-index.ts';
import { LEAST_COVERAGE, matches, type Wanted } from './matches.ts';
import type { Condition } from './wishes.ts';

/** So many of the best are ranked anew by their titles; behind them the order is that of the index. */
export const RERANKED = 200;
/** Where so many have this share of the query's weight, what has less is no match: of `white jeans`, what is only white. */
const GOOD_COVERAGE = 0.5;
/** For an agent, so many of what has less are judged: in large shops, common words are in thousands of products. */
const WEAK_JUDGED = 1_000;

/** A product that a query found. */
export interface Candidate {
  product_id: string;
  name: string;
  price: string;
  sales_count: number;
  score: number;
  /** One bit for each group that is what the name says the thing is. */
  heads: number;
  /** Whether one of the words names its vendor. */
  by_vendor: boolean;
  /** Its place among the meanings that the shop's texts have, if it has been given one (see latent.ts). */
  vector: Int8Array | undefined;
  /** One bit for each condition that it fails, in the order they were given; 0 meets all. */
  misses: number;
}

export interface Candidates {
  /** The best, those preferred that miss least, in no order; at most RERANKED. */
  rows: Candidate[];
  /** How many products miss what, by the bits of `misses`. */
  counts: Map<number, number>;
  /** For each group how many products have it, in the name, and as what the name says the thing is. */
  stats: { products: number; titles: number; heads: number }[];
  /** The least share of the query's weight that a match has. */
  coverage: number;
  /** Groups that no product has; with `unlessUnknown` nothing was looked for where there is one. */
  unknown: number[];
  /** What the words mean in this shop, by word, as far as it is known. */
  meanings: Map<string, string>;
}

/** What is looked for among the products that `where` admits. */
export interface Search extends Omit<Wanted, 'coverage'> {
  /**
   * The least share of the query's weight that a match has, unless 200 that meet all conditions have half of it; of those
   * with less, the best 1,000 are judged where no more than ids is needed to tell what must be left out. Absent for the storefront: the usual share, unless 200 products have half of the weight.
   */
  coverage?: number;
  /** Conditions on `products p` that every product must meet. */
  where: Sql[];
  /** Conditions that are counted: what a product fails is told by the bits of `misses`. */
  conditions: Condition[];
}

/** The candidates as they are read: a list for each field, which costs a third of a list of rows. */
type Columns = { [Field in Exclude<keyof Candidate, 'vector'>]: Candidate[Field][] | null };

/** All that one statement tells. */
interface Answer extends Columns {
  vectors: string | null;
  counts: Record<string, number> | null;
  stats: { products: number[]; titles: number[]; heads: number[] };
  size: number;
  is_rich: boolean;
  unknown: number[] | null;
  meanings: Record<string, string> | null;
}

/** The best matches with their counts, in one statement. */
export async function readCandidates(shop: Shop, search: Search): Promise<Candidates> {
  const { groups, coverage } = search;
  const least = coverage ?? LEAST_COVERAGE;
  // Who is told what was left out, and why, gets more of what nearly fits, unless enough fits wholly.
  const found = coverage === undefined ? sql`count(*)` : sql`count(*) filter (where misses = 0)`;
  const weak = sql`select * from matches where covered < ${GOOD_COVERAGE}::float8 and not (select is_rich from rich)`;
  // A word alone is found best by itself; what words mean tells which of several the others belong to.
  const isPlain = groups.length < 2;
  const answer = await shop.one<Answer & Record<string, unknown>>(
    sql`with ${matches(shop, { ...search, coverage: least })}, good as materialized (
        ${judged(shop, search, sql`select * from matches where covered >= ${GOOD_COVERAGE}::float8`)}
      ), rich as materialized (
        select ${found} >= ${RERANKED} as is_rich from good
      ), judged as materialized (
        select * from good
        union all
        ${judged(shop, search, coverage === undefined ? weak : bestOf(shop, search, weak))}
      )
      select best.*, is_rich, (select products from catalogue) as size, (select to_json(s) from stats s) as stats,
        (select json_agg(grp) from unknown) as unknown, ${isPlain ? sql`null` : meaningsOf(shop, groups)} as meanings,
        (select json_object_agg(misses, products) from (
          select misses, count(*) as products from judged group by misses) as c) as counts
      from rich, (
        select json_agg(b.product_id) as product_id, json_agg(p.name) as name, json_agg(p.price::text) as price,
          json_agg(p.sales_count) as sales_count, json_agg(b.score) as score, json_agg(b.heads) as heads,
          json_agg(b.by_vendor) as by_vendor, json_agg(b.misses) as misses,
          ${isPlain ? sql`null` : vectorsOf(shop)} as vectors
        from (select * from judged order by misses, score desc, product_id limit ${RERANKED}) as b
        join products p on p.site_id = ${shop.siteId} and p.id = b.product_id) as best`,
  );
  if (!answer) throw new Error('An answer without matches is a row, too.');
  learnSize(shop, answer.size);
  const { products, titles, heads } = answer.stats;
  return {
    rows: rowsOf(answer, vectorsIn(answer.vectors)),
    counts: new Map(Object.entries(answer.counts ?? {}).map(([bits, count]) => [Number(bits), count])),
    stats: groups.map((_group, grp) => ({
      products: products[grp] ?? 0,
      titles: titles[grp] ?? 0,
      heads: heads[grp] ?? 0,
    })),
    coverage: answer.is_rich ? GOOD_COVERAGE : least,
    unknown: answer.unknown ?? [],
    meanings: new Map(Object.entries(answer.meanings ?? {})),
  };
}

/**
 * The best of these matches, without what must be left out whatever else fits. To leave out by all but ids, each product would
 * have to be looked up: that is to judge it, and then all are.
 */
function bestOf(shop: Shop, { where, conditions }: Search, from: Sql): Sql {
  const strict = conditions.filter((condition) => condition.strict);
  if (where.length > 0 || strict.some(({ reason }) => reason !== 'without')) return from;
  const wanted = strict.map(({ condition }) => sql`and ${condition}`);
  return sql`select m.* from (${from}) as m
    cross join lateral (select ${shop.siteId}::uuid as site_id, m.product_id as id) as p
    where ${notHidden(shop)} ${join(wanted.length > 0 ? wanted : [empty], ' ')}
    order by m.score desc, m.product_id limit ${WEAK_JUDGED}`;
}

/** What is hidden is little beside what matches, and its indexes hold nothing else. */
function notHidden(shop: Shop): Sql {
  const hidden = (condition: Sql) => sql`exists (select from products p
    where p.site_id = ${shop.siteId} and p.id = m.product_id and ${condition})`;
  return sql`not ${hidden(sql`(p.status <> 'active' or p.published_at is null)`)}
    and not ${hidden(sql`p.status = 'active' and p.published_at > now()`)}`;
}

/** Those matches that the public may see and that `where` admits, with the bits of what they fail as `misses`. */
function judged(shop: Shop, { where, conditions }: Search, from: Sql): Sql {
  if (where.length + conditions.length === 0) {
    return sql`select m.*, 0 as misses from (${from}) as m where ${notHidden(shop)}`;
  }
  const bits = conditions.map(({ condition }, i) => sql`case when ${condition} then 0 else ${1 << i} end`);
  // Looked up one by one, however many the planner expects: reading the whole catalogue costs as much as many searches.
  return sql`select m.*, j.misses from (${from}) as m cross join lateral (
      select ${bits.length > 0 ? join(bits, ' + ') : sql`0`} as misses from products p
      where p.site_id = ${shop.siteId} and p.id = m.product_id and ${join([visible, ...where], ' and ')} offset 0) as j`;
}

function rowsOf(columns: Columns, vectors: (Int8Array | undefined)[]): Candidate[] {
  const { name, price, sales_count, score, heads, by_vendor, misses } = columns;
  return (columns.product_id ?? []).map((product_id, i) => ({
    product_id,
    name: name?.[i] ?? '',
    price: price?.[i] ?? '',
    sales_count: sales_count?.[i] ?? 0,
    score: score?.[i] ?? 0,
    heads: heads?.[i] ?? 0,
    by_vendor: by_vendor?.[i] ?? false,
    misses: misses?.[i] ?? 0,
    vector: vectors[i],
  }));
}
