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

/** The payment status of a paid `orders o` according to its refunds. `received` is an SQL expression. */
export function paidOrRefunded(received: Sql = amountReceived): Sql {
  return sql`(
  select case when count(*) = 0 then 'paid' when sum(r.amount) < ${received} then 'partially_refunded' else 'refunded' end
  from refunds r left join payment_moves m on m.site_id = r.site_id and m.id = r.id
  where r.site_id = o.site_id and r.order_id = o.id and coalesce(m.status, 'succeeded') = 'succeeded')`;
}

/**
 * The amount that the shop may keep: the total minus `credited` and `released`. For a cancelled order, the amount that
 * was not refunded at its cancellation.
 */
export const amountKept: Sql = sql`case when o.status = 'cancelled' then o.retained
  else o.total - o.credited - coalesce(o.released, 0) end`;

export interface Received {
  amount_received: string;
  retained: string;
  /** The sum of open and lost disputes. */
  disputed: string;
  /** The price of items that were returned or removed without a refund. It lowers the total. */
  credited: string;
  /**
   * The part of the total that was neither received nor due before the first edit; null unless the order was edited
   * after it was paid (`keepVersion` in edit-writes.ts), or is an exchange order.
   */
  released: string | null;
  /** The parts of refunds that returned money above the price, after an overpayment or an edit. */
  overpaid: { succeeded: string; pending: string };
}

interface Money extends Pick<Order, 'status' | 'total'>, Received {
  refunds: Pick<Refund, 'amount' | 'status'>[];
}

/**
 * The amount received for `orders o` above its price, minus refunds of this surplus, including pending ones; negative
 * if less than the price was received.
 */
export const surplusLeft: Sql = sql`(${amountReceived} - o.disputed - (o.total - o.credited - coalesce(o.released, 0)) - (
  select coalesce(sum(r.overpaid), 0) from refunds r left join payment_moves m on m.site_id = r.site_id and m.id = r.id
  where r.site_id = o.site_id and r.order_id = o.id and m.status is distinct from 'failed'))`;

/** An SQL expression for `overpaid` of `orders o`. */
export const overpaidParts: Sql = sql`(
  select json_build_object(
    'succeeded', coalesce(sum(r.overpaid) filter (where coalesce(m.status, 'succeeded') = 'succeeded'), 0)::text,
    'pending', coalesce(sum(r.overpaid) filter (where m.status = 'pending'), 0)::text)
  from refunds r left join payment_moves m on m.site_id = r.site_id and m.id = r.id
  where r.site_id = o.site_id and r.order_id = o.id)`;

/**
 * The amount left to pay of `orders o` that is not cancelled, as `amountDue` returns it. It can be outdated in a
 * statement that waits for the lock of the order.
 */
export const leftToPay: Sql = sql`round(greatest(0, case
    when o.payment_status not in ('paid', 'partially_refunded', 'refunded') then o.total - o.credited - coalesce(o.captured, 0)
    when o.released is null then 0
    else o.total - o.credited - o.released - o.captured + (
      select coalesce(sum(r.overpaid), 0) from refunds r left join payment_moves m on m.site_id = r.site_id and m.id = r.id
      where r.site_id = o.site_id and r.order_id = o.id and coalesce(m.status, 'succeeded') = 'succeeded') end), scale(o.total))`;

/**
 * Returns the amount that the customer still has to pay. A paid order has one only after an edit, or if it is an
 * exchange order.
 */
export function amountDue(order: Money & Pick<Order, 'payment_status'>, digits: number): string {
  const { status, payment_status, total, amount_received, credited, released } = order;
  if (status === 'cancelled' || (isSettled(payment_status) && released === null)) return decimal(0, digits);
  if (isSettled(payment_status)) return decimal(Math.max(0, -surplus(order, digits)), digits);
  const charged = minorUnits(total, digits) - minorUnits(credited, digits);
  return decimal(Math.max(0, charged - minorUnits(amount_received, digits)), digits);
}

/**
 * The amount received above the price of an order, minus refunds of this surplus; negative if less than the price was
 * received.
 */
function surplus({ total, credited, amount_received, released, overpaid }: Money, digits: number): number {
  const minor = (amount: string) => minorUnits(amount, digits);
  const kept = minor(total) - minor(credited) - minor(released ?? '0');
  return minor(amount_received) - kept - minor(overpaid.succeeded);
}

/** Returns the amount that the shop owes the customer. `lessPending` subtracts pending refunds. */
export function refundDue(order: Money, digits: number, { lessPending = false } = {}): string {
  const returned =
    sumOf(order.refunds, 'succeeded', digits) + (lessPending ? sumOf(order.refunds, 'pending', digits) : 0);
  const minor = (amount: string) => minorUnits(amount, digits);
  const left = minor(order.amount_received) - minor(order.disputed) - returned;
  if (order.status === 'cancelled') return decimal(Math.max(0, left - minor(order.retained)), digits);
  const pending = lessPending ? minor(order.overpaid.pending) : 0;
  const owed = surplus(order, digits) - pending - minor(order.disputed);
  return decimal(Math.max(0, Math.min(owed, left)), digits);
}

export function sumOf(refunds: Money['refunds'], wanted: Refund['status'], digits: number): number {
  return refunds
    .filter(({ status }) => status === wanted)
    .reduce((sum, { amount }) => sum + minorUnits(amount, digits), 0);
}
