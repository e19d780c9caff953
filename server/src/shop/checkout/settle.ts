/**
 * Applies the result of a payment, whether it comes from the request, the returning shopper, a webhook or the job. Each
 * result takes effect once, in any order. While the payment is pending (`checkouts.payment_id`), success creates the
 * order from the stored state, and failure or cancellation reopens the checkout. If a payment succeeds later or with
 * another amount, the job cancels or refunds it (settle-all.ts). Once there is an order, results change the order
 * (payments/order-outcomes.ts).
 */

import sql, { type Sql } from 'sql-template-tag';
import { freeHeld, NOTHING_SPENT, spendHeld } from '../agent-limits/budgets.ts';
import { type PaymentEvent, takeDueEvent } from '../due-payments/settle.ts';
import { decimal, minorUnits } from '../money.ts';
import { applyToOrder } from '../payments/order-outcomes.ts';
import type { Outcome } from '../payments/provider.ts';
import type { Shop } from '../shop.ts';
import * as stock from '../stock/stock.ts';
import { type Attempt, endAttempt, type LockedAttempt, lockAttempt, noteOutcome } from './attempts.ts';
import { thawed } from './frozen.ts';
import { createPaidOrder } from './new-order.ts';

/** Applies an event of a provider. Returns whether it had an effect. A repeated result of a payment has none. */
export async function takeEvent(
  shop: Shop,
  { secretKey }: { secretKey: string },
  payment_id: string,
  { provider, event_id, outcome }: PaymentEvent,
): Promise<boolean> {
  const locked = await lockAttempt(shop, payment_id);
  if (!locked) return takeDueEvent(shop, { secretKey }, payment_id, { provider, event_id, outcome });
  if (outcome.status === 'requires_action') return noteAction(shop, secretKey, locked, provider, outcome);
  const fresh = await shop.run(
    sql`insert into payment_events (site_id, provider, event_id) values (${shop.siteId}, ${provider}, ${event_id})
      on conflict do nothing`,
  );
  if (fresh === 0 || locked.attempt.provider !== provider) return false;
  return locked.order ? takeForOrder(shop, locked, outcome) : takeForCheckout(shop, secretKey, locked, outcome);
}

/**
 * Stores the shopper's next action each time the provider reports it, because an action stored before a change of
 * SECRET_KEY cannot be decrypted.
 */
async function noteAction(
  shop: Shop,
  secretKey: string,
  { attempt, row }: LockedAttempt,
  provider: string,
  outcome: Outcome,
): Promise<boolean> {
  const isOpen = row.payment_id === attempt.id && attempt.provider === provider;
  if (isOpen) await noteOutcome(shop, secretKey, attempt.id, outcome);
  return isOpen;
}

const UNSETTLED: Attempt['status'][] = ['started', 'pending', 'authorized'];

async function takeForOrder(shop: Shop, { attempt, order }: LockedAttempt, outcome: Outcome): Promise<boolean> {
  if (!order || !UNSETTLED.includes(attempt.status)) return false;
  if (outcome.status === attempt.status) return false;
  // An authorized payment may be captured in part. Before the capture, its amount must be the requested one.
  if (attempt.status !== 'authorized' && isOtherMoney(shop, attempt, outcome)) {
    await endAttempt(shop, attempt.id, 'abandoned', OTHER_AMOUNT);
    await applyToOrder(shop, order, { ...outcome, status: 'failed', reason: OTHER_AMOUNT });
    return true;
  }
  await shop.run(
    sql`update payments set status = ${outcome.status}, failure_reason = ${outcome.reason}, updated_at = now(),
        captured_amount = case when ${outcome.status === 'succeeded'} then ${takenOf(shop, attempt, outcome)}::numeric end
      where site_id = ${shop.siteId} and id = ${attempt.id}`,
  );
  if (outcome.status === 'succeeded') await noteCaptured(shop, order.id, takenOf(shop, attempt, outcome));
  await applyToOrder(shop, order, outcome);
  return true;
}

/** Stores the captured amount if it is less than the order's total. */
async function noteCaptured(shop: Shop, order_id: string, amount: string): Promise<void> {
  await shop.run(
    sql`update orders set captured = ${amount}::numeric
      where site_id = ${shop.siteId} and id = ${order_id} and ${amount}::numeric < total`,
  );
}

async function takeForCheckout(
  shop: Shop,
  secretKey: string,
  locked: LockedAttempt,
  outcome: Outcome,
): Promise<boolean> {
  const { attempt, row } = locked;
  const isOpen = row.payment_id === attempt.id;
  switch (outcome.status) {
    case 'failed':
    case 'cancelled':
      if (isOpen) await reopen(shop, locked, outcome.status, outcome);
      else if (attempt.status === 'abandoned') await endAttempt(shop, attempt.id, outcome.status, outcome.reason);
      return isOpen || attempt.status === 'abandoned';
    default:
      return takeSuccess(shop, secretKey, locked, outcome);
  }
}

/** Handles a payment that was captured or authorized, or is being processed. */
async function takeSuccess(shop: Shop, secretKey: string, locked: LockedAttempt, outcome: Outcome): Promise<boolean> {
  const { attempt, row } = locked;
  if (row.payment_id !== attempt.id || !attempt.frozen) {
    await endAttempt(shop, attempt.id, 'abandoned', null, outcome.reference);
  } else if (isOtherMoney(shop, attempt, outcome)) {
    await reopen(shop, locked, 'abandoned', { ...outcome, reason: OTHER_AMOUNT });
  } else {
    await noteOutcome(shop, secretKey, attempt.id, outcome);
    await placeOrder(shop, locked, outcome);
  }
  return true;
}

const OTHER_AMOUNT = 'amount_differs';

function isOtherMoney(shop: Shop, attempt: Attempt, { amount, currency }: Outcome): boolean {
  if (amount !== null && amount !== minorUnits(attempt.amount, shop.currencyDigits)) return true;
  return currency !== null && attempt.currency !== null && currency.toUpperCase() !== attempt.currency;
}

function takenOf(shop: Shop, attempt: Attempt, { amount }: Outcome): string {
  return amount === null ? attempt.amount : decimal(amount, shop.currencyDigits);
}

/**
 * Creates the order. The shopper has confirmed and the provider has accepted the payment, so later changes do not
 * prevent the order.
 */
async function placeOrder(shop: Shop, { attempt, row }: LockedAttempt, outcome: Outcome): Promise<void> {
  const { frozen, held_cents } = attempt;
  if (!frozen) throw new Error(`Payment ${attempt.id} has no frozen state.`);
  const { status, paid_by } = outcome;
  const { agent_token_id } = row;
  const spent = agent_token_id && held_cents > 0 ? await spendHeld(shop, agent_token_id, held_cents) : NOTHING_SPENT;
  const charged = { payment_id: attempt.id, amount: attempt.amount, status, paid_by };
  await createPaidOrder(shop.as(frozen.actor), thawed(frozen, row), charged, spent);
  await shop.run(
    sql`update payments set next_action = null, captured_amount = case when ${status === 'succeeded'}
        then ${takenOf(shop, attempt, outcome)}::numeric end
      where site_id = ${shop.siteId} and id = ${attempt.id}`,
  );
}

/** Whether a sent draft order reserves the stock of `checkouts k` until the draft expires. */
const isReservedByDraft: Sql = sql`exists (
  select from draft_orders d where d.site_id = k.site_id and d.checkout_id = k.id and d.reserve and d.sent_at is not null)`;

/**
 * Ends a payment without an order. The checkout can be changed and paid again. It keeps its stock for another 15
 * minutes, or until the expiry of a draft order that reserves stock.
 */
async function reopen(
  shop: Shop,
  { attempt, row }: LockedAttempt,
  status: 'failed' | 'cancelled' | 'abandoned',
  { reason, reference }: Pick<Outcome, 'reason'> & Partial<Outcome>,
): Promise<void> {
  await endAttempt(shop, attempt.id, status, reason, reference);
  await shop.run(
    sql`update checkouts k set payment_id = null, payment_failure = ${reason ?? status},
        reserved_until = case when ${isReservedByDraft} then k.expires_at else now() + interval '15 minutes' end,
        expires_at = greatest(k.expires_at, now() + interval '60 minutes'), updated_at = now()
      where k.site_id = ${shop.siteId} and k.id = ${row.id}`,
  );
  await shop.run(sql`update carts set payment_id = null where site_id = ${shop.siteId} and id = ${row.cart_id}`);
  if (row.agent_token_id && attempt.held_cents > 0) await freeHeld(shop, row.agent_token_id, attempt.held_cents);
}

/**
 * Releases the stock of a payment whose provider has not answered for too long. The job cancels or refunds the payment
 * once the provider answers. Returns whether the payment was pending.
 */
export async function release(shop: Shop, payment_id: string): Promise<boolean> {
  const locked = await lockAttempt(shop, payment_id);
  if (!locked || locked.row.payment_id !== payment_id) return false;
  await reopen(shop, locked, 'abandoned', { reason: 'provider_unreachable' });
  const lapsed = await shop.run(
    sql`update checkouts k set reserved_until = null
      where k.site_id = ${shop.siteId} and k.id = ${locked.row.id} and not ${isReservedByDraft}`,
  );
  if (lapsed > 0) await stock.release(shop, locked.row.id);
  return true;
}
