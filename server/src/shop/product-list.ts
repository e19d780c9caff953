import type { Product, ProductPage } from '@commerce-backend/spec';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import { matches } from '../search/matches.ts';
import type { Found } from '../search/search.ts';
import { type PageQuery, pageOf } from './pages.ts';
import { type Audience, productColumns } from './product-rows.ts';
import { searchProducts } from './search.ts';
import type { Shop } from './shop.ts';

/** What the lists of products have in common, for the merchant and for the public. */

/** The products of a query, as parts of a statement over `products p`. */
export interface Matching {
  with: Sql;
  join: Sql;
  where: Sql;
}

/** Products that meet all conditions and, where a text is searched for, match it: `found.rank` then says how well. */
export function matching(conditions: Sql[], q: string | undefined): Matching {
  return {
    with: q === undefined ? empty : sql`with found as materialized (select * from ${searchProducts(q)})`,
    join: q === undefined ? empty : sql`join found on found.product_id = p.id`,
    where: join(conditions, ' and '),
  };
}

/** The products that a search found, in its order as `found.rank`. */
export function matchingSearch(shop: Shop, { groups, coverage }: Found, q: string, conditions: Sql[]): Matching {
  return {
    with: sql`with ${matches(shop, { groups, typed: q, coverage })}, found as (select product_id, score as rank from matches)`,
    join: sql`join found on found.product_id = p.id`,
    where: join(conditions, ' and '),
  };
}

/** Best matches first; without a text, the order that the list has otherwise. */
export function byRelevance(q: string | undefined, otherwise: Sql): Sql {
  return q === undefined ? otherwise : sql`found.rank desc, p.sales_count desc, p.id`;
}

/** One page of whole products with the count of all, in one statement. */
export async function readPage(
  shop: Shop,
  audience: Audience,
  { with: found, join: joined, where }: Matching,
  order: Sql,
  query: PageQuery,
): Promise<ProductPage> {
  const { page, limit, offset } = pageOf(query);
  const rows = await shop.rows<Product & { total: number }>(
    sql`${found}
      select (select count(*) from products p ${joined} where ${where}) as total, chosen.*
      from (select 1) as always left join lateral (
        select ${productColumns(shop, audience)} from products p ${joined} where ${where}
        order by ${order} limit ${limit} offset ${offset}
      ) as chosen on true`,
  );
  const total = rows[0]?.total ?? 0;
  const products = rows.filter(({ id }) => id !== null).map(({ total: _total, ...product }) => product);
  return { products, total, page, limit, pages: Math.ceil(total / limit) };
}

/** Filters by the words a product carries: any of the values of a kind, whatever their case. */
export interface LabelQuery {
  vendor?: string[];
  product_type?: string[];
  tag?: string[];
}

export function labelFilters({ vendor, product_type, tag }: LabelQuery): Sql[] {
  const lowered = (values: string[]) => values.map((value) => value.toLowerCase());
  const found: Sql[] = [];
  if (vendor) found.push(sql`lower(p.vendor) = any(${lowered(vendor)}::text[])`);
  if (product_type) found.push(sql`lower(p.product_type) = any(${lowered(product_type)}::text[])`);
  if (tag) found.push(sql`exists (select from unnest(p.tags) as tag where lower(tag) = any(${lowered(tag)}::text[]))`);
  return found;
}
