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
  /** In minor units. */
  amount: number;
  reason: RefundReason;
  outcome: MoveOutcome;
}

/** States of payments or orders that a later success does not change. */
const OVER = ['failed', 'abandoned', 'cancelled', 'refunded'];
const UNPAID = ['failed', 'voided', 'expired'];

/**
 * Records a refund that was made at the provider itself. It is recorded once, because its id is derived from the
 * provider's; after the money was returned; and never above the captured amount. Throws `refund_exceeds_paid` if it
 * does not fit because our own pending refund will be rejected by the provider, and `conflict` if it was reported
 * before its payment. In both cases the provider reports it again.
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
  // If the payment has no order, the job refunds the rest.
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
  return new ShopError('conflict', 'The success of the payment has not been reported yet. Retry the request.');
}
