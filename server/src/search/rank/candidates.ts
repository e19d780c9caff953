import sql, { join, type Sql } from 'sql-template-tag';
import { meaningsOf, vectorsIn, vectorsOf } from '../index/latent-index.ts';
import type { ProductFilters, SearchDb } from '../search-db.ts';
import type { Group } from '../words/term-groups.ts';
import type { Condition } from './conditions.ts';
import { coded, LEAST_COVERAGE, matchesByCode, matchesByWords, type Query } from './matches.ts';
import { strongExpected } from './term-weights.ts';

/** So many of the best are ranked anew by their titles; behind them the order is that of the index. */
export const RERANKED = 200;
/** Where so many have this share of the query's weight, what has less is no match: of `white jeans`, what is only white. */
const GOOD_COVERAGE = 0.5;

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
  /** One bit for each group that it has as it was asked for, or as a synonym. */
  whole: number;
  /** One bit for each group of which its name has a word that may be meant: unfinished, or misspelt. */
  guessed: number;
  /** Whether what was typed is one of its SKUs or barcodes. */
  is_code: boolean;
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
  /** The least share of the query's weight that a match has. */
  coverage: number;
  /** What the words mean in this shop, by word, as far as it is known. */
  meanings: Map<string, string>;
}

/** What is looked for among the products that `where` admits. */
export interface Search extends Query {
  groups: Group[];
  /** The least share of the query's weight that a match has, where nothing is `naming`; LEAST_COVERAGE unless told otherwise. */
  coverage?: number;
  /** Groups of which a match has one, however little of the weight that is: what the thing is called. */
  naming?: number[];
  /** Whether a product matches that has only what accompanies the thing, as in `matchesByWords`. */
  companionAlone?: boolean;
  /**
   * What counts towards the 200 products with half of the query's weight, behind which what has less is no match: `all` of
   * them, or, for who is told what was left out and why, those that meet all conditions.
   */
  enough?: 'all' | 'fitting';
  filters: Pick<ProductFilters, 'visible' | 'hidden'>;
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
  is_rich: boolean;
  meanings: Record<string, string> | null;
}

/** The best matches with their counts, in one statement. */
export async function readCandidates(db: SearchDb, search: Search): Promise<Candidates> {
  const { groups, naming = [], coverage = LEAST_COVERAGE, enough = 'all' } = search;
  const isNamed = naming.length > 0;
  const found = enough === 'all' ? sql`count(*)` : sql`count(*) filter (where misses = 0)`;
  // A word alone is found best by itself; what words mean tells which of several the others belong to.
  const isPlain = groups.length < 2;
  const { strong, weak } = strongAndWeak(db, search);
  const answer = await db.one<Answer & Record<string, unknown>>(
    sql`with ${coded(db, search)}, ${strong}, good as materialized (
        ${judged(db, search, sql`select * from strong union all ${matchesByCode}`)}
      ), rich as materialized (
        select ${found} >= ${RERANKED} as is_rich from good
      ), judged as materialized (
        select * from good
        union all
        ${judged(db, search, weak)}
      )
      select best.*, is_rich, ${isPlain ? sql`null` : meaningsOf(db, groups)} as meanings,
        (select json_object_agg(misses, products) from (
          select misses, count(*) as products from judged group by misses) as c) as counts
      from rich, (
        select json_agg(b.product_id) as product_id, json_agg(p.name) as name, json_agg(p.price::text) as price,
          json_agg(p.sales_count) as sales_count, json_agg(b.score) as score, json_agg(b.heads) as heads,
          json_agg(b.by_vendor) as by_vendor, json_agg(b.misses) as misses,
          json_agg(b.whole) as whole, json_agg(b.guessed) as guessed, json_agg(b.is_code) as is_code,
          ${isPlain ? sql`null` : vectorsOf(db)} as vectors
        from (select * from judged order by misses, score desc, product_id limit ${RERANKED}) as b
        join products p on p.site_id = ${db.siteId} and p.id = b.product_id) as best`,
  );
  if (!answer) throw new Error('An answer without matches is a row, too.');
  return {
    rows: rowsOf(answer, vectorsIn(answer.vectors)),
    counts: new Map(Object.entries(answer.counts ?? {}).map(([bits, count]) => [Number(bits), count])),
    coverage: answer.is_rich ? GOOD_COVERAGE : isNamed ? 0 : coverage,
    meanings: new Map(Object.entries(answer.meanings ?? {})),
  };
}

/**
 * The matches by words: those with half of the query's weight, and those with less, which count only where those are few; where
 * many are to be expected, they are not even read before.
 */
function strongAndWeak(db: SearchDb, search: Search): { strong: Sql; weak: Sql } {
  const { naming = [], coverage = LEAST_COVERAGE, companionAlone = false } = search;
  const isPoor = sql`not (select is_rich from rich)`;
  const isWeak = sql`covered < ${GOOD_COVERAGE}::float8`;
  if (naming.length === 0 && strongExpected(search.weighed, GOOD_COVERAGE) > 2 * RERANKED) {
    const weak = matchesByWords(db, search, { least: coverage, companionAlone, when: isPoor });
    return {
      strong: sql`strong as (${matchesByWords(db, search, { least: GOOD_COVERAGE, companionAlone })})`,
      weak: sql`select * from (${weak}) as m where ${isWeak}`,
    };
  }
  const bounds = naming.length > 0 ? { naming, least: 0 } : { least: coverage, companionAlone };
  return {
    strong: sql`matches as materialized (${matchesByWords(db, search, bounds)}),
      strong as (select * from matches where covered >= ${GOOD_COVERAGE}::float8)`,
    weak: sql`select * from matches where ${isWeak} and ${isPoor}`,
  };
}

/** Matches are checked against the hidden products: there are few of those, and their partial indexes are small. */
function notHidden(db: SearchDb, hidden: Sql[]): Sql {
  const conditions = hidden.map(
    (condition) => sql`not exists (select from products p
      where p.site_id = ${db.siteId} and p.id = m.product_id and ${condition})`,
  );
  return join(conditions, ' and ');
}

/** Those matches that the public may see and that `where` admits, with the bits of what they fail as `misses`. */
function judged(db: SearchDb, { where, conditions, filters }: Search, from: Sql): Sql {
  const bits = conditions.map(({ condition }, i) => sql`case when ${condition} then 0 else ${1 << i} end`);
  const misses = bits.length > 0 ? join(bits, ' + ') : sql`0`;
  if (where.length === 0 && conditions.every(({ byId }) => byId)) {
    return sql`select m.*, ${misses} as misses
      from (${from}) as m cross join lateral (select ${db.siteId}::uuid as site_id, m.product_id as id) as p
      where ${notHidden(db, filters.hidden)}`;
  }
  // Looked up one by one, however many the planner expects: reading the whole catalogue costs as much as many searches.
  return sql`select m.*, j.misses from (${from}) as m cross join lateral (
      select ${misses} as misses from products p
      where p.site_id = ${db.siteId} and p.id = m.product_id and ${join([filters.visible, ...where], ' and ')} offset 0) as j`;
}

function rowsOf(columns: Columns, vectors: (Int8Array | undefined)[]): Candidate[] {
  const { name, price, sales_count, score, heads, by_vendor, misses, whole, guessed, is_code } = columns;
  return (columns.product_id ?? []).map((product_id, i) => ({
    product_id,
    name: name?.[i] ?? '',
    price: price?.[i] ?? '',
    sales_count: sales_count?.[i] ?? 0,
    score: score?.[i] ?? 0,
    heads: heads?.[i] ?? 0,
    by_vendor: by_vendor?.[i] ?? false,
    misses: misses?.[i] ?? 0,
    whole: whole?.[i] ?? 0,
    guessed: guessed?.[i] ?? 0,
    is_code: is_code?.[i] ?? false,
    vector: vectors[i],
  }));
}
