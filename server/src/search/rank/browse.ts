import sql, { empty, join } from 'sql-template-tag';
import type { ProductFilters, SearchDb } from '../search-db.ts';
import { type Candidate, type Candidates, RERANKED } from './candidates.ts';
import type { Condition } from './conditions.ts';
import type { ProductConditions } from './filters.ts';

/** Finds products for a sentence that only has limits and names no product: `anything under 20 euros`. */

/** Of the products that meet the limits, at most this many are sorted by sales or price; those in stock are then returned. */
const MAX_LOOKED_AT = 2_000;

export interface BrowseQuery {
  filters: Pick<ProductFilters, 'visible' | 'canBeBought'>;
  conditions: Condition[];
  must: ProductConditions;
  sort: string | undefined;
}

/**
 * The products that meet most conditions. Conditions are given up in the order of relaxation, with at most one statement for
 * each.
 */
export async function browse(db: SearchDb, query: BrowseQuery): Promise<Candidates> {
  const relaxable = query.conditions.flatMap(({ strict }, i) => (strict ? [] : [i]));
  let failed = 0;
  for (const bit of [undefined, ...relaxable]) {
    if (bit !== undefined) failed |= 1 << bit;
    const rows = await read(db, query, failed);
    if (rows.length > 0) return found(rows, failed);
  }
  return found([], 0);
}

function found(rows: Row[], failed: number): Candidates {
  const candidates = rows.map(
    (row, i): Candidate => ({
      ...row,
      score: 1 / (1 + i / 100),
      head_groups: 0,
      vendor_match: false,
      exact_groups: 0,
      guessed_groups: 0,
      code_match: false,
      vector: undefined,
      failed,
    }),
  );
  const counts = new Map(rows.length > 0 ? [[failed, rows[0]?.total ?? rows.length]] : []);
  return { rows: candidates, counts, minCoverage: 0, vectorsByTerm: new Map() };
}

interface Row {
  product_id: string;
  name: string;
  price: string;
  sales_count: number;
  in_stock: boolean;
  total: number;
}

/** These conditions look up variants or read texts too. */
const SLOW = new Set<Condition['reason']>(['in_stock', 'without', 'category_not_allowed']);

function read(db: SearchDb, { filters, conditions, must, sort }: BrowseQuery, failed: number): Promise<Row[]> {
  const kept = conditions.filter((_condition, i) => (failed & (1 << i)) === 0);
  const keptOf = (isSlow: boolean) =>
    kept.flatMap(({ reason, condition }) => (SLOW.has(reason) === isSlow ? condition : []));
  const byPrice = sort === 'price_desc' ? sql`p.price desc` : sql`p.price`;
  const isByPrice = sort === 'price_asc' || sort === 'price_desc';
  // Ids are UUIDs of version 7, which sort by creation time.
  const byId = sort === 'newest' ? sql`p.id desc` : sql`p.id`;
  const best = isByPrice ? byPrice : sort === 'newest' ? byId : sql`p.sales_count desc`;
  // Reads only ids first, because an index contains them and the prices, which takes a third of the time of reading products.
  // `offset 0` makes the planner evaluate the slow conditions in the order of the products, one by one, until enough products are
  // found.
  return db.rows<Row>(
    sql`with met as materialized (
        select p.id from (
          select p.* from products p
          where p.site_id = ${db.siteId} and ${join([filters.visible, ...must.where, ...must.among, ...keptOf(false)], ' and ')}
          order by ${isByPrice ? sql`${byPrice}, ` : empty}${byId} offset 0) as p
        where ${join([sql`true`, ...must.slow, ...keptOf(true)], ' and ')} limit ${MAX_LOOKED_AT}::int
      ), kept as materialized (
        select p.* from met cross join lateral (
          select p.id, p.site_id, p.name, p.price, p.sales_count from products p
          where p.site_id = ${db.siteId} and p.id = met.id offset 0) as p
      ), best as materialized (
        select * from kept p order by ${best}, p.id limit ${2 * RERANKED}::int
      )
      select p.id as product_id, p.name, p.price::text as price, p.sales_count, ${filters.canBeBought} as in_stock,
        (select count(*) from kept) as total
      from best p order by in_stock desc, ${best}, p.id limit ${RERANKED}::int`,
  );
}
