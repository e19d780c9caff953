import type { AdjustmentReason, InventoryItem, StockMovement } from '@commerce-backend/spec';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { cursorPage, idOfCursor } from '../cursors.ts';
import { notFound, ShopError } from '../errors.ts';
import { escapeLike } from '../like.ts';
import { type Page, type PageQuery, pageOf } from '../page-query.ts';
import type { Shop } from '../shop.ts';

/** Stock: what is in store (on_hand), what open checkouts hold (reserved), and every change of either. */

/** Of `variants v`. */
export const isLowStock = sql`(v.track_inventory and v.on_hand - v.reserved between 1 and v.low_stock_threshold)`;
export const isOutOfStock = sql`(v.track_inventory and v.on_hand <= v.reserved)`;

const stock = sql`v.id as variant_id, v.product_id, p.name as product_name,
  nullif(concat_ws(' / ', v.option1, v.option2, v.option3), '') as variant_name, v.sku,
  coalesce(v.image_url, (
    select i.url from product_images i where i.site_id = v.site_id and i.product_id = v.product_id
    order by i.position, i.id limit 1)) as image_url,
  v.on_hand, v.reserved, v.on_hand - v.reserved as inventory_quantity, v.track_inventory, v.inventory_policy,
  v.low_stock_threshold, ${isLowStock} as is_low_stock, ${isOutOfStock} as is_out_of_stock, v.updated_at
  from variants v join products p on p.site_id = v.site_id and p.id = v.product_id`;

export interface InventoryQuery extends PageQuery {
  q?: string;
  product_id?: string;
  low_stock?: boolean;
  out_of_stock?: boolean;
}

/**
 * The stock of every variant, by product name and the variant's place. The filters for low and out of stock together mean
 * either.
 */
export async function list(shop: Shop, query: InventoryQuery): Promise<Page & { inventory: InventoryItem[] }> {
  const { page, limit, offset } = pageOf(query);
  const where = await conditionsOf(shop, query);
  const counted = await shop.one<{ total: number }>(
    // Only a search needs the names; without one, no product is read for the count.
    query.q === undefined
      ? sql`select count(*) as total from variants v where ${where}`
      : sql`select count(*) as total from variants v join products p on p.site_id = v.site_id and p.id = v.product_id
          where ${where}`,
  );
  // In the order of the index products_by_name, so that a page reads little more than its rows.
  const inventory = await shop.rows<InventoryItem>(
    sql`select ${stock} where ${where} order by p.name, p.id, v.position, v.id limit ${limit} offset ${offset}`,
  );
  const total = counted?.total ?? 0;
  return { inventory, total, page, limit, pages: Math.ceil(total / limit) };
}

async function conditionsOf(shop: Shop, { q, product_id, low_stock, out_of_stock }: InventoryQuery): Promise<Sql> {
  const conditions = [sql`v.site_id = ${shop.siteId}`];
  if (product_id) conditions.push(sql`v.product_id = ${product_id}`);
  if (q !== undefined) conditions.push(await mentioning(shop, `%${escapeLike(q)}%`));
  const wanted = [...(low_stock ? [isLowStock] : []), ...(out_of_stock ? [isOutOfStock] : [])];
  if (wanted.length > 0) conditions.push(sql`(${join(wanted, ' or ')})`);
  return join(conditions, ' and ');
}

/** What more variants have than this is found as quickly by looking through them. */
const FEW = 1_000;

/** Variants in whose SKU, barcode or product's name the text is found: by index, as long as they are few. */
async function mentioning(shop: Shop, like: string): Promise<Sql> {
  const found = await shop.rows<{ variant_id: string }>(
    sql`select s.variant_id from search_variants(${like}, ${FEW + 1}) s`,
  );
  return found.length > FEW
    ? sql`(v.sku ilike ${like} or v.barcode ilike ${like} or p.name ilike ${like})`
    : sql`v.id = any(${found.map(({ variant_id }) => variant_id)}::uuid[])`;
}

/** The stock of one variant. Throws `not_found`. */
export async function get(shop: Shop, variant_id: string): Promise<InventoryItem> {
  const found = await shop.one<InventoryItem>(
    sql`select ${stock} where v.site_id = ${shop.siteId} and v.id = ${variant_id}`,
  );
  if (!found) throw notFound('variant');
  return found;
}

/** A change by `delta`, or to `set_to` provided that the quantity is still `expected_quantity`. */
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
 * Changes what is on hand and writes the movement; a change of 0 writes none. Throws `not_found`, `quantity_changed`,
 * `insufficient_stock`, or `conflict` for a quantity beyond the contract's limit.
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

/** Adjustments of one variant wait for each other on this lock, so each sees the current stock. */
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
  throw new ShopError('quantity_changed', `The quantity is now ${actual}. Check it and decide again.`, { actual });
}

const LIMIT = 1_000_000_000;

export function refuseImpossible({ on_hand, reserved, may_go_below }: Stock, delta: number): void {
  const after = on_hand + delta;
  if (after < reserved && !may_go_below) {
    const available = on_hand - reserved;
    const message = `There are ${available} that no open checkout holds, which is less than ${-delta}.`;
    throw new ShopError('insufficient_stock', message, { requested: -delta, available });
  }
  if (Math.abs(after) > LIMIT) {
    throw new ShopError('conflict', `Stock lies between -${LIMIT} and ${LIMIT}; this would make it ${after}.`);
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

/** Every change of a variant's stock, newest first. `cursor` is the last id of the page before. Throws `not_found`. */
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
    sql`select id, variant_id, product_id, type, reason, delta, on_hand_after, reserved_after, note,
        case when reference_type is not null then json_build_object('type', reference_type, 'id', reference_id) end as reference,
        actor_id, created_at
      from stock_movements where site_id = ${shop.siteId} and variant_id = ${variant_id} ${before}
      order by id desc limit ${limit + 1}`,
  );
  const { page, next_cursor } = cursorPage(rows, limit);
  return { movements: page, next_cursor };
}
