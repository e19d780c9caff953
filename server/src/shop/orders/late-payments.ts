/**
 * Payments that staff record: those that arrive after their order has expired, which is then reinstated or refunded, and those
 * for the amount due of an order that was edited after it was paid.
 */

import type { OrderDetails, OrderPayment, RecordedPaymentMethod } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import * as budgets from '../agent-limits/budgets.ts';
import * as redemptions from '../carts/redemptions.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import * as mail from '../mail.ts';
import { canonicalAmount, decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import * as stock from '../stock/stock.ts';
import { countDisputed } from './disputes.ts';
import { expireIfDue } from './expiry.ts';
import { type LockedOrder, lockOrder } from './orders.ts';
import { amountReceived, paidOrPartlyRefunded } from './received.ts';
import { getDetails, orderPaymentObject } from './rows.ts';
import { changesBetween, isSettled, type OrderStates } from './states.ts';
import * as events from './timeline.ts';

const MAX_PAYMENTS = 250;
const ONE_DAY_MS = 24 * 60 * 60 * 1000;

export interface PaymentInput {
  amount: string;
  method?: RecordedPaymentMethod;
  received_at?: string | null;
  reference?: string | null;
}

/** Records a payment for an expired order, or for the amount due after an edit. Throws `order_not_expired`. */
export async function recordPayment(
  shop: Shop,
  order_id: string,
  { amount: given, method = 'bank_transfer', received_at, reference = null }: PaymentInput,
): Promise<{ payment: OrderPayment; order: OrderDetails }> {
  const amount = amountOf(shop, given);
  refuseFuture(received_at);
  const isDue = await isDueAfterEdit(shop, order_id);
  if (!isDue) await lockExpired(shop, order_id);
  await refuseTooMany(shop, order_id);
  const id = uuidv7();
  await shop.run(
    sql`with counted as (
        update orders set captured = coalesce(captured, 0) + ${amount}::numeric, updated_at = now(),
          payment_status = case when payment_status = 'refunded' then 'partially_refunded' else payment_status end
        where site_id = ${shop.siteId} and id = ${order_id}
      )
      insert into order_payments (site_id, id, order_id, amount, method, received_at, reference, actor_id)
      values (${shop.siteId}, ${id}, ${order_id}, ${amount}, ${method}, coalesce(${received_at ?? null}::timestamptz, now()),
        ${reference}, ${shop.actorId})`,
  );
  await countDisputed(shop, order_id);
  await events.record(shop, order_id, {
    type: 'updated',
    message: `${amount} ${shop.currency} arrived after the order had ${isDue ? 'been edited' : 'expired'}.`,
    context: { payment_id: id, amount, method, reference },
  });
  return { payment: await get(shop, id), order: await getDetails(shop, order_id) };
}

/** Locks the order. Returns whether it was paid, and an edit left an amount due. */
async function isDueAfterEdit(shop: Shop, order_id: string): Promise<boolean> {
  const { payment_status } = await lockOrder(shop, order_id);
  if (!isSettled(payment_status)) return false;
  const { amount_due } = await getDetails(shop, order_id);
  return minorUnits(amount_due, shop.currencyDigits) > 0;
}

function amountOf(shop: Shop, given: string): string {
  const digits = shop.currencyDigits;
  const minor = minorUnits(canonicalAmount(given, digits, ['body', 'amount']), digits);
  if (minor > 0) return decimal(minor, digits);
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

/** Locks an expired order, after expiring it if it is past its payment deadline. Throws `order_not_expired`. */
async function lockExpired(shop: Shop, order_id: string): Promise<LockedOrder> {
  await expireIfDue(shop, order_id);
  const order = await lockOrder(shop, order_id);
  const { status, payment_status } = order;
  if (status === 'cancelled' && payment_status === 'expired') return order;
  const message =
    'Only an expired order can be reinstated. A payment can also be recorded for an amount due after an edit.';
  throw new ShopError('order_not_expired', message, { status, payment_status });
}

async function refuseTooMany(shop: Shop, order_id: string): Promise<void> {
  const counted = await shop.one<{ total: number }>(
    sql`select count(*) as total from order_payments where site_id = ${shop.siteId} and order_id = ${order_id}`,
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

/**
 * Reinstates an expired order as confirmed and paid (or partially refunded), and takes its stock, discount code and
 * agent budget again. Throws `order_not_expired`, `payment_incomplete`, `budget_exceeded`, `discount_*`,
 * `insufficient_stock` or `order_prices_changed`.
 */
export async function reinstate(shop: Shop, order_id: string, { keep_prices = false } = {}): Promise<OrderDetails> {
  const order = await lockExpired(shop, order_id);
  await refuseIncomplete(shop, order);
  if (order.agent_token_id) await spendAgain(shop, order, order.agent_token_id);
  if (order.cart_id) await redemptions.redeemAgain(shop, order.cart_id, order_id);
  await stock.sellAgain(shop, order_id);
  if (!keep_prices) await refuseOtherPrices(shop, order_id);
  const after = await shop.one<Pick<OrderStates, 'status' | 'payment_status'>>(
    sql`update orders o set status = 'confirmed', payment_status = ${paidOrPartlyRefunded}, payment_confirmed_at = now(),
        cancelled_at = null, cancel_reason = null, updated_at = now()
      where o.site_id = ${shop.siteId} and o.id = ${order_id} returning o.status, o.payment_status`,
  );
  const message = 'The late payment was accepted.';
  const context = changesBetween(order, after ?? {});
  await events.record(shop, order_id, { type: 'payment_confirmed', message, context });
  await events.record(shop, order_id, { type: 'updated', message: 'The order was reinstated.' });
  await mail.enqueue(shop, 'payment_received', { order_id });
  return getDetails(shop, order_id);
}

async function refuseIncomplete(shop: Shop, { id, total }: LockedOrder): Promise<void> {
  const digits = shop.currencyDigits;
  const found = await shop.one<{ left: string }>(
    sql`select ${amountReceived} - o.refunds_begun as left from orders o where o.site_id = ${shop.siteId} and o.id = ${id}`,
  );
  const left = minorUnits(found?.left ?? '0', digits);
  const due = minorUnits(total, digits) - left;
  if (due <= 0) return;
  const amount_due = decimal(due, digits);
  throw new ShopError('payment_incomplete', `The payments are ${amount_due} ${shop.currency} below the total.`, {
    total,
    amount_received: decimal(left, digits),
    amount_due,
  });
}

async function spendAgain(shop: Shop, { id, total }: LockedOrder, agent_token_id: string): Promise<void> {
  const spent = await budgets.spend(shop, agent_token_id, minorUnits(total, shop.currencyDigits));
  await shop.run(
    sql`update orders set agent_spent_cents = ${spent.cents}, agent_period_number = ${spent.period_number}
      where site_id = ${shop.siteId} and id = ${id}`,
  );
}

interface OtherPrice {
  line_item_id: string;
  previous_price: string;
  price: string | null;
}

/** Throws `order_prices_changed` if a variant's price has changed. Locks the variants against further changes. */
async function refuseOtherPrices(shop: Shop, order_id: string): Promise<void> {
  await shop.run(
    sql`select from variants v where v.site_id = ${shop.siteId} and v.id in (
        select l.variant_id from order_lines l
        where l.site_id = ${shop.siteId} and l.order_id = ${order_id} and l.quantity > 0)
      order by v.id for share`,
  );
  const lines = await shop.rows<OtherPrice>(
    sql`select l.id as line_item_id, l.price as previous_price, v.price from order_lines l
      left join variants v on v.site_id = l.site_id and v.id = l.variant_id
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id} and l.quantity > 0 and v.price is distinct from l.price
      order by l.position limit 100`,
  );
  if (lines.length === 0) return;
  const message =
    'Prices of ordered products have changed. Send keep_prices to reinstate the order with the old prices.';
  throw new ShopError('order_prices_changed', message, { lines });
}
