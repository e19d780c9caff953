import type { Facets, Product, ProductPage, Understood } from '@commerce-backend/spec';
import { LRUCache } from 'lru-cache';
import sql, { type Sql } from 'sql-template-tag';
import { isAmong } from '../../search/rank/filters.ts';
import { type SearchResult, search } from '../../search/rank/search.ts';
import { notFound } from '../errors.ts';
import { pageOf } from '../page-query.ts';
import {
  byRelevance,
  matching,
  matchingAlike,
  matchingSearch,
  rankedIds,
  readFilteredPage,
  readFoundPage,
  readRankedPage,
  readShownPage,
  readShownProduct,
  shownList,
  unavailableIn,
} from '../products/list.ts';
import { searchFilters, visible } from '../products/rows.ts';
import { ShownJson } from '../products/shown.ts';
import { isBuyable } from '../products/shown-fields.ts';
import type { Shop } from '../shop.ts';
import { type FacetCount, readFacets } from './facets.ts';
import { type CatalogQuery, conditionsOf, type Filters, readListFilters } from './filters.ts';

export type ProductList = ProductPage & { facets?: Facets; understood?: Understood[] };

/** Returns one page of the products that match all filters. With `q`, it also returns how the query was understood. */
export async function list(shop: Shop, query: CatalogQuery): Promise<ShownJson<ProductList>> {
  return listMeeting(shop, query, await readListFilters(shop, query, { place: 'query', ofVariants: false }));
}

/** Like `list`, with filters that `readListFilters` has parsed. */
export async function listMeeting(
  shop: Shop,
  query: CatalogQuery,
  filters: Filters,
  counted?: FacetCount,
): Promise<ShownJson<ProductList>> {
  if (query.q !== undefined) return listFound(shop, query, { q: query.q, filters, counted });
  const always = [sql`p.site_id = ${shop.siteId}`, visible];
  const matchesOf = (conditions: Sql[]) => matching(conditions);
  const { where, ...others } = conditionsOf(filters.list);
  const conditions = { where: [...always, ...where], ...others };
  const order = ORDERS[query.sort === 'relevance' ? 'newest' : (query.sort ?? 'newest')];
  const page = await readFilteredPage(shop, conditions, order, query, unavailableIn(query));
  return shownList(
    shop,
    page,
    query.facets ? { facets: await readFacets(shop, { always, filters: filters.list, matchesOf }, counted) } : {},
  );
}

/**
 * Shops in which a search returned a sold-out product. For the next minute, each search in such a shop reads the stock
 * of the best matches at once.
 */
const sellingOut = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });

/**
 * Searches for `q` and, without results, for similarly spelled names. The search index does not contain the stock, so
 * if the page has a sold-out product, the search runs again and reads the stock of the best matches.
 */
async function listFound(
  shop: Shop,
  query: CatalogQuery,
  { q, filters, counted }: { q: string; filters: Filters; counted: FacetCount | undefined },
  withStock = pageOf(query).offset > 0 || sellingOut.has(shop.siteId),
): Promise<ShownJson<ProductList>> {
  const last = unavailableIn(query) === 'last';
  const options = { filters: filters.search, completeLast: true, withStock: last && withStock };
  const found = await search(shop, searchFilters, q, options);
  const understood = found.understood.map((each) =>
    isOtherOrder(each, query) ? { ...each, fate: 'relaxed' as const } : each,
  );
  const { total } = found;
  const sort = query.sort ?? sortWishOf(understood) ?? 'relevance';
  const always = [sql`p.site_id = ${shop.siteId}`, visible, ...found.met];
  const matchesOf = (conditions: Sql[]) =>
    total === 0 ? matchingAlike(conditions, q) : matchingSearch(shop, found, q, conditions);
  const { where, slow, among } = conditionsOf(filters.list);
  // Similar names match many products, so the query also gets the ids that an index finds.
  const matches = matchesOf([...always, ...where, ...(total === 0 ? among.map(isAmong) : []), ...slow]);
  const readPage = () => {
    const unavailable = last ? 'last' : 'show';
    if (total === 0) return readShownPage(shop, matches, orderOf(sort, byRelevance), query, unavailable);
    if (sort !== 'relevance') return readFoundPage(shop, matches, ORDERS[sort], query, unavailable);
    const ranked = rankedIds(found, query, { soldOutLast: last });
    return ranked
      ? readRankedPage(shop, ranked, total, query)
      : readFoundPage(shop, matches, last ? behindBest(found) : BY_SCORE, query, unavailable);
  };
  const page = await readPage();
  const isRanked = last && total > 0 && sort === 'relevance';
  if (isRanked && !withStock && !page.products.every(isBuyable)) {
    sellingOut.set(shop.siteId, true);
    return listFound(shop, query, { q, filters, counted }, true);
  }
  const facets = query.facets && {
    facets: await readFacets(shop, { always, filters: filters.list, matchesOf }, counted),
  };
  return shownList(shop, page, { understood, ...facets });
}

function isOtherOrder({ kind, value }: Understood, { sort }: CatalogQuery): boolean {
  return kind === 'sort' && sort !== undefined && value !== sort;
}

function orderOf(sort: keyof typeof ORDERS | 'relevance', relevance: Sql): Sql {
  return sort === 'relevance' ? relevance : ORDERS[sort];
}

const BY_SCORE = sql`p.rank desc, p.sales_count desc, p.id`;

/** The order of the pages after the best results: first the best results in stock, then the other products by score. */
function behindBest({ best }: SearchResult): Sql {
  const ids = best.filter(({ in_stock }) => in_stock).map(({ product_id }) => product_id);
  return sql`array_position((select ${ids}::uuid[]), p.id), ${BY_SCORE}`;
}

/** The sort order in the search text, for example "cheapest"; undefined if it contains none. */
function sortWishOf(understood: Understood[]): keyof typeof ORDERS | undefined {
  return understood.find(({ kind }) => kind === 'sort')?.value as keyof typeof ORDERS | undefined;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns one public product by id or slug. Throws `not_found`. */
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
