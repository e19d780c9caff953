import type {
  Collection,
  CollectionInput,
  CollectionListItem,
  CollectionPatch,
  CollectionSortOrder,
  CollectionSummary,
  CollectionType,
  Deletion,
  ProductPage,
} from '@commerce-backend/spec';
import sql, { join, type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { selectList } from '../../db/fields.ts';
import type { RowOf } from '../../db/row-of.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import { escapeLike } from '../like.ts';
import { type Page, type PageQuery, pageOf } from '../page-query.ts';
import { matching, readPage, readShownPage, shownList, type Unavailable, unavailableIn } from '../products/list.ts';
import { inStock, visible } from '../products/rows.ts';
import type { ShownJson } from '../products/shown.ts';
import type { Shop } from '../shop.ts';
import { candidates, slugOf } from '../slugs.ts';
import * as collectionProducts from './collection-products.ts';
import { meetsKnownRules, meetsRules, planRules } from './collection-rules.ts';

export type Choice = Pick<CollectionSummary, 'id' | 'type' | 'rules' | 'rules_match' | 'sort_order'>;

/** The condition that `products p` belongs to the collection. */
export function membership({ id, type, rules, rules_match }: Choice): Sql {
  if (type === 'automatic') return meetsKnownRules(rules ?? [], rules_match);
  return sql`exists (select from collection_products cp
    where cp.site_id = p.site_id and cp.collection_id = ${id} and cp.product_id = p.id)`;
}

const ORDERS: Record<Exclude<CollectionSortOrder, 'manual'>, Sql> = {
  title_asc: sql`p.name, p.id`,
  title_desc: sql`p.name desc, p.id`,
  price_asc: sql`p.price, p.id`,
  price_desc: sql`p.price desc, p.id`,
  created_asc: sql`p.created_at, p.id`,
  created_desc: sql`p.created_at desc, p.id`,
  best_selling: sql`p.sales_count desc, p.id`,
};

export function orderOf({ id, sort_order }: Choice): Sql {
  if (sort_order !== 'manual') return ORDERS[sort_order];
  return manualOrderOf({ id });
}

function manualOrderOf({ id }: Pick<Choice, 'id'>): Sql {
  return sql`(select cp.position from collection_products cp
    where cp.site_id = p.site_id and cp.collection_id = ${id} and cp.product_id = p.id), p.id`;
}

/** Counts the products of `collections c`, manual or automatic, that meet a condition on `products p`. */
function countOf(condition: Sql): Sql {
  return sql`case c.type
    when 'manual' then (
      select count(*) from collection_products cp join products p on p.site_id = cp.site_id and p.id = cp.product_id
      where cp.site_id = c.site_id and cp.collection_id = c.id and ${condition})
    else (
      select count(*) from products p
      where p.site_id = c.site_id and ${meetsRules(sql`c.rules`, sql`c.rules_match`)} and ${condition})
    end`;
}

function summaryColumns(shop: Shop): Sql {
  return selectList<CollectionSummary>({
    id: sql`c.id`,
    merchant_id: sql`${shop.merchantId}::text`,
    title: sql`c.title`,
    description: sql`c.description`,
    handle: sql`c.handle`,
    type: sql`c.type`,
    rules: sql`c.rules`,
    rules_match: sql`c.rules_match`,
    image_url: sql`c.image_url`,
    sort_order: sql`c.sort_order`,
    published: sql`c.published`,
    published_at: sql`c.published_at`,
    created_at: sql`c.created_at`,
    updated_at: sql`c.updated_at`,
    products_count: countOf(sql`true`),
  });
}

const publicColumns = selectList<CollectionListItem>({
  id: sql`c.id`,
  title: sql`c.title`,
  description: sql`c.description`,
  handle: sql`c.handle`,
  image_url: sql`c.image_url`,
  products_count: countOf(visible),
});

export interface CollectionFilters extends PageQuery {
  q?: string;
  type?: CollectionType;
}

type CollectionPage<Row> = Page & { collections: Row[] };

/** Lists the collections that match the query by title, including unpublished ones. */
export async function list(shop: Shop, query: CollectionFilters): Promise<CollectionPage<CollectionSummary>> {
  const conditions = [sql`site_id = ${shop.siteId}`];
  if (query.type) conditions.push(sql`type = ${query.type}`);
  if (query.q !== undefined) {
    const like = `%${escapeLike(query.q)}%`;
    conditions.push(sql`(title ilike ${like} or handle ilike ${like})`);
  }
  return readCollections<CollectionSummary>(shop, summaryColumns(shop), join(conditions, ' and '), query);
}

/** Lists the published collections by title, each with its number of public products. */
export async function listPublished(shop: Shop, query: PageQuery): Promise<CollectionPage<CollectionListItem>> {
  const where = sql`site_id = ${shop.siteId} and published`;
  return readCollections<CollectionListItem>(shop, publicColumns, where, query);
}

async function readCollections<Row extends object>(shop: Shop, columns: Sql, where: Sql, query: PageQuery) {
  const { page, limit, offset } = pageOf(query);
  const counted = await shop.one<{ total: number }>(sql`select count(*) as total from collections where ${where}`);
  const collections = await shop.rows<Row>(
    sql`select ${columns} from (
        select * from collections where ${where} order by title, id limit ${limit} offset ${offset}
      ) as c order by c.title, c.id`,
  );
  const total = counted?.total ?? 0;
  return { collections, total, page, limit, pages: Math.ceil(total / limit) };
}

/** Responses to changes of a collection contain at most this many products, except after a reordering. */
const FIRST_PRODUCTS = 100;
const MOST_PRODUCTS = 1_000;

/**
 * Returns a collection with its products of every status, in the collection's order, at most 1,000 per page. Throws
 * `not_found`.
 */
export function get(shop: Shop, id: string, { page = 1, limit = MOST_PRODUCTS }: PageQuery = {}): Promise<Collection> {
  return read(shop, id, { page, limit });
}

async function read(
  shop: Shop,
  id: string,
  { page = 1, limit = FIRST_PRODUCTS, order = orderOf }: PageQuery & { order?: (choice: Choice) => Sql } = {},
): Promise<Collection> {
  const collection = await shop.one<CollectionSummary>(
    sql`select ${summaryColumns(shop)} from collections c where c.site_id = ${shop.siteId} and c.id = ${id}`,
  );
  if (!collection) throw notFound('collection');
  const matches = matching([sql`p.site_id = ${shop.siteId}`, membership(collection)]);
  const { products, pages } = await readPage(shop, 'dashboard', matches, order(collection), { page, limit });
  return { ...collection, products, page, limit, pages };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function published(shop: Shop, idOrHandle: string): Sql {
  const wanted = UUID.test(idOrHandle) ? sql`c.id = ${idOrHandle}` : sql`c.handle = ${idOrHandle}`;
  return sql`from collections c where c.site_id = ${shop.siteId} and c.published and ${wanted}`;
}

/** Finds a collection, even an unpublished one. Returns undefined if the id is unknown. */
export async function findChoice(shop: Shop, id: string): Promise<Choice | undefined> {
  return shop.one<Choice>(
    sql`select c.id, c.type, c.rules, c.rules_match, c.sort_order from collections c
      where c.site_id = ${shop.siteId} and c.id = ${id}`,
  );
}

/** Finds a published collection. Returns undefined if none has this id or handle. */
export async function findPublished(shop: Shop, idOrHandle: string): Promise<Choice | undefined> {
  return shop.one<Choice>(
    sql`select c.id, c.type, c.rules, c.rules_match, c.sort_order ${published(shop, idOrHandle)}`,
  );
}

/** Returns the public fields of a published collection. Throws `not_found`. */
export async function getPublished(shop: Shop, idOrHandle: string): Promise<CollectionListItem> {
  const collection = await shop.one<CollectionListItem>(sql`select ${publicColumns} ${published(shop, idOrHandle)}`);
  if (!collection) throw notFound('collection');
  return collection;
}

const PUBLIC_ORDERS = {
  newest: sql`p.published_at desc, p.id`,
  price_asc: ORDERS.price_asc,
  price_desc: ORDERS.price_desc,
  name_asc: ORDERS.title_asc,
  name_desc: ORDERS.title_desc,
  best_selling: ORDERS.best_selling,
};

export interface CollectionProductsQuery extends PageQuery {
  sort?: keyof typeof PUBLIC_ORDERS;
  in_stock?: boolean;
  unavailable?: Unavailable;
}

/** Lists the public products of a published collection, in its own order or the requested one. Throws `not_found`. */
export async function listProducts(
  shop: Shop,
  idOrHandle: string,
  query: CollectionProductsQuery,
): Promise<ShownJson<ProductPage>> {
  const collection = await findPublished(shop, idOrHandle);
  if (!collection) throw notFound('collection');
  const { sort, in_stock } = query;
  const conditions = [sql`p.site_id = ${shop.siteId}`, visible, membership(collection)];
  if (in_stock !== undefined) conditions.push(in_stock ? inStock : sql`not ${inStock}`);
  if (query.unavailable === 'hide') conditions.push(inStock);
  const order = sort ? PUBLIC_ORDERS[sort] : orderOf(collection);
  return shownList(shop, await readShownPage(shop, matching(conditions), order, query, unavailableIn(query)));
}

/**
 * Creates a collection. Throws a ValidationError, `handle_taken`, `not_found` for an unknown product, or
 * `limit_reached`.
 */
export async function create(shop: Shop, input: CollectionInput): Promise<Collection> {
  const type = input.type ?? (input.rules ? 'automatic' : 'manual');
  refuseMixture(type, input);
  const id = uuidv7();
  const insert = (handle: string) => insertRow(shop, id, type, input, handle);
  if (input.handle !== undefined) {
    if (!(await insert(input.handle))) throw new ShopError('handle_taken', 'Another collection has this handle.');
  } else {
    // A concurrent request may take the handle between the check and the insert. The loop then tries the next handle.
    for (const handle of await freeHandles(shop, input.title)) if (await insert(handle)) break;
  }
  if (input.product_ids?.length) await collectionProducts.add(shop, id, input.product_ids);
  return read(shop, id);
}

function refuseMixture(type: CollectionType, input: CollectionInput): void {
  const foreign = type === 'manual' ? (['rules', 'rules_match'] as const) : (['product_ids'] as const);
  const mistakes: ValidationError['detail'] = foreign
    .filter((field) => input[field] !== undefined)
    .map((field) => bodyMistake([field], 'extra_forbidden', `A collection of type ${type} has no ${field}.`));
  if (type === 'automatic' && !input.rules) {
    mistakes.push(bodyMistake(['rules'], 'missing', 'An automatic collection needs rules.'));
  }
  if (type === 'automatic' && input.sort_order === 'manual') mistakes.push(noManualOrder());
  if (mistakes.length > 0) throw new ValidationError(mistakes);
}

function noManualOrder() {
  return bodyMistake(['sort_order'], 'value_error', 'An automatic collection has no manual order.');
}

/** Inserts a collection. Returns false if its handle is taken. */
async function insertRow(shop: Shop, id: string, type: CollectionType, input: CollectionInput, handle: string) {
  const { title, description = null, image_url = null, published = true } = input;
  const rules = input.rules ? JSON.stringify(planRules(shop, input.rules)) : null;
  const rules_match = type === 'automatic' ? (input.rules_match ?? 'all') : null;
  const sort_order = input.sort_order ?? (type === 'manual' ? 'manual' : 'created_desc');
  const inserted = await shop.run(
    sql`insert into collections (site_id, id, title, description, handle, type, rules, rules_match, image_url,
        sort_order, published, published_at)
      values (${shop.siteId}, ${id}, ${title}, ${description}, ${handle}, ${type}, ${rules}, ${rules_match}, ${image_url},
        ${sort_order}, ${published}, case when ${published}::boolean then now() end)
      on conflict (site_id, handle) do nothing`,
  );
  return inserted > 0;
}

async function freeHandles(shop: Shop, title: string): Promise<Iterable<string>> {
  const wish = slugOf(title, 'collection');
  const rows = await shop.rows<RowOf<'collections', 'handle'>>(
    sql`select handle from collections where site_id = ${shop.siteId} and handle like ${`${escapeLike(wish)}%`}`,
  );
  return candidates(wish, new Set(rows.map(({ handle }) => handle)));
}

/**
 * Changes the given fields. Throws a ValidationError, `not_found`, `handle_taken`, or `conflict` for rules of a manual
 * collection.
 */
export async function update(shop: Shop, id: string, patch: CollectionPatch): Promise<Collection> {
  const locked = await shop.one<RowOf<'collections', 'type'>>(
    sql`select type from collections where site_id = ${shop.siteId} and id = ${id} for update`,
  );
  if (!locked) throw notFound('collection');
  if (locked.type === 'manual' && (patch.rules || patch.rules_match)) {
    throw new ShopError('conflict', 'A manual collection has no rules. Create an automatic collection instead.');
  }
  if (locked.type === 'automatic' && patch.sort_order === 'manual') throw new ValidationError([noManualOrder()]);
  const published = patch.published ?? null;
  await shop.run(
    sql`update collections set
        title = coalesce(${patch.title ?? null}, title),
        description = case when ${patch.description !== undefined} then ${patch.description ?? null} else description end,
        handle = coalesce(${patch.handle ?? null}, handle),
        rules = coalesce(${patch.rules ? JSON.stringify(planRules(shop, patch.rules)) : null}::jsonb, rules),
        rules_match = coalesce(${patch.rules_match ?? null}, rules_match),
        image_url = case when ${patch.image_url !== undefined} then ${patch.image_url ?? null} else image_url end,
        sort_order = coalesce(${patch.sort_order ?? null}, sort_order),
        published = coalesce(${published}::boolean, published),
        published_at = case ${published}::boolean
          when true then coalesce(published_at, now()) when false then null else published_at end,
        updated_at = now()
      where site_id = ${shop.siteId} and id = ${id}`,
  );
  return read(shop, id);
}

/** Deletes a collection; its products stay. Throws `not_found`. */
export async function remove(shop: Shop, id: string): Promise<Deletion> {
  const deleted = await shop.run(sql`delete from collections where site_id = ${shop.siteId} and id = ${id}`);
  if (deleted === 0) throw notFound('collection');
  return { id, deleted: true };
}

/** Appends products to a manual collection. Throws `not_found`, `collection_not_manual` or `limit_reached`. */
export async function addProducts(shop: Shop, id: string, product_ids: string[]): Promise<Collection> {
  await collectionProducts.add(shop, id, product_ids);
  return read(shop, id);
}

/** Removes a product from a manual collection. Throws `not_found` or `collection_not_manual`. */
export async function removeProduct(shop: Shop, id: string, product_id: string): Promise<Collection> {
  await collectionProducts.remove(shop, id, product_id);
  return read(shop, id);
}

/**
 * Reorders a manual collection and returns its products in the new order. Throws `not_found`, `collection_not_manual`,
 * or `conflict` unless the ids are exactly the ids of its products.
 */
export async function reorderProducts(shop: Shop, id: string, product_ids: string[]): Promise<Collection> {
  await collectionProducts.reorder(shop, id, product_ids);
  return read(shop, id, { limit: MOST_PRODUCTS, order: manualOrderOf });
}
