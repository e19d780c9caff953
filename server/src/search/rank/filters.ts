import sql, { empty, join, type Sql } from 'sql-template-tag';
import { attributeTerm, PLACE, valueTerms } from '../index/postings.ts';
import type { Constraint } from '../query/parsed-query.ts';
import type { SearchDb } from '../search-db.ts';
import { termsOf } from '../words/normalize.ts';
import { isForeignCurrency } from './conditions.ts';

/**
 * Filters that a caller sends in addition to the words. They always apply; words that conflict with them are ignored.
 */
export interface SearchFilters extends ProductConditions {
  price: PriceRange;
  /** The requested values of options, attributes, types, vendors and tags. */
  wanted: string[];
  /** A sort order that replaces the one in the words. */
  sort?: string | undefined;
}

/** Conditions on `products p`. */
export interface ProductConditions {
  where: Sql[];
  /** Conditions that look up variants or read texts, and are therefore evaluated last. */
  slow: Sql[];
  /**
   * Queries for product ids that read only an index. Each returns every product that meets `where` and `slow`, and
   * possibly others.
   */
  among: Sql[];
}

/** A condition that `products p` is among these ids. */
export function isAmong(ids: Sql): Sql {
  return sql`p.id in (${ids})`;
}

/** Up to this many products of a filter are read by their ids. With more, other indexes are faster. */
export const MOST_BY_ID = 2_000;

/**
 * Replaces `among` by a list of ids if there are at most MOST_BY_ID. PostgreSQL does not know how many products have a
 * value, and would read the whole catalogue. Runs one statement if `among` is not empty.
 */
export async function narrowed(db: SearchDb, { where, slow, among }: ProductConditions): Promise<ProductConditions> {
  if (among.length === 0) return { where, slow, among };
  const ids = join(among, ' intersect ');
  const beyond = await db.one(sql`select from (${ids}) as x offset ${MOST_BY_ID}::int limit 1`);
  return beyond ? { where, slow, among } : { where: [sql`p.id = any(array(${ids}))`, ...where], slow, among: [] };
}

/**
 * A query for products `p` that meet the conditions. `offset 0` prevents the planner from evaluating the slow ones
 * first, or reading all variants.
 */
export function productsMeeting({ where, slow, among }: ProductConditions, joined = empty): Sql {
  const products = sql`products p ${joined} where ${join([...where, ...among.map(isAmong)], ' and ')}`;
  return slow.length === 0 ? products : sql`(select p.* from ${products} offset 0) as p where ${join(slow, ' and ')}`;
}

/**
 * A query for the ids of products `p` that meet the conditions, in this order. If the caller adds a limit but no order,
 * the planner follows the index of the order until it has enough rows. The `slow` conditions are evaluated only for
 * rows that meet `where`.
 */
export function productsInOrder({ where, slow }: Pick<ProductConditions, 'where' | 'slow'>, order: Sql): Sql {
  const listed = sql`(select p.site_id, p.id from products p where ${join(where, ' and ')} order by ${order} offset 0) as p`;
  if (slow.length === 0) return sql`${listed} where true`;
  return sql`${listed} where (
    select ${join(slow, ' and ')}
    from (select p.site_id, p.id) as listed join products p on p.site_id = listed.site_id and p.id = listed.id)`;
}

/** The condition in a form that the planner cannot turn into a join, so that the order of the products is kept. */
export function asFilter(condition: Sql): Sql {
  return sql`(${condition}) is true`;
}

export interface PriceRange {
  min?: number;
  max?: number;
}

/** A condition that `products p` has one of these values of an attribute, ignoring case. */
export function hasAttribute(db: SearchDb, name: string, values: string[]): Sql {
  const terms = values.map((value) => attributeTerm(name, value));
  return asFilter(sql`p.id in (select x.product_id from search_postings x where x.site_id = ${db.siteId}
    and x.term = any((select ${terms}::text[])::text[]))`);
}

/**
 * A query for the ids of the products that may have one of these labels or option values; undefined if the index lacks
 * some of the values.
 */
export function idsByLabel(
  db: SearchDb,
  kind: 'vendor' | 'product_type' | 'tag' | 'option',
  values: string[],
): Sql | undefined {
  const terms = values.flatMap((value) => valueTerms(value));
  if (terms.length < values.length) return undefined;
  return sql`select x.product_id from search_postings x where x.site_id = ${db.siteId}
    and x.term = any((select ${terms}::text[])::text[]) and x.place & ${PLACE[kind]}::int <> 0`;
}

/**
 * Separates constraints that are compatible with the filters (`kept`) from those that conflict with them (`overruled`).
 * A sort order of the filters replaces that of the constraints.
 */
export function withoutConflicts(
  db: SearchDb,
  constraints: Constraint[],
  filters: SearchFilters | undefined,
): { kept: Constraint[]; overruled: Constraint[] } {
  if (!filters) return { kept: constraints, overruled: [] };
  const { sort } = filters;
  const overruled = constraints.filter((each) => !isForeignCurrency(db, each) && isAgainst(each, filters));
  const kept = constraints.filter((each) => !overruled.includes(each) && !(sort && each.kind === 'sort'));
  const order: Constraint[] =
    sort && sort !== 'relevance' ? [{ kind: 'sort', value: sort, text: `sort=${sort}`, start: 0, end: 0 }] : [];
  return { kept: [...order, ...kept], overruled };
}

function isAgainst({ kind, value = '', min = 0, max = Infinity }: Constraint, filters: SearchFilters): boolean {
  const { price, wanted, sort } = filters;
  switch (kind) {
    case 'price':
      return min > (price.max ?? Infinity) || max < (price.min ?? 0);
    case 'sort':
      return sort !== undefined && sort !== value;
    case 'without':
      return wanted.some((each) => ` ${termsOf(each).join(' ')} `.includes(` ${value} `));
    default:
      return false;
  }
}
