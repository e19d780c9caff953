/** Common code of the product lists for staff and for the public. */

import type { Product, ProductPage } from '@commerce-backend/spec';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { Listing } from '../../db/listing.ts';
import type { OrNulls } from '../../db/nulls.ts';
import { RERANKED } from '../../search/rank/candidates.ts';
import { narrowed, type ProductConditions, productsInOrder, productsMeeting } from '../../search/rank/filters.ts';
import { codeMatches, matchesByCode, matchesByWords } from '../../search/rank/matches.ts';
import type { SearchResult } from '../../search/rank/search.ts';
import { type PageQuery, pageOf } from '../page-query.ts';
import type { Shop } from '../shop.ts';
import { type Audience, canBeBought, productColumns, visible } from './rows.ts';
import { searchProducts } from './search-query.ts';
import { ShownJson } from './shown.ts';
import { type Shown, shownColumns, wholeColumns } from './shown-fields.ts';
import { totalOf } from './totals.ts';

/** Parts of a statement on `products p` that selects products. */
export interface Matching {
  with: Sql;
  join: Sql;
  where: Sql;
}

export function matching(conditions: Sql[]): Matching {
  return { with: empty, join: empty, where: join(conditions, ' and ') };
}

/** Selects products with similarly spelled names, for a search without matches. `found.rank` is the similarity. */
export function matchingAlike(conditions: Sql[], q: string): Matching {
  return {
    with: sql`with found as materialized (select * from ${searchProducts(q)})`,
    join: sql`join found on found.product_id = p.id`,
    where: join(conditions, ' and '),
  };
}

/** Selects products as `found`. They are read once, not again for the count and each part of the page. */
export function matchingAll(from: Sql): Matching {
  return {
    with: sql`with found as materialized (
        select p.site_id, p.id, p.name, p.price, p.published_at, p.sales_count from ${from}
      )`,
    join: empty,
    where: sql`true`,
  };
}

/** Maximum number of matches to look up one by one. For more, reading the whole catalogue is faster. */
const LOOKED_UP = 5_000;

/** Selects the search results as `found`, with their sort keys. */
export function matchingSearch(
  shop: Shop,
  { weighted, codes, minCoverage, modifierAlone, total }: SearchResult,
  q: string,
  conditions: Sql[],
): Matching {
  const query = { weighted, codes, typed: q };
  return {
    with: sql`with ${codeMatches(shop, query)}, matches as materialized (
        ${matchesByWords(shop, query, { minCoverage, modifierAlone })} union all ${matchesByCode}
      ), found as materialized (
        select m.score as rank, p.* from matches m cross join lateral (
          select p.site_id, p.id, p.name, p.price, p.published_at, p.sales_count from products p
          where p.id = m.product_id and ${join(conditions, ' and ')} ${total > LOOKED_UP ? empty : sql`offset 0`}) as p
      )`,
    join: sql`join found on found.id = p.id`,
    where: sql`p.site_id = ${shop.siteId}`,
  };
}

/**
 * Returns the product ids of a page from the best results, which are ranked separately; undefined if the page needs
 * other results. With `soldOutLast`, products that cannot be bought come last.
 */
export function rankedIds(
  { best, total }: Pick<SearchResult, 'best' | 'total'>,
  query: PageQuery,
  { soldOutLast }: { soldOutLast: boolean },
): string[] | undefined {
  const { limit, offset } = pageOf(query);
  const buyable = soldOutLast ? best.filter(({ in_stock }) => in_stock) : best;
  if (total > RERANKED && offset + limit > buyable.length) return undefined;
  const ordered = soldOutLast ? [...buyable, ...best.filter(({ in_stock }) => !in_stock)] : best;
  return ordered.slice(offset, offset + limit).map(({ product_id }) => product_id);
}

/** One page of products as JSON, with the total and the catalogue's version. */
export interface ShownPage {
  products: Shown[];
  version: string;
  total: number;
  /** The rest of the body, as JSON without braces. */
  rest: string;
}

/** Reads one page of search results in the given order of `found p`. Looks up stock only until the page is full. */
export async function readFoundPage(
  shop: Shop,
  { with: found }: Matching,
  order: Sql,
  query: PageQuery,
  unavailable: Unavailable,
): Promise<ShownPage> {
  const from = sql`(select * from found p order by ${order} offset 0) as p where true`;
  return readShown(
    shop,
    { found, total: sql`select count(*) from found`, from, last: unavailable === 'last' },
    sql`order by ${order}`,
    query,
  );
}

/** Whether a list contains products that cannot be bought now, and where. */
export type Unavailable = 'show' | 'hide' | 'last';

/**
 * Returns how the list treats unavailable products. By default, they come last, or keep their place if the request has
 * a sort order or filters by stock.
 */
export function unavailableIn(query: { unavailable?: Unavailable; sort?: string; in_stock?: boolean }): Unavailable {
  if (query.unavailable !== 'hide' && query.in_stock !== undefined) return 'show';
  return query.unavailable ?? (query.sort === undefined ? 'last' : 'show');
}

/** Reads one page of matching products, in one statement, or in two if the catalogue has changed in between. */
export async function readShownPage(
  shop: Shop,
  { with: found, join: joined, where }: Matching,
  order: Sql,
  query: PageQuery,
  unavailable: Unavailable = 'show',
): Promise<ShownPage> {
  const from = sql`products p ${joined} where ${where}`;
  const last = unavailable === 'last';
  const counted = sql`select count(*) from ${from}`;
  return withKnownTotal(shop, sql`${found} ${counted}`, query, (known) => {
    const total = known === undefined ? counted : sql`select ${known}::bigint`;
    return readShown(shop, { found, total, from, last }, sql`order by ${order}`, query);
  });
}

/**
 * Minimum number of matches to read a page in the order of an index. There must also be MANY_TIMES as many matches as
 * products up to the end of the page. With fewer, the index contains too many other products, and reading all matches
 * is faster.
 */
const MANY = 500;
const MANY_TIMES = 20;

/**
 * Like `readShownPage`, for filters. Reads all matches if the cached total is small, or if there is no cached total but
 * an index finds the matches.
 */
export async function readFilteredPage(
  shop: Shop,
  conditions: ProductConditions,
  order: Sql,
  query: PageQuery,
  unavailable: Unavailable,
): Promise<ShownPage> {
  const { limit, offset } = pageOf(query);
  const all = productsMeeting(conditions);
  const counted = sql`select count(*) from ${all}`;
  const fewest = Math.max(MANY, MANY_TIMES * (offset + limit));
  return withKnownTotal(shop, counted, query, async (known) => {
    const areMany = known === undefined ? conditions.among.length === 0 : known >= fewest;
    if (!areMany) {
      const found = productsMeeting(await narrowed(shop, conditions));
      return readFoundPage(shop, matchingAll(found), order, query, unavailable);
    }
    const total = known === undefined ? counted : sql`select ${known}::bigint`;
    const parts = { found: empty, total, from: productsInOrder(conditions, order), last: unavailable === 'last' };
    return readShown(shop, parts, empty, query);
  });
}

/** Reads a page with the cached total, or without it if none is cached or the catalogue has changed since. */
async function withKnownTotal(
  shop: Shop,
  counting: Sql,
  query: PageQuery,
  readPage: (known?: number) => Promise<ShownPage>,
): Promise<ShownPage> {
  const { known, keep } = totalOf(shop, counting);
  if (known !== undefined) {
    // Sorting all products for an empty page after the last would be the most expensive read of all.
    const isBehind = pageOf(query).offset >= known;
    const nothing = () => readWithVersion(shop, empty, sql`${known}::bigint`, NOTHING);
    const page = await (isBehind ? nothing().then((rows) => shownPage(rows, query)) : readPage(known));
    if (page.version === shop.catalogVersion) return page;
  }
  const page = await readPage();
  keep(page.total, page.version);
  return page;
}

/** Reads the products with these ids, in this order, as one page. */
export async function readRankedPage(shop: Shop, ids: string[], total: number, query: PageQuery): Promise<ShownPage> {
  const chosen = sql`unnest((select ${ids}::uuid[])) with ordinality as chosen (id, place)`;
  return shownPage(await readWithVersion(shop, empty, sql`${total}::bigint`, chosen), query);
}

// The limits are subqueries, because with plain values PostgreSQL would plan the statement again for each value. `from`
// selects products `p`. `ordered` is their order, or empty if `from` already sorts them.
async function readShown(
  shop: Shop,
  { found, total, from, last }: { found: Sql; total: Sql; from: Sql; last: boolean },
  ordered: Sql,
  query: PageQuery,
): Promise<ShownPage> {
  const { limit, offset } = pageOf(query);
  if (last) {
    const parts = buyableFirst(from, ordered, { limit, offset });
    const before = found.text === '' ? sql`with ${parts}` : sql`${found}, ${parts}`;
    return shownPage(await readWithVersion(shop, before, sql`(${total})`, BUYABLE_FIRST), query);
  }
  const chosen = sql`unnest(array(
      select p.id from ${from} ${ordered} limit (select ${limit}::int) offset (select ${offset}::int)
    )) with ordinality as chosen (id, place)`;
  return shownPage(await readWithVersion(shop, found, sql`(${total})`, chosen), query);
}

/**
 * Reads products that can be bought up to the end of the page, and others only if there are too few. Sorting by
 * availability would read all products for each page.
 */
function buyableFirst(from: Sql, ordered: Sql, { limit, offset }: { limit: number; offset: number }): Sql {
  return sql`buyable as materialized (
      select array(
        select p.id from ${from} and ${canBeBought} ${ordered} limit (select ${offset + limit}::int)) as ids
    ), others as materialized (
      select array(
        select p.id from ${from} and not ${canBeBought} ${ordered}
        limit (select ${offset + limit}::int - cardinality(ids) from buyable)) as ids
    ), page as materialized (
      select (b.ids || o.ids)[${offset + 1}::int : ${offset + limit}::int] as ids from buyable b, others o
    )`;
}

const NOTHING = sql`unnest(array[]::uuid[]) with ordinality as chosen (id, place)`;
const BUYABLE_FIRST = sql`unnest((select ids from page)) with ordinality as chosen (id, place)`;

/** The catalogue's version is a subquery, so that it is read once and not for each product. */
async function readWithVersion(shop: Shop, found: Sql, total: Sql, chosen: Sql): Promise<CountedShown[]> {
  return shop.rows<CountedShown>(
    sql`${found}
      select ${total} as total, (select catalog_version(${shop.siteId})) as version, shown.*
      from (select 1) as always left join lateral (
        select ${shownColumns} from ${chosen} join products p on p.site_id = ${shop.siteId} and p.id = chosen.id
        order by chosen.place
      ) as shown on true`,
  );
}

type WithVersion = Shown & { version: string; key: string };

/** Reads a public product with the catalogue's version; undefined if there is none. */
export function readShownProduct(shop: Shop, by: 'id' | 'slug', key: string): Promise<WithVersion | undefined> {
  return shop.oneOf(SHOWN_PRODUCTS[by], key);
}

const SHOWN_PRODUCTS = {
  id: shownProducts(sql`p.id::text`, (keys) => sql`p.id = any((select ${keys}::uuid[])::uuid[])`),
  slug: shownProducts(sql`p.slug`, (keys) => sql`p.slug = any((select ${keys}::text[])::text[])`),
};

function shownProducts(key: Sql, isOneOf: (keys: string[]) => Sql): Listing<WithVersion> {
  return {
    statement: (
      site_id,
      keys,
    ) => sql`select (select catalog_version(${site_id})) as version, ${key} as key, ${wholeColumns}
      from products p where p.site_id = ${site_id} and ${isOneOf(keys)} and ${visible}`,
    keyOf: (row) => row.key,
  };
}

export function shownList<Body>(
  shop: Shop,
  { products, version, rest }: ShownPage,
  beside: object = {},
): ShownJson<Body> {
  const more = Object.entries(beside).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return new ShownJson(shop, version, ['{"products":[', products, '],', rest, ...more, '}']);
}

type CountedShown = { total: number; version: string } & OrNulls<Shown>;

function shownPage(rows: CountedShown[], query: PageQuery): ShownPage {
  const { page, limit } = pageOf(query);
  const { total, version } = rows[0] ?? { total: 0, version: '' };
  return {
    products: rows.filter((row) => row.id !== null),
    version,
    total,
    rest: JSON.stringify({ total, page, limit, pages: Math.ceil(total / limit) }).slice(1, -1),
  };
}

export const byRelevance = sql`found.rank desc, p.sales_count desc, p.id`;

/**
 * Reads one page of products with the total, in one statement. A subquery selects the page first; otherwise PostgreSQL
 * also computes the columns of skipped rows.
 */
export async function readPage(
  shop: Shop,
  audience: Audience,
  { with: found, join: joined, where }: Matching,
  order: Sql,
  query: PageQuery,
): Promise<ProductPage> {
  const { limit, offset } = pageOf(query);
  const rows = await shop.rows<Counted>(
    sql`${found}
      select (select count(*) from products p ${joined} where ${where}) as total, chosen.*
      from (select 1) as always left join lateral (
        select ${productColumns(shop, audience)}
        from unnest(array(
          select p.id from products p ${joined} where ${where} order by ${order} limit ${limit} offset ${offset}
        )) with ordinality as listed (id, place)
        join products p on p.site_id = ${shop.siteId} and p.id = listed.id
        order by listed.place
      ) as chosen on true`,
  );
  return pageWith(rows, query);
}

/** An empty page has one row that contains only the total. */
type Counted = { total: number } & OrNulls<Product>;

function pageWith(rows: Counted[], query: PageQuery): ProductPage {
  const { page, limit } = pageOf(query);
  const total = rows[0]?.total ?? 0;
  const products = rows.flatMap(({ total: _total, ...product }) => (product.id === null ? [] : [product]));
  return { products, total, page, limit, pages: Math.ceil(total / limit) };
}

/** Filters by vendor, product type and tag. Each matches any of the given values, ignoring case. */
export interface LabelQuery {
  vendor?: string[];
  product_type?: string[];
  tag?: string[];
}

/** One condition on `products p` for each filter in the query. */
export function labelFilters({ vendor, product_type, tag }: LabelQuery): { kind: keyof LabelQuery; condition: Sql }[] {
  const found: ReturnType<typeof labelFilters> = [];
  const add = (kind: keyof LabelQuery, values: string[] | undefined, isOne: (lowered: string[]) => Sql) => {
    if (values) found.push({ kind, condition: isOne(values.map((value) => value.toLowerCase())) });
  };
  add('vendor', vendor, (lowered) => sql`lower(p.vendor) = any(${lowered}::text[])`);
  add('product_type', product_type, (lowered) => sql`lower(p.product_type) = any(${lowered}::text[])`);
  add(
    'tag',
    tag,
    (lowered) => sql`exists (select from unnest(p.tags) as tag where lower(tag) = any(${lowered}::text[]))`,
  );
  return found;
}
