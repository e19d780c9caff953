import type { RefundReason } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v5 as uuidv5 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import { decimal } from '../money.ts';
import type { Shop } from '../shop.ts';
import { type MoveOutcome, orderOfPayment } from './moves.ts';
import { type LockedOrder, lockOrder } from './orders.ts';
import * as refunds from './refunds.ts';

interface MadeRefund {
  amount: number;
  reason: RefundReason;
  outcome: MoveOutcome;
}

/**
 * Records a refund that staff made in the provider's dashboard. Its id is derived from the provider's id, so it is
 * recorded only once. If an exchange has moved part of the amount to another order, that part is recorded there. Throws
 * `refund_exceeds_paid` if a pending refund of ours needs the same amount, and `conflict` if the payment itself was not
 * reported yet. After a `conflict` or `refund_exceeds_paid`, the provider sends the webhook again.
 */
export async function takeMadeRefund(
  shop: Shop,
  payment_id: string,
  { amount, reason, outcome }: MadeRefund,
): Promise<boolean> {
  if (outcome.status !== 'succeeded') return settleParts(shop, payment_id, outcome);
  const order = await orderOfPayment(shop, payment_id);
  if (!order) return false;
  if ((await partsOf(shop, payment_id, outcome)).length > 0) return false;
  const id = uuidv5(outcome.reference, payment_id);
  const exchanges = await exchangesOf(shop, order.id);
  let left = amount;
  for (const exchange of exchanges.length > 0 ? [order, ...exchanges] : []) {
    const minor = Math.min(left, await refunds.refundableAtProvider(shop, exchange.id));
    if (minor === 0) continue;
    left -= minor;
    const part = exchange === order ? id : uuidv5(exchange.id, id);
    await record(shop, exchange, { id: part, payment_id, minor, reason, reference: outcome.reference });
  }
  if (left > 0) await record(shop, order, { id, payment_id, minor: left, reason, reference: outcome.reference });
  return true;
}

interface Part {
  id: string;
  payment_id: string;
  minor: number;
  reason: RefundReason;
  reference: string;
}

async function record(
  shop: Shop,
  order: LockedOrder,
  { id, payment_id, minor, reason, reference }: Part,
): Promise<void> {
  const { id: order_id } = order;
  const { isAll, overpaid } = await refunds.claim(shop, order_id, minor, { isMade: true });
  const amount = decimal(minor, shop.currencyDigits);
  await shop.run(
    sql`insert into refunds (site_id, id, order_id, amount, reason, actor_id, overpaid)
      values (${shop.siteId}, ${id}, ${order_id}, ${amount}, ${reason}, ${shop.actorId}, ${overpaid}::numeric)`,
  );
  await shop.run(
    sql`insert into payment_moves (site_id, id, kind, payment_id, order_id, amount, status, reference)
      values (${shop.siteId}, ${id}, 'refund', ${payment_id}, ${order_id}, ${amount}, 'succeeded', ${reference})`,
  );
  if (isAll) await refunds.removeAll(shop, order, id);
  await refunds.succeed(shop, order_id, { id, amount, reason });
}

/** The recorded parts of a refund, sorted by order id. */
function partsOf(shop: Shop, payment_id: string, { reference }: MoveOutcome): Promise<{ id: string }[]> {
  return shop.rows<RowOf<'payment_moves', 'id'>>(
    sql`select id from payment_moves where site_id = ${shop.siteId} and payment_id = ${payment_id} and kind = 'refund'
        and reference = ${reference} order by order_id`,
  );
}

async function settleParts(shop: Shop, payment_id: string, outcome: MoveOutcome): Promise<boolean> {
  let isChanged = false;
  for (const { id } of await partsOf(shop, payment_id, outcome)) {
    if (await refunds.settle(shop, id, outcome)) isChanged = true;
  }
  return isChanged;
}

/** Locks the exchange orders to which money of a locked order has moved, in order of ids, oldest first. */
async function exchangesOf(shop: Shop, order_id: string): Promise<LockedOrder[]> {
  const found = await shop.rows<RowOf<'orders', 'id'>>(
    sql`with recursive made as (
        select o.id from orders o where o.site_id = ${shop.siteId} and o.exchange_of = ${order_id}
        union all
        select o.id from made m join orders o on o.site_id = ${shop.siteId} and o.exchange_of = m.id
      )
      select id from made order by id`,
  );
  const locked: LockedOrder[] = [];
  for (const { id } of found) locked.push(await lockOrder(shop, id));
  return locked;
}
