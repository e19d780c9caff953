import type { CancelReason, Order, Refund, RefundReason } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import * as budgets from '../agent-limits/budgets.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import * as mail from '../mail.ts';
import { canonicalAmount, decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { beginMove, endMove, type MoveOutcome, paymentOf, reverseMove } from './moves.ts';
import { endIfNothingLeft } from './nothing-left.ts';
import { type LockedOrder, lockOrder } from './orders.ts';
import { amountReceived, paidOrPartlyRefunded } from './received.ts';
import { claimLines, claimUnshipped, giveLinesBack, type RefundLine, restockLines } from './refund-lines.ts';
import { getOrder, refundObject } from './rows.ts';
import { canMove, changesBetween, invalidTransition, isSettled, type OrderStates } from './states.ts';
import * as events from './timeline.ts';

/**
 * Refunds. A job refunds provider payments through the provider. For other payments, and after a failure at the
 * provider, a refund only records that the merchant returned the money. A constraint ensures that refunds, except
 * failed ones, never exceed the captured amount (`orders.refunds_begun`).
 */

const MAX_REFUNDS = 250;

/** The refunds of an order, oldest first. Throws `not_found` for an unknown order. */
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
  /** Whether the merchant returned the money after the provider failed to. */
  by_hand?: boolean;
  line_items?: RefundLine[];
}

/**
 * Refunds at most the amount that is paid and not yet refunded. Throws `invalid_transition` or `refund_exceeds_paid`.
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
  const amount = decimal(minor, digits);
  const order = await lockOrder(shop, order_id);
  if (!isSettled(order.payment_status) && (await balanceOf(shop, order_id)).paid === 0) {
    throw invalidTransition(order, 'payment_status', 'refunded', 'An unpaid order cannot be refunded.');
  }
  const payment = await paymentOf(shop, order_id, 'succeeded');
  const { by_hand = false } = input;
  if (payment && by_hand) await refuseUntried(shop, order_id);
  const isAll = await claim(shop, order_id, minor);
  const id = uuidv7();
  await shop.run(
    sql`insert into refunds (site_id, id, order_id, amount, reason, note, actor_id)
      values (${shop.siteId}, ${id}, ${order_id}, ${amount}, ${input.reason}, ${input.note ?? null}, ${shop.actorId})`,
  );
  const { line_items = [] } = input;
  if (line_items.length > 0) await claimLines(shop, order_id, id, line_items);
  else if (isAll) await removeAll(shop, order, id);
  if (payment && !by_hand) await beginMove(shop, { id, kind: 'refund', payment_id: payment.id, order_id, amount });
  else await succeed(shop, order_id, { id, amount, reason: input.reason });
  return { refund: await get(shop, id), order: await getOrder(shop, order_id) };
}

/** Removes all items if the order is unshipped, because it is fully refunded. */
export async function removeAll(shop: Shop, order: LockedOrder, refund_id: string): Promise<void> {
  if (order.status === 'cancelled' || order.fulfillment_status !== 'unfulfilled') return;
  await claimUnshipped(shop, order.id, refund_id);
}

/**
 * Rejects a manual refund unless a refund of the order has failed at the provider, because otherwise the customer might
 * get the money twice.
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

/** Refunds the rest of an order that was just cancelled. An unpaid order stays unchanged. */
export async function refundCancelled(shop: Shop, order_id: string, reason: CancelReason): Promise<Order> {
  const { refundable } = await balanceOf(shop, order_id);
  if (refundable === 0) return getOrder(shop, order_id);
  const amount = decimal(refundable, shop.currencyDigits);
  const made = await create(shop, order_id, { amount, reason: reason === 'customer' ? 'customer' : 'other' });
  return made.order;
}

/**
 * Records the result of a refund at the provider. A failed refund stays failed; a successful one may still fail if a
 * bank rejects the money. Returns whether anything changed.
 */
export async function settle(shop: Shop, refund_id: string, outcome: MoveOutcome): Promise<boolean> {
  const { status } = outcome;
  if (status === 'pending') return false;
  const refund = await shop.one<SettledRefund>(
    sql`select id, order_id, amount, reason from refunds where site_id = ${shop.siteId} and id = ${refund_id}`,
  );
  if (!refund) return false;
  const order = await lockOrder(shop, refund.order_id);
  if (await endMove(shop, refund_id, { ...outcome, status })) {
    if (status === 'succeeded') await succeed(shop, refund.order_id, refund);
    else await fail(shop, refund, outcome);
    return true;
  }
  if (status !== 'failed' || !(await reverseMove(shop, refund_id, outcome))) return false;
  await takeBack(shop, order, refund, outcome);
  return true;
}

interface SettledRefund {
  id: string;
  order_id: string;
  amount: string;
  reason: RefundReason;
}

/**
 * Marks the locked order as paid again, minus other refunds, and sends a mail that corrects the earlier one about the
 * refund.
 */
async function takeBack(
  shop: Shop,
  before: LockedOrder,
  { id, order_id, amount }: SettledRefund,
  { reason }: MoveOutcome,
): Promise<void> {
  const after = await shop.one<Pick<OrderStates, 'payment_status'>>(
    sql`update orders o set payment_status = ${paidOrPartlyRefunded}
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
 * Reserves the amount of a refund in a locked order. Throws if it is not refundable. Returns whether nothing refundable
 * is left.
 */
export async function claim(shop: Shop, order_id: string, minor: number): Promise<boolean> {
  const digits = shop.currencyDigits;
  const { paid, refundable, count } = await balanceOf(shop, order_id);
  if (minor > refundable) {
    throw new ShopError('refund_exceeds_paid', `Only ${decimal(refundable, digits)} can still be refunded.`, {
      paid: decimal(paid, digits),
      refunded: decimal(paid - refundable, digits),
      refundable: decimal(refundable, digits),
    });
  }
  if (count >= MAX_REFUNDS && minor < refundable) {
    throw new ShopError('limit_reached', `An order can have at most ${MAX_REFUNDS} refunds.`, { limit: MAX_REFUNDS });
  }
  await shop.run(
    sql`update orders set refunds_begun = refunds_begun + ${decimal(minor, digits)}::numeric, updated_at = now()
      where site_id = ${shop.siteId} and id = ${order_id}`,
  );
  return minor === refundable;
}

/** Received and refundable amounts of a locked order, in minor units. */
async function balanceOf(shop: Shop, order_id: string) {
  const found = await shop.one<{ paid: string; begun: string; count: number }>(
    sql`select ${amountReceived} as paid, o.refunds_begun as begun, (
        select count(*) from refunds r where r.site_id = o.site_id and r.order_id = o.id) as count
      from orders o where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
  if (!found) throw notFound('order');
  const [paid, begun] = [found.paid, found.begun].map((amount) => minorUnits(amount, shop.currencyDigits)) as [
    number,
    number,
  ];
  return { paid, refundable: paid - begun, count: found.count };
}

/** Records in the locked order that a refund succeeded, and restocks returned goods. */
export async function succeed(
  shop: Shop,
  order_id: string,
  { id, amount, reason }: { id: string; amount: string; reason: RefundReason },
): Promise<void> {
  const order = await lockOrder(shop, order_id);
  const left = await shop.one<{ left: boolean }>(
    sql`select o.refunds_begun < ${amountReceived} or exists (
        select from payment_moves m where m.site_id = o.site_id and m.order_id = o.id and m.kind = 'refund'
          and m.status = 'pending') as left
      from orders o where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
  const whole = left?.left === false;
  // A late payment is refunded while its order stays expired.
  const isPaid = isSettled(order.payment_status);
  const after: Partial<OrderStates> = isPaid ? { payment_status: whole ? 'refunded' : 'partially_refunded' } : {};
  if (reason === 'returned' && whole && canMove(order, 'fulfillment_status', 'returned')) {
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

/** Records that the provider failed to refund, and notifies the staff. */
async function fail(shop: Shop, refund: SettledRefund, { reason }: MoveOutcome): Promise<void> {
  const { id, order_id, amount } = refund;
  await release(shop, refund, false);
  const message = `The provider could not refund ${amount} ${shop.currency}: ${reason ?? NO_REASON}.`;
  await events.record(shop, order_id, { type: 'updated', message, context: { refund_id: id, amount, reason } });
  await mail.enqueueForStaff(shop, 'refund_failed', { refund_id: id });
}

/** Makes the amount of a failed refund refundable again. */
async function release(
  shop: Shop,
  { id, order_id, amount }: Omit<SettledRefund, 'reason'>,
  hadSucceeded: boolean,
): Promise<void> {
  await shop.run(
    sql`update orders set refunds_begun = refunds_begun - ${amount}::numeric, updated_at = now()
      where site_id = ${shop.siteId} and id = ${order_id}`,
  );
  await giveLinesBack(shop, id, hadSucceeded);
}

async function get(shop: Shop, id: string): Promise<Refund> {
  const found = await shop.one<{ refund: Refund }>(
    sql`select ${refundObject} as refund from refunds r join orders o on o.site_id = r.site_id and o.id = r.order_id
      where r.site_id = ${shop.siteId} and r.id = ${id}`,
  );
  if (!found) throw notFound('refund');
  return found.refund;
}
