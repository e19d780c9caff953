import { createHash } from 'node:crypto';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { holdActor } from '../customers/erasure.ts';
import { type LinkDeps, orderLink, orderToken } from '../links.ts';
import { decimal, minorUnits } from '../money.ts';
import { keepLink } from '../orders/links.ts';
import { type LockedOrder, lockOrder } from '../orders/orders.ts';
import { dueOf, refuseTooMany } from '../orders/payments.ts';
import { getForCustomer } from '../orders/rows.ts';
import { isSettled } from '../orders/states.ts';
import type { PaymentToBegin } from '../payments/provider.ts';
import type { Shop } from '../shop.ts';
import { type DuePayment, find, findOpen, takesDue } from './rows.ts';

/** How long the customer may take on the provider's page. Stripe's minimum is 30 minutes. */
const SESSION_MINUTES = 31;

/** All payments of amounts due are made on the provider's page, so they share one hash instead of that of a card. */
const CARD_HASH = createHash('sha256').update('page').digest();

export interface BegunDue {
  payment: DuePayment;
  /** The request to send if the provider does not have the payment yet. */
  toBegin: PaymentToBegin;
  /** Whether the amount due has changed since the payment began. */
  isOutdated: boolean;
}

/**
 * Stores a payment of exactly the amount due of an order, before the provider is called, or returns the open one.
 * Returns undefined if nothing is due. Throws `not_found`, also if the order does not belong to `customer_id`, and
 * `limit_reached`.
 */
export async function beginDue(
  shop: Shop,
  provider: string,
  deps: LinkDeps,
  { order_id, customer_id }: { order_id: string; customer_id?: string },
): Promise<BegunDue | undefined> {
  await holdActor(shop);
  await getForCustomer(shop, order_id, customer_id);
  const order = await lockOrder(shop, order_id);
  const due = await payable(shop, order);
  if (due === 0) return undefined;
  const open = await findOpen(shop, order_id);
  const payment = open ?? (await insert(shop, provider, order_id, decimal(due, shop.currencyDigits)));
  return {
    payment,
    toBegin: await toBeginOf(shop, deps, order, payment),
    isOutdated: minorUnits(payment.amount, shop.currencyDigits) !== due,
  };
}

/**
 * Returns the amount of a locked order that can be paid online, in minor units: the amount that an edit or an exchange
 * left due.
 */
async function payable(shop: Shop, order: LockedOrder): Promise<number> {
  const { id, payment_status } = order;
  if (!isSettled(payment_status) || !(await takesDue(shop, order))) return 0;
  return (await dueOf(shop, [id])).get(id) ?? 0;
}

async function insert(shop: Shop, provider: string, order_id: string, amount: string): Promise<DuePayment> {
  await refuseTooMany(shop, order_id);
  const id = uuidv7();
  await shop.run(
    sql`insert into payments (site_id, id, order_id, purpose, provider, kind, status, amount, currency, card_hash, expires_at)
      values (${shop.siteId}, ${id}, ${order_id}, 'amount_due', ${provider}, 'page', 'started', ${amount}, ${shop.currency},
        ${CARD_HASH}, now() + ${SESSION_MINUTES} * interval '1 minute')`,
  );
  const payment = await find(shop, id);
  if (!payment) throw new Error(`Payment ${id} was not written.`);
  return payment;
}

/**
 * Builds the request to the provider. It is the same each time, so that sending it again does not begin a second
 * payment. The provider leads the customer back to the page of the order that needs no login.
 */
async function toBeginOf(
  shop: Shop,
  deps: LinkDeps,
  { id: order_id, order_number }: LockedOrder,
  { id, amount, expires_at }: DuePayment,
): Promise<PaymentToBegin> {
  const token = orderToken(shop, deps, order_id);
  await keepLink(shop, order_id, token);
  const back = `${orderLink(deps.hosts.addressOf(shop.siteId), shop.siteId, token)}/return`;
  return {
    id,
    site_id: shop.siteId,
    amount: minorUnits(amount, shop.currencyDigits),
    currency: shop.currency,
    capture: 'automatic',
    means: { kind: 'page' },
    return_url: back,
    cancel_url: back,
    email: null,
    locale: null,
    description: `Order ${order_number}`,
    expires_at: new Date(expires_at ?? Date.now()),
  };
}
