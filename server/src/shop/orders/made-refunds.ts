import type { RefundReason } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v5 as uuidv5 } from 'uuid';
import { decimal } from '../money.ts';
import type { Shop } from '../shop.ts';
import { type MoveOutcome, orderOfPayment } from './moves.ts';
import * as refunds from './refunds.ts';

interface MadeRefund {
  amount: number;
  reason: RefundReason;
  outcome: MoveOutcome;
}

/**
 * Records a refund that staff made in the provider's dashboard. Its id is derived from the provider's, so it is
 * recorded once. Throws `refund_exceeds_paid` if a pending refund of ours needs the same amount, and `conflict` if the
 * payment itself was not reported yet. The provider then sends the webhook again.
 */
export async function takeMadeRefund(
  shop: Shop,
  payment_id: string,
  { amount: minor, reason, outcome }: MadeRefund,
): Promise<boolean> {
  const id = uuidv5(outcome.reference, payment_id);
  if (outcome.status !== 'succeeded') return refunds.settle(shop, id, outcome);
  const order = await orderOfPayment(shop, payment_id);
  if (!order) return false;
  const { id: order_id } = order;
  const known = await shop.one(sql`select from refunds where site_id = ${shop.siteId} and id = ${id}`);
  if (known) return false;
  const { isAll, overpaid } = await refunds.claim(shop, order_id, minor, { isMade: true });
  const amount = decimal(minor, shop.currencyDigits);
  await shop.run(
    sql`insert into refunds (site_id, id, order_id, amount, reason, actor_id, overpaid)
      values (${shop.siteId}, ${id}, ${order_id}, ${amount}, ${reason}, ${shop.actorId}, ${overpaid}::numeric)`,
  );
  await shop.run(
    sql`insert into payment_moves (site_id, id, kind, payment_id, order_id, amount, status, reference)
      values (${shop.siteId}, ${id}, 'refund', ${payment_id}, ${order_id}, ${amount}, 'succeeded', ${outcome.reference})`,
  );
  if (isAll) await refunds.removeAll(shop, order, id);
  await refunds.succeed(shop, order_id, { id, amount, reason });
  return true;
}
