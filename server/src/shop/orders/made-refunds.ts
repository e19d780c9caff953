import type { RefundReason } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v5 as uuidv5 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import { ShopError } from '../errors.ts';
import { decimal } from '../money.ts';
import type { Shop } from '../shop.ts';
import type { MoveOutcome } from './moves.ts';
import { lockOrder } from './orders.ts';
import * as refunds from './refunds.ts';
import { isSettled } from './states.ts';

interface MadeRefund {
  /** Minor units. */
  amount: number;
  reason: RefundReason;
  outcome: MoveOutcome;
}

/** States of payments and of orders that no success changes any more. */
const OVER = ['failed', 'abandoned', 'cancelled', 'refunded'];
const UNPAID = ['failed', 'voided', 'expired'];

/**
 * Records a refund that was made at the provider itself, once: its id is derived from the provider's. It is recorded when the
 * money has been returned, and never for more than was captured: what does not fit, because a refund of ours is on its way that
 * the provider will refuse, throws `refund_exceeds_paid`, and the provider reports it again. It also does so after `conflict`,
 * when the refund was reported before its payment.
 */
export async function takeMadeRefund(
  shop: Shop,
  payment_id: string,
  { amount: minor, reason, outcome }: MadeRefund,
): Promise<boolean> {
  const id = uuidv5(outcome.reference, payment_id);
  if (outcome.status !== 'succeeded') return refunds.settle(shop, id, outcome);
  const payment = await shop.one<RowOf<'payments', 'status' | 'order_id'>>(
    sql`select status, order_id from payments where site_id = ${shop.siteId} and id = ${payment_id}`,
  );
  // The job gives back what is left of a payment without an order.
  if (!payment || OVER.includes(payment.status)) return false;
  const { order_id } = payment;
  if (!order_id) throw notYetPaid();
  const order = await lockOrder(shop, order_id);
  const known = await shop.one(sql`select from refunds where site_id = ${shop.siteId} and id = ${id}`);
  if (known) return false;
  if (UNPAID.includes(order.payment_status)) return false;
  if (!isSettled(order.payment_status)) throw notYetPaid();
  const isAll = await refunds.claim(shop, order_id, minor);
  const amount = decimal(minor, shop.currencyDigits);
  await shop.run(
    sql`insert into refunds (site_id, id, order_id, amount, reason, actor_id)
      values (${shop.siteId}, ${id}, ${order_id}, ${amount}, ${reason}, ${shop.actorId})`,
  );
  await shop.run(
    sql`insert into payment_moves (site_id, id, kind, payment_id, order_id, amount, status, reference)
      values (${shop.siteId}, ${id}, 'refund', ${payment_id}, ${order_id}, ${amount}, 'succeeded', ${outcome.reference})`,
  );
  if (isAll) await refunds.removeAll(shop, order, id);
  await refunds.succeed(shop, order_id, { id, amount, reason });
  return true;
}

function notYetPaid(): ShopError {
  return new ShopError('conflict', 'The payment is not known to have succeeded yet.');
}
