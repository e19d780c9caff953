/** Reads and adjusts the stock on hand. stock.ts changes it for checkouts and orders. */

import type { AdjustmentReason, InventoryItem, StockMovement } from '@commerce-backend/spec';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { selectList } from '../../db/fields.ts';
import type { OrNulls } from '../../db/nulls.ts';
import { productsNamed } from '../../search/rank/named-products.ts';
import { cursorPage, idOfCursor } from '../cursors.ts';
import { notFound, ShopError } from '../errors.ts';
import { escapeLike } from '../like.ts';
import { type Page, type PageQuery, pageOf } from '../page-query.ts';
import type { Shop } from '../shop.ts';
import { wholeShop } from '../whole-shop.ts';

/** Whether the available stock of `variants v` is at or below its low-stock threshold, but not used up. */
export const isLowStock = sql`(v.track_inventory and v.on_hand - v.reserved between 1 and v.low_stock_threshold)`;
export const isOutOfStock = sql`(v.track_inventory and v.on_hand <= v.reserved)`;

const columnsWith = (product_name: Sql) =>
  selectList<InventoryItem>({
    variant_id: sql`v.id`,
    product_id: sql`v.product_id`,
    product_name: product_name,
    variant_name: sql`nullif(concat_ws(' / ', v.option1, v.option2, v.option3), '')`,
    sku: sql`v.sku`,
    image_url: sql`coalesce(v.image_url, (
    select i.url from product_images i where i.site_id = v.site_id and i.product_id = v.product_id
    order by i.position, i.id limit 1))`,
    on_hand: sql`v.on_hand`,
    reserved: sql`v.reserved`,
    inventory_quantity: sql`v.on_hand - v.reserved`,
    track_inventory: sql`v.track_inventory`,
    inventory_policy: sql`v.inventory_policy`,
    low_stock_threshold: sql`v.low_stock_threshold`,
    is_low_stock: isLowStock,
    is_out_of_stock: isOutOfStock,
    updated_at: sql`v.updated_at`,
  });

export interface InventoryQuery extends PageQuery {
  q?: string;
  product_id?: string;
  low_stock?: boolean;
  out_of_stock?: boolean;
}

/**
 * Lists the stock of every variant, sorted by product name and position. The filters for low and out of stock are
 * combined with OR.
 */
export async function list(shop: Shop, query: InventoryQuery): Promise<Page & { inventory: InventoryItem[] }> {
  const { page, limit } = pageOf(query);
  const rows = await readPage(shop, query);
  const total = rows[0]?.counted ?? 0;
  const inventory = rows.flatMap(({ counted: _, ...item }) => (item.variant_id === null ? [] : [item]));
  return { inventory, total, page, limit, pages: Math.ceil(total / limit) };
}

/** An empty page has one row that contains only the total. */
type Counted = { counted: number } & OrNulls<InventoryItem>;

async function readPage(shop: Shop, query: InventoryQuery): Promise<Counted[]> {
  const conditions = conditionsOf(shop, query);
  if (query.q === undefined) {
    if (conditions.length === 1) return readAll(shop, conditions, query);
    return readFound(shop, sql`select v.id, v.product_id from variants v where ${join(conditions, ' and ')}`, query);
  }
  const search = { like: `%${escapeLike(query.q)}%`, named: await productsNamed(shop, query.q) };
  if (await areFew(shop, search)) return readFound(shop, searched(search, conditions), query);
  const { like, named } = search;
  const isNamed = named ? sql`or v.product_id in (${named})` : empty;
  const mentioned = sql`(v.sku ilike ${like} or v.barcode ilike ${like} or p.name ilike ${like} ${isNamed})`;
  return readAll(shop, [...conditions, mentioned], query);
}

/** `like` matches SKU, barcode or product name; `named` selects products by the search index. */
interface StockSearch {
  like: string;
  named: Sql | undefined;
}

/** Maximum number of search results to look up one by one. For more, a scan is as fast. */
const LOOKED_UP = 10_000;

async function areFew(shop: Shop, { like, named }: StockSearch): Promise<boolean> {
  const alsoNamed = named ? sql`+ (select count(*) from (${upToLimit(named)}) as n)` : empty;
  const counted = await shop.one<{ matched: number }>(
    sql`select (select count(*) from search_variants(${like}, ${LOOKED_UP + 1}) s) ${alsoNamed} as matched`,
  );
  return (counted?.matched ?? 0) <= LOOKED_UP;
}

/** Without a limit, PostgreSQL expects a hundred thousand results for any search. */
function upToLimit(named: Sql): Sql {
  return sql`select product_id from (${named}) as m limit ${LOOKED_UP + 1}::int`;
}

function searched({ like, named }: StockSearch, conditions: Sql[]): Sql {
  // `offset 0` makes PostgreSQL look up the variants one by one. Otherwise it overestimates their number and reads all
  // variants.
  const variantsOf = (is: Sql) => sql`cross join lateral (
    select v.id, v.product_id from variants v where ${is} and ${join(conditions, ' and ')} offset 0) v`;
  const ofNamed =
    named &&
    sql`union select v.id, v.product_id from (${upToLimit(named)}) n ${variantsOf(sql`v.product_id = n.product_id`)}`;
  return sql`select v.id, v.product_id from search_variants(${like}, ${LOOKED_UP + 1}) s
    ${variantsOf(sql`v.id = s.variant_id`)} ${ofNamed ?? empty}`;
}

function conditionsOf(shop: Shop, { product_id, low_stock, out_of_stock }: InventoryQuery): Sql[] {
  const wanted = [...(low_stock ? [isLowStock] : []), ...(out_of_stock ? [isOutOfStock] : [])];
  return [
    sql`v.site_id = ${wholeShop(shop)}`,
    ...(product_id ? [sql`v.product_id = ${product_id}`] : []),
    ...(wanted.length > 0 ? [sql`(${join(wanted, ' or ')})`] : []),
  ];
}

/** Returns one page of the variants in `found`. */
function readFound(shop: Shop, found: Sql, query: InventoryQuery): Promise<Counted[]> {
  // `or false` and `offset 0` keep PostgreSQL from rewriting the subqueries. PostgreSQL then reads the first subquery
  // once, and the second once for each product.
  const from = sql`products p cross join lateral (
      select v.* from variants v where v.site_id = p.site_id and v.product_id = p.id
        and (v.id in (select id from found) or false) offset 0
    ) v where p.site_id = ${wholeShop(shop)} and (p.id in (select product_id from found) or false)`;
  return readFrom(shop, sql`found as materialized (${found}),`, sql`found`, from, query);
}

/** Returns one page of the variants that match the conditions. Scans the variants, because many match. */
function readAll(shop: Shop, conditions: Sql[], query: InventoryQuery): Promise<Counted[]> {
  const from = sql`products p cross join lateral (
      select v.* from variants v where v.site_id = p.site_id and v.product_id = p.id and ${join(conditions, ' and ')} offset 0
    ) v where p.site_id = ${wholeShop(shop)}`;
  // Without a search, the count does not need the products.
  const named =
    query.q === undefined ? empty : sql`join products p on p.site_id = ${wholeShop(shop)} and p.id = v.product_id`;
  const counted = sql`variants v ${named} where ${join(conditions, ' and ')}`;
  return readFrom(shop, empty, counted, from, query);
}

/**
 * Reads products in the order of the index products_by_name until the page is full. A subquery selects the page first;
 * otherwise PostgreSQL also computes the columns of skipped rows.
 */
function readFrom(shop: Shop, found: Sql, counted: Sql, from: Sql, query: InventoryQuery): Promise<Counted[]> {
  const { limit, offset } = pageOf(query);
  return shop.rows<Counted>(
    sql`with ${found} chosen as materialized (
        select p.name as product_name, v.* from ${from}
        order by p.name, p.id, v.position, v.id limit ${limit} offset ${offset}
      )
      select counted.counted, listed.* from (select count(*) as counted from ${counted}) counted left join lateral (
        select ${columnsWith(sql`v.product_name`)} from chosen v order by v.product_name, v.product_id, v.position, v.id
      ) listed on true`,
  );
}

/** Returns the stock of a variant. Throws `not_found`. */
export async function get(shop: Shop, variant_id: string): Promise<InventoryItem> {
  const found = await shop.one<InventoryItem>(
    sql`select ${columnsWith(sql`p.name`)}
      from variants v join products p on p.site_id = v.site_id and p.id = v.product_id
      where v.site_id = ${shop.siteId} and v.id = ${variant_id}`,
  );
  if (!found) throw notFound('variant');
  return found;
}

/** Changes the stock by `delta`, or to `set_to` if the quantity is still `expected_quantity`. */
export interface QuantityChange {
  delta?: number;
  set_to?: number;
  expected_quantity?: number;
}

export interface Adjustment extends QuantityChange {
  reason: AdjustmentReason;
  note?: string;
}

/**
 * Changes the stock on hand and records a stock movement, unless nothing changes. Throws `not_found`,
 * `quantity_changed`, `insufficient_stock`, or `conflict` for a quantity beyond the contract's limit.
 */
export async function adjust(shop: Shop, variant_id: string, adjustment: Adjustment): Promise<InventoryItem> {
  const before = await lockVariant(shop, variant_id);
  const delta = deltaOf(adjustment, before.on_hand - before.reserved);
  if (delta !== 0) {
    refuseImpossible(before, delta);
    await write(shop, variant_id, delta, adjustment);
  }
  return get(shop, variant_id);
}

export interface Stock {
  on_hand: number;
  reserved: number;
  may_go_below: boolean;
}

/** Locks a variant, so that adjustments run one after another and each sees the current stock. */
async function lockVariant(shop: Shop, variant_id: string): Promise<Stock> {
  const found = await shop.one<Stock>(
    sql`select on_hand, reserved, inventory_policy = 'continue' or not track_inventory as may_go_below
      from variants where site_id = ${shop.siteId} and id = ${variant_id} for update`,
  );
  if (!found) throw notFound('variant');
  return found;
}

export function deltaOf({ delta = 0, set_to, expected_quantity }: QuantityChange, actual: number): number {
  if (set_to === undefined) return delta;
  if (expected_quantity === actual) return set_to - actual;
  throw new ShopError('quantity_changed', `The quantity is now ${actual}. Check it and retry.`, { actual });
}

const LIMIT = 1_000_000_000;

export function refuseImpossible({ on_hand, reserved, may_go_below }: Stock, delta: number): void {
  const after = on_hand + delta;
  if (after < reserved && !may_go_below) {
    const available = on_hand - reserved;
    const message = `Only ${available} are not reserved by open checkouts, which is less than ${-delta}.`;
    throw new ShopError('insufficient_stock', message, { requested: -delta, available });
  }
  if (Math.abs(after) > LIMIT) {
    throw new ShopError(
      'conflict',
      `The stock must be between -${LIMIT} and ${LIMIT}; this change would make it ${after}.`,
    );
  }
}

async function write(shop: Shop, variant_id: string, delta: number, { reason, note }: Adjustment): Promise<void> {
  await shop.run(
    sql`with changed as (
        update variants set on_hand = on_hand + ${delta}, updated_at = now()
        where site_id = ${shop.siteId} and id = ${variant_id}
        returning product_id, on_hand, reserved
      )
      insert into stock_movements (site_id, id, variant_id, product_id, type, reason, delta, on_hand_after,
        reserved_after, note, actor_id)
      select ${shop.siteId}, ${uuidv7()}, ${variant_id}, product_id, 'adjustment', ${reason}, ${delta}, on_hand,
        reserved, ${note ?? null}, ${shop.actorId}
      from changed`,
  );
}

const movementColumns = selectList<StockMovement>({
  id: sql`id`,
  variant_id: sql`variant_id`,
  product_id: sql`product_id`,
  type: sql`type`,
  reason: sql`reason`,
  delta: sql`delta`,
  on_hand_after: sql`on_hand_after`,
  reserved_after: sql`reserved_after`,
  note: sql`note`,
  reference: sql`case when reference_type is not null then json_build_object('type', reference_type, 'id', reference_id) end`,
  actor_id: sql`actor_id`,
  created_at: sql`created_at`,
});

/**
 * Lists the stock movements of a variant, newest first. `cursor` is the last id of the previous page. Throws
 * `not_found`.
 */
export async function listMovements(
  shop: Shop,
  variant_id: string,
  { cursor, limit = 20 }: { cursor?: string; limit?: number },
): Promise<{ movements: StockMovement[]; next_cursor: string | null }> {
  const before = cursor ? sql`and id < ${idOfCursor(cursor)}` : empty;
  if (!(await shop.one(sql`select from variants where site_id = ${shop.siteId} and id = ${variant_id}`))) {
    throw notFound('variant');
  }
  const rows = await shop.rows<StockMovement>(
    sql`select ${movementColumns} from stock_movements where site_id = ${shop.siteId} and variant_id = ${variant_id} ${before}
      order by id desc limit ${limit + 1}`,
  );
  const { page, next_cursor } = cursorPage(rows, limit);
  return { movements: page, next_cursor };
}
