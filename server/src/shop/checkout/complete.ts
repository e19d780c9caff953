/**
 * Completes a checkout in one transaction. If a provider charges, pay.ts runs first and creates the order. Steps:
 * 1. lock the calling customer, so that the account is not erased meanwhile and the credit limit holds
 * 2. lock the cart, then the checkout; if it is completed, return its order
 * 3. calculate the prices again; reject a checkout that is incomplete or differs from the reviewed one
 * 4. spend from the agent's budget
 * 5. redeem the discount code, and sell the reserved stock
 * 6. close checkout and cart, and insert the order with the next number and its payment
 * 7. add the timeline entry, whose trigger writes the event, and enqueue the mail
 * Lock order everywhere: customer, cart, checkout, order, agent budget, discount, products, variants, counter of order
 * numbers.
 */

import type { CustomerOrder, Order, Payment } from '@commerce-backend/spec';
import { together } from '../../db/connect.ts';
import * as carts from '../carts/carts.ts';
import { paying, refuseTooDear } from '../carts/limits.ts';
import { refuseCredit } from '../customers/credit.ts';
import { holdActor } from '../customers/erasure.ts';
import { bodyMistake, ShopError, ValidationError } from '../errors.ts';
import { lockCredit } from '../orders/credit-limit.ts';
import { expireIfDue } from '../orders/expiry.ts';
import { getForCustomer } from '../orders/rows.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import type { Shop } from '../shop.ts';
import * as agentCheckouts from './agent-limits.ts';
import { bind, customerOf, shownOrder } from './binding.ts';
import { requireSeen, type Seen } from './expected.ts';
import { createOrder } from './new-order.ts';
import type { CheckoutRow, Paid } from './state.ts';
import { lockToComplete, offeredMethods, type Priced, priceLocked, refuseOver } from './state.ts';

export interface Completion extends Seen {
  /** The payment token, if a provider charges. */
  payment: GivenPayment | undefined;
}

export interface GivenPayment {
  card_token?: string;
  confirmation_token?: string;
  /** The URL to which the provider's page returns the shopper. */
  return_url?: string;
}

export interface Completed {
  order: Order;
  payment: Payment;
}

/**
 * Creates the order of a checkout, or returns the existing one. Throws the errors that the contract lists for
 * completeCheckout.
 */
export async function complete(
  shop: Shop,
  checkoutDeps: CheckoutDeps,
  id: string,
  completion: Completion,
  paid: Paid | undefined,
  customer_id: string | null = shop.customerId,
): Promise<Completed> {
  await together(holdActor(shop), lockCredit(shop, customer_id));
  const locked = await lockToComplete(shop, id, customer_id);
  const { row } = locked;
  if (row.order_id) {
    await expireIfDue(shop.asSystem(), row.order_id);
    return answer(shop, row, await getForCustomer(shop, row.order_id));
  }
  refuseOver(row);
  if (paid?.status) throw unpaid(paid);
  if (row.payment_id) throw paid?.refusal ?? paying({ payment_id: row.payment_id });
  const priced = priceLocked(shop, checkoutDeps, locked);
  requireReady(shop, checkoutDeps, priced, completion);
  if (priced.payment_method === 'card') throw paid?.refusal ?? justChanged();

  const spent = await agentCheckouts.spend(shop, priced);
  const order = await createOrder(shop, priced, customerOf(shop, row), { spent });
  await bind(shop, row);
  return answer(shop, row, order);
}

function unpaid({ status, reason, payment_id, next_action, expires_at }: Paid): ShopError {
  if (status === 'requires_action') {
    const message =
      'The shopper must act at the payment provider. Follow next_action, then complete the checkout again.';
    return new ShopError('payment_action_required', message, { payment_id, next_action, expires_at });
  }
  if (status === 'failed' || status === 'cancelled') {
    return new ShopError('payment_failed', 'The payment was declined.', { reason: reason ?? status });
  }
  if (status === 'started') {
    return new ShopError('unavailable', 'The payment provider has not answered yet. Retry the request.');
  }
  return new ShopError('payment_failed', 'Payment arrived after the deadline and will be refunded.', { reason });
}

function justChanged(): ShopError {
  return new ShopError('conflict', 'The checkout was changed by another request. Read it again.');
}

function answer(shop: Shop, row: CheckoutRow, { payment, fulfillments: _, ...order }: CustomerOrder): Completed {
  return { order: shownOrder(shop, row, order), payment };
}

/**
 * Throws if a priced checkout cannot become an order: `cart_not_active`, `cart_empty`, `conflict` (total too large to
 * calculate), `payment_method_unavailable`, `checkout_incomplete`, `price_changed`, `review_changed`,
 * `buyer_data_locked`, `invoice_overdue`, `credit_limit_exceeded`, or a ValidationError for a card payment without a
 * token.
 */
export function requireReady(shop: Shop, checkoutDeps: CheckoutDeps, priced: Priced, completion: Completion): void {
  const { row, missing, payment_method } = priced;
  carts.refuseInactive(priced.cart);
  if (priced.cart.lines.length === 0) throw new ShopError('cart_empty', 'The cart is empty.');
  // Prices may have risen since the cart was filled.
  refuseTooDear(priced.cart);
  if (row.payment_method && !payment_method) {
    const payment_methods = offeredMethods(priced.terms, checkoutDeps, priced.shipping_option);
    throw new ShopError('payment_method_unavailable', 'The shop no longer offers the payment method.', {
      payment_methods,
    });
  }
  if (missing.length > 0) throw new ShopError('checkout_incomplete', `Missing: ${missing.join(', ')}.`, { missing });
  requireSeen(shop, checkoutDeps, priced, completion);
  if (priced.lines.length === 0) throw new ShopError('cart_empty', 'No product of the cart is for sale any longer.');
  if (payment_method === 'invoice' && priced.terms.credit) refuseCredit(shop, priced.terms.credit, priced.totals.total);
  if (payment_method === 'card' && completion.payment === undefined) {
    const msg = 'Card payments need a card_token, a confirmation_token, or a return_url for the page of the provider.';
    throw new ValidationError([bodyMistake(['payment'], 'missing', msg)]);
  }
}
