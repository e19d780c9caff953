import sql, { empty, join, type Sql } from 'sql-template-tag';
import { decodeProductVectors, productVectors, termVectors } from '../index/latent-index.ts';
import type { ProductFilters, SearchDb } from '../search-db.ts';
import type { TermGroup } from '../words/term-groups.ts';
import type { Condition } from './conditions.ts';
import { type ProductConditions, productsMeeting } from './filters.ts';
import { codeMatches, hasOneGroup, MIN_COVERAGE, matchesByCode, matchesByWords, type Query } from './matches.ts';
import { expectedMatches } from './term-weights.ts';

/** How many of the best matches are reranked; the others stay in the order of their BM25F scores. */
export const RERANKED = 200;
/** The coverage of a strong match. With RERANKED of them, weaker ones do not match: only white jeans for `white jeans`. */
const STRONG_COVERAGE = 0.5;
/** The most weak matches that are ranked for an agent, which sees only the best of them: those with the head noun first. */
const JUDGED_WEAK = 1_000;

/** Few products meet as many conditions. */
const MANY_CONDITIONS = 3;

/** A product that matches a query. */
export interface Candidate {
  product_id: string;
  name: string;
  price: string;
  sales_count: number;
  score: number;
  /** One bit per group: its term is the head noun of the name. */
  head_groups: number;
  /** Whether one of the words names its vendor. */
  vendor_match: boolean;
  /** One bit per group: the product has the typed word, or a synonym. */
  exact_groups: number;
  /** One bit per group: the name has a completion or correction of it. */
  guessed_groups: number;
  /** Whether the query is one of its SKUs or barcodes. */
  code_match: boolean;
  /** Its vector in the shop's latent semantic model, if it has one. */
  vector: Int8Array | undefined;
  /** Whether some variant is available; true if that was not read. */
  in_stock: boolean;
  /** One bit per condition that it fails, in the order given; 0 if it meets all. */
  failed: number;
}

export interface Candidates {
  /** The best RERANKED matches, unordered; those with the lowest `failed` are preferred. */
  rows: Candidate[];
  /** The number of matches by `failed`. */
  counts: Map<number, number>;
  /** The smallest share of the query's weight that a match has. */
  minCoverage: number;
  /** The vectors of the query's terms, as far as the model has them. */
  vectorsByTerm: Map<string, string>;
}

/** The query, and the conditions that its results must meet. */
export interface CandidateQuery extends Query {
  groups: TermGroup[];
  /** The smallest share of the query's weight that a match has, unless `headGroups` are given; MIN_COVERAGE by default. */
  minCoverage?: number;
  /** The groups with the head noun. A product that has one of them matches, whatever its coverage. */
  headGroups?: number[];
  /** Whether a product matches that has only the modifier, as in `matchesByWords`. */
  modifierAlone?: boolean;
  /** Whether only strong matches that meet all conditions can exclude weaker ones. By default all strong matches do. */
  countEligibleOnly?: boolean;
  /** Whether to read the availability of the best. */
  withStock?: boolean;
  filters: Pick<ProductFilters, 'visible' | 'hidden' | 'canBeBought'>;
  /** Conditions that every match meets. */
  must: ProductConditions;
  /** Further conditions, which a match may fail: see `failed`. */
  conditions: Condition[];
}

interface Answer {
  /** The values of each candidate; see `valuesOf`. */
  candidates: string | null;
  vectors: string | null;
  counts: Record<string, number> | null;
  has_enough_strong: boolean;
  term_vectors: Record<string, string> | null;
}

/** The best matches with their counts, in one statement. */
export async function readCandidates(db: SearchDb, query: CandidateQuery): Promise<Candidates> {
  const { groups, headGroups = [], minCoverage = MIN_COVERAGE, countEligibleOnly = false } = query;
  // A single word is matched best without similarity; with several, similarity decides which sense of each is meant. If the single
  // word is a purpose, no name contains it.
  const isSingle = groups.length < 2 && !(countEligibleOnly && headGroups.length === 0);
  const answer = await db.one<Answer>(
    sql`with ${codeMatches(db, query)}, ${judgedMatches(db, query)}
      select best.*, has_enough_strong, ${isSingle ? sql`null::json` : termVectors(db, groups)} as term_vectors,
        (select json_object_agg(failed, products) from (${countsOf(query)}) as c) as counts
      from enough, (
        select string_agg(${valuesOf(query)}, ${sqlBetweenRows}) as candidates,
          ${isSingle ? sql`null` : productVectors(db)} as vectors
        from (select * from judged order by failed, score desc, product_id limit ${RERANKED}) as b
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

/** The number of matches by `failed`. */
function countsOf({ conditions }: CandidateQuery): Sql {
  return conditions.length > 0
    ? sql`select failed, count(*) as products from judged group by failed`
    : sql`select 0 as failed, count(*) as products from judged having count(*) > 0`;
}

/**
 * `judged`: the strong matches, and the weak ones, which count only if there are too few strong ones; and `enough`, which is the
 * result of that check. If enough strong ones are expected, the weak ones are read and ranked in a part of their own, which is then
 * skipped. With a single group, all are strong.
 */
function judgedMatches(db: SearchDb, query: CandidateQuery): Sql {
  const { headGroups = [], minCoverage = MIN_COVERAGE, modifierAlone = false, countEligibleOnly = false } = query;
  const expected = expectedMatches(query.weighted, STRONG_COVERAGE);
  const isWeak = sql`coverage < ${STRONG_COVERAGE}::float8`;
  const when = sql`not (select has_enough_strong from enough)`;
  // Pages of a search count all matches; for agents, only excluded products that were ranked are counted.
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
  // All at once: each set of products that a condition reads is then read once.
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

/** Matches are checked against the hidden products: there are few of those, and their partial indexes are small. */
function notHidden(db: SearchDb, hidden: Sql[]): Sql {
  if (hidden.length === 0) return sql`true`;
  const conditions = hidden.map(
    (condition) => sql`not exists (select from products p
      where p.site_id = ${db.siteId} and p.id = m.product_id and ${condition})`,
  );
  return join(conditions, ' and ');
}

/** Those of the matches that the public may see and that meet `must`, with the conditions they fail as `failed`. */
function judged(db: SearchDb, { must, conditions, filters }: CandidateQuery, from: Sql): Sql {
  const bits = conditions.map(({ condition }, i) => sql`case when ${condition} then 0 else ${1 << i} end`);
  const failed = bits.length > 0 ? join(bits, ' + ') : sql`0`;
  if (must.where.length + must.slow.length === 0 && conditions.every(({ needsOnlyId }) => needsOnlyId)) {
    return sql`select m.*, ${failed} as failed
      from (${from}) as m cross join lateral (select ${db.siteId}::uuid as site_id, m.product_id as id) as p
      where ${notHidden(db, filters.hidden)}`;
  }
  // `offset 0` makes the planner look products up one by one: reading the whole catalogue costs as much as many searches. The first
  // keeps the id a column: that of a full join is an expression, for which row-level security leaves no index to be used.
  const where = [sql`p.site_id = ${db.siteId}`, sql`p.id = m.product_id`, filters.visible, ...must.where];
  return sql`select m.*, j.failed from (${from} offset 0) as m cross join lateral (
      select ${failed} as failed from ${productsMeeting({ where, slow: must.slow, among: [] })} offset 0) as j`;
}

// JSON and PostgreSQL's text of a value contain no control characters.
const BETWEEN_VALUES = '\u0003';
const BETWEEN_ROWS = '\u0004';
const sqlBetweenValues = sql`E'\\x03'`;
const sqlBetweenRows = sql`E'\\x04'`;

/** The columns of the product `p` of the match `b`, as one text: an aggregate for each value would cost several times as much. */
function valuesOf({ withStock, filters }: CandidateQuery): Sql {
  return sql`concat_ws(${sqlBetweenValues}, b.product_id, to_json(p.name), p.price, p.sales_count, b.score, b.head_groups,
    b.vendor_match, b.exact_groups, b.guessed_groups, b.code_match, b.failed, ${withStock ? filters.canBeBought : sql`true`})`;
}

function rowsOf(candidates: string | null, vectors: (Int8Array | undefined)[]): Candidate[] {
  return (candidates?.split(BETWEEN_ROWS) ?? []).map((row, i) => {
    // By index, because destructuring an array takes several times as long.
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
