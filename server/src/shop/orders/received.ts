import type { Order, Refund } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { decimal, minorUnits } from '../money.ts';

/** Received, refunded and owed amounts of an order. */

/**
 * Amount received for `orders o`: `captured` if known, such as a partial capture or a recorded late payment; otherwise
 * the total of a paid order.
 */
export const amountReceived: Sql = sql`coalesce(o.captured,
  case when o.payment_status in ('paid', 'partially_refunded', 'refunded') then o.total else 0 end)`;

/** Payment status of a paid `orders o`, depending on its refunds: paid or partially refunded. */
export const paidOrPartlyRefunded: Sql = sql`case when exists (
    select from refunds r left join payment_moves m on m.site_id = r.site_id and m.id = r.id
    where r.site_id = o.site_id and r.order_id = o.id and coalesce(m.status, 'succeeded') = 'succeeded')
  then 'partially_refunded' else 'paid' end`;

/**
 * The amount that the shop may keep: the total or, for a cancelled order, the amount left by the refund that cancelled
 * it.
 */
export const amountKept: Sql = sql`case when o.status = 'cancelled' then o.retained else o.total end`;

export interface Received {
  amount_received: string;
  retained: string;
}

interface Money extends Pick<Order, 'status' | 'total'>, Received {
  refunds: Pick<Refund, 'amount' | 'status'>[];
}

/** The amount that the shop owes the customer; with `lessPending`, minus pending refunds. */
export function refundDue(order: Money, digits: number, { lessPending = false } = {}): string {
  const returned =
    sumOf(order.refunds, 'succeeded', digits) + (lessPending ? sumOf(order.refunds, 'pending', digits) : 0);
  const kept = order.status === 'cancelled' ? order.retained : order.total;
  return decimal(Math.max(0, minorUnits(order.amount_received, digits) - returned - minorUnits(kept, digits)), digits);
}

export function sumOf(refunds: Money['refunds'], wanted: Refund['status'], digits: number): number {
  return refunds
    .filter(({ status }) => status === wanted)
    .reduce((sum, { amount }) => sum + minorUnits(amount, digits), 0);
}
