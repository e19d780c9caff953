/** Only this file defines how many items of an order remain to ship. */

import type { LineQuantities, LineState } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { type Fields, jsonObject } from '../../db/fields.ts';
import { decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { hasStatus } from './overdue.ts';

/** The items of `order_lines l` that are neither shipped nor removed. */
export const unshipped: Sql = sql`(l.quantity - l.fulfilled - l.removed)`;

/** The items of `order_lines l` that can ship. Open withdrawals withhold items. */
export const toFulfill: Sql = sql`(${unshipped} - l.withheld)`;

/** Shipped items of `order_lines l` that are neither back, in an open return, nor refunded without a return. */
export const unreturned: Sql = sql`(l.fulfilled - l.returned - l.in_returns - l.refunded_unreturned)`;

/**
 * Pieces of `order_lines l` that can be returned: the unreturned ones, capped at the number of unrefunded ones. None
 * once the order is marked as returned, because imports and refunds of the whole order mark it without naming lines.
 */
export const returnable: Sql = sql`(case when exists (
    select from orders r where r.site_id = l.site_id and r.id = l.order_id and r.fulfillment_status = 'returned') then 0
  else least(${unreturned}, l.fulfilled - l.refunded_quantity + l.removed) end)`;

/** The amount charged for `order_lines l` of `orders o`, after discounts and with tax. */
export const charged: Sql = sql`(l.total - l.discount + case when o.tax_included then 0 else l.tax end)::text`;

/** Whether `orders o` has items to ship. The first two conditions match the index orders_open. */
export const isToShip: Sql = sql`o.status in ('confirmed', 'processing')
  and o.fulfillment_status in ('unfulfilled', 'partially_fulfilled') and exists (
    select from order_lines l where l.site_id = o.site_id and l.order_id = o.id and ${toFulfill} > 0)`;

const quantities: Fields<LineQuantities> = {
  line_item_id: sql`l.id`,
  fulfilled: sql`l.fulfilled`,
  refunded: sql`l.refunded_quantity`,
  removed: sql`l.removed`,
  returned: sql`l.returned`,
  to_fulfill: sql`case when ${hasStatus('cancelled')} then 0 else ${toFulfill} end`,
};

export const lineQuantities: Sql = sql`(
  select coalesce(json_agg(${jsonObject(quantities)} order by l.position, l.id), '[]')
  from order_lines l where l.site_id = o.site_id and l.order_id = o.id and l.quantity > 0)`;

export const pricedQuantities: Sql = sql`(
  select coalesce(json_agg(${jsonObject<PricedQuantities>({
    ...quantities,
    quantity: sql`l.quantity`,
    returnable,
    charged,
  })} order by l.position, l.id), '[]')
  from order_lines l where l.site_id = o.site_id and l.order_id = o.id and l.quantity > 0)`;

export interface PricedQuantities extends LineQuantities {
  quantity: number;
  returnable: number;
  /** The line's total with discounts and tax. */
  charged: string;
}

/**
 * Adds the refundable amount to the quantities of a line: the value of its unrefunded items, capped at the order's
 * refundable amount.
 */
export function lineStateOf(
  { quantity, charged, ...line }: PricedQuantities,
  refundable: number,
  digits: number,
): LineState {
  const cost = minorUnits(charged, digits);
  const left = cost - Math.round((cost * line.refunded) / quantity);
  return { ...line, refundable_amount: decimal(Math.min(left, refundable), digits) };
}

/**
 * Updates the number of withheld items in a locked order: items that open withdrawals cover, and items of confirmed
 * withdrawals that are not removed, because their refund has failed.
 */
export async function countWithheld(shop: Shop, order_id: string): Promise<void> {
  await shop.run(
    sql`update order_lines l set withheld = least(${unshipped}, w.open + greatest(0, w.confirmed - l.removed))
      from (
        select i.line_id, coalesce(sum(i.quantity) filter (where d.status = 'to_confirm'), 0)::int as open,
          sum(i.confirmed)::int as confirmed
        from order_lines b join withdrawal_lines i on i.site_id = b.site_id and i.line_id = b.id
        join withdrawals d on d.site_id = i.site_id and d.id = i.withdrawal_id
        where b.site_id = ${shop.siteId} and b.order_id = ${order_id} group by i.line_id
      ) w where l.site_id = ${shop.siteId} and l.id = w.line_id`,
  );
}

export interface Progress {
  /** Whether at least one item has shipped. */
  has_shipped: boolean;
  /**
   * Whether every item has shipped or was finally removed. A pending refund may still fail and return its items to the
   * order.
   */
  is_over: boolean;
  /** Whether all shipped items have come back. */
  is_back: boolean;
}

export async function progressOf(shop: Shop, order_id: string): Promise<Progress> {
  const found = await shop.one<Progress>(
    sql`select coalesce(bool_or(l.fulfilled > 0), false) as has_shipped,
        coalesce(bool_and(l.returned = l.fulfilled), true) as is_back,
        coalesce(bool_and(${unshipped} = 0), true) and not exists (
          select from payment_moves m join refund_items i on i.site_id = m.site_id and i.refund_id = m.id
          where m.site_id = ${shop.siteId} and m.order_id = ${order_id} and m.status = 'pending' and not i.shipped) as is_over
      from order_lines l where l.site_id = ${shop.siteId} and l.order_id = ${order_id}`,
  );
  if (!found) throw new Error('An aggregate without a row.');
  return found;
}
