/** Changes carts by the server's rules. */

import type { Cart } from '@commerce-backend/spec';
import { requireBudget, requireCategories } from './budgets.ts';
import type { Caller, Handlers } from './call.ts';
import {
  cartOfCustomer,
  cartView,
  deliveryOf,
  endCheckout,
  findCart,
  forSale,
  newCart,
  openCheckoutOf,
  pricedLines,
  refuseInactive,
  refuseShort,
  totals,
} from './carts.ts';
import { refusalOf, refuseBeyondLimits } from './discounts.ts';
import { decimal } from './money.ts';
import { findVariant } from './products.ts';
import { notFound, Refusal } from './refusal.ts';
import { after, DAY, now, type StoredCart, type StoredLine } from './state.ts';

const MOST_LINES = 100;
const MOST_PIECES = 999;

function changeable(caller: Caller, id: string): StoredCart {
  const cart = findCart(caller, id);
  refuseInactive(cart);
  return cart;
}

/** Sets the time of the last change, and extends the cart's lifetime. */
function touch(cart: StoredCart): void {
  cart.updated_at = now();
  cart.expires_at = after((cart.customer_id && !cart.agent ? 90 : 30) * DAY);
}

/** Adds a variant to a cart. If that is rejected, the cart does not change. */
export function addItem(caller: Caller, id: string, given: { variant_id: string; quantity: number }): StoredCart {
  const cart = changeable(caller, id);
  const variant = findVariant(caller.state, given.variant_id);
  if (!variant) throw notFound('variant');
  const line = cart.lines.find((one) => one.variant === variant);
  const quantity = (line?.quantity ?? 0) + given.quantity;
  if (quantity > MOST_PIECES) {
    const message = `A cart can have at most ${MOST_PIECES} pieces of one variant.`;
    throw new Refusal('cart_limit', message, { limit: MOST_PIECES });
  }
  const changed = { id: line?.id ?? caller.state.nextId(), variant, quantity, price_seen: variant.price };
  const lines = line ? cart.lines.map((one) => (one === line ? changed : one)) : [...cart.lines, changed];
  if (lines.length > MOST_LINES) {
    throw new Refusal('cart_limit', `A cart has at most ${MOST_LINES} lines.`, { limit: MOST_LINES });
  }
  return withLines(caller, cart, lines, changed);
}

/**
 * Replaces the lines of a cart. `more` is a line whose quantity grows: it needs enough stock, and the cart must stay
 * within the permissions of its agent.
 */
function withLines(caller: Caller, cart: StoredCart, lines: StoredLine[], more?: StoredLine): StoredCart {
  const before = cart.lines;
  cart.lines = lines;
  try {
    if (more) {
      refuseShort(caller, cart, [more]);
      requireMandate(caller, cart);
    }
  } catch (error) {
    cart.lines = before;
    throw error;
  }
  touch(cart);
  return cart;
}

function requireMandate({ state, agent }: Caller, cart: StoredCart): void {
  if (!agent) return;
  requireCategories(
    state,
    agent,
    cart.lines.map(({ variant }) => variant.product),
  );
  requireBudget(state, agent, totals(state, cart).total);
}

export function updateItem(caller: Caller, id: string, line_id: string, quantity: number): StoredCart {
  const cart = changeable(caller, id);
  const line = cart.lines.find((one) => one.id === line_id);
  if (!line) throw notFound('line');
  if (quantity === 0)
    return withLines(
      caller,
      cart,
      cart.lines.filter((one) => one !== line),
    );
  const changed = { ...line, quantity, price_seen: line.variant.price };
  const lines = cart.lines.map((one) => (one === line ? changed : one));
  return withLines(caller, cart, lines, quantity > line.quantity ? changed : undefined);
}

export function applyDiscount(caller: Caller, id: string, given: string): StoredCart {
  const cart = changeable(caller, id);
  const { state, customer } = caller;
  const code = state.discounts.find((one) => one.code.toLowerCase() === given.trim().toLowerCase());
  if (!code) throw new Refusal('discount_not_found', 'There is no such code.');
  const refusal = refusalOf(state, code, pricedLines(forSale(cart)));
  if (refusal) throw refusal;
  if (cart.discount !== code) refuseBeyondLimits(code, customer?.email ?? null);
  cart.discount = code;
  touch(cart);
  return cart;
}

export function removeDiscount(caller: Caller, id: string): StoredCart {
  const cart = changeable(caller, id);
  cart.discount = undefined;
  touch(cart);
  return cart;
}

/** Cancels a cart and its open checkout. */
function cancelCart(caller: Caller, id: string): Cart {
  const cart = changeable(caller, id);
  const shown = cartView(caller.state, cart);
  const open = openCheckoutOf(caller.state, cart);
  if (open) endCheckout(open);
  cart.status = 'expired';
  return { ...shown, status: 'expired' };
}

export const cartHandlers: Handlers = {
  'storefront.createCart': (call) => {
    const { state, customer, agent, body } = call;
    const locale = body?.locale ?? null;
    if (!customer || agent) return cartView(state, newCart(call, locale));
    const cart = cartOfCustomer(call);
    cart.locale = locale ?? cart.locale;
    return cartView(state, cart);
  },
  'storefront.getCart': (call) => cartView(call.state, findCart(call, call.path.cart_id)),
  'storefront.cancelCart': (call) => cancelCart(call, call.path.cart_id),
  'storefront.addCartItem': (call) => cartView(call.state, addItem(call, call.path.cart_id, call.body)),
  'storefront.updateCartItem': (call) => {
    const { cart_id, line_item_id } = call.path;
    return cartView(call.state, updateItem(call, cart_id, line_item_id, call.body.quantity));
  },
  'storefront.removeCartItem': (call) =>
    cartView(call.state, updateItem(call, call.path.cart_id, call.path.line_item_id, 0)),
  'storefront.applyDiscount': (call) => {
    const { state, path, body } = call;
    const cart = applyDiscount(call, path.cart_id, body.code);
    const { discount, allocations } = totals(state, cart);
    return {
      ...{ code: cart.discount?.code ?? '', kind: cart.discount?.kind ?? 'percentage' },
      ...{ amount_off: decimal(discount, state.digits), currency: state.data.currency },
      allocations: allocations.map(({ id, amount }) => ({
        ...{ line_item_id: id, amount_off: decimal(amount, state.digits) },
      })),
    };
  },
  'storefront.removeDiscount': (call) => cartView(call.state, removeDiscount(call, call.path.cart_id)),
  'storefront.listCartShippingOptions': (call) => deliveryOf(call, call.path.cart_id, call.query),
};
