import type { CustomerOrder, Order, Payment } from '@commerce-backend/spec';
import * as carts from '../carts/carts.ts';
import { paying, refuseTooDear } from '../carts/limits.ts';
import { holdActor } from '../customers/erasure.ts';
import { bodyMistake, ShopError, ValidationError } from '../errors.ts';
import { expireIfDue } from '../orders/expiry.ts';
import { getForCustomer } from '../orders/rows.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import type { Shop } from '../shop.ts';
import { bind, customerOf, shownOrder } from './binding.ts';
import { requireSeen, type Seen } from './expected.ts';
import * as agentCheckouts from './mandate.ts';
import { createOrder } from './new-order.ts';
import type { CheckoutRow, Paid } from './state.ts';
import { lockToComplete, offeredMethods, type Priced, priceLocked, refuseOver } from './state.ts';

/**
 * Completing a checkout, all in the request's transaction; what is paid through a provider was paid before it began, and its order
 * made (pay.ts). Steps:
 * 1. hold the row of the customer who acts, so that the account is not erased meanwhile.
 * 2. lock the cart, then the checkout; a completed checkout answers its order.
 * 3. calculate the prices again; refuse what is incomplete or differs from what the human saw.
 * 4. spend from the agent's budget.
 * 5. redeem the discount code, hold the stock, if it is not held, and sell it.
 * 6. close the checkout and the cart; insert the order with the next number and its sales, and give it its payment.
 * 7. write the timeline, whose trigger writes the event, and enqueue the mail.
 * Every operation takes its locks in this order: customer, cart, checkout, order, agent budget, discount, products,
 * variants, counter of order numbers.
 */
export interface Completion extends Seen {
  /** How it is paid, where a provider takes the money. */
  payment: GivenPayment | undefined;
}

export interface GivenPayment {
  card_token?: string;
  confirmation_token?: string;
  /** Where the provider sends the human back to. */
  return_url?: string;
}

export interface Completed {
  order: Order;
  payment: Payment;
}

/**
 * Creates the order of a checkout, or changes nothing. Returns the order of a checkout that is already completed. Throws what
 * the contract lists for completeCheckout.
 */
export async function complete(
  shop: Shop,
  checkoutDeps: CheckoutDeps,
  id: string,
  completion: Completion,
  paid: Paid | undefined,
  customer_id: string | null = shop.customerId,
): Promise<Completed> {
  await holdActor(shop);
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
    const message = 'The shopper must act at the payment provider. Do what next_action says, and complete again.';
    return new ShopError('payment_action_required', message, { payment_id, next_action, expires_at });
  }
  if (status === 'failed' || status === 'cancelled') {
    return new ShopError('payment_failed', 'The payment was declined.', { reason: reason ?? status });
  }
  if (status === 'started') {
    return new ShopError('unavailable', 'The payment provider has not answered yet. Send the call again.');
  }
  return new ShopError('payment_failed', 'The payment came too late. The money is given back.', { reason });
}

function justChanged(): ShopError {
  return new ShopError('conflict', 'The checkout has just been changed. Read it again.');
}

function answer(shop: Shop, row: CheckoutRow, { payment, fulfillments: _, ...order }: CustomerOrder): Completed {
  return { order: shownOrder(shop, row, order), payment };
}

/**
 * Refuses a priced checkout that cannot become an order as it is. Throws `cart_not_active`, `cart_empty`, `conflict` for a
 * total too large to calculate, `payment_method_unavailable`, `checkout_incomplete`, `price_changed`, `review_changed`,
 * `buyer_data_locked`, or a ValidationError for a card without its token.
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
  if (priced.lines.length === 0) throw new ShopError('cart_empty', 'Nothing in the cart is for sale any more.');
  if (payment_method === 'card' && completion.payment === undefined) {
    const msg =
      'Paying by card needs a card_token, a confirmation_token, or a return_url for the page of the provider.';
    throw new ValidationError([bodyMistake(['payment'], 'missing', msg)]);
  }
}
