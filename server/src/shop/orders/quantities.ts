import type { LineQuantities, LineState } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { type Fields, jsonObject } from '../../db/fields.ts';
import { decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { hasStatus } from './overdue.ts';

/** Quantities of an order. Only this file defines how many items are left to ship. */

/** Unshipped quantity of `order_lines l`. */
export const toFulfill: Sql = sql`(l.quantity - l.fulfilled - l.removed)`;

/** Whether `orders o` is open and has items left to ship. The first two conditions match the index orders_open. */
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

/** The LineQuantities of all lines of `orders o`. */
export const lineQuantities: Sql = sql`(
  select coalesce(json_agg(${jsonObject(quantities)} order by l.position, l.id), '[]')
  from order_lines l where l.site_id = o.site_id and l.order_id = o.id)`;

/** The LineQuantities of all lines of `orders o`, with their prices and quantities. */
export const pricedQuantities: Sql = sql`(
  select coalesce(json_agg(${jsonObject<PricedQuantities>({
    ...quantities,
    quantity: sql`l.quantity`,
    charged: sql`(l.total - l.discount + case when o.tax_included then 0 else l.tax end)::text`,
  })} order by l.position, l.id), '[]')
  from order_lines l where l.site_id = o.site_id and l.order_id = o.id)`;

export interface PricedQuantities extends LineQuantities {
  quantity: number;
  /** After discounts and with tax. */
  charged: string;
}

/**
 * The state of a line with the amount that can still be refunded: the share of its unrefunded items, within the order's
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

/** How much of a locked order has shipped. */
export interface Progress {
  /** Whether something has shipped. */
  has_shipped: boolean;
  /** Whether everything has shipped or was removed, and no pending refund can fail and return items to the order. */
  is_over: boolean;
}

export async function progressOf(shop: Shop, order_id: string): Promise<Progress> {
  const found = await shop.one<Progress>(
    sql`select coalesce(bool_or(l.fulfilled > 0), false) as has_shipped,
        coalesce(bool_and(${toFulfill} = 0), true) and not exists (
          select from payment_moves m join refund_items i on i.site_id = m.site_id and i.refund_id = m.id
          where m.site_id = ${shop.siteId} and m.order_id = ${order_id} and m.status = 'pending' and not i.shipped) as is_over
      from order_lines l where l.site_id = ${shop.siteId} and l.order_id = ${order_id}`,
  );
  if (!found) throw new Error('An aggregate without a row.');
  return found;
}
