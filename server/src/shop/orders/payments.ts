/**
 * Payments that staff record: for expired orders, for orders on payment terms or by bank transfer, and for the amount
 * due of a paid order after an edit or an exchange. An order can be paid in parts, and becomes paid once nothing is
 * due. Payments of an amount due at a provider (due-payments/) are recorded here as well.
 */

import type { OrderDetails, OrderPayment, RecordedPaymentMethod } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import * as mail from '../mail.ts';
import { canonicalAmount, decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { countDisputed } from './disputes.ts';
import { expireIfDue } from './expiry.ts';
import { confirmPayment, type LockedOrder, lockOrder } from './orders.ts';
import { amountReceived, leftToPay } from './received.ts';
import { getDetails, orderPaymentObject } from './rows.ts';
import { isSettled } from './states.ts';
import * as events from './timeline.ts';

const MAX_PAYMENTS = 250;
const ONE_DAY_MS = 24 * 60 * 60 * 1000;

export interface PaymentInput {
  amount: string;
  method?: RecordedPaymentMethod;
  received_at?: string | null;
  reference?: string | null;
  /** Identifies the entry of a bank statement, which is recorded once. */
  entry?: string;
}

interface NewPayment extends PaymentInput {
  /** The payment at the provider, which is recorded once. */
  payment_id?: string;
}

/**
 * Records a payment for an order that has expired, awaits a bank transfer, is on payment terms or is paid but has an
 * amount due. Throws `order_not_expired` for other orders, and `payment_already_recorded`. `refuseLive` rejects callers
 * who may only record late payments.
 */
export async function recordPayment(
  shop: Shop,
  order_id: string,
  input: PaymentInput,
  refuseLive: () => void = () => {},
): Promise<{ payment: OrderPayment; order: OrderDetails }> {
  const minor = amountOf(shop, input.amount);
  refuseFuture(input.received_at);
  await expireIfDue(shop, order_id);
  const order = await lockOrder(shop, order_id);
  const isLate = order.status === 'cancelled' && order.payment_status === 'expired';
  if (!isLate) {
    if (!(await takesPayments(shop, order))) throw notPayable(order);
    refuseLive();
  }
  const payment_id = await insert(shop, order, { ...input, amount: decimal(minor, shop.currencyDigits) });
  if (!payment_id) throw await alreadyRecorded(shop, input.entry);
  return { payment: await get(shop, payment_id), order: await getDetails(shop, order_id) };
}

async function takesPayments(shop: Shop, order: LockedOrder): Promise<boolean> {
  const { id, status, payment_status, payment_method, payment_terms_days } = order;
  if (payment_terms_days !== null) return true;
  if (status === 'cancelled') return false;
  if (isSettled(payment_status)) return ((await dueOf(shop, [id])).get(id) ?? 0) > 0;
  return payment_method === 'bank_transfer' && payment_status === 'awaiting_payment';
}

/** Returns the amounts left to pay of locked orders, in minor units by id. */
export async function dueOf(shop: Shop, order_ids: string[]): Promise<Map<string, number>> {
  const found = await shop.rows<{ id: string; due: string }>(
    sql`select o.id, ${leftToPay}::text as due from orders o
      where o.site_id = ${shop.siteId} and o.id = any(${order_ids}::uuid[])`,
  );
  return new Map(found.map(({ id, due }) => [id, minorUnits(due, shop.currencyDigits)]));
}

function notPayable({ status, payment_status }: LockedOrder): ShopError {
  const message =
    'Payments can be recorded for orders that have expired, await a bank transfer, are on payment terms or have an amount due.';
  return new ShopError('order_not_expired', message, { status, payment_status });
}

/**
 * Records money that the customer paid at the provider for a locked order. The database rejects a second record of the
 * same payment.
 */
export async function recordOnline(
  shop: Shop,
  order: LockedOrder,
  payment: Required<Pick<NewPayment, 'amount' | 'method' | 'reference' | 'payment_id'>>,
): Promise<void> {
  await insert(shop, order, payment);
}

/** Records a payment for a locked order. Returns false if the entry is already recorded. */
export async function recordEntry(
  shop: Shop,
  order: LockedOrder,
  { minor, entry }: { minor: number; entry?: string | undefined },
): Promise<boolean> {
  const amount = decimal(minor, shop.currencyDigits);
  return (await insert(shop, order, { amount, ...(entry && { entry }) })) !== undefined;
}

/**
 * Adds the payment to the amount received for a locked order, and marks the order as paid if nothing is due. Returns
 * undefined if the entry is already recorded.
 */
async function insert(shop: Shop, order: LockedOrder, input: NewPayment): Promise<string | undefined> {
  const { amount, method = 'bank_transfer', received_at = null, reference = null, entry = null } = input;
  const { payment_id = null } = input;
  // Money at the provider has already arrived, so it is recorded above the limit too. Its payment was counted when it
  // began.
  if (!payment_id) await refuseTooMany(shop, order.id);
  const id = uuidv7();
  const inserted = await shop.run(
    sql`insert into order_payments (site_id, id, order_id, amount, method, received_at, reference, actor_id, entry, payment_id)
      values (${shop.siteId}, ${id}, ${order.id}, ${amount}, ${method}, coalesce(${received_at}::timestamptz, now()),
        ${reference}, ${shop.actorId}, ${entry}, ${payment_id})
      on conflict (site_id, entry) where entry is not null do nothing`,
  );
  if (inserted === 0) return undefined;
  await shop.run(
    sql`update orders o set captured = ${amountReceived} + ${amount}::numeric, updated_at = now(),
        payment_status = case when o.payment_status = 'refunded' then 'partially_refunded' else o.payment_status end
      where o.site_id = ${shop.siteId} and o.id = ${order.id}`,
  );
  await countDisputed(shop, order.id);
  const isLate = order.payment_status === 'expired';
  await events.record(shop, order.id, {
    type: 'updated',
    message: `${amount} ${shop.currency} ${isLate ? 'arrived after the order had expired' : 'arrived'}.`,
    context: { payment_id: id, amount, method, reference },
  });
  await settleIfCovered(shop, order.id);
  // The mail about a part payment, or about an amount due that was paid online. A full payment has a mail of its own.
  if (payment_id || (!isLate && !isSettled(order.payment_status))) {
    await mail.enqueue(shop, 'payment_received', { order_id: order.id, payment_id: id });
  }
  return id;
}

/** Marks an order as paid if the recorded payments cover its price. */
export async function settleIfCovered(shop: Shop, order_id: string): Promise<void> {
  const order = await lockOrder(shop, order_id);
  const { status, payment_status, captured, total, credited } = order;
  const isOpen = status !== 'cancelled' && (payment_status === 'pending' || payment_status === 'awaiting_payment');
  const minor = (amount: string) => minorUnits(amount, shop.currencyDigits);
  if (!isOpen || captured === null || minor(captured) < minor(total) - minor(credited)) return;
  await confirmPayment(shop, order, 'Nothing is due any more.');
}

function amountOf(shop: Shop, given: string): number {
  const digits = shop.currencyDigits;
  const minor = minorUnits(canonicalAmount(given, digits, ['body', 'amount']), digits);
  if (minor > 0) return minor;
  throw new ValidationError([bodyMistake(['amount'], 'greater_than', 'Must be above 0.', { gt: 0 })]);
}

/**
 * Throws a ValidationError for a date more than a day ahead. The tolerance is for bank statements, which contain dates
 * without a time zone.
 */
function refuseFuture(received_at: string | null | undefined): void {
  if (!received_at || Date.parse(received_at) <= Date.now() + ONE_DAY_MS) return;
  throw new ValidationError([bodyMistake(['received_at'], 'value_error', 'Must not be in the future.')]);
}

/** Returns the entries that are already recorded. */
export async function recordedAmong(shop: Shop, entries: string[]): Promise<Set<string>> {
  if (entries.length === 0) return new Set();
  const found = await shop.rows<RowOf<'order_payments', 'entry'>>(
    sql`select entry from order_payments where site_id = ${shop.siteId} and entry = any(${entries}::text[])`,
  );
  return new Set(found.flatMap(({ entry }) => entry ?? []));
}

async function alreadyRecorded(shop: Shop, entry: string | undefined): Promise<ShopError> {
  const found = await shop.one<{ order_id: string }>(
    sql`select order_id from order_payments where site_id = ${shop.siteId} and entry = ${entry}`,
  );
  const message = 'This entry of the bank statement is already recorded.';
  return new ShopError('payment_already_recorded', message, { order_id: found?.order_id });
}

/** Throws `limit_reached`. A payment of the amount due that is open at the provider counts as recorded. */
export async function refuseTooMany(shop: Shop, order_id: string): Promise<void> {
  const counted = await shop.one<{ total: number }>(
    sql`select (
        select count(*) from order_payments p where p.site_id = ${shop.siteId} and p.order_id = ${order_id}) + (
        select count(*) from payments p where p.site_id = ${shop.siteId} and p.order_id = ${order_id}
          and p.purpose = 'amount_due' and p.status in ('started', 'requires_action', 'pending', 'authorized')) as total`,
  );
  if ((counted?.total ?? 0) < MAX_PAYMENTS) return;
  throw new ShopError('limit_reached', `An order can have at most ${MAX_PAYMENTS} recorded payments.`, {
    limit: MAX_PAYMENTS,
  });
}

async function get(shop: Shop, id: string): Promise<OrderPayment> {
  const found = await shop.one<{ payment: OrderPayment }>(
    sql`select ${orderPaymentObject} as payment from order_payments p
      join orders o on o.site_id = p.site_id and o.id = p.order_id
      where p.site_id = ${shop.siteId} and p.id = ${id}`,
  );
  if (!found) throw notFound('payment');
  return found.payment;
}
