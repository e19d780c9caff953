import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { inShop } from '../in-shop.ts';
import * as mail from '../mail.ts';
import * as orders from '../orders/orders.ts';
import { canMove, changesBetween, type OrderStates } from '../orders/states.ts';
import * as events from '../orders/timeline.ts';
import { type Shop, SYSTEM, type Tenant } from '../shop.ts';
import type { Outcome, PaymentProvider } from './provider.ts';

/**
 * Payments after the checkout: late answers of the provider, and money for which there is no order. Steps, for each site:
 * 1. mark payments without an order as abandoned, and claim up to 100 open ones; a short transaction that skips rows locked
 *    by another process.
 * 2. ask the provider, or have it cancel an abandoned payment. No transaction is open during the call.
 * 3. write the outcome in a new transaction: lock the order, insert the event, which happens once, then update the payment
 *    and the order.
 * Locks, in this order: the order, the payment, then what cancelling an order locks (orders/orders.ts).
 */

const AT_ONCE = 100;
/** A completion takes seconds. An attempt without an order after that was interrupted. */
const ORPHANED_AFTER = '10 minutes';

interface OpenPayment {
  id: string;
  order_id: string | null;
  status: 'pending' | 'authorized' | 'abandoned';
  reference: string | null;
}

/**
 * Asks the provider for the outcome of pending and authorized payments, and cancels those that have no order; at most 100 in one
 * call, those first whose last request is the oldest. Each outcome takes effect once, whoever asks and however often. Returns
 * how many were settled. A failure does not stop the other payments; throws at the end if there was one.
 */
export async function settlePayments(db: Pool, tenant: Tenant, card: PaymentProvider | undefined): Promise<number> {
  if (!card) return 0;
  const open = await inShop(db, tenant, SYSTEM, (shop) => openPayments(shop, card));
  const failures: unknown[] = [];
  let settled = 0;
  for (const payment of open) {
    try {
      const settle = payment.status === 'abandoned' ? cancelAbandoned : updateOutcome;
      if (await settle(db, tenant, card, payment)) settled += 1;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} payments could not be settled.`);
  return settled;
}

async function openPayments(shop: Shop, { name }: PaymentProvider): Promise<OpenPayment[]> {
  await shop.run(
    sql`update payments set status = 'abandoned', updated_at = now()
      where site_id = ${shop.siteId} and order_id is null and status in ('started', 'pending', 'authorized', 'succeeded')
        and updated_at <= now() - ${ORPHANED_AFTER}::interval`,
  );
  return shop.rows<OpenPayment>(
    sql`update payments set updated_at = now()
      where site_id = ${shop.siteId} and id in (
        select id from payments
        where site_id = ${shop.siteId} and provider = ${name}
          and (status = 'abandoned' or (status in ('pending', 'authorized') and order_id is not null))
        order by updated_at limit ${AT_ONCE} for update skip locked)
      returning id, order_id, status, reference`,
  );
}

async function cancelAbandoned(
  db: Pool,
  tenant: Tenant,
  card: PaymentProvider,
  payment: OpenPayment,
): Promise<boolean> {
  await card.cancel({ ...payment, site_id: tenant.site_id });
  const cancelled = await inShop(db, tenant, SYSTEM, (shop) =>
    shop.run(
      sql`update payments set status = 'cancelled', updated_at = now()
        where site_id = ${shop.siteId} and id = ${payment.id} and status = 'abandoned'`,
    ),
  );
  return cancelled > 0;
}

async function updateOutcome(db: Pool, tenant: Tenant, card: PaymentProvider, payment: OpenPayment): Promise<boolean> {
  const outcome = await card.outcomeOf({ ...payment, site_id: tenant.site_id });
  if (!outcome || ['pending', payment.status].includes(outcome.status) || !payment.order_id) return false;
  const event = { event_id: `${payment.id}:${outcome.status}`, provider: card.name, outcome };
  const { order_id, id } = payment;
  return inShop(db, tenant, SYSTEM, (shop) => takeEvent(shop, order_id, id, event));
}

export interface PaymentEvent {
  provider: string;
  /** The provider's id of the event; an event that is sent twice has the same id. */
  event_id: string;
  outcome: Outcome;
}

/**
 * Applies what a provider reports about the payment of an order: paid, authorized, or failed, which cancels the order. An event
 * that was applied before changes nothing; returns whether this one did.
 */
export async function takeEvent(
  shop: Shop,
  order_id: string,
  payment_id: string,
  { provider, event_id, outcome }: PaymentEvent,
): Promise<boolean> {
  const order = await orders.lockOrder(shop, order_id);
  const fresh = await shop.run(
    sql`insert into payment_events (site_id, provider, event_id) values (${shop.siteId}, ${provider}, ${event_id})
      on conflict do nothing`,
  );
  if (fresh === 0) return false;
  const changed = await shop.run(
    sql`update payments set status = ${outcome.status}, failure_reason = ${outcome.reason}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${payment_id} and order_id = ${order_id}
        and status in ('started', 'pending', 'authorized')`,
  );
  if (changed === 0) return false;
  if (outcome.status === 'succeeded' && canMove(order, 'payment_status', 'paid')) {
    await orders.confirmPayment(shop, order, 'The card payment succeeded.');
  } else if (outcome.status === 'authorized' && canMove(order, 'payment_status', 'authorized')) {
    await authorize(shop, order);
  } else if (outcome.status === 'failed' && canMove(order, 'payment_status', 'failed')) {
    await fail(shop, order, outcome);
  }
  return true;
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

async function fail(shop: Shop, order: orders.LockedOrder, { reason }: Outcome): Promise<void> {
  const failed: Partial<OrderStates> = { payment_status: 'failed' };
  const cancels = canMove(order, 'status', 'cancelled') && order.fulfillment_status === 'unfulfilled';
  if (cancels) {
    await orders.end(shop, order, failed, { reason: 'other', restock: true });
  } else {
    await shop.run(
      sql`update orders set payment_status = 'failed', updated_at = now()
        where site_id = ${shop.siteId} and id = ${order.id}`,
    );
  }
  const context = { ...changesBetween(order, failed), reason };
  await events.record(shop, order.id, { type: 'payment_failed', message: 'The card payment failed.', context });
  if (cancels) await tellCancelled(shop, order);
}

async function tellCancelled(shop: Shop, order: orders.LockedOrder): Promise<void> {
  const context = { ...changesBetween(order, { status: 'cancelled' }), reason: 'other', note: null, restock: true };
  const message = 'The order was cancelled, because its payment failed.';
  await events.record(shop, order.id, { type: 'cancelled', message, context });
  await mail.enqueue(shop, 'order_cancelled', { order_id: order.id });
}
