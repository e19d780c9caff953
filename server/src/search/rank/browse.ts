/** Finds products for a sentence that only has limits and names no product: `anything under 20 euros`. */

import sql, { type Sql } from 'sql-template-tag';
import type { ProductFilters, SearchDb } from '../search-db.ts';
import { type Candidate, type Candidates, RERANKED } from './candidates.ts';
import type { Condition } from './conditions.ts';
import { asFilter, isAmong, narrowed, type ProductConditions, productsInOrder } from './filters.ts';

/** Among this many of the best products that meet the limits, those in stock come first. */
const MAX_LOOKED_AT = 2 * RERANKED;

export interface BrowseQuery {
  filters: Pick<ProductFilters, 'visible' | 'canBeBought'>;
  conditions: Condition[];
  must: ProductConditions;
  sort: string | undefined;
}

/**
 * Finds the products that meet all conditions. If there are none, drops the relaxable conditions one after another
 * until some product meets the remaining ones. Each attempt is one statement, and `must` may add one.
 */
export async function browse(db: SearchDb, given: BrowseQuery): Promise<Candidates> {
  const query = { ...given, must: await narrowed(db, given.must) };
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
  return {
    rows: candidates,
    counts: new Map(rows.length > 0 ? [[failed, rows.length]] : []),
    minCoverage: 0,
    vectorsByTerm: new Map(),
  };
}

interface Row {
  product_id: string;
  name: string;
  price: string;
  sales_count: number;
  in_stock: boolean;
}

/** Conditions that look up variants or read texts. */
const SLOW = new Set<Condition['reason']>(['in_stock', 'without', 'category_not_allowed']);

function read(db: SearchDb, { filters, conditions, must, sort }: BrowseQuery, failed: number): Promise<Row[]> {
  const kept = conditions.filter((_condition, i) => (failed & (1 << i)) === 0);
  const keptOf = (isSlow: boolean) =>
    kept.flatMap(({ reason, condition }) => (SLOW.has(reason) === isSlow ? inOrderOf(reason, condition) : []));
  const order = ORDERS[sort ?? ''] ?? ORDERS.best_selling;
  const where = [
    sql`p.site_id = ${db.siteId}`,
    filters.visible,
    ...must.where,
    ...must.among.map(isAmong).map(asFilter),
    ...keptOf(false),
  ];
  const slow = [...must.slow, ...keptOf(true)];
  return db.rows<Row>(
    sql`with best as materialized (
        select p.site_id, p.id from ${productsInOrder({ where, slow }, order)} limit ${MAX_LOOKED_AT}::int
      )
      select p.id as product_id, p.name, p.price::text as price, p.sales_count, ${filters.canBeBought} as in_stock
      from best join products p on p.site_id = best.site_id and p.id = best.id
      order by in_stock desc, ${order} limit ${RERANKED}::int`,
  );
}

/** Prevents the planner from joining a condition on a value, which would look up the value for each product. */
function inOrderOf(reason: Condition['reason'], condition: Sql): Sql {
  return reason === 'value' ? asFilter(condition) : condition;
}

const ORDERS: Record<string, Sql> & { best_selling: Sql } = {
  best_selling: sql`p.sales_count desc, p.id`,
  price_asc: sql`p.price, p.id`,
  price_desc: sql`p.price desc, p.id`,
  // Ids are UUIDs of version 7, which sort by creation time.
  newest: sql`p.id desc`,
};
