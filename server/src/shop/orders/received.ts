import type { Order, Refund } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { decimal, minorUnits } from '../money.ts';
import { isSettled } from './states.ts';

/**
 * The amount received for `orders o`: `captured` if it is known (partial captures, late payments), otherwise the total
 * of a paid order.
 */
export const amountReceived: Sql = sql`coalesce(o.captured,
  case when o.payment_status in ('paid', 'partially_refunded', 'refunded') then o.total else 0 end)`;

/** The payment status of a paid `orders o` according to its refunds. */
export const paidOrPartlyRefunded: Sql = sql`case when exists (
    select from refunds r left join payment_moves m on m.site_id = r.site_id and m.id = r.id
    where r.site_id = o.site_id and r.order_id = o.id and coalesce(m.status, 'succeeded') = 'succeeded')
  then 'partially_refunded' else 'paid' end`;

/**
 * The amount that the shop may keep: the total without pieces that came back unpaid or, for a cancelled order, the part that
 * the cancelling refund left.
 */
export const amountKept: Sql = sql`case when o.status = 'cancelled' then o.retained else o.total - o.credited end`;

export interface Received {
  amount_received: string;
  retained: string;
  /** Open and lost disputes. */
  disputed: string;
  /** The price of pieces that came back before the order was paid. */
  credited: string;
}

interface Money extends Pick<Order, 'status' | 'total'>, Received {
  refunds: Pick<Refund, 'amount' | 'status'>[];
}

/** Returns the amount that the customer still has to pay. */
export function amountDue(
  { status, payment_status, total, amount_received, credited }: Money & Pick<Order, 'payment_status'>,
  digits: number,
): string {
  if (status === 'cancelled' || isSettled(payment_status)) return decimal(0, digits);
  const charged = minorUnits(total, digits) - minorUnits(credited, digits);
  return decimal(Math.max(0, charged - minorUnits(amount_received, digits)), digits);
}

/** Returns the amount that the shop owes the customer. `lessPending` subtracts pending refunds. */
export function refundDue(order: Money, digits: number, { lessPending = false } = {}): string {
  const returned =
    sumOf(order.refunds, 'succeeded', digits) + (lessPending ? sumOf(order.refunds, 'pending', digits) : 0);
  const minor = (amount: string) => minorUnits(amount, digits);
  const kept = order.status === 'cancelled' ? minor(order.retained) : minor(order.total) - minor(order.credited);
  return decimal(Math.max(0, minor(order.amount_received) - minor(order.disputed) - returned - kept), digits);
}

export function sumOf(refunds: Money['refunds'], wanted: Refund['status'], digits: number): number {
  return refunds
    .filter(({ status }) => status === wanted)
    .reduce((sum, { amount }) => sum + minorUnits(amount, digits), 0);
}
