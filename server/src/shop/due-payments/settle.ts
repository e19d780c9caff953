/**
 * Applies the result of a payment of the amount due, whether it comes from the request, the returning customer, a
 * webhook or the job. Received money is always recorded once, even if the amount due has changed meanwhile; an excess
 * becomes the refund due of the order. If the order is cancelled, or refunds cover all of its items, the job refunds
 * the payment instead (checkout/settle-all.ts).
 */

import sql from 'sql-template-tag';
import { decimal } from '../money.ts';
import { recordOnline } from '../orders/payments.ts';
import { sealAction } from '../payments/next-action.ts';
import type { Outcome } from '../payments/provider.ts';
import type { Shop } from '../shop.ts';
import { type DuePayment, type LockedDue, lockDue, takesDue } from './rows.ts';

export interface PaymentEvent {
  provider: string;
  /** The provider's id of the event. A repeated webhook has the same id. */
  event_id: string;
  outcome: Outcome;
}

const OPEN: DuePayment['status'][] = ['started', 'requires_action', 'pending', 'authorized'];

/** Applies an event of a provider. Returns whether it changed anything. */
export async function takeDueEvent(
  shop: Shop,
  { secretKey }: { secretKey: string },
  payment_id: string,
  { provider, event_id, outcome }: PaymentEvent,
): Promise<boolean> {
  const locked = await lockDue(shop, payment_id);
  if (!locked || locked.payment.provider !== provider) return false;
  if (outcome.status === 'requires_action') return note(shop, secretKey, locked, outcome);
  const fresh = await shop.run(
    sql`insert into payment_events (site_id, provider, event_id) values (${shop.siteId}, ${provider}, ${event_id})
      on conflict do nothing`,
  );
  if (fresh === 0) return false;
  switch (outcome.status) {
    case 'succeeded':
      return succeed(shop, locked, outcome);
    case 'failed':
    case 'cancelled':
      return end(shop, locked, outcome);
    default:
      return note(shop, secretKey, locked, outcome);
  }
}

/** Stores the provider's response to an open payment. */
async function note(shop: Shop, secretKey: string, { payment }: LockedDue, outcome: Outcome): Promise<boolean> {
  if (!OPEN.includes(payment.status)) return false;
  const { status, reference, next_action } = outcome;
  const sealed = next_action && sealAction(secretKey, payment.id, next_action);
  await shop.run(
    sql`update payments set status = ${status}, reference = ${reference}, next_action = ${sealed}, unreachable_since = null,
        updated_at = now()
      where site_id = ${shop.siteId} and id = ${payment.id}`,
  );
  return true;
}

/** Ends a payment that collected no money. */
async function end(shop: Shop, { payment }: LockedDue, { status, reason }: Outcome): Promise<boolean> {
  if (!OPEN.includes(payment.status) && payment.status !== 'abandoned') return false;
  await shop.run(
    sql`update payments set status = ${status}, failure_reason = ${reason}, next_action = null, updated_at = now()
      where site_id = ${shop.siteId} and id = ${payment.id}`,
  );
  return true;
}

/**
 * Records the received money, even if the payment had already ended here, unless the job refunds it or has refunded it.
 */
async function succeed(shop: Shop, { payment, order }: LockedDue, outcome: Outcome): Promise<boolean> {
  const { id, status, captured_amount } = payment;
  if (['succeeded', 'abandoned', 'refunded'].includes(status) || captured_amount !== null) return false;
  const { amount, currency, reference, paid_by } = outcome;
  const isOther = currency !== null && currency.toUpperCase() !== payment.currency;
  if (isOther || !(await takesDue(shop, order))) {
    await shop.run(
      sql`update payments set status = 'abandoned', reference = ${reference}, next_action = null, updated_at = now()
        where site_id = ${shop.siteId} and id = ${id}`,
    );
    return true;
  }
  const received = amount === null ? payment.amount : decimal(amount, shop.currencyDigits);
  await shop.run(
    sql`update payments set status = 'succeeded', captured_amount = ${received}::numeric, reference = ${reference},
        failure_reason = null, next_action = null, unreachable_since = null, updated_at = now()
      where site_id = ${shop.siteId} and id = ${id}`,
  );
  const method = paid_by === 'online' ? 'other' : 'card';
  await recordOnline(shop, order, { amount: received, method, reference, payment_id: id });
  return true;
}

/**
 * Gives up a payment whose provider is no longer configured, so that the order can be edited and paid again. Returns
 * whether the payment was open.
 */
export async function abandonDue(shop: Shop, payment_id: string): Promise<boolean> {
  const locked = await lockDue(shop, payment_id);
  if (!locked || !OPEN.includes(locked.payment.status)) return false;
  await shop.run(
    sql`update payments set status = 'abandoned', next_action = null, updated_at = now()
      where site_id = ${shop.siteId} and id = ${payment_id}`,
  );
  return true;
}
