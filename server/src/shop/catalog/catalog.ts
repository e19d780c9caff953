import type { Facets, Product, ProductPage, Understood } from '@commerce-backend/spec';
import { LRUCache } from 'lru-cache';
import sql, { type Sql } from 'sql-template-tag';
import { type SearchResult, search } from '../../search/rank/search.ts';
import { notFound } from '../errors.ts';
import { pageOf } from '../page-query.ts';
import {
  byRelevance,
  matching,
  matchingAlike,
  matchingSearch,
  rankedIds,
  readFoundPage,
  readRankedPage,
  readShownPage,
  readShownProduct,
  shownList,
  unavailableIn,
} from '../products/list.ts';
import { canBeBought, searchFilters, visible } from '../products/rows.ts';
import { ShownJson } from '../products/shown.ts';
import { isBuyable } from '../products/shown-fields.ts';
import type { Shop } from '../shop.ts';
import { readFacets } from './facets.ts';
import { type CatalogQuery, type Filter, filtersOf } from './filters.ts';

/**
 * Lists, single products and facets are read without locks, each from one statement's snapshot. A change of a collection locks
 * its row first (collections.ts, collection-products.ts).
 */

export type ProductList = ProductPage & { facets?: Facets; understood?: Understood[] };

/**
 * One page of the products that meet all filters; with `q`, also how it was understood. One statement; with `q`, one in
 * addition to those of `search`, so mostly three; one more for facets. `within` are further conditions on `products p`.
 */
export async function list(shop: Shop, query: CatalogQuery, within: Sql[] = []): Promise<ShownJson<ProductList>> {
  const filters = [...within.map((condition): Filter => ({ condition })), ...(await filtersOf(shop, query))];
  if (query.q !== undefined) return listFound(shop, query, query.q, filters);
  const always = [sql`p.site_id = ${shop.siteId}`, visible];
  const matchesOf = (conditions: Sql[]) => matching(conditions);
  const matches = matchesOf([...always, ...conditionsOf(filters)]);
  const order = ORDERS[query.sort === 'relevance' ? 'newest' : (query.sort ?? 'newest')];
  const page = await readShownPage(shop, matches, order, query, unavailableIn(query));
  return shownList(shop, page, query.facets ? { facets: await readFacets(shop, { always, filters, matchesOf }) } : {});
}

/** Shops where something sold out was among the best of a first page a moment ago. */
const sellingOut = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });

/**
 * What `q` finds; if that is nothing, products with similarly spelled names. What is sold out comes last. Of the best, that is known
 * once the first page is read; only if something on it is sold out, the search is repeated with the stock of all that it finds.
 */
async function listFound(
  shop: Shop,
  query: CatalogQuery,
  q: string,
  filters: Filter[],
  withStock = pageOf(query).offset > 0 || sellingOut.has(shop.siteId),
): Promise<ShownJson<ProductList>> {
  const last = unavailableIn(query) === 'last';
  const where = conditionsOf(filters);
  const found = await search(shop, searchFilters, q, { where, completeLast: true, withStock: last && withStock });
  const { understood, total } = found;
  const sort = query.sort ?? sortWishOf(understood) ?? 'relevance';
  const always = [sql`p.site_id = ${shop.siteId}`, visible, ...found.met];
  const matchesOf = (conditions: Sql[]) =>
    total === 0 ? matchingAlike(conditions, q) : matchingSearch(shop, found, q, conditions);
  const matches = matchesOf([...always, ...conditionsOf(filters)]);
  const read = () => {
    if (total === 0) {
      const order = orderOf(sort, byRelevance);
      return readShownPage(shop, matches, order, query, last ? 'last' : 'show');
    }
    if (sort !== 'relevance') {
      return readFoundPage(shop, matches, last ? sql`${canBeBought} desc, ${ORDERS[sort]}` : ORDERS[sort], query);
    }
    const ranked = rankedIds(found, query, { soldOutLast: last });
    return ranked
      ? readRankedPage(shop, ranked, total, query)
      : readFoundPage(shop, matches, last ? behindBest(found) : BY_SCORE, query);
  };
  const page = await read();
  const isRanked = last && total > 0 && sort === 'relevance';
  if (isRanked && !withStock && !page.products.every(isBuyable)) {
    sellingOut.set(shop.siteId, true);
    return listFound(shop, query, q, filters, true);
  }
  const facets = query.facets && { facets: await readFacets(shop, { always, filters, matchesOf }) };
  return shownList(shop, page, { understood, ...facets });
}

function conditionsOf(filters: Filter[]): Sql[] {
  return filters.map(({ condition }) => condition);
}

function orderOf(sort: keyof typeof ORDERS | 'relevance', relevance: Sql): Sql {
  return sort === 'relevance' ? relevance : ORDERS[sort];
}

const BY_SCORE = sql`p.rank desc, p.sales_count desc, p.id`;

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
  const product = UUID.test(idOrSlug)
    ? await readShownProduct(shop, 'id', idOrSlug.toLowerCase())
    : await readShownProduct(shop, 'slug', idOrSlug);
  if (!product) throw notFound('product');
  return new ShownJson(shop, product.version, [[product]]);
}

const ORDERS = {
  newest: sql`p.published_at desc, p.id`,
  price_asc: sql`p.price, p.id`,
  price_desc: sql`p.price desc, p.id`,
  name_asc: sql`p.name, p.id`,
  name_desc: sql`p.name desc, p.id`,
  best_selling: sql`p.sales_count desc, p.id`,
};
