import type { Order, Refund, RefundReason } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import { canonicalAmount, decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { lockOrder } from './orders.ts';
import { getOrder, refundObject } from './rows.ts';
import { canMove, changesBetween, invalidTransition, isSettled, type OrderStates } from './states.ts';
import * as events from './timeline.ts';

/** Records of money that went back. They send none. */

const MAX_REFUNDS = 250;

/** The refunds of an order, oldest first. Throws `not_found`. */
export async function list(shop: Shop, order_id: string): Promise<{ refunds: Refund[] }> {
  const rows = await shop.rows<{ refund: Refund | null }>(
    sql`select case when r.id is not null then ${refundObject} end as refund
      from orders o left join refunds r on r.site_id = o.site_id and r.order_id = o.id
      where o.site_id = ${shop.siteId} and o.id = ${order_id} order by r.created_at, r.id`,
  );
  if (rows.length === 0) throw notFound('order');
  return { refunds: rows.flatMap(({ refund }) => refund ?? []) };
}

export interface RefundInput {
  amount: string;
  reason: RefundReason;
  note?: string | null;
}

/** Records a refund of at most what was paid and not refunded. Throws `invalid_transition` or `refund_exceeds_paid`. */
export async function create(
  shop: Shop,
  order_id: string,
  input: RefundInput,
): Promise<{ refund: Refund; order: Order }> {
  const digits = shop.currencyDigits;
  const amount = minorUnits(canonicalAmount(input.amount, digits, ['body', 'amount']), digits);
  if (amount === 0)
    throw new ValidationError([bodyMistake(['amount'], 'greater_than', 'This must be above 0.', { gt: 0 })]);

  const order = await lockOrder(shop, order_id);
  if (!isSettled(order.payment_status)) {
    throw invalidTransition(order, 'payment_status', 'refunded', 'An order that was not paid cannot be refunded.');
  }
  const { refundable, ...known } = await balanceOf(shop, order_id, minorUnits(order.total, digits));
  if (amount > refundable) {
    throw new ShopError('refund_exceeds_paid', `Only ${decimal(refundable, digits)} can still be refunded.`, {
      paid: decimal(known.paid, digits),
      refunded: decimal(known.refunded, digits),
      refundable: decimal(refundable, digits),
    });
  }
  if (known.count >= MAX_REFUNDS && amount < refundable) {
    throw new ShopError('limit_reached', `An order has ${MAX_REFUNDS} refunds at most.`, { limit: MAX_REFUNDS });
  }
  const after: Partial<OrderStates> = { payment_status: amount === refundable ? 'refunded' : 'partially_refunded' };
  const returned = input.reason === 'returned' && amount === refundable;
  if (returned && canMove(order, 'fulfillment_status', 'returned')) after.fulfillment_status = 'returned';

  const id = uuidv7();
  await insert(shop, order_id, id, decimal(amount, digits), input);
  await shop.run(
    sql`update orders set payment_status = ${after.payment_status},
        fulfillment_status = ${after.fulfillment_status ?? order.fulfillment_status}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${order_id}`,
  );
  const { fulfillment_status, ...money } = after;
  await events.record(shop, order_id, {
    type: 'refunded',
    message: `${decimal(amount, digits)} ${shop.currency} went back.`,
    context: { ...changesBetween(order, money), refund_id: id, amount: decimal(amount, digits), reason: input.reason },
  });
  if (fulfillment_status) {
    const context = changesBetween(order, { fulfillment_status });
    await events.record(shop, order_id, { type: 'returned', message: 'The goods came back.', context });
  }
  return { refund: await get(shop, id), order: await getOrder(shop, order_id) };
}

/** What was paid for a locked order and what went back, in minor units. */
async function balanceOf(shop: Shop, order_id: string, paid: number) {
  const sums = await shop.one<{ amount: string; count: number }>(
    sql`select coalesce(sum(amount), 0)::text as amount, count(*) as count from refunds
      where site_id = ${shop.siteId} and order_id = ${order_id}`,
  );
  const refunded = minorUnits(sums?.amount ?? '0', shop.currencyDigits);
  return { paid, refunded, refundable: paid - refunded, count: sums?.count ?? 0 };
}

async function insert(shop: Shop, order_id: string, id: string, amount: string, { reason, note }: RefundInput) {
  await shop.run(
    sql`insert into refunds (site_id, id, order_id, amount, reason, note, actor_id)
      values (${shop.siteId}, ${id}, ${order_id}, ${amount}, ${reason}, ${note ?? null}, ${shop.actorId})`,
  );
}

async function get(shop: Shop, id: string): Promise<Refund> {
  const found = await shop.one<{ refund: Refund }>(
    sql`select ${refundObject} as refund from refunds r join orders o on o.site_id = r.site_id and o.id = r.order_id
      where r.site_id = ${shop.siteId} and r.id = ${id}`,
  );
  if (!found) throw notFound('refund');
  return found.refund;
}
