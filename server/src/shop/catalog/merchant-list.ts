import type { ProductPage } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { search } from '../../search/rank/search.ts';
import { canonicalAmount } from '../money.ts';
import { type PageQuery, pageOf } from '../page-query.ts';
import {
  byRelevance,
  type LabelQuery,
  labelFilters,
  matching,
  matchingAlike,
  matchingSearch,
  rankedIds,
  readPage,
} from '../products/list.ts';
import { available, productsByIds, wholeCatalogue } from '../products/rows.ts';
import type { Shop } from '../shop.ts';
import { isLowStock } from '../stock/inventory.ts';
import { wholeShop } from '../whole-shop.ts';
import * as collections from './collections.ts';

export interface ProductFilters extends PageQuery, LabelQuery {
  q?: string;
  status?: string;
  price_min?: string;
  price_max?: string;
  stock?: keyof typeof STOCK;
  collection_id?: string;
  created_from?: string;
  created_to?: string;
  updated_from?: string;
  updated_to?: string;
  sort?: keyof typeof ORDERS | 'relevance';
}

const ORDERS = {
  newest: sql`p.created_at desc, p.id`,
  oldest: sql`p.created_at, p.id`,
  recently_updated: sql`p.updated_at desc, p.id`,
  name_asc: sql`p.name, p.id`,
  name_desc: sql`p.name desc, p.id`,
  price_asc: sql`p.price, p.id`,
  price_desc: sql`p.price desc, p.id`,
};

const STOCK = {
  in: (shop: Shop) => hasVariant(shop, available),
  out: (shop: Shop) => sql`not ${hasVariant(shop, available)}`,
  low: (shop: Shop) => hasVariant(shop, isLowStock),
};

function hasVariant(shop: Shop, condition: Sql): Sql {
  return sql`exists (select from variants v where v.site_id = ${wholeShop(shop)} and v.product_id = p.id and ${condition})`;
}

/** Lists products including drafts and archived ones. Default order: newest first, or by relevance if `q` is given. */
export async function list(shop: Shop, query: ProductFilters): Promise<ProductPage> {
  const labels = labelFilters(query).map(({ condition }) => condition);
  const conditions = [...labels, ...(await filters(shop, query))];
  if (query.q !== undefined) return listFound(shop, query, query.q, conditions);
  const order = ORDERS[query.sort === 'relevance' ? 'newest' : (query.sort ?? 'newest')];
  return readPage(shop, 'dashboard', matching([ofSite(shop), ...conditions]), order, query);
}

/**
 * Searches all products by keywords and codes, including drafts and archived products. Without results, it searches for
 * similarly spelled names.
 */
async function listFound(shop: Shop, query: ProductFilters, q: string, conditions: Sql[]): Promise<ProductPage> {
  const options = {
    filters: { where: conditions, slow: [], among: [], price: {}, wanted: [] },
    completeLast: true,
    keywordsOnly: true,
  };
  const found = await search(shop, wholeCatalogue, q, options);
  const { sort = 'relevance' } = query;
  const order = sort === 'relevance' ? undefined : ORDERS[sort];
  const where = [ofSite(shop), ...conditions];
  if (found.total === 0) return readPage(shop, 'dashboard', matchingAlike(where, q), order ?? byRelevance, query);
  const ranked = order ? undefined : rankedIds(found, query, { soldOutLast: false });
  if (ranked) {
    const products = await productsByIds(shop, 'dashboard', ranked);
    const { page, limit } = pageOf(query);
    return { products, total: found.total, page, limit, pages: Math.ceil(found.total / limit) };
  }
  const best = found.best.map(({ product_id }) => product_id);
  const bestFirst = sql`array_position((select ${best}::uuid[]), p.id), ${byRelevance}`;
  return readPage(shop, 'dashboard', matchingSearch(shop, found, q, where), order ?? bestFirst, query);
}

function ofSite(shop: Shop): Sql {
  return sql`p.site_id = ${shop.siteId}`;
}

async function filters(shop: Shop, query: ProductFilters): Promise<Sql[]> {
  const { status, price_min, price_max, stock, created_from, created_to, updated_from, updated_to } = query;
  const amount = (given: string, field: string) => canonicalAmount(given, shop.currencyDigits, ['query', field]);
  const found: Sql[] = [];
  if (status) found.push(sql`p.status = ${status}`);
  if (price_min) found.push(sql`p.price >= ${amount(price_min, 'price_min')}::numeric`);
  if (price_max) found.push(sql`p.price <= ${amount(price_max, 'price_max')}::numeric`);
  if (stock) found.push(STOCK[stock](shop));
  if (created_from) found.push(sql`p.created_at >= ${created_from}`);
  if (created_to) found.push(sql`p.created_at < ${created_to}`);
  if (updated_from) found.push(sql`p.updated_at >= ${updated_from}`);
  if (updated_to) found.push(sql`p.updated_at < ${updated_to}`);
  if (query.collection_id) {
    const collection = await collections.findChoice(shop, query.collection_id);
    found.push(collection ? collections.membership(collection) : sql`false`);
  }
  return found;
}
