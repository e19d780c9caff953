/**
 * Checkouts of carts. Payment is by bank transfer, or on receipt for pickup and cash on delivery. The mocks accept no
 * cards.
 */

import type { Order, Payment } from '@commerce-backend/spec';
import { requireBudget, requireCategories } from './budgets.ts';
import type { Call, Caller, Handlers } from './call.ts';
import {
  discountOn,
  endCheckout,
  findCart,
  forSale,
  openCheckoutOf,
  refuseInactive,
  refuseShort,
  releaseStock,
} from './carts.ts';
import { refuseBeyondLimits } from './discounts.ts';
import { decimal, minorUnits } from './money.ts';
import { writeOrder } from './orders.ts';
import { checkoutView, offeredMethods, type Priced, price } from './pricing.ts';
import { isTracked } from './products.ts';
import { bodyMistake, Invalid, notFound, Refusal } from './refusal.ts';
import { requireReviewed } from './review.ts';
import { after, isOver, now, type State, type StoredCheckout, type StoredOrder } from './state.ts';

const MINUTE = 60_000;

/** Finds a checkout of the caller. Throws `not_found`. */
export function findCheckout({ state, customer, agent }: Caller, id: string): StoredCheckout {
  const found = state.checkouts.get(id);
  if (!found || (found.customer_id !== null && found.customer_id !== customer?.id)) throw notFound('checkout');
  if (agent && found.agent !== agent) throw notFound('checkout');
  if (found.order === null && found.status !== 'cancelled' && isOver(found.expires_at)) {
    endCheckout(found, 'expired');
  }
  return found;
}

/** Throws `checkout_expired` or `checkout_not_open` if the checkout has ended. */
export function refuseOver({ status, cart, order }: StoredCheckout): void {
  if (status === 'expired') throw new Refusal('checkout_expired', 'The checkout has expired.', { cart_id: cart.id });
  if (status !== 'completed' && status !== 'cancelled') return;
  const fields = { status, ...(order && { order_id: order.id }) };
  throw new Refusal('checkout_not_open', `The checkout is ${status}.`, fields);
}

/**
 * Reserves the quantities of the cart. If stock is insufficient, throws `insufficient_stock` and keeps the previous
 * reservation.
 */
function hold(caller: Caller, checkout: StoredCheckout): void {
  refuseShort(caller, checkout.cart, checkout.cart.lines);
  releaseStock(checkout);
  for (const { variant, quantity } of checkout.cart.lines) {
    if (!isTracked(variant)) continue;
    variant.reserved += quantity;
    checkout.held.set(variant, quantity);
  }
  checkout.reserved_until = after(15 * MINUTE);
}

/** Creates a checkout for a cart, or extends its open one. */
export function createCheckout(
  caller: Caller,
  cart_id: string,
  wishes: { locale?: string; return_url?: string | null; cancel_url?: string | null },
): Priced {
  const { state } = caller;
  const cart = findCart(caller, cart_id);
  refuseInactive(cart);
  if (cart.lines.length === 0) throw new Refusal('cart_empty', 'The cart is empty.');
  const checkout = openCheckoutOf(state, cart) ?? draftOf(caller, cart);
  Object.assign(checkout, Object.fromEntries(Object.entries(wishes).filter(([, value]) => value !== undefined)));
  refuseShort(caller, cart, cart.lines);
  requireMandate(caller, price(state, checkout));
  state.checkouts.set(checkout.id, checkout);
  hold(caller, checkout);
  return show(state, checkout);
}

function draftOf({ state, customer }: Caller, cart: StoredCheckout['cart']): StoredCheckout {
  const known = state.customers.find(({ id }) => id === (cart.customer_id ?? customer?.id));
  const {
    id: _,
    is_default,
    created_at,
    updated_at,
    ...address
  } = known?.addresses.find((one) => one.is_default) ?? {};
  return {
    ...{ id: state.nextId(), cart, customer_id: known?.id ?? null, agent: cart.agent },
    status: cart.agent ? 'requires_escalation' : 'open',
    ...{ email: known?.email ?? null, phone: known?.phone ?? null, billing_address: null, shipping_option_id: null },
    // A checkout has no null fields in its address.
    shipping_address: is_default
      ? Object.fromEntries(Object.entries(address).filter(([, value]) => value !== null))
      : null,
    ...{ payment_method: null, note: null, locale: cart.locale, return_url: null, cancel_url: null },
    ...{
      marketing_opt_in: false,
      digital_consent_wording: null,
      shown_total: 0,
      shown_prices: {},
      reported_prices: null,
      held: new Map(),
    },
    ...{ reserved_until: null, expires_at: after(lifeOf(cart)), order: null, created_at: now(), updated_at: now() },
  };
}

function lifeOf({ agent }: StoredCheckout['cart']): number {
  return (agent ? 24 * 60 : 60) * MINUTE;
}

/** Extends the checkout's lifetime, and stores the values that the response shows. */
function show(state: State, checkout: StoredCheckout): Priced {
  const priced = price(state, checkout);
  checkout.shown_total = priced.totals.total;
  checkout.shown_prices = pricesOf(priced);
  checkout.reported_prices = null;
  checkout.updated_at = now();
  checkout.expires_at = after(lifeOf(checkout.cart));
  return priced;
}

function pricesOf({ checkout }: Priced): Record<string, number> {
  return Object.fromEntries(forSale(checkout.cart).map(({ id, variant }) => [id, variant.price]));
}

/** Throws if an agent's purchase is outside its categories or above its budget. */
function requireMandate({ state }: Pick<Caller, 'state'>, { checkout, totals }: Priced): void {
  const { agent, cart } = checkout;
  if (!agent) return;
  requireCategories(
    state,
    agent,
    forSale(cart).map(({ variant }) => variant.product),
  );
  requireBudget(state, agent, totals.total);
}

export type Patch = Partial<
  Pick<
    StoredCheckout,
    'email' | 'phone' | 'shipping_address' | 'billing_address' | 'shipping_option_id' | 'payment_method' | 'note'
  >
>;

export function updateCheckout(caller: Caller, id: string, patch: Patch): Priced {
  const { state, agent, customer } = caller;
  const checkout = findCheckout(caller, id);
  refuseOver(checkout);
  refuseInactive(checkout.cart);
  const changed = price(state, { ...checkout, ...patch });
  if (patch.shipping_option_id && !changed.shipping_option) {
    const message = 'This shipping option is not available for this address and this cart.';
    throw new Refusal('shipping_option_unavailable', message);
  }
  const payment_methods = offeredMethods(state, changed.shipping_option);
  if (patch.payment_method && !payment_methods.includes(patch.payment_method)) {
    const message = 'This payment method is not available for this checkout.';
    throw new Refusal('payment_method_unavailable', message, { payment_methods });
  }
  if (agent) requireMandate(caller, changed);
  hold(caller, checkout);
  Object.assign(checkout, patch, { shipping_option_id: changed.shipping_option?.id ?? null });
  checkout.customer_id ??= customer?.id ?? null;
  return show(state, checkout);
}

/** The values that the shopper has seen. */
interface Seen {
  expected?: string | undefined;
  expected_total?: string | undefined;
}

/** Creates the order of a checkout, or returns the existing one. */
export function completeCheckout(caller: Caller, id: string, seen: Seen = {}): StoredOrder {
  const { state, customer, agent } = caller;
  const found = state.checkouts.get(id);
  if (found?.agent && (!customer || agent)) {
    const message = 'An agent made this checkout, and only its customer can confirm it.';
    throw new Refusal('human_confirmation_required', message);
  }
  const checkout = findCheckout(caller, id);
  if (checkout.order) return checkout.order;
  refuseOver(checkout);
  const priced = price(state, checkout);
  requireReady(state, priced, seen);
  requireMandate(caller, priced);
  const { discount } = checkout.cart;
  if (discount && discountOn(state, checkout.cart)) refuseBeyondLimits(discount, checkout.email);
  hold(caller, checkout);
  checkout.customer_id ??= customer?.id ?? null;
  const order = writeOrder(state, priced);
  for (const [variant, quantity] of checkout.held) {
    variant.on_hand -= quantity;
    variant.reserved -= quantity;
  }
  checkout.held.clear();
  if (discount && discountOn(state, checkout.cart)) discount.redeemed.push(checkout.email?.toLowerCase() ?? '');
  if (checkout.agent) checkout.agent.used_cents += priced.totals.total;
  Object.assign(checkout, { status: 'completed', order, reserved_until: null, updated_at: now() });
  checkout.cart.status = 'converted';
  return order;
}

function requireReady(state: State, priced: Priced, seen: Seen): void {
  const { checkout, missing } = priced;
  refuseInactive(checkout.cart);
  if (checkout.cart.lines.length === 0) throw new Refusal('cart_empty', 'The cart is empty.');
  if (missing.length > 0) throw new Refusal('checkout_incomplete', `Missing: ${missing.join(', ')}.`, { missing });
  if (seen.expected === undefined) requireSeen(state, priced, seen.expected_total);
  else requireReviewed(state, priced, seen.expected);
}

function requireSeen(state: State, priced: Priced, expected_total: string | undefined): void {
  const { checkout, totals } = priced;
  const expected = expected_total === undefined ? checkout.shown_total : amountOf(state, expected_total);
  const prices = pricesOf(priced);
  const isSame = (seen: Record<string, number> | null) => JSON.stringify(seen) === JSON.stringify(prices);
  const isAccepted = expected_total !== undefined && isSame(checkout.reported_prices);
  if (totals.total === expected && (isAccepted || isSame(checkout.shown_prices))) return;
  const { shown_prices } = checkout;
  checkout.reported_prices = prices;
  const inWords = (amount: number | undefined) => (amount === undefined ? null : decimal(amount, state.digits));
  const [total, expectedTotal] = [inWords(totals.total), inWords(expected)];
  const message =
    total === expectedTotal ? 'A line has changed.' : `The total is ${total}, no longer ${expectedTotal}.`;
  const ids = [...new Set([...Object.keys(shown_prices), ...Object.keys(prices)])];
  const lines = ids
    .filter((one) => shown_prices[one] !== prices[one])
    .map((one) => ({ line_item_id: one, previous_price: inWords(shown_prices[one]), price: inWords(prices[one]) }));
  throw new Refusal('price_changed', message, { expected_total: expectedTotal, total, lines });
}

function amountOf({ digits }: State, amount: string): number {
  const fraction = amount.split('.')[1] ?? '';
  if (!/[1-9]/.test(fraction.slice(digits))) return minorUnits(amount, digits);
  const msg = digits === 0 ? 'This currency has no decimals.' : `This currency has at most ${digits} decimals.`;
  throw new Invalid([bodyMistake(['expected_total'], 'decimal_max_places', msg, { decimal_places: digits })]);
}

export function cancelCheckout(caller: Caller, id: string): Priced {
  const checkout = findCheckout(caller, id);
  if (checkout.status !== 'cancelled') {
    refuseOver(checkout);
    endCheckout(checkout);
  }
  return price(caller.state, checkout);
}

function orderAnswer({ payment, fulfillments: _, tax_included, ...order }: StoredOrder): {
  order: Order;
  payment: Payment;
} {
  return { order, payment };
}

export const checkoutHandlers: Handlers = {
  'storefront.createCheckout': (call) => {
    const { cart_id, attribution: _, ...wishes } = call.body;
    return checkoutView(call.state, createCheckout(call, cart_id, wishes));
  },
  'storefront.getCheckout': (call) => {
    const checkout = findCheckout(call, call.path.checkout_id);
    if (checkout.status === 'expired') refuseOver(checkout);
    return checkoutView(call.state, price(call.state, checkout));
  },
  'storefront.updateCheckout': (call: Call<'storefront.updateCheckout'>) => {
    const { marketing_wording: _, ...patch } = call.body;
    return checkoutView(call.state, updateCheckout(call, call.path.checkout_id, patch as Patch));
  },
  'storefront.completeCheckout': (call) => orderAnswer(completeCheckout(call, call.path.checkout_id, call.body)),
  'storefront.cancelCheckout': (call) => checkoutView(call.state, cancelCheckout(call, call.path.checkout_id)),
};
