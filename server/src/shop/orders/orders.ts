/**
 * Changes of existing orders. Each runs in one transaction:
 * 1. lock the order
 * 2. reject a status change that states.ts does not list
 * 3. update the order; cancelling also releases agent budget, discount code and stock
 * 4. add a timeline entry, whose trigger writes the event, and enqueue the mail
 * Lock order: order, agent budget, discount, variants.
 */

import type {
  Address,
  AddressInput,
  CancelReason,
  CustomerOrder,
  Metadata,
  Order,
  OrderDetails,
  PaymentMethod,
} from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { isPhone, missingInAddress } from '../address-rules.ts';
import * as budgets from '../agent-limits/budgets.ts';
import * as redemptions from '../carts/redemptions.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import * as mail from '../mail.ts';
import type { Shop } from '../shop.ts';
import * as stock from '../stock/stock.ts';
import { fulfillIfNothingShips } from './nothing-to-ship.ts';
import { current, isOverdue } from './overdue.ts';
import { paidOrRefunded } from './received.ts';
import * as rows from './rows.ts';
import { canMove, changesBetween, invalidTransition, isSettled, type OrderStates, requireMove } from './states.ts';
import * as events from './timeline.ts';

/** Returns an order with all its parts. Throws `not_found`. */
export function get(shop: Shop, id: string): Promise<OrderDetails> {
  return rows.getDetails(shop, id);
}

/** Returns an order of this customer. Throws `not_found` for an unknown id or an order of another customer. */
export function getOfCustomer(shop: Shop, customer_id: string, id: string): Promise<CustomerOrder> {
  return rows.getForCustomer(shop, id, customer_id);
}

export interface OrderPatch {
  email?: string;
  phone?: string | null;
  shipping_address?: AddressInput;
  billing_address?: AddressInput | null;
  note?: string | null;
  staff_note?: string | null;
  metadata?: Metadata;
}

/**
 * Changes the given fields. Items and amounts never change. Throws `not_found`, and a ValidationError for an invalid
 * phone number. For a new delivery address, throws `conflict` if the order has none, is cancelled or is completely
 * shipped, and a ValidationError if the address is incomplete.
 */
export async function update(shop: Shop, id: string, patch: OrderPatch): Promise<OrderDetails> {
  if (patch.shipping_address) await refuseAddress(shop, id, patch.shipping_address);
  await refusePhone(shop, id, patch);
  const has = (field: keyof OrderPatch) => patch[field] !== undefined;
  const changed = await shop.run(
    sql`update orders set email = coalesce(${patch.email ?? null}, email),
        phone = case when ${has('phone')} then ${patch.phone ?? null} else phone end,
        shipping_address = coalesce(${jsonOf(patch.shipping_address)}::jsonb, shipping_address),
        billing_address = case when ${has('billing_address')} then ${jsonOf(patch.billing_address)}::jsonb
          else billing_address end,
        note = case when ${has('note')} then ${patch.note ?? null} else note end,
        staff_note = case when ${has('staff_note')} then ${patch.staff_note ?? null} else staff_note end,
        metadata = coalesce(${jsonOf(patch.metadata)}::jsonb, metadata), updated_at = now()
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

function jsonOf(value: object | null | undefined): string | null {
  return value ? JSON.stringify(value) : null;
}

/** Locks the order, so that no shipment is recorded between this check and the change. */
async function refuseAddress(shop: Shop, id: string, address: AddressInput): Promise<void> {
  const { status, fulfillment_status, shipping_address } = await lockOrder(shop, id);
  const isOpen = fulfillment_status === 'unfulfilled' || fulfillment_status === 'partially_fulfilled';
  const message =
    (!isOpen && 'Everything has been shipped. The delivery address cannot be changed any more.') ||
    (status === 'cancelled' && 'The order is cancelled. The delivery address cannot be changed any more.') ||
    (!shipping_address && 'Nothing of this order is delivered, so it has no delivery address.');
  if (message) throw new ShopError('conflict', message, { status, fulfillment_status });
  const mistakes = missingInAddress(address).map((field) =>
    bodyMistake(['shipping_address', field], 'value_error', `Delivery needs a valid ${field.replaceAll('_', ' ')}.`),
  );
  if (mistakes.length > 0) throw new ValidationError(mistakes);
}

async function refusePhone(shop: Shop, id: string, { phone, shipping_address }: OrderPatch): Promise<void> {
  if (!phone) return;
  const country = (shipping_address ?? (await rows.getDetails(shop, id)).shipping_address)?.country;
  if (isPhone(phone, country)) return;
  const words = 'Enter a phone number that exists in this country, or with its country code.';
  throw new ValidationError([bodyMistake(['phone'], 'value_error', words)]);
}

export interface LockedOrder extends OrderStates {
  id: string;
  order_number: string;
  payment_method: PaymentMethod | null;
  total: string;
  /** The price of items that were returned or removed without a refund. It lowers the total. */
  credited: string;
  /** The amount recorded or captured; null if only the payment status shows it. */
  captured: string | null;
  /** Set for an order on payment terms. */
  payment_terms_days: number | null;
  email: string | null;
  locale: string;
  shipping_address: Address | null;
  /**
   * Whether the payment deadline has passed but the job has not recorded it yet. The states in this object are already
   * the states of an expired order.
   */
  overdue: boolean;
  cart_id: string | null;
  /** The agent whose budget paid for the order, if any. */
  agent_token_id: string | null;
}

const lockedColumns = sql`o.id, o.order_number, ${current.status} as status, ${current.payment_status} as payment_status,
  o.fulfillment_status, o.payment_method, o.total, o.credited, o.captured, o.payment_terms_days,
  o.email, o.shipping_address, o.agent_token_id, o.locale, ${isOverdue} as overdue, (
    select k.cart_id from checkouts k where k.site_id = o.site_id and k.id = o.checkout_id) as cart_id`;

/** Locks an order, so that its changes run one after another. Throws `not_found`. */
export async function lockOrder(shop: Shop, id: string): Promise<LockedOrder> {
  const found = await shop.one<LockedOrder>(
    sql`select ${lockedColumns} from orders o where o.site_id = ${shop.siteId} and o.id = ${id} for update of o`,
  );
  if (!found) throw notFound('order');
  return found;
}

/** Locks several orders by number, in order of ids, so that two calls for the same orders cannot deadlock. */
export function lockOrdersNumbered(shop: Shop, order_numbers: string[]): Promise<LockedOrder[]> {
  return shop.rows<LockedOrder>(
    sql`select ${lockedColumns} from orders o
      where o.site_id = ${shop.siteId} and o.order_number = any(${order_numbers}::text[]) order by o.id for update of o`,
  );
}

/**
 * Records that the bank transfer of an order has arrived. Does nothing if it is already paid. Throws
 * `not_bank_transfer` or `payment_not_awaiting`.
 */
export async function markPaid(shop: Shop, id: string): Promise<Order> {
  const order = await lockOrder(shop, id);
  if (awaitsTransfer(order)) await confirmPayment(shop, order, TRANSFER_ARRIVED);
  return rows.getOrder(shop, id);
}

export const TRANSFER_ARRIVED = 'The bank transfer has arrived.';

/**
 * Returns true if the order awaits its bank transfer, and false if it is paid. Throws `not_bank_transfer` or
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

/**
 * Marks a locked order as paid, or as partially or fully refunded if money was refunded before. A pending order becomes
 * confirmed, and a delivered one completed.
 */
export async function confirmPayment(
  shop: Shop,
  order: LockedOrder,
  message: string,
  statement_run_id: string | null = null,
): Promise<void> {
  let { status } = order;
  if (status === 'pending') status = 'confirmed';
  if (status === 'processing' && order.fulfillment_status === 'delivered') status = 'completed';
  const captured = sql`case when o.payment_method in ('bank_transfer', 'manual') and (o.credited > 0 or o.captured is not null)
    then greatest(o.captured, o.total - o.credited) else o.captured end`;
  const after = await shop.one<Pick<OrderStates, 'status' | 'payment_status'>>(
    sql`update orders o set payment_status = ${paidOrRefunded(sql`coalesce(${captured}, o.total)`)}, status = ${status},
        captured = ${captured},
        payment_confirmed_at = coalesce(payment_confirmed_at, now()), statement_run_id = ${statement_run_id}, updated_at = now()
      where o.site_id = ${shop.siteId} and o.id = ${order.id} returning o.status, o.payment_status`,
  );
  if (order.captured !== null) await recordRest(shop, order);
  const context = changesBetween(order, after ?? {});
  await events.record(shop, order.id, { type: 'payment_confirmed', message, context });
  await fulfillIfNothingShips(shop, order.id);
  await mail.enqueue(shop, 'payment_received', { order_id: order.id });
}

/**
 * Records the rest of a bank transfer whose first part was recorded before. `orders.captured` already contains the sum.
 */
async function recordRest(shop: Shop, { id, captured, total, credited }: LockedOrder): Promise<void> {
  await shop.run(
    sql`insert into order_payments (site_id, id, order_id, amount, method, received_at, actor_id)
      select ${shop.siteId}, ${uuidv7()}, ${id}, rest, 'bank_transfer', now(), ${shop.actorId}
      from (select ${total}::numeric - ${credited}::numeric - ${captured}::numeric as rest) r where rest > 0`,
  );
}

/** Whether the customer pays an order when the goods are handed over, at pickup or on delivery. */
export function paysOnReceipt(order: Pick<LockedOrder, 'payment_method' | 'payment_terms_days'>): boolean {
  return order.payment_method === 'manual' && order.payment_terms_days === null;
}

/**
 * Records that the whole order was delivered. An order that is paid on receipt also becomes paid. Throws
 * `invalid_transition`.
 */
export async function markDelivered(shop: Shop, id: string): Promise<Order> {
  const order = await lockOrder(shop, id);
  requireMove(order, 'fulfillment_status', 'delivered', 'Only a completely shipped order can be delivered.');
  const paidNow = paysOnReceipt(order) && order.payment_status === 'pending';
  const after: Partial<OrderStates> = { fulfillment_status: 'delivered' };
  if (paidNow) after.payment_status = 'paid';
  const settled = isSettled(after.payment_status ?? order.payment_status);
  if (settled && canMove(order, 'status', 'completed')) after.status = 'completed';
  await shop.run(
    sql`update orders set fulfillment_status = 'delivered', status = ${after.status ?? order.status},
        payment_status = ${after.payment_status ?? order.payment_status},
        captured = case when ${paidNow} and credited > 0 then total - credited else captured end,
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
 * Cancels an order before shipping. Releases its discount code and, with `restock`, its stock, and voids an open
 * payment. Throws `invalid_transition`.
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
 * Cancels a locked order before shipping, and calls `giveBack`. Abandons its open payments of an amount due and, if
 * `payment_status` is `voided`, all other open payments. The caller adds the timeline entry.
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
  await abandonDuePayment(shop, order.id);
  if (payment_status === 'voided') await abandonPayments(shop, order.id);
  await giveBack(shop, order, restock);
}

/**
 * Releases the discount code of a locked order that ended, its agent budget if it is unpaid, and its stock with
 * `restock`.
 */
export async function giveBack(shop: Shop, order: LockedOrder, restock: boolean): Promise<void> {
  if (order.agent_token_id && !isSettled(order.payment_status)) await budgets.giveBack(shop, order.id);
  if (order.cart_id) await redemptions.release(shop, order.cart_id);
  if (restock) await stock.restock(shop, order.id);
}

/**
 * Marks an open payment of the amount due, so that the job cancels it at the provider after the commit, or refunds it
 * if it has succeeded meanwhile.
 */
async function abandonDuePayment(shop: Shop, order_id: string): Promise<void> {
  await shop.run(
    sql`update payments set status = 'abandoned', next_action = null, updated_at = now()
      where site_id = ${shop.siteId} and order_id = ${order_id} and purpose = 'amount_due'
        and status in ('started', 'requires_action', 'pending', 'authorized')`,
  );
}

/** Marks payments that the provider could still charge, so that the job cancels them after the commit. */
async function abandonPayments(shop: Shop, order_id: string): Promise<void> {
  await shop.run(
    sql`update payments set status = 'abandoned', updated_at = now()
      where site_id = ${shop.siteId} and order_id = ${order_id} and status in ('started', 'pending', 'authorized')`,
  );
}
