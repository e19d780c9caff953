import type { CancelReason, RefundReason } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import * as budgets from '../agent-limits/budgets.ts';
import type { Shop } from '../shop.ts';
import { end, type LockedOrder, lockOrder, paysOnReceipt } from './orders.ts';
import { progressOf } from './quantities.ts';
import { amountReceived, surplusLeft } from './received.ts';
import { canMove, changesBetween, isSettled, type OrderStates } from './states.ts';
import * as events from './timeline.ts';

/**
 * Ends a locked order if a refund leaves nothing to ship: as fulfilled if part of it has shipped, otherwise as
 * cancelled. The cancellation itself restocks nothing, because the refund decides about that.
 */
export async function endIfNothingLeft(shop: Shop, order: LockedOrder, reason: RefundReason): Promise<void> {
  const { has_shipped, is_over } = await progressOf(shop, order.id);
  if (!is_over) return;
  if (has_shipped) {
    if (order.fulfillment_status === 'partially_fulfilled') {
      await becomeFulfilled(shop, order, 'The rest was refunded before it shipped. Nothing is left to ship.');
    }
    await endIfAllBack(shop, order.id);
  } else if (canMove(order, 'status', 'cancelled')) {
    await becomeCancelled(shop, order, reason === 'customer' ? 'customer' : 'other');
  }
}

/**
 * Marks a locked order as returned if all its shipped items are back and none is left to ship. If payment was due on
 * receipt and the order is unpaid, cancels the rest of the amount due, such as the delivery cost, and returns the
 * amount to the agent's budget.
 */
export async function endIfAllBack(shop: Shop, order_id: string): Promise<void> {
  const { has_shipped, is_over, is_back } = await progressOf(shop, order_id);
  if (!has_shipped || !is_over || !is_back) return;
  const order = await lockOrder(shop, order_id);
  if (!canMove(order, 'fulfillment_status', 'returned')) return;
  await becomeReturned(shop, order);
  if (!paysOnReceipt(order) || isSettled(order.payment_status)) return;
  await shop.run(
    sql`update orders set credited = greatest(credited, total - coalesce(captured, 0))
      where site_id = ${shop.siteId} and id = ${order_id}`,
  );
  if (order.agent_token_id) await budgets.giveBack(shop, order_id);
}

/** Marks a locked order as returned. */
export async function becomeReturned(shop: Shop, order: LockedOrder): Promise<void> {
  await shop.run(
    sql`update orders set fulfillment_status = 'returned', updated_at = now()
      where site_id = ${shop.siteId} and id = ${order.id}`,
  );
  const context = changesBetween(order, { fulfillment_status: 'returned' });
  await events.record(shop, order.id, { type: 'returned', message: 'The goods were returned.', context });
}

/** Marks a locked order as fulfilled, because the rest of it will not ship. `message` is the reason. */
export async function becomeFulfilled(shop: Shop, order: LockedOrder, message: string): Promise<void> {
  const after: Partial<OrderStates> = { fulfillment_status: 'fulfilled' };
  await shop.run(
    sql`update orders set fulfillment_status = 'fulfilled', shipped_at = now(), updated_at = now()
      where site_id = ${shop.siteId} and id = ${order.id}`,
  );
  await events.record(shop, order.id, { type: 'updated', message, context: changesBetween(order, after) });
}

async function becomeCancelled(shop: Shop, order: LockedOrder, reason: CancelReason): Promise<void> {
  const after: Partial<OrderStates> = { status: 'cancelled' };
  // The order is not fully paid, so its open payment is voided.
  if (canMove(order, 'payment_status', 'voided')) after.payment_status = 'voided';
  await end(shop, order, after, { reason, restock: false });
  await shop.run(
    // The amount received above the price is still owed to the customer.
    sql`update orders o
      set retained = greatest(0, ${amountReceived} - o.refunds_begun - greatest(0, ${surplusLeft} + o.disputed))
      where o.site_id = ${shop.siteId} and o.id = ${order.id}`,
  );
  const message = 'The order was cancelled, because all of it was refunded before it shipped.';
  const context = { ...changesBetween(order, after), reason, note: null, restock: false };
  await events.record(shop, order.id, { type: 'cancelled', message, context });
}
