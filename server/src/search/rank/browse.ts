import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { ProductFilters, SearchDb } from '../search-db.ts';
import { type Candidate, type Candidates, RERANKED } from './candidates.ts';
import type { Condition } from './conditions.ts';

/** Results for a sentence that names no product, only limits: `anything under 20 euros`. */

/** The most products that meet the limits and are sorted by sales or price; of these, the ones in stock are returned. */
const MAX_LOOKED_AT = 2_000;

export interface BrowseQuery {
  filters: Pick<ProductFilters, 'visible' | 'canBeBought'>;
  conditions: Condition[];
  where: Sql[];
  sort: string | undefined;
}

/** The products that meet most conditions; conditions are given up in the order of relaxation. At most one statement for each. */
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

function read(db: SearchDb, { filters, conditions, where, sort }: BrowseQuery, failed: number): Promise<Row[]> {
  const kept = conditions.filter((_condition, i) => (failed & (1 << i)) === 0).map(({ condition }) => condition);
  const byPrice = sort === 'price_desc' ? sql`p.price desc` : sql`p.price`;
  const isByPrice = sort === 'price_asc' || sort === 'price_desc';
  // Ids are UUIDs of version 7, which sort by the time of creation.
  const byId = sort === 'newest' ? sql`p.id desc` : sql`p.id`;
  const best = isByPrice ? byPrice : sort === 'newest' ? byId : sql`p.sales_count desc`;
  // Only ids at first: an index contains them and the prices, which takes a third of the time of reading the products.
  return db.rows<Row>(
    sql`with met as materialized (
        select p.id from products p
        where p.site_id = ${db.siteId} and ${join([filters.visible, ...where, ...kept], ' and ')}
        order by ${isByPrice ? sql`${byPrice}, ` : empty}${byId} limit ${MAX_LOOKED_AT}::int
      ), kept as materialized (
        select p.id, p.site_id, p.name, p.price, p.sales_count from met
        join products p on p.site_id = ${db.siteId} and p.id = met.id
      ), best as materialized (
        select * from kept p order by ${best}, p.id limit ${2 * RERANKED}::int
      )
      select p.id as product_id, p.name, p.price::text as price, p.sales_count, ${filters.canBeBought} as in_stock,
        (select count(*) from kept) as total
      from best p order by in_stock desc, ${best}, p.id limit ${RERANKED}::int`,
  );
}
