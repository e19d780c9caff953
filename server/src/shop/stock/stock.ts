/**
 * Stock of purchases: a checkout reserves stock, its completion sells the stock, its expiry or cancellation releases
 * it, and a cancelled order restocks it. Each change is one statement that locks the variants in order of ids, updates
 * them and records stock movements. Untracked variants do not change. The caller has locked the checkout or order; only
 * the counter of order numbers is locked later (checkout/complete.ts).
 */

import sql, { type Sql } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { isTold, shownQuantity } from '../shown-quantity.ts';

export interface Pieces {
  variant_id: string;
  quantity: number;
}

/** A variant with less stock than requested. `available` includes the checkout's own reservation. */
export interface Shortage {
  variant_id: string;
  requested: number;
  available: number;
}

/**
 * Makes the checkout reserve exactly these quantities. If stock is short, first releases expired reservations of other
 * checkouts. Returns the shortages; if there are any, the caller must roll back.
 */
export async function hold(
  shop: Shop,
  checkout_id: string,
  wanted: Pieces[],
  { isNew = false } = {},
): Promise<Shortage[]> {
  if (isNew ? await holdFirst(shop, checkout_id, wanted) : (await change(shop, checkout_id, wanted)).length === 0)
    return [];
  await releaseOverdue(shop, checkout_id, wanted);
  // Tries again even if nothing was released. A statement sees the state at its start, so the first one, which waited
  // for locks, misses stock that was released meanwhile.
  return change(shop, checkout_id, wanted);
}

/**
 * Reserves stock for a checkout without reservations, of the variants that have enough. Returns whether all have
 * enough. A faster version of `change` for the first reservation of a checkout, which is usually the only one.
 */
async function holdFirst(shop: Shop, checkout_id: string, wanted: Pieces[]): Promise<boolean> {
  const pieces = Map.groupBy(wanted, ({ variant_id }) => variant_id);
  const quantities = [...pieces.values()].map((of) => of.reduce((sum, { quantity }) => sum + quantity, 0));
  const enough = await shop.run(
    sql`with locked as materialized (
        select v.id, v.track_inventory, w.quantity
        from unnest(${[...pieces.keys()]}::uuid[], ${quantities}::int[]) as w (variant_id, quantity)
        join variants v on v.site_id = ${shop.siteId} and v.id = w.variant_id order by v.id for update of v
      ), changed as (
        update variants v set reserved = v.reserved + l.quantity from locked l
        where v.site_id = ${shop.siteId} and v.id = l.id and l.track_inventory
          and (v.inventory_policy = 'continue' or v.on_hand - v.reserved >= l.quantity)
        returning v.id, v.product_id, -l.quantity as delta, v.on_hand, v.reserved, ${checkout_id}::uuid as reference_id
      ), kept as (
        insert into stock_reservations (site_id, checkout_id, variant_id, quantity)
        select ${shop.siteId}, ${checkout_id}, id, -delta from changed
      ), moved as (${movements(shop, sql`'reservation'`, 'checkout')})
      select id from changed union all select id from locked where not track_inventory`,
  );
  return enough === pieces.size;
}

interface Change extends Shortage {
  done: boolean;
}

async function change(shop: Shop, checkout_id: string, wanted: Pieces[]): Promise<Shortage[]> {
  const rows = await shop.rows<Change>(
    sql`with ${wantedAndHeld(shop, checkout_id, wanted)}, locked as materialized (
        select id, track_inventory, on_hand, reserved from variants
        where site_id = ${shop.siteId} and id in (select variant_id from wanted union select variant_id from held)
        order by id for update
      ), differences as materialized (
        select l.id, w.quantity as requested, l.on_hand - l.reserved + coalesce(h.quantity, 0) as available,
          case when l.track_inventory then coalesce(w.quantity, 0) else 0 end as target,
          case when l.track_inventory then coalesce(w.quantity, 0) else 0 end - coalesce(h.quantity, 0) as delta
        from locked l left join wanted w on w.variant_id = l.id left join held h on h.variant_id = l.id
      ), changed as (
        update variants v set reserved = v.reserved + d.delta
        from differences d
        where v.site_id = ${shop.siteId} and v.id = d.id and d.delta <> 0
          and (d.delta < 0 or v.inventory_policy = 'continue' or v.on_hand - v.reserved >= d.delta)
        returning v.id, v.product_id, -d.delta as delta, v.on_hand, v.reserved, ${checkout_id}::uuid as reference_id
      ), kept as (
        insert into stock_reservations as r (site_id, checkout_id, variant_id, quantity)
        select ${shop.siteId}, ${checkout_id}, d.id, d.target from differences d join changed using (id) where d.target > 0
        on conflict (site_id, checkout_id, variant_id) do update set quantity = excluded.quantity
      ), dropped as (
        delete from stock_reservations r using differences d, changed c
        where r.site_id = ${shop.siteId} and r.checkout_id = ${checkout_id} and r.variant_id = d.id and d.id = c.id
          and d.target = 0
      ), moved as (${movements(shop, sql`case when delta < 0 then 'reservation' else 'release' end`, 'checkout')})
      select d.id as variant_id, coalesce(d.requested, 0) as requested, greatest(d.available, 0) as available,
        c.id is not null as done
      from differences d left join changed c using (id) where d.delta <> 0
      union all
      select variant_id, quantity, 0, false from wanted where variant_id not in (select id from locked)`,
  );
  return rows.filter(({ done }) => !done).map(({ done: _, ...shortage }) => shortage);
}

/** Selects the requested and the reserved quantity of each variant. */
function wantedAndHeld(shop: Shop, checkout_id: string, wanted: Pieces[]): Sql {
  return sql`${wantedPieces(wanted)}, held as (
        select variant_id, quantity from stock_reservations
        where site_id = ${shop.siteId} and checkout_id = ${checkout_id}
      )`;
}

function wantedPieces(wanted: Pieces[]): Sql {
  return sql`wanted as (
        select variant_id, sum(quantity)::int as quantity
        from unnest(${wanted.map(({ variant_id }) => variant_id)}::uuid[],
          ${wanted.map(({ quantity }) => quantity)}::int[]) as w (variant_id, quantity) group by variant_id
      )`;
}

/** Releases expired reservations of variants that are short. Skips locked checkouts. */
async function releaseOverdue(shop: Shop, checkout_id: string, wanted: Pieces[]): Promise<void> {
  await give(
    shop,
    sql`with ${wantedAndHeld(shop, checkout_id, wanted)}, short as materialized (
        select v.id from wanted w join variants v on v.site_id = ${shop.siteId} and v.id = w.variant_id
        left join held h on h.variant_id = v.id
        where v.track_inventory and v.inventory_policy <> 'continue'
          and w.quantity - coalesce(h.quantity, 0) > greatest(v.on_hand - v.reserved, 0)
      ), overdue as materialized (
        select k.id from checkouts k
        where k.site_id = ${shop.siteId} and k.id <> ${checkout_id} and k.reserved_until <= now() and k.payment_id is null and exists (
          select from stock_reservations r
          where r.site_id = k.site_id and r.checkout_id = k.id and r.variant_id in (select id from short))
        order by k.id for update skip locked
      )
      select r.ctid from overdue k join stock_reservations r on r.site_id = ${shop.siteId} and r.checkout_id = k.id
      where r.variant_id in (select id from short)`,
  );
}

export async function release(shop: Shop, checkout_id: string): Promise<void> {
  await give(
    shop,
    sql`select ctid from stock_reservations where site_id = ${shop.siteId} and checkout_id = ${checkout_id}`,
  );
}

/** Deletes the selected reservations, even of several checkouts, and makes their quantities available. */
async function give(shop: Shop, reservations: Sql): Promise<void> {
  await shop.run(
    sql`with named as materialized (${reservations}), taken as (
        delete from stock_reservations where site_id = ${shop.siteId} and ctid in (select ctid from named)
        returning variant_id, quantity, checkout_id
      ), pieces as (
        select variant_id, sum(quantity)::int as quantity,
          case when count(distinct checkout_id) = 1 then (array_agg(checkout_id))[1] end as reference_id
        from taken group by variant_id
      ),
      ${lockedPieces(shop)}, changed as (
        update variants v set reserved = v.reserved - l.quantity from locked l
        where v.site_id = ${shop.siteId} and v.id = l.id
        returning v.id, v.product_id, l.quantity as delta, v.on_hand, v.reserved, l.reference_id
      )
      ${movements(shop, sql`'release'`, 'checkout')}`,
  );
}

/** Sells the stock that a checkout has reserved, for its order. Returns the ids of the sold variants. */
export async function sell(shop: Shop, checkout_id: string, order_id: string): Promise<Set<string>> {
  const sold = await shop.rows<RowOf<'stock_movements', 'variant_id'>>(
    sql`with pieces as (
        delete from stock_reservations where site_id = ${shop.siteId} and checkout_id = ${checkout_id}
        returning variant_id, quantity, ${order_id}::uuid as reference_id
      ), ${lockedPieces(shop)}, changed as (
        update variants v set on_hand = v.on_hand - l.quantity, reserved = v.reserved - l.quantity
        from locked l where v.site_id = ${shop.siteId} and v.id = l.id
        returning v.id, v.product_id, -l.quantity as delta, v.on_hand, v.reserved, l.reference_id
      )
      ${movements(shop, sql`'sale'`, 'order')} returning variant_id`,
  );
  return new Set(sold.map(({ variant_id }) => variant_id));
}

/**
 * Sells the unshipped items of an expired order again if its expiry restocked them, except items removed by a refund.
 * Throws `insufficient_stock`; the caller must then roll back.
 */
export async function sellAgain(shop: Shop, order_id: string): Promise<void> {
  const rows = await shop.rows<Shortage & { done: boolean }>(
    sql`with lines as (
        update order_lines l set restocked = l.restocked - back.quantity, stock_taken = true from (
          select b.id, least(b.restocked, b.quantity - b.fulfilled - b.removed) as quantity from order_lines b
          where b.site_id = ${shop.siteId} and b.order_id = ${order_id}
        ) back
        where l.site_id = ${shop.siteId} and l.id = back.id and back.quantity > 0
        returning l.variant_id, back.quantity
      ), pieces as (
        select variant_id, sum(quantity)::int as quantity, ${order_id}::uuid as reference_id from lines group by variant_id
      ), ${lockedPieces(shop)}, changed as (
        update variants v set on_hand = v.on_hand - l.quantity, updated_at = now() from locked l
        where v.site_id = ${shop.siteId} and v.id = l.id
          and (not v.track_inventory or v.inventory_policy = 'continue' or v.on_hand - v.reserved >= l.quantity)
        returning v.id, v.product_id, -l.quantity as delta, v.on_hand, v.reserved, l.reference_id
      ), moved as (${movements(shop, sql`'sale'`, 'order')})
      select p.variant_id, p.quantity as requested, greatest(coalesce(v.on_hand - v.reserved, 0), 0) as available,
        c.id is not null as done
      from pieces p left join changed c on c.id = p.variant_id
      left join variants v on v.site_id = ${shop.siteId} and v.id = p.variant_id`,
  );
  const short = rows.filter(({ done }) => !done).map(({ done: _, ...shortage }) => shortage);
  if (short.length === 0) return;
  throw new ShopError('insufficient_stock', 'There is not enough stock of the products.', { lines: short });
}

/**
 * Takes pieces that are added to an order from the stock of tracked variants. The caller has locked the variants.
 * Returns the ids of the tracked variants. Throws `insufficient_stock`; the caller must then roll back.
 */
export async function sellMore(shop: Shop, order_id: string, wanted: Pieces[]): Promise<Set<string>> {
  if (wanted.length === 0) return new Set();
  const rows = await shop.rows<Shortage & { tracked: boolean; done: boolean }>(
    sql`with ${wantedPieces(wanted)}, changed as (
        update variants v set on_hand = v.on_hand - w.quantity, updated_at = now() from wanted w
        where v.site_id = ${shop.siteId} and v.id = w.variant_id and v.track_inventory
          and (v.inventory_policy = 'continue' or v.on_hand - v.reserved >= w.quantity)
        returning v.id, v.product_id, -w.quantity as delta, v.on_hand, v.reserved, ${order_id}::uuid as reference_id
      ), moved as (${movements(shop, sql`'sale'`, 'order')})
      select w.variant_id, w.quantity as requested, greatest(coalesce(v.on_hand - v.reserved, 0), 0) as available,
        coalesce(v.track_inventory, true) as tracked, c.id is not null as done
      from wanted w left join changed c on c.id = w.variant_id
      left join variants v on v.site_id = ${shop.siteId} and v.id = w.variant_id`,
  );
  const short = rows.filter(({ tracked, done }) => tracked && !done);
  if (short.length > 0) {
    const lines = short.map(({ variant_id, requested, available }) => ({ variant_id, requested, available }));
    throw new ShopError('insufficient_stock', 'There is not enough stock of the products.', { lines });
  }
  return new Set(rows.filter(({ tracked }) => tracked).map(({ variant_id }) => variant_id));
}

/** Locks variants in order of their ids, before a request both restocks and takes pieces of them. */
export async function lockVariants(shop: Shop, variant_ids: string[]): Promise<void> {
  await shop.run(
    sql`select from variants where site_id = ${shop.siteId} and id = any(${variant_ids}::uuid[]) order by id for update`,
  );
}

/** Restocks the unshipped items of an order, except those that a refund has removed. */
export async function restock(shop: Shop, order_id: string): Promise<void> {
  await restockPieces(
    shop,
    sql`update order_lines l set restocked = l.restocked + l.quantity - l.fulfilled - l.removed
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id} and l.stock_taken
      returning l.variant_id, l.quantity - l.fulfilled - l.removed as quantity`,
    { type: 'order', id: order_id },
  );
}

/** Restocks the quantities that `returned` selects as `variant_id` and `quantity`. Skips deleted variants. */
export async function restockPieces(
  shop: Shop,
  returned: Sql,
  reference: { type: 'order' | 'refund' | 'return'; id: string },
): Promise<void> {
  await shop.run(
    sql`with returned as (${returned}), pieces as (
        select variant_id, sum(quantity)::int as quantity, ${reference.id}::uuid as reference_id
        from returned group by variant_id having sum(quantity) > 0),
      ${lockedPieces(shop)}, changed as (
        update variants v set on_hand = v.on_hand + l.quantity, updated_at = now() from locked l
        where v.site_id = ${shop.siteId} and v.id = l.id
        returning v.id, v.product_id, l.quantity as delta, v.on_hand, v.reserved, l.reference_id
      )
      ${movements(shop, sql`'return'`, reference.type)}`,
  );
}

/** Selects and locks the variants in `pieces`, in order of ids. */
function lockedPieces(shop: Shop): Sql {
  return sql`locked as materialized (
      select v.id, p.quantity, p.reference_id from variants v join pieces p on p.variant_id = v.id
      where v.site_id = ${shop.siteId} order by v.id for update of v
    )`;
}

/**
 * Records a stock movement for each row of `changed`. For a sale or a return, delta is the change of the stock on hand;
 * for a reservation or a release, the change of the available stock.
 */
function movements(shop: Shop, type: Sql, reference_type: 'checkout' | 'order' | 'refund' | 'return'): Sql {
  return sql`insert into stock_movements (site_id, id, variant_id, product_id, type, delta, on_hand_after, reserved_after,
        reference_type, reference_id, actor_id)
      select ${shop.siteId}, uuid_v7(), id, product_id, ${type}, delta, on_hand, reserved, ${reference_type}, reference_id,
        ${shop.actorId} from changed`;
}

/** The last sentence of messages for agents. */
export const WHICH_ITEMS = ' The field lines lists the items.';

/**
 * The error for a shortage of these cart lines. Messages for agents contain no product names, because texts of
 * merchants may appear only in marked fields.
 */
export function insufficient(
  shop: Shop,
  short: Shortage[],
  lines: { id: string; variant_id: string; quantity: number; low_stock_threshold: number; label: string }[],
): ShopError {
  const byVariant = new Map(short.map((one) => [one.variant_id, one]));
  const found = lines.flatMap((line) => {
    const shortage = byVariant.get(line.variant_id);
    if (!shortage) return [];
    const { requested } = shortage;
    const available = shownQuantity(shop.showStock, shortage.available, line.low_stock_threshold);
    return [{ line_item_id: line.id, variant_id: line.variant_id, requested, available, label: line.label }];
  });
  const [first] = found;
  const isGone = first?.available === 0;
  const line = lines.find(({ id }) => id === first?.line_item_id);
  const left = byVariant.get(first?.variant_id ?? '')?.available ?? 0;
  const few = isTold(shop.showStock, left, line?.low_stock_threshold ?? 0) ? left : 'fewer';
  const amounts = `${few} available, ${first?.requested} requested`;
  const message = ['agent', 'guest_agent'].includes(shop.actorType)
    ? isGone
      ? `Out of stock.${WHICH_ITEMS}`
      : `Not enough stock: ${amounts}.${WHICH_ITEMS}`
    : isGone
      ? `Out of stock: ${first?.label}.`
      : `Not enough stock: ${first?.label} (${amounts}).`;
  return new ShopError('insufficient_stock', message, { lines: found.map(({ label: _, ...line }) => line) });
}
