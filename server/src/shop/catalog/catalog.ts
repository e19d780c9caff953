import type { Facets, Product, ProductPage, Understood } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { RERANKED } from '../../search/rank/candidates.ts';
import { type SearchResult, search } from '../../search/rank/search.ts';
import { notFound, ValidationError } from '../errors.ts';
import { canonicalAmount } from '../money.ts';
import { type PageQuery, pageOf } from '../page-query.ts';
import {
  byRelevance,
  labelFilters,
  matching,
  matchingSearch,
  readFoundPage,
  readRankedPage,
  readShownPage,
  readShownProduct,
  shownList,
  type Unavailable,
  unavailableIn,
} from '../products/list.ts';
import { available, canBeBought, inStock, searchFilters, visible } from '../products/rows.ts';
import { ShownJson } from '../products/shown.ts';
import type { Shop } from '../shop.ts';
import * as collections from './collections.ts';
import { readFacets } from './facets.ts';

/**
 * Lists, single products and facets are read without locks, each from one statement's snapshot. A change of a collection locks
 * its row first (collections.ts, collection-products.ts).
 */

/** The catalogue as the public sees it: active, published products, without what they cost the merchant. */
export interface CatalogQuery extends PageQuery {
  q?: string;
  sort?: 'relevance' | 'newest' | 'price_asc' | 'price_desc' | 'name_asc' | 'name_desc' | 'best_selling';
  vendor?: string[];
  product_type?: string[];
  tag?: string[];
  collection?: string;
  price_min?: string;
  price_max?: string;
  updated_since?: string;
  in_stock?: boolean;
  unavailable?: Unavailable;
  option?: string[];
  facets?: boolean;
}

export type ProductList = ProductPage & { facets?: Facets; understood?: Understood[] };

/**
 * One page of the products that meet all filters; with `q`, also how it was understood. One statement; with `q`, one in
 * addition to those of `search`, so mostly three; one more for facets. `within` are further conditions on `products p`.
 */
export async function list(shop: Shop, query: CatalogQuery, within: Sql[] = []): Promise<ShownJson<ProductList>> {
  const conditions = [...within, ...(await filters(shop, query))];
  if (query.q !== undefined) return listFound(shop, query, query.q, conditions);
  const matches = matching([sql`p.site_id = ${shop.siteId}`, visible, ...conditions], undefined);
  const order = ORDERS[query.sort === 'relevance' ? 'newest' : (query.sort ?? 'newest')];
  const page = await readShownPage(shop, matches, order, query, unavailableIn(query));
  return shownList(shop, page, query.facets ? { facets: await readFacets(shop, matches) } : {});
}

/** What `q` finds; if that is nothing, products with similarly spelled names. */
async function listFound(
  shop: Shop,
  query: CatalogQuery,
  q: string,
  conditions: Sql[],
): Promise<ShownJson<ProductList>> {
  const last = unavailableIn(query) === 'last';
  const found = await search(shop, searchFilters, q, { where: conditions, completeLast: true, withStock: last });
  const { understood, total, where } = found;
  const sort = query.sort ?? sortWishOf(understood) ?? 'relevance';
  const all = [sql`p.site_id = ${shop.siteId}`, visible, ...where];
  const matches = total > 0 ? matchingSearch(shop, found, q, all) : matching(all, q);
  const read = () => {
    if (total === 0) {
      const order = orderOf(sort, byRelevance(q, ORDERS.newest));
      return readShownPage(shop, matches, order, query, last ? 'last' : 'show');
    }
    if (sort !== 'relevance') {
      return readFoundPage(shop, matches, last ? sql`${canBeBought} desc, ${ORDERS[sort]}` : ORDERS[sort], query);
    }
    const ranked = rankedIds(found, query, last);
    return ranked
      ? readRankedPage(shop, ranked, total, query)
      : readFoundPage(shop, matches, last ? behindBest(found) : BY_SCORE, query);
  };
  const page = await read();
  return shownList(shop, page, { understood, ...(query.facets && { facets: await readFacets(shop, matches) }) });
}

function orderOf(sort: keyof typeof ORDERS | 'relevance', relevance: Sql): Sql {
  return sort === 'relevance' ? relevance : ORDERS[sort];
}

const BY_SCORE = sql`p.rank desc, p.sales_count desc, p.id`;

/** The page, if it lies among the best, which have an order of their own. */
function rankedIds({ best, total }: SearchResult, query: CatalogQuery, last: boolean): string[] | undefined {
  const { limit, offset } = pageOf(query);
  const buyable = last ? best.filter(({ in_stock }) => in_stock) : best;
  if (total > RERANKED && offset + limit > buyable.length) return undefined;
  const ordered = last ? [...buyable, ...best.filter(({ in_stock }) => !in_stock)] : best;
  return ordered.slice(offset, offset + limit).map(({ product_id }) => product_id);
}

/** The order of a page that goes beyond the best: the best that can be bought, then the others, and last what is sold out. */
function behindBest({ best }: SearchResult): Sql {
  const ids = best.filter(({ in_stock }) => in_stock).map(({ product_id }) => product_id);
  return sql`${canBeBought} desc, array_position((select ${ids}::uuid[]), p.id), ${BY_SCORE}`;
}

/** The order that the sentence itself asks for. */
function sortWishOf(understood: Understood[]): keyof typeof ORDERS | undefined {
  return understood.find(({ kind }) => kind === 'sort')?.value as keyof typeof ORDERS | undefined;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One product by id or slug. Throws `not_found`, also for one that is not published. */
export async function get(shop: Shop, idOrSlug: string): Promise<ShownJson<Product>> {
  const product = await readShownProduct(
    shop,
    UUID.test(idOrSlug) ? sql`p.id = ${idOrSlug}` : sql`p.slug = ${idOrSlug}`,
  );
  if (!product) throw notFound('product');
  return new ShownJson(shop, product.version, [[product]]);
}

async function filters(shop: Shop, query: CatalogQuery): Promise<Sql[]> {
  const { collection, in_stock } = query;
  const found = labelFilters(query);
  if (query.unavailable === 'hide') found.push(inStock);
  if (in_stock !== undefined) found.push(in_stock ? inStock : sql`not ${inStock}`);
  const { price_min, price_max } = query;
  if (price_min) found.push(sql`p.price >= ${amountOf(shop, price_min, 'price_min')}::numeric`);
  if (price_max) found.push(sql`p.price <= ${amountOf(shop, price_max, 'price_max')}::numeric`);
  if (query.updated_since) {
    found.push(sql`greatest(p.updated_at, p.published_at) >= ${query.updated_since}::timestamptz`);
  }
  if (collection) found.push(await inCollection(shop, collection));
  for (const wish of query.option ?? []) found.push(hasOption(wish));
  return found;
}

async function inCollection(shop: Shop, handle: string): Promise<Sql> {
  const collection = await collections.findPublished(shop, handle);
  return collection ? collections.membership(collection) : sql`false`;
}

function amountOf(shop: Shop, amount: string, field: string): string {
  return canonicalAmount(amount, shop.currencyDigits, ['query', field]);
}

/** `Color:Blue`: a variant with this option value that can be bought. */
function hasOption(wish: string): Sql {
  const [name = '', ...rest] = wish.split(':');
  const value = rest.join(':');
  if (!name || !value) {
    const msg = 'Write an option filter as name:value.';
    throw new ValidationError([{ loc: ['query', 'option'], msg, type: 'value_error' }]);
  }
  return sql`exists (
    select from product_options o join variants v on v.site_id = o.site_id and v.product_id = o.product_id
    where o.site_id = p.site_id and o.product_id = p.id and lower(o.name) = lower(${name}) and ${available}
      and lower((array[v.option1, v.option2, v.option3])[o.position]) = lower(${value}))`;
}

const ORDERS = {
  newest: sql`p.published_at desc, p.id`,
  price_asc: sql`p.price, p.id`,
  price_desc: sql`p.price desc, p.id`,
  name_asc: sql`p.name, p.id`,
  name_desc: sql`p.name desc, p.id`,
  best_selling: sql`p.sales_count desc, p.id`,
};
