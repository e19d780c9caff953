import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { decodeProductVectors, productVectors, termVectors } from '../index/latent-index.ts';
import type { ProductFilters, SearchDb } from '../search-db.ts';
import type { TermGroup } from '../words/term-groups.ts';
import type { Condition } from './conditions.ts';
import { asFilter, MOST_BY_ID, type ProductConditions, productsMeeting } from './filters.ts';
import { codeMatches, hasOneGroup, MIN_COVERAGE, matchesByCode, matchesByWords, type Query } from './matches.ts';
import { expectedMatches } from './term-weights.ts';

/** The number of best matches that are reranked. All further matches stay in the order of their BM25F scores. */
export const RERANKED = 200;
/**
 * The minimum coverage of a strong match. If there are at least RERANKED strong matches, weaker ones do not match:
 * `white jeans` then finds no white shirts.
 */
const STRONG_COVERAGE = 0.5;
/**
 * The maximum number of weak matches that are ranked for an agent, those with the head noun first. An agent only sees
 * the best.
 */
const JUDGED_WEAK = 1_000;

/** From this number of conditions on, few products are expected to meet all. */
const MANY_CONDITIONS = 3;

/** A product that matches a query. */
export interface Candidate {
  product_id: string;
  name: string;
  price: string;
  sales_count: number;
  score: number;
  /** One bit per group, set if its term is the head noun of the name. */
  head_groups: number;
  /** Whether one of the words names the vendor. */
  vendor_match: boolean;
  /** One bit per group, set if the product has the typed word or a synonym. */
  exact_groups: number;
  /** One bit per group, set if the name has a completion or correction of its word. */
  guessed_groups: number;
  /** Whether the product is in `coded`: the query is its SKU or barcode, or a part of one that ranks first. */
  code_match: boolean;
  /** The product's vector in the shop's latent semantic model, if it has one. */
  vector: Int8Array | undefined;
  /** Whether a variant is available; true if the availability was not read. */
  in_stock: boolean;
  /** One bit per condition in the given order, set if the product fails it; 0 if it meets all. */
  failed: number;
}

export interface Candidates {
  /** The best RERANKED matches with the lowest `failed` that meets the strict conditions, not sorted. */
  rows: Candidate[];
  /** The number of matches for each value of `failed`. */
  counts: Map<number, number>;
  /** The minimum share of the query's weight that each match has. */
  minCoverage: number;
  /** The vectors of the query's terms that are in the model. */
  vectorsByTerm: Map<string, string>;
}

/** A query with the conditions that its results must meet. */
export interface CandidateQuery extends Query {
  groups: TermGroup[];
  /**
   * The minimum share of the query's weight that a match must have, unless `headGroups` are given. Default:
   * MIN_COVERAGE.
   */
  minCoverage?: number;
  /** The groups of the head noun. A product with one of them matches, regardless of its coverage. */
  headGroups?: number[];
  /**
   * Whether a product also matches if the modifier is the only word of the query that it contains (see `modifierOf`).
   */
  modifierAlone?: boolean;
  /**
   * Whether only strong matches that meet all conditions count towards the RERANKED that exclude weaker ones. By
   * default, all strong matches count.
   */
  countEligibleOnly?: boolean;
  /** Whether to read the availability of the best matches. */
  withStock?: boolean;
  filters: Pick<ProductFilters, 'visible' | 'hidden' | 'canBeBought'>;
  /** Conditions that every match must meet. */
  must: ProductConditions;
  /** Other conditions, which a match may fail; see `failed`. */
  conditions: Condition[];
}

interface Answer {
  /** The candidates as text; see `valuesOf`. */
  candidates: string | null;
  vectors: string | null;
  counts: Record<string, number> | null;
  has_enough_strong: boolean;
  term_vectors: Record<string, string> | null;
}

/** Reads the best matches and the counts, in one statement. */
export async function readCandidates(db: SearchDb, query: CandidateQuery): Promise<Candidates> {
  const { groups, headGroups = [], minCoverage = MIN_COVERAGE, countEligibleOnly = false } = query;
  // For a single word, the best matches need no similarity; with several words, similarity shows which sense of a word
  // is meant. A single word that is a purpose is an exception, because no name contains it.
  const isSingle = groups.length < 2 && !(countEligibleOnly && headGroups.length === 0);
  const answer = await db.one<Answer>(
    sql`with ${codeMatches(db, query)}, ${productsOfFilters(query)} ${judgedMatches(db, query)}
      select best.*, has_enough_strong, ${isSingle ? sql`null::json` : termVectors(db, groups)} as term_vectors,
        (select json_object_agg(failed, products) from (${countsOf(query)}) as c) as counts
      from enough, (
        select string_agg(${valuesOf(query)}, ${sqlBetweenRows}) as candidates,
          ${isSingle ? sql`null` : productVectors(db)} as vectors
        from (select * from judged ${whereFewestFailed(query)} order by score desc, product_id limit ${RERANKED}) as b
        join products p on p.site_id = ${db.siteId} and p.id = b.product_id) as best`,
  );
  if (!answer) throw new Error('An aggregate without group by returns a row.');
  return {
    rows: rowsOf(answer.candidates, decodeProductVectors(answer.vectors)),
    counts: new Map(Object.entries(answer.counts ?? {}).map(([failed, count]) => [Number(failed), count])),
    minCoverage: answer.has_enough_strong ? STRONG_COVERAGE : headGroups.length > 0 ? 0 : minCoverage,
    vectorsByTerm: new Map(Object.entries(answer.term_vectors ?? {})),
  };
}

/**
 * Keeps only matches with the lowest `failed` that meets the strict conditions, because the names and vectors of the
 * others are not used.
 */
function whereFewestFailed({ conditions }: CandidateQuery): Sql {
  return conditions.length > 0
    ? sql`where failed = (select min(failed) from judged where failed & ${strictBits(conditions)}::int = 0)`
    : empty;
}

/** The bits of `failed` for conditions that are never relaxed. */
export function strictBits(conditions: Condition[]): number {
  return conditions.reduce((bits, { strict }, i) => bits | (strict ? 1 << i : 0), 0);
}

/** A query for the number of matches for each value of `failed`. */
function countsOf({ conditions }: CandidateQuery): Sql {
  return conditions.length > 0
    ? sql`select failed, count(*) as products from judged group by failed`
    : sql`select 0 as failed, count(*) as products from judged having count(*) > 0`;
}

/**
 * Builds two parts of the statement: `judged` has all strong matches and, if there are too few of them, weak ones;
 * `enough` has the result of that check. If enough strong matches are expected, weak ones are read in a separate part,
 * which PostgreSQL can skip. With a single group, all matches are strong.
 */
function judgedMatches(db: SearchDb, query: CandidateQuery): Sql {
  const { headGroups = [], minCoverage = MIN_COVERAGE, modifierAlone = false, countEligibleOnly = false } = query;
  const expected = expectedMatches(query.weighted, STRONG_COVERAGE);
  const isWeak = sql`coverage < ${STRONG_COVERAGE}::float8`;
  const when = sql`not (select has_enough_strong from enough)`;
  // Pages of a search count all matches. For agents, only products that were ranked are counted.
  const best = sql`order by (head_groups <> 0) desc, score desc, product_id limit ${JUDGED_WEAK}::int`;
  const judgedWeak = countEligibleOnly ? best : empty;
  const strongCount = countEligibleOnly ? sql`count(*) filter (where failed = 0)` : sql`count(*)`;
  if (hasOneGroup(query.weighted)) {
    return sql`judged as materialized (
        ${judged(db, query, sql`${matchesByWords(db, query, { minCoverage })} union all ${matchesByCode}`)}
      ), enough as materialized (
        select ${strongCount} >= ${RERANKED} as has_enough_strong from judged
      )`;
  }
  const inTwo = (strong: Sql, weak: Sql) => sql`${strong}, judged_strong as materialized (
      ${judged(db, query, sql`select * from strong union all ${matchesByCode}`)}
    ), enough as materialized (
      select ${strongCount} >= ${RERANKED} as has_enough_strong from judged_strong
    ), judged as materialized (
      select * from judged_strong
      union all
      ${judged(db, query, weak)}
    )`;
  if (headGroups.length === 0 && expected > 2 * RERANKED) {
    const weak = matchesByWords(db, query, { minCoverage, modifierAlone, when });
    return inTwo(
      sql`strong as (${matchesByWords(db, query, { minCoverage: STRONG_COVERAGE, modifierAlone })})`,
      sql`select * from (${weak}) as m where ${isWeak} ${judgedWeak}`,
    );
  }
  const options = headGroups.length > 0 ? { headGroups, minCoverage: 0 } : { minCoverage, modifierAlone };
  const matches = sql`matches as materialized (${matchesByWords(db, query, options)})`;
  const areFewEligible = query.conditions.length >= MANY_CONDITIONS || expected <= 2 * RERANKED;
  if (!countEligibleOnly || !areFewEligible) {
    return inTwo(
      sql`${matches}, strong as (select * from matches where not ${isWeak})`,
      sql`select * from matches where ${isWeak} and ${when} ${judgedWeak}`,
    );
  }
  // Evaluates all matches in one part, so that each set of products that a condition needs is read only once.
  return sql`${matches}, judged_all as materialized (
      ${judged(
        db,
        query,
        sql`select * from matches where not ${isWeak} union all ${matchesByCode}
        union all (select * from matches where ${isWeak} ${best})`,
      )}
    ), enough as materialized (
      select count(*) filter (where failed = 0 and not ${isWeak}) >= ${RERANKED} as has_enough_strong from judged_all
    ), judged as materialized (
      select * from judged_all where not ${isWeak} or ${when}
    )`;
}

/**
 * `filter_0 (product_id)` and so on: the products of each query of `must.among`, at most one more than MOST_BY_ID.
 */
function productsOfFilters({ must }: CandidateQuery): Sql {
  const parts = must.among.map(
    (ids, i) =>
      sql`${nameOfFilter(i)} as materialized (select * from (${ids}) as f (product_id) limit ${MOST_BY_ID + 1}::int),`,
  );
  return join([empty, ...parts], ' ');
}

/** `raw` is safe here, because it only contains a fixed name and a number. */
function nameOfFilter(i: number): Sql {
  return raw(`filter_${i}`);
}

/**
 * A condition that match `m` is among the products of each filter. It is always true for a filter with more products
 * than were read. It only saves time: `judged` checks the filters themselves, too.
 */
function isOfFilters({ must }: CandidateQuery): Sql {
  const conditions = must.among.map((_ids, i) =>
    asFilter(sql`(select count(*) from ${nameOfFilter(i)}) > ${MOST_BY_ID}::int
      or m.product_id in (select product_id from ${nameOfFilter(i)})`),
  );
  return join([sql`true`, ...conditions], ' and ');
}

/** Excludes hidden products. These are few and have small partial indexes, so matches are checked against them. */
function notHidden(db: SearchDb, hidden: Sql[]): Sql {
  if (hidden.length === 0) return sql`true`;
  const conditions = hidden.map(
    (condition) => sql`not exists (select from products p
      where p.site_id = ${db.siteId} and p.id = m.product_id and ${condition})`,
  );
  return join(conditions, ' and ');
}

/** The matches in `from` that the public may see and that meet `must`; `failed` has the conditions that they fail. */
function judged(db: SearchDb, query: CandidateQuery, from: Sql): Sql {
  const { must, conditions, filters } = query;
  const bits = conditions.map(({ condition }, i) => sql`case when ${condition} then 0 else ${1 << i} end`);
  const failed = bits.length > 0 ? join(bits, ' + ') : sql`0`;
  if (must.where.length + must.slow.length === 0 && conditions.every(({ needsOnlyId }) => needsOnlyId)) {
    return sql`select m.*, ${failed} as failed
      from (${from}) as m cross join lateral (select ${db.siteId}::uuid as site_id, m.product_id as id) as p
      where ${notHidden(db, filters.hidden)}`;
  }
  // `offset 0` makes the planner look products up one by one, because reading the whole catalogue costs as much as many
  // searches. The inner `offset 0` keeps the id a column: a full join makes it an expression, for which row-level
  // security allows no index.
  const where = [sql`p.site_id = ${db.siteId}`, sql`p.id = m.product_id`, filters.visible, ...must.where];
  return sql`select m.*, j.failed from (${from} offset 0) as m cross join lateral (
      select ${failed} as failed from ${productsMeeting({ where, slow: must.slow, among: [] })} offset 0) as j
    where ${isOfFilters(query)}`;
}

// Separators that occur neither in JSON nor in PostgreSQL's text of a value.
const BETWEEN_VALUES = '\u0003';
const BETWEEN_ROWS = '\u0004';
const sqlBetweenValues = sql`E'\\x03'`;
const sqlBetweenRows = sql`E'\\x04'`;

/**
 * Joins the columns of product `p` and match `b` to one text, because an aggregate for each value would take several
 * times as long.
 */
function valuesOf({ withStock, filters }: CandidateQuery): Sql {
  return sql`concat_ws(${sqlBetweenValues}, b.product_id, to_json(p.name), p.price, p.sales_count, b.score, b.head_groups,
    b.vendor_match, b.exact_groups, b.guessed_groups, b.code_match, b.failed, ${withStock ? filters.canBeBought : sql`true`})`;
}

function rowsOf(candidates: string | null, vectors: (Int8Array | undefined)[]): Candidate[] {
  return (candidates?.split(BETWEEN_ROWS) ?? []).map((row, i) => {
    // Reads values by index, because destructuring an array takes several times as long.
    const values = row.split(BETWEEN_VALUES);
    return {
      product_id: values[0] ?? '',
      name: JSON.parse(values[1] ?? '""') as string,
      price: values[2] ?? '',
      sales_count: Number(values[3]),
      score: Number(values[4]),
      head_groups: Number(values[5]),
      vendor_match: values[6] === 't',
      exact_groups: Number(values[7]),
      guessed_groups: Number(values[8]),
      code_match: values[9] === 't',
      failed: Number(values[10]),
      in_stock: values[11] === 't',
      vector: vectors[i],
    };
  });
}
