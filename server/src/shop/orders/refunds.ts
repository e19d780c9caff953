/**
 * Refunds. A job refunds provider payments at the provider. For other payments, and if the provider has failed, a
 * refund only records that the merchant returned the money. A constraint on `orders.refunds_begun` and `disputed` keeps
 * refunds, with open and lost disputes, within the captured amount.
 */

import type { CancelReason, Order, Refund, RefundReason } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import * as budgets from '../agent-limits/budgets.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import * as mail from '../mail.ts';
import { canonicalAmount, decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { countDisputed } from './disputes.ts';
import { beginMove, endMove, type MoveOutcome, paymentsToRefund, type Refundable, reverseMove } from './moves.ts';
import { endIfNothingLeft } from './nothing-left.ts';
import { type LockedOrder, lockOrder } from './orders.ts';
import { countWithheld } from './quantities.ts';
import { amountReceived, paidOrRefunded, surplusLeft } from './received.ts';
import { claimLines, claimUnshipped, giveLinesBack, type RefundLine, restockLines } from './refund-lines.ts';
import { getOrder, refundObject } from './rows.ts';
import { canMove, changesBetween, invalidTransition, isSettled, type OrderStates } from './states.ts';
import { priceOf, refuseMoreShipping, shippingLeft } from './suggestion.ts';
import * as events from './timeline.ts';

const MAX_REFUNDS = 250;

/** Lists the refunds of an order, oldest first. Throws `not_found` for an unknown order. */
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
  /** Whether the merchant returned the money manually, after the provider failed to. */
  by_hand?: boolean;
  line_items?: RefundLine[];
  /** The part of the amount that is for the shipping cost. */
  shipping?: string;
  /** The return whose items are refunded. */
  return_id?: string;
}

/**
 * Creates a refund of at most the paid amount minus earlier refunds and disputes. Returns the money through the
 * payments at the provider, with one refund for each. An amount that was not paid through the provider becomes a
 * separate manual refund. Throws `invalid_transition` or `refund_exceeds_paid`.
 */
export async function create(
  shop: Shop,
  order_id: string,
  input: RefundInput,
): Promise<{ refund: Refund; order: Order }> {
  const digits = shop.currencyDigits;
  const minor = minorUnits(canonicalAmount(input.amount, digits, ['body', 'amount']), digits);
  if (minor === 0) {
    throw new ValidationError([bodyMistake(['amount'], 'greater_than', 'Must be above 0.', { gt: 0 })]);
  }
  const order = await lockOrder(shop, order_id);
  await refuseUnpaid(shop, order_id);
  const shipping = await shippingPart(shop, order_id, input.shipping, minor);
  const payments = await paymentsToRefund(shop, order_id);
  const { by_hand = false } = input;
  if (payments.length > 0 && by_hand) await refuseUntried(shop, order_id);
  const { isAll, ...claimed } = await claim(shop, order_id, minor, { shipping });
  const surplus = minorUnits(claimed.overpaid, digits);
  const paidBack = surplus > 0 ? Math.min(surplus, minor - (await priceIn(shop, order_id, input, minor))) : 0;
  // The whole refund of an expired order counts as overpaid, because the order costs its full price again once it is
  // reinstated.
  const overpaid = order.payment_status === 'expired' ? minor : paidBack;
  const whole = { amount: minor, shipping: minorUnits(shipping, digits), overpaid };
  const [first, ...rest] = partsOf(whole, by_hand ? [] : payments);
  const { line_items = [], return_id = null } = input;
  const id = await insert(shop, order_id, input, first);
  if (line_items.length > 0) await claimLines(shop, order_id, id, line_items, return_id);
  else if (isAll) await removeAll(shop, order, id);
  const made = [{ id, part: first }];
  for (const part of rest) made.push({ id: await insert(shop, order_id, input, part), part });
  for (const { id, part } of made) {
    const { payment_id } = part;
    const amount = decimal(part.amount, digits);
    if (payment_id) await beginMove(shop, { id, kind: 'refund', payment_id, order_id, amount });
    else await succeed(shop, order_id, { id, amount, reason: input.reason, return_id });
  }
  return { refund: await get(shop, id), order: await getOrder(shop, order_id) };
}

/**
 * The price of the items and the shipping in a refund, in minor units. This part of the refund lowers the price of the
 * order. The rest returns money that was received above the price.
 */
async function priceIn(
  shop: Shop,
  order_id: string,
  { line_items = [], shipping = '0', return_id }: RefundInput,
  amount: number,
): Promise<number> {
  // The refund of an exchange names no lines, because its items are in the return.
  if (line_items.length === 0 && return_id) return amount;
  const { sum } = await priceOf(shop, order_id, { line_items });
  return Math.min(amount, Math.max(0, sum) + minorUnits(shipping, shop.currencyDigits));
}

interface Refunded {
  amount: number;
  shipping: number;
  overpaid: number;
}

interface RefundPart extends Refunded {
  /** The payment through which the part goes back; undefined if the merchant returns it. */
  payment_id?: string;
}

/**
 * Splits a refund into one part per payment and a rest. Each part is at most the `left` of its payment, and includes as
 * much of the shipping and the overpayment as fits.
 */
function partsOf(whole: Refunded, payments: Refundable[]): [RefundPart, ...RefundPart[]] {
  const usable = payments.find(({ left }) => left > 0);
  if (!usable) return [whole];
  const { id: payment_id, left } = usable;
  const [amount, shipping, overpaid] = [whole.amount, whole.shipping, whole.overpaid].map((one) =>
    Math.min(one, left),
  ) as [number, number, number];
  const first = { amount, shipping, overpaid, payment_id };
  if (amount === whole.amount) return [first];
  const rest = {
    amount: whole.amount - amount,
    shipping: whole.shipping - shipping,
    overpaid: whole.overpaid - overpaid,
  };
  return [first, ...partsOf(rest, payments.slice(payments.indexOf(usable) + 1))];
}

async function insert(
  shop: Shop,
  order_id: string,
  { reason, note = null, return_id }: RefundInput,
  part: RefundPart,
): Promise<string> {
  const id = uuidv7();
  const text = (minor: number) => decimal(minor, shop.currencyDigits);
  await shop.run(
    sql`insert into refunds (site_id, id, order_id, amount, reason, note, actor_id, shipping, return_id, overpaid)
      values (${shop.siteId}, ${id}, ${order_id}, ${text(part.amount)}, ${reason}, ${note}, ${shop.actorId},
        ${text(part.shipping)}::numeric, ${return_id ?? null}, ${text(part.overpaid)}::numeric)`,
  );
  return id;
}

/** Throws `invalid_transition` if no payment was received for the order. The caller has locked the order. */
export async function refuseUnpaid(shop: Shop, order_id: string): Promise<void> {
  const order = await lockOrder(shop, order_id);
  if (isSettled(order.payment_status) || (await balanceOf(shop, order_id)).paid > 0) return;
  throw invalidTransition(order, 'payment_status', 'refunded', 'An unpaid order cannot be refunded.');
}

/** The shipping part of a refund. Throws a ValidationError above the amount or the unrefunded shipping cost. */
async function shippingPart(shop: Shop, order_id: string, given: string | undefined, minor: number): Promise<string> {
  const digits = shop.currencyDigits;
  const shipping = minorUnits(canonicalAmount(given ?? '0', digits, ['body', 'shipping']), digits);
  if (shipping > minor) {
    const words = 'The shipping part exceeds the amount.';
    throw new ValidationError([bodyMistake(['shipping'], 'less_than_equal', words, { le: decimal(minor, digits) })]);
  }
  if (shipping > 0) {
    const found = await shop.one<{ shipping_left: string }>(
      sql`select ${shippingLeft} as shipping_left from orders o where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
    );
    refuseMoreShipping(shipping, minorUnits(found?.shipping_left ?? '0', digits), digits);
  }
  return decimal(shipping, digits);
}

/** Removes all items of a fully refunded order if it is unshipped. */
export async function removeAll(shop: Shop, order: LockedOrder, refund_id: string): Promise<void> {
  if (order.status === 'cancelled' || order.fulfillment_status !== 'unfulfilled') return;
  await claimUnshipped(shop, order.id, refund_id);
}

/**
 * Rejects a manual refund unless the provider has failed to refund the order. Otherwise the customer could get the
 * money twice.
 */
async function refuseUntried(shop: Shop, order_id: string): Promise<void> {
  const failed = await shop.one(
    sql`select from payment_moves
      where site_id = ${shop.siteId} and order_id = ${order_id} and kind = 'refund' and status = 'failed' limit 1`,
  );
  if (failed) return;
  const message = 'No refund of this order has failed at the provider. Refund it without by_hand first.';
  throw new ValidationError([bodyMistake(['by_hand'], 'value_error', message)]);
}

/** Refunds the remaining amount of an order that was just cancelled, if it was paid. */
export async function refundCancelled(shop: Shop, order_id: string, reason: CancelReason): Promise<Order> {
  const { refundable } = await balanceOf(shop, order_id);
  if (refundable === 0) return getOrder(shop, order_id);
  const amount = decimal(refundable, shop.currencyDigits);
  const made = await create(shop, order_id, { amount, reason: reason === 'customer' ? 'customer' : 'other' });
  return made.order;
}

/**
 * Records the result of a refund at the provider. A failed refund stays failed; a successful one can still fail if the
 * bank rejects the money. Returns whether anything changed.
 */
export async function settle(shop: Shop, refund_id: string, outcome: MoveOutcome): Promise<boolean> {
  const { status } = outcome;
  if (status === 'pending') return false;
  const refund = await shop.one<SettledRefund>(
    sql`select id, order_id, amount, reason, return_id from refunds where site_id = ${shop.siteId} and id = ${refund_id}`,
  );
  if (!refund) return false;
  const order = await lockOrder(shop, refund.order_id);
  if (await endMove(shop, refund_id, { ...outcome, status })) {
    if (status === 'succeeded') await succeed(shop, refund.order_id, refund);
    else await fail(shop, refund, outcome);
    return true;
  }
  if (status !== 'failed' || !(await reverseMove(shop, refund_id, outcome))) return false;
  await reverseRefund(shop, order, refund, outcome);
  return true;
}

interface SettledRefund {
  id: string;
  order_id: string;
  amount: string;
  reason: RefundReason;
  return_id: string | null;
}

/** Restores the payment status after the bank returned a completed refund, and mails a correction to the customer. */
async function reverseRefund(
  shop: Shop,
  before: LockedOrder,
  { id, order_id, amount }: SettledRefund,
  { reason }: MoveOutcome,
): Promise<void> {
  const after = await shop.one<Pick<OrderStates, 'payment_status'>>(
    sql`update orders o set payment_status = ${paidOrRefunded()}
      where o.site_id = ${shop.siteId} and o.id = ${order_id} returning payment_status`,
  );
  if (before.agent_token_id) await budgets.takeAgain(shop, order_id, minorUnits(amount, shop.currencyDigits));
  await release(shop, { id, order_id, amount }, true);
  await events.record(shop, order_id, {
    type: 'refunded',
    message: `A refund of ${amount} ${shop.currency} was returned by the bank: ${reason ?? NO_REASON}.`,
    context: { ...changesBetween(before, after ?? {}), refund_id: id, amount, reason },
  });
  await mail.enqueue(shop, 'refund_sent_back', { order_id, refund_id: id });
  await mail.enqueueForStaff(shop, 'refund_failed', { refund_id: id });
}

const NO_REASON = 'the provider gives no reason';

/**
 * Reserves the amount of a refund in a locked order. Throws if the amount is not refundable. A refund that was already
 * made at the provider may include the disputed amount. Returns whether the order is fully refunded, and the part of
 * the amount that was received above the price.
 */
export async function claim(
  shop: Shop,
  order_id: string,
  minor: number,
  { shipping = '0', isMade = false } = {},
): Promise<{ isAll: boolean; overpaid: string }> {
  const digits = shop.currencyDigits;
  const { paid, disputed, count, ...balance } = await balanceOf(shop, order_id);
  const refundable = balance.refundable + (isMade ? disputed : 0);
  if (minor > refundable) {
    throw new ShopError('refund_exceeds_paid', `Only ${decimal(refundable, digits)} can still be refunded.`, {
      paid: decimal(paid, digits),
      refunded: decimal(balance.begun, digits),
      refundable: decimal(refundable, digits),
    });
  }
  if (count >= MAX_REFUNDS && minor < refundable) {
    throw new ShopError('limit_reached', `An order can have at most ${MAX_REFUNDS} refunds.`, { limit: MAX_REFUNDS });
  }
  await shop.run(
    sql`update orders o set refunds_begun = o.refunds_begun + ${decimal(minor, digits)}::numeric,
        disputed = least(o.disputed, ${amountReceived} - o.refunds_begun - ${decimal(minor, digits)}::numeric),
        shipping_refunded = o.shipping_refunded + ${shipping}::numeric, updated_at = now()
      where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
  const overpaid = decimal(Math.min(minor, Math.max(0, balance.surplus)), digits);
  return { isAll: balance.begun + minor === paid, overpaid };
}

/** Returns the maximum amount, in minor units, that a refund made at the provider can take from a locked order. */
export async function refundableAtProvider(shop: Shop, order_id: string): Promise<number> {
  const { refundable, disputed } = await balanceOf(shop, order_id);
  return refundable + disputed;
}

/** Reads the received, refunded, disputed and refundable amount of a locked order, in minor units. */
async function balanceOf(shop: Shop, order_id: string) {
  const found = await shop.one<{ paid: string; begun: string; disputed: string; surplus: string; count: number }>(
    sql`select ${amountReceived} as paid, o.refunds_begun as begun, o.disputed, ${surplusLeft}::text as surplus, (
        select count(*) from refunds r where r.site_id = o.site_id and r.order_id = o.id) as count
      from orders o where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
  if (!found) throw notFound('order');
  const minor = (amount: string) => minorUnits(amount, shop.currencyDigits);
  const [paid, begun, disputed] = [minor(found.paid), minor(found.begun), minor(found.disputed)];
  const refundable = paid - begun - disputed;
  return { paid, begun, disputed, refundable, surplus: minor(found.surplus), count: found.count };
}

/** Records that a refund succeeded, and restocks returned goods. The order must be locked. */
export async function succeed(
  shop: Shop,
  order_id: string,
  {
    id,
    amount,
    reason,
    return_id = null,
  }: { id: string; amount: string; reason: RefundReason; return_id?: string | null },
): Promise<void> {
  const order = await lockOrder(shop, order_id);
  const left = await shop.one<{ left: boolean }>(
    sql`select o.refunds_begun < ${amountReceived} or exists (
        select from payment_moves m where m.site_id = o.site_id and m.order_id = o.id and m.kind = 'refund'
          and m.status = 'pending') as left
      from orders o where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
  const whole = left?.left === false;
  // An order whose late payment is refunded stays expired.
  const isPaid = isSettled(order.payment_status);
  const after: Partial<OrderStates> = isPaid ? { payment_status: whole ? 'refunded' : 'partially_refunded' } : {};
  // The items of a return may still be in transit or stay with the customer. So the receipts of the return change this
  // status, not its refund.
  if (reason === 'returned' && whole && return_id === null && canMove(order, 'fulfillment_status', 'returned')) {
    after.fulfillment_status = 'returned';
  }
  await shop.run(
    sql`update orders set payment_status = ${after.payment_status ?? order.payment_status},
        fulfillment_status = ${after.fulfillment_status ?? order.fulfillment_status}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${order_id}`,
  );
  if (order.agent_token_id) await budgets.giveBack(shop, order_id, minorUnits(amount, shop.currencyDigits));
  await mail.enqueue(shop, 'order_refunded', { order_id, refund_id: id });
  await restockLines(shop, id);
  const { fulfillment_status, ...money } = after;
  await events.record(shop, order_id, {
    type: 'refunded',
    message: `${amount} ${shop.currency} was refunded.`,
    context: { ...changesBetween(order, money), refund_id: id, amount, reason },
  });
  if (fulfillment_status) {
    const context = changesBetween(order, { fulfillment_status });
    await events.record(shop, order_id, { type: 'returned', message: 'The goods were returned.', context });
  }
  await endIfNothingLeft(shop, await lockOrder(shop, order_id), reason);
}

/** Records that a refund failed at the provider, and notifies the staff. */
async function fail(shop: Shop, refund: SettledRefund, { reason }: MoveOutcome): Promise<void> {
  const { id, order_id, amount } = refund;
  await release(shop, refund, false);
  const message = `The provider could not refund ${amount} ${shop.currency}: ${reason ?? NO_REASON}.`;
  await events.record(shop, order_id, { type: 'updated', message, context: { refund_id: id, amount, reason } });
  await mail.enqueueForStaff(shop, 'refund_failed', { refund_id: id });
}

/** Makes the amount and items of a failed refund refundable again. A disputed part of the amount stays unrefundable. */
async function release(
  shop: Shop,
  { id, order_id, amount }: Pick<SettledRefund, 'id' | 'order_id' | 'amount'>,
  hadSucceeded: boolean,
): Promise<void> {
  await shop.run(
    sql`update orders o set refunds_begun = o.refunds_begun - ${amount}::numeric,
        shipping_refunded = o.shipping_refunded - r.shipping, updated_at = now()
      from refunds r
      where r.site_id = ${shop.siteId} and r.id = ${id} and o.site_id = r.site_id and o.id = ${order_id}`,
  );
  await countDisputed(shop, order_id);
  await giveLinesBack(shop, id, hadSucceeded);
  await countWithheld(shop, order_id);
}

async function get(shop: Shop, id: string): Promise<Refund> {
  const found = await shop.one<{ refund: Refund }>(
    sql`select ${refundObject} as refund from refunds r join orders o on o.site_id = r.site_id and o.id = r.order_id
      where r.site_id = ${shop.siteId} and r.id = ${id}`,
  );
  if (!found) throw notFound('refund');
  return found.refund;
}
