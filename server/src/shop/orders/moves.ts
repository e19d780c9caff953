/**
 * Captures and refunds at a payment provider ("moves"). A request only records them; a job executes them after the
 * commit (checkout/moving.ts). The provider executes each id only once, even if it is sent again.
 */

import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { ShopError } from '../errors.ts';
import { minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { type LockedOrder, lockOrder } from './orders.ts';
import { isSettled } from './states.ts';

export interface NewMove {
  id: string;
  kind: 'capture' | 'refund';
  payment_id: string;
  order_id: string;
  amount: string;
}

/** Records a capture or refund. The job executes it after the commit. */
export async function beginMove(shop: Shop, { id, kind, payment_id, order_id, amount }: NewMove): Promise<void> {
  await shop.run(
    sql`insert into payment_moves (site_id, id, kind, payment_id, order_id, amount)
      values (${shop.siteId}, ${id}, ${kind}, ${payment_id}, ${order_id}, ${amount})`,
  );
  const job = JSON.stringify({ site_id: shop.siteId, move_id: id });
  await shop.run(sql`select enqueue('move_money', ${job}::json, now())`);
}

/** Returns the order's payment that the provider authorized, from its checkout. */
export function authorizedPaymentOf(shop: Shop, order_id: string): Promise<{ id: string; amount: string } | undefined> {
  return shop.one<RowOf<'payments', 'id' | 'amount'>>(
    sql`select id, amount from payments
      where site_id = ${shop.siteId} and order_id = ${order_id} and status = 'authorized' and purpose = 'checkout'`,
  );
}

/** A payment at a provider, with the amount that the provider can still refund, in minor units. */
export interface Refundable {
  id: string;
  left: number;
}

/**
 * Returns the payments at a provider that paid the order, in the order in which refunds use them: those of the order
 * itself, oldest first, then those of the order that an exchange replaced. Locks them, so that refunds of two orders do
 * not use the same money.
 */
export async function paymentsToRefund(shop: Shop, order_id: string): Promise<Refundable[]> {
  const locked = await shop.rows<{ id: string }>(
    sql`with recursive paid_by as (
        select o.id, o.exchange_of, 0 as distance from orders o where o.site_id = ${shop.siteId} and o.id = ${order_id}
        union all
        select o.id, o.exchange_of, b.distance + 1 from paid_by b
        join orders o on o.site_id = ${shop.siteId} and o.id = b.exchange_of
      )
      select p.id from paid_by b join payments p on p.site_id = ${shop.siteId} and p.order_id = b.id
      where p.status = 'succeeded' order by b.distance, p.created_at, p.id for no key update of p`,
  );
  // Reads the amounts in a separate statement, which sees the refunds that were made during the wait.
  const found = await shop.rows<{ id: string; left: string }>(
    sql`select p.id, (coalesce(p.captured_amount, p.amount) - least(o.disputed, (
        select coalesce(sum(d.amount), 0) from disputes d
        where d.site_id = p.site_id and d.payment_id = p.id and d.status in ('open', 'lost'))) - (
        select coalesce(sum(m.amount), 0) from payment_moves m
        where m.site_id = p.site_id and m.payment_id = p.id and m.kind = 'refund' and m.status <> 'failed'))::text as left
      from payments p join orders o on o.site_id = p.site_id and o.id = p.order_id
      where p.site_id = ${shop.siteId} and p.id = any(${locked.map(({ id }) => id)}::uuid[])`,
  );
  const left = new Map(found.map((one) => [one.id, minorUnits(one.left, shop.currencyDigits)]));
  return locked.map(({ id }) => ({ id, left: Math.max(0, left.get(id) ?? 0) }));
}

/** The states of payments and orders in which reported refunds and disputes change nothing. */
const OVER = ['failed', 'abandoned', 'cancelled', 'refunded'];
const UNPAID = ['failed', 'voided', 'expired'];

/**
 * Locks the paid order of a payment for which the provider reports a refund or dispute. Returns undefined if the report
 * is irrelevant. Throws `conflict` if the payment itself was not reported yet. The provider then sends the report
 * again.
 */
export async function orderOfPayment(shop: Shop, payment_id: string): Promise<LockedOrder | undefined> {
  const payment = await shop.one<RowOf<'payments', 'status' | 'order_id' | 'purpose'>>(
    sql`select status, order_id, purpose from payments where site_id = ${shop.siteId} and id = ${payment_id}`,
  );
  // A job refunds payments without an order.
  if (!payment || OVER.includes(payment.status)) return undefined;
  if (!payment.order_id) throw notYetPaid();
  const order = await lockOrder(shop, payment.order_id);
  if (payment.purpose === 'amount_due') {
    if (payment.status !== 'succeeded') throw notYetPaid();
    return order;
  }
  if (UNPAID.includes(order.payment_status)) return undefined;
  if (!isSettled(order.payment_status)) throw notYetPaid();
  return order;
}

function notYetPaid(): ShopError {
  return new ShopError('conflict', 'The success of the payment has not been reported yet. Retry the request.');
}

export interface MoveOutcome {
  status: 'pending' | 'succeeded' | 'failed';
  reference: string;
  reason: string | null;
}

/** Ends a pending capture or refund. Returns false if it was not pending. */
export async function endMove(
  shop: Shop,
  id: string,
  { status, reference, reason }: MoveOutcome & { status: 'succeeded' | 'failed' },
): Promise<boolean> {
  const ended = await shop.run(
    sql`update payment_moves set status = ${status}, reference = ${reference}, failure_reason = ${reason}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${id} and status = 'pending'`,
  );
  return ended > 0;
}

/** Marks a successful refund as failed. Returns false if it was not successful. */
export async function reverseMove(shop: Shop, id: string, { reason }: MoveOutcome): Promise<boolean> {
  const reversed = await shop.run(
    sql`update payment_moves set status = 'failed', failure_reason = ${reason}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${id} and kind = 'refund' and status = 'succeeded'`,
  );
  return reversed > 0;
}
