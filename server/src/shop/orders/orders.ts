import type { CancelReason, CustomerOrder, Metadata, Order, OrderDetails, PaymentMethod } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import * as budgets from '../agent-limits/budgets.ts';
import * as redemptions from '../carts/redemptions.ts';
import { notFound, ShopError } from '../errors.ts';
import * as mail from '../mail.ts';
import type { Shop } from '../shop.ts';
import * as stock from '../stock/stock.ts';
import { current, isOverdue } from './overdue.ts';
import * as rows from './rows.ts';
import { canMove, changesBetween, invalidTransition, isSettled, type OrderStates, requireMove } from './states.ts';
import * as events from './timeline.ts';

/**
 * Changes of existing orders, in one transaction:
 * 1. lock the order
 * 2. reject a status change that states.ts does not list
 * 3. update the order (cancelling releases agent budget, discount code and stock too)
 * 4. write the timeline, whose trigger writes the event, and enqueue the mail. Lock order: order, agent budget,
 *    discount, variants.
 */

/** An order with all its parts. Throws `not_found`. */
export function get(shop: Shop, id: string): Promise<OrderDetails> {
  return rows.getDetails(shop, id);
}

/** An order of this customer. Throws `not_found`, even for an order of another customer. */
export function getOfCustomer(shop: Shop, customer_id: string, id: string): Promise<CustomerOrder> {
  return rows.getForCustomer(shop, id, customer_id);
}

export interface OrderPatch {
  note?: string | null;
  staff_note?: string | null;
  metadata?: Metadata;
}

/** Changes the given notes and metadata. Ordered items never change. Throws `not_found`. */
export async function update(shop: Shop, id: string, patch: OrderPatch): Promise<OrderDetails> {
  const has = (field: keyof OrderPatch) => patch[field] !== undefined;
  const changed = await shop.run(
    sql`update orders set note = case when ${has('note')} then ${patch.note ?? null} else note end,
        staff_note = case when ${has('staff_note')} then ${patch.staff_note ?? null} else staff_note end,
        metadata = coalesce(${patch.metadata ? JSON.stringify(patch.metadata) : null}::jsonb, metadata), updated_at = now()
      where site_id = ${shop.siteId} and id = ${id}`,
  );
  if (changed === 0) throw notFound('order');
  const fields = Object.keys(patch);
  await events.record(shop, id, {
    type: 'updated',
    message: `Changed: ${fields.join(', ').replaceAll('_', ' ')}.`,
    context: { fields },
  });
  return rows.getDetails(shop, id);
}

/** The fields of an order on which changes depend. */
export interface LockedOrder extends OrderStates {
  id: string;
  order_number: string;
  payment_method: PaymentMethod | null;
  total: string;
  email: string | null;
  /**
   * Whether the order is past its payment deadline but not yet recorded as expired. The states here are already those
   * of an expired order.
   */
  overdue: boolean;
  cart_id: string | null;
  /** The agent whose budget was spent, if any. */
  agent_token_id: string | null;
}

const lockedColumns = sql`o.id, o.order_number, ${current.status} as status, ${current.payment_status} as payment_status,
  o.fulfillment_status, o.payment_method, o.total, o.email, o.agent_token_id, ${isOverdue} as overdue, (
    select k.cart_id from checkouts k where k.site_id = o.site_id and k.id = o.checkout_id) as cart_id`;

/** Locks an order, so that its changes run one after the other. Throws `not_found`. */
export async function lockOrder(shop: Shop, id: string): Promise<LockedOrder> {
  const found = await shop.one<LockedOrder>(
    sql`select ${lockedColumns} from orders o where o.site_id = ${shop.siteId} and o.id = ${id} for update of o`,
  );
  if (!found) throw notFound('order');
  return found;
}

/** Locks several orders by number, in id order, so that two calls for the same orders cannot deadlock. */
export function lockOrdersNumbered(shop: Shop, order_numbers: string[]): Promise<LockedOrder[]> {
  return shop.rows<LockedOrder>(
    sql`select ${lockedColumns} from orders o
      where o.site_id = ${shop.siteId} and o.order_number = any(${order_numbers}::text[]) order by o.id for update of o`,
  );
}

/**
 * Records that the bank transfer has arrived; a paid order stays unchanged. Throws `not_bank_transfer` or
 * `payment_not_awaiting`.
 */
export async function markPaid(shop: Shop, id: string): Promise<Order> {
  const order = await lockOrder(shop, id);
  if (awaitsTransfer(order)) await confirmPayment(shop, order, TRANSFER_ARRIVED);
  return rows.getOrder(shop, id);
}

export const TRANSFER_ARRIVED = 'The bank transfer has arrived.';

/**
 * Whether the order awaits its bank transfer; false if it is already paid. Throws `not_bank_transfer` or
 * `payment_not_awaiting` otherwise.
 */
export function awaitsTransfer({ payment_method, payment_status }: LockedOrder): boolean {
  if (payment_method !== 'bank_transfer') {
    throw new ShopError('not_bank_transfer', 'The order is not paid by bank transfer.', { payment_method });
  }
  if (payment_status === 'paid') return false;
  if (payment_status === 'awaiting_payment') return true;
  const words = payment_status.replaceAll('_', ' ');
  const next = payment_status === 'expired' ? { next: 'cancel_or_refund' } : {};
  throw new ShopError('payment_not_awaiting', `The order is not awaiting payment; it is ${words}.`, {
    payment_status,
    ...next,
  });
}

/** Marks a locked order as paid, and confirms or completes it. */
export async function confirmPayment(
  shop: Shop,
  order: LockedOrder,
  message: string,
  statement_run_id: string | null = null,
): Promise<void> {
  const after: Partial<OrderStates> = { payment_status: 'paid' };
  if (order.status === 'pending') after.status = 'confirmed';
  if (order.status === 'processing' && order.fulfillment_status === 'delivered') after.status = 'completed';
  await shop.run(
    sql`update orders set payment_status = 'paid', status = ${after.status ?? order.status},
        payment_confirmed_at = coalesce(payment_confirmed_at, now()), statement_run_id = ${statement_run_id}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${order.id}`,
  );
  await events.record(shop, order.id, { type: 'payment_confirmed', message, context: changesBetween(order, after) });
  await mail.enqueue(shop, 'payment_received', { order_id: order.id });
}

/**
 * Records that the whole order was delivered. An order that is paid on handover becomes paid too. Throws
 * `invalid_transition`.
 */
export async function markDelivered(shop: Shop, id: string): Promise<Order> {
  const order = await lockOrder(shop, id);
  requireMove(order, 'fulfillment_status', 'delivered', 'Only a completely shipped order can be delivered.');
  const paidNow = order.payment_method === 'manual' && order.payment_status === 'pending';
  const after: Partial<OrderStates> = { fulfillment_status: 'delivered' };
  if (paidNow) after.payment_status = 'paid';
  const settled = isSettled(after.payment_status ?? order.payment_status);
  if (settled && canMove(order, 'status', 'completed')) after.status = 'completed';
  await shop.run(
    sql`update orders set fulfillment_status = 'delivered', status = ${after.status ?? order.status},
        payment_status = ${after.payment_status ?? order.payment_status},
        payment_confirmed_at = case when ${paidNow} then coalesce(payment_confirmed_at, now()) else payment_confirmed_at end,
        delivered_at = now(), updated_at = now()
      where site_id = ${shop.siteId} and id = ${id}`,
  );
  await shop.run(
    sql`update fulfillments set delivered_at = now()
      where site_id = ${shop.siteId} and order_id = ${id} and delivered_at is null`,
  );
  const { payment_status, ...arrived } = changesBetween(order, after);
  if (paidNow) {
    const message = 'The order was paid on handover.';
    await events.record(shop, id, { type: 'payment_confirmed', message, context: { payment_status } });
  }
  await events.record(shop, id, { type: 'delivered', message: 'The order was delivered.', context: arrived });
  return rows.getOrder(shop, id);
}

export interface Cancellation {
  reason: CancelReason;
  note?: string | null;
  restock?: boolean;
}

/**
 * Cancels an order before shipping: releases its stock and discount code, and voids an open payment. Throws
 * `invalid_transition`.
 */
export async function cancel(shop: Shop, id: string, { reason, note, restock = true }: Cancellation): Promise<Order> {
  const order = await lockOrder(shop, id);
  if (!canMove(order, 'status', 'cancelled') || order.fulfillment_status !== 'unfulfilled') {
    throw invalidTransition(order, 'status', 'cancelled', `An order with status ${order.status} cannot be cancelled.`);
  }
  const after: Partial<OrderStates> = { status: 'cancelled' };
  if (canMove(order, 'payment_status', 'voided')) after.payment_status = 'voided';
  await end(shop, order, after, { reason, restock });
  const context = { ...changesBetween(order, after), reason, note: note ?? null, restock };
  await events.record(shop, id, { type: 'cancelled', message: 'The order was cancelled.', context });
  await mail.enqueue(shop, 'order_cancelled', { order_id: id });
  return rows.getOrder(shop, id);
}

/**
 * Ends a locked order before shipping, and returns its unpaid amount to the agent's budget. The caller writes the
 * timeline.
 */
export async function end(
  shop: Shop,
  order: LockedOrder,
  { payment_status = order.payment_status }: Partial<OrderStates>,
  { reason, restock }: { reason: CancelReason; restock: boolean },
): Promise<void> {
  await shop.run(
    sql`update orders set status = 'cancelled', payment_status = ${payment_status}, cancel_reason = ${reason},
        cancelled_at = now(), updated_at = now()
      where site_id = ${shop.siteId} and id = ${order.id}`,
  );
  if (payment_status === 'voided') await abandonPayments(shop, order.id);
  await giveBack(shop, order, restock);
}

/** Releases what an ended, locked order used: the agent's budget, the discount code and, with `restock`, the stock. */
export async function giveBack(shop: Shop, order: LockedOrder, restock: boolean): Promise<void> {
  if (order.agent_token_id && !isSettled(order.payment_status)) await budgets.giveBack(shop, order.id);
  if (order.cart_id) await redemptions.release(shop, order.cart_id);
  if (restock) await stock.restock(shop, order.id);
}

/**
 * Marks the payments of an order that its provider might still charge, so that the job cancels them outside of this
 * transaction.
 */
async function abandonPayments(shop: Shop, order_id: string): Promise<void> {
  await shop.run(
    sql`update payments set status = 'abandoned', updated_at = now()
      where site_id = ${shop.siteId} and order_id = ${order_id} and status in ('started', 'pending', 'authorized')`,
  );
}
