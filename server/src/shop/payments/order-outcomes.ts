import sql from 'sql-template-tag';
import * as mail from '../mail.ts';
import * as orders from '../orders/orders.ts';
import { canMove, changesBetween, type OrderStates } from '../orders/states.ts';
import * as events from '../orders/timeline.ts';
import type { Shop } from '../shop.ts';
import type { Outcome } from './provider.ts';

/**
 * Applies the result of a payment to its locked order: paid, authorized, failed, or voided after the authorization
 * expired.
 */
export async function applyToOrder(shop: Shop, order: orders.LockedOrder, outcome: Outcome): Promise<void> {
  if (outcome.status === 'succeeded' && canMove(order, 'payment_status', 'paid')) {
    await orders.confirmPayment(shop, order, 'The card payment succeeded.');
  } else if (outcome.status === 'authorized' && canMove(order, 'payment_status', 'authorized')) {
    await authorize(shop, order);
  } else if (outcome.status === 'failed' && canMove(order, 'payment_status', 'failed')) {
    await end(shop, order, 'failed', outcome);
  } else if (outcome.status === 'cancelled' && canMove(order, 'payment_status', 'voided')) {
    await end(shop, order, 'voided', outcome);
  }
}

async function authorize(shop: Shop, order: orders.LockedOrder): Promise<void> {
  const after: Partial<OrderStates> = { payment_status: 'authorized' };
  if (order.status === 'pending') after.status = 'confirmed';
  await shop.run(
    sql`update orders set payment_status = 'authorized', status = ${after.status ?? order.status}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${order.id}`,
  );
  const message = 'The card payment was authorized.';
  await events.record(shop, order.id, { type: 'payment_authorized', message, context: changesBetween(order, after) });
}

/**
 * Records that a payment has failed for good, or that its authorization expired. Cancels the order unless part of it
 * has shipped.
 */
async function end(
  shop: Shop,
  order: orders.LockedOrder,
  payment_status: 'failed' | 'voided',
  { reason }: Outcome,
): Promise<void> {
  const after: Partial<OrderStates> = { payment_status };
  const cancels = canMove(order, 'status', 'cancelled') && order.fulfillment_status === 'unfulfilled';
  if (cancels) {
    await orders.end(shop, order, after, { reason: 'other', restock: true });
  } else {
    await shop.run(
      sql`update orders set payment_status = ${payment_status}, updated_at = now()
        where site_id = ${shop.siteId} and id = ${order.id}`,
    );
  }
  const message =
    payment_status === 'failed' ? 'The card payment failed.' : 'The authorization of the payment expired.';
  const context = { ...changesBetween(order, after), reason };
  await events.record(shop, order.id, { type: 'payment_failed', message, context });
  if (cancels) await tellCancelled(shop, order);
}

async function tellCancelled(shop: Shop, order: orders.LockedOrder): Promise<void> {
  const context = { ...changesBetween(order, { status: 'cancelled' }), reason: 'other', note: null, restock: true };
  const message = 'The order was cancelled, because its payment failed.';
  await events.record(shop, order.id, { type: 'cancelled', message, context });
  await mail.enqueue(shop, 'order_cancelled', { order_id: order.id });
}
