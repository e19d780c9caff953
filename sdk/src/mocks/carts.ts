import type { Cart, CartItem, CartWarning } from '@commerce-backend/spec';
import { requireBudget, requireCategories } from './budgets.ts';
import type { Caller, Handlers } from './call.ts';
import { refusalOf, refuseBeyondLimits, termsOf } from './discounts.ts';
import { decimal, type Totals, totalsOf } from './money.ts';
import { findVariant, freeOf, imageOf, isTracked, isVisible, variantName } from './products.ts';
import { notFound, Refusal } from './refusal.ts';
import { choicesAmong, parcelOf, undeliverable } from './shipping.ts';
import { after, isOver, now, type State, type StoredCart, type StoredCheckout, type StoredLine } from './state.ts';

/** Carts, as the server changes and shows them. */

const DAY = 24 * 3_600_000;
const MOST_LINES = 100;
const MOST_PIECES = 999;

export function newCart({ state, customer, agent }: Caller, locale: string | null = null): StoredCart {
  const days = customer ? (agent ? 30 : 90) : 7;
  const cart: StoredCart = {
    ...{ id: state.nextId(), status: 'active', customer_id: customer?.id ?? null, agent, merged_into: null, locale },
    ...{ lines: [], discount: undefined, expires_at: after(days * DAY), created_at: now(), updated_at: now() },
  };
  state.carts.set(cart.id, cart);
  return cart;
}

/** The customer's active cart, which begins here if there is none. */
export function cartOfCustomer(caller: Caller): StoredCart {
  const own = [...caller.state.carts.values()].find(
    (cart) => cart.customer_id === caller.customer?.id && !cart.agent && isUsable(cart),
  );
  return own ?? newCart({ ...caller, agent: null });
}

function isUsable({ status, expires_at }: StoredCart): boolean {
  return status === 'active' && !isOver(expires_at);
}

/** A cart of the caller. Throws `not_found` or `cart_expired`. */
export function findCart({ state, customer, agent }: Caller, id: string): StoredCart {
  const cart = state.carts.get(id);
  if (!cart || (cart.customer_id !== null && cart.customer_id !== customer?.id)) throw notFound('cart');
  if (agent && cart.agent !== agent) throw notFound('cart');
  if (cart.status === 'expired' || (cart.status === 'active' && isOver(cart.expires_at))) {
    throw new Refusal('cart_expired', 'The cart has expired.');
  }
  return cart;
}

/** Throws `cart_not_active`. */
export function refuseInactive({ status, merged_into }: StoredCart): void {
  if (status === 'active') return;
  const cart_id = merged_into ?? undefined;
  throw new Refusal('cart_not_active', `The cart is ${status} and cannot change.`, { status, cart_id });
}

function changeable(caller: Caller, id: string): StoredCart {
  const cart = findCart(caller, id);
  refuseInactive(cart);
  return cart;
}

/** Puts the time of the change on a cart, and lets it live longer. */
function touch(cart: StoredCart): void {
  cart.updated_at = now();
  cart.expires_at = after((cart.customer_id && !cart.agent ? 90 : 30) * DAY);
}

export function isSellable({ variant }: StoredLine): boolean {
  return isVisible(variant.product);
}

/** The lines that can become an order. */
export function forSale({ lines }: StoredCart): StoredLine[] {
  return lines.filter(isSellable);
}

/** The open checkout of a cart. */
export function openCheckoutOf(state: State, cart: StoredCart): StoredCheckout | undefined {
  return [...state.checkouts.values()].find(
    (one) =>
      one.cart === cart && ['open', 'ready', 'requires_escalation'].includes(one.status) && !isOver(one.expires_at),
  );
}

/** How much of a line could be bought now, with what its own checkout holds. */
export function availableOf(state: State, cart: StoredCart, { variant }: StoredLine): number {
  if (!isVisible(variant.product)) return 0;
  if (!isTracked(variant) || variant.inventory_policy === 'continue') return Number.POSITIVE_INFINITY;
  return Math.max(0, freeOf(variant) + (openCheckoutOf(state, cart)?.held.get(variant) ?? 0));
}

/** Throws `insufficient_stock` when there are fewer than the lines say. */
export function refuseShort({ state, agent }: Caller, cart: StoredCart, lines: StoredLine[]): void {
  const short = lines
    .map((line) => ({ line, available: availableOf(state, cart, line) }))
    .filter(({ line, available }) => line.quantity > available);
  const [first] = short;
  if (!first) return;
  const amounts = `${first.available} available, ${first.line.quantity} requested`;
  const label = labelOf(first.line);
  const isGone = first.available === 0;
  const forAgent = isGone ? 'Out of stock.' : `Not enough stock: ${amounts}.`;
  const forPeople = isGone ? `Out of stock: ${label}.` : `Not enough stock: ${label} (${amounts}).`;
  throw new Refusal('insufficient_stock', agent ? `${forAgent} The field lines says which items.` : forPeople, {
    lines: short.map(({ line, available }) => ({
      ...{ line_item_id: line.id, variant_id: line.variant.id, requested: line.quantity, available },
    })),
  });
}

export function labelOf({ variant }: StoredLine): string {
  const name = variantName(variant);
  return name ? `${variant.product.input.name}, ${name}` : variant.product.input.name;
}

export function pricedLines(lines: StoredLine[]) {
  return lines.map(({ id, variant, quantity }) => ({
    ...{ id, product_id: variant.product.id, price: variant.price, quantity },
    tax_class: variant.product.input.tax_class ?? 'standard',
  }));
}

/** The terms of the code on a cart, while its conditions hold. */
export function discountOn(state: State, cart: StoredCart) {
  const { discount } = cart;
  if (!discount || refusalOf(state, discount, pricedLines(forSale(cart)))) return undefined;
  return termsOf(state, discount);
}

/** What a cart comes to before shipping and tax. */
export function totals(state: State, cart: StoredCart): Totals {
  return totalsOf({
    ...{ lines: pricedLines(forSale(cart)), discount: discountOn(state, cart), shipping: 0, digits: state.digits },
    tax: { rate: '0', rates: {}, included: true },
  });
}

export function cartView(state: State, cart: StoredCart): Cart {
  const { id, status, customer_id, discount: code, locale, expires_at, created_at, updated_at } = cart;
  const { subtotal, discount, total } = totals(state, cart);
  return {
    ...{ id, status, customer_id, currency: state.data.currency, items: itemsOf(state, cart) },
    ...{ subtotal: decimal(subtotal, state.digits), discount: decimal(discount, state.digits) },
    ...{ discount_code: code?.code ?? null, total: decimal(total, state.digits), warnings: warningsOf(state, cart) },
    ...{ locale, expires_at, created_at, updated_at },
  };
}

export function itemsOf(state: State, cart: StoredCart): CartItem[] {
  return cart.lines.map((line) => {
    const { id, variant, quantity } = line;
    return {
      ...{ id, variant_id: variant.id, product_id: variant.product.id, name: variant.product.input.name },
      ...{ variant_name: variantName(variant), sku: variant.sku, image_url: imageOf(variant), quantity },
      ...{ price: decimal(variant.price, state.digits), total: decimal(variant.price * quantity, state.digits) },
      available: quantity <= availableOf(state, cart, line),
    };
  });
}

const NOTHING_MORE = { previous_price: null, price: null, requested: null, available: null };

export function warningsOf(state: State, cart: StoredCart): CartWarning[] {
  if (cart.status !== 'active') return [];
  const { discount } = cart;
  const refusal = discount && refusalOf(state, discount, pricedLines(forSale(cart)));
  const ofLines = cart.lines.flatMap((line) => warningsOfLine(state, cart, line));
  if (!discount || !refusal) return ofLines;
  const message = `The code ${discount.code} takes nothing off now. ${refusal.message}`;
  const of = { code: 'discount_not_applied' as const, line_item_id: null, message, reason: refusal.code };
  return [...ofLines, { ...NOTHING_MORE, ...of }];
}

function warningsOfLine(state: State, cart: StoredCart, line: StoredLine): CartWarning[] {
  const { id: line_item_id, variant, quantity: requested, price_seen } = line;
  const name = labelOf(line);
  const common = { ...NOTHING_MORE, line_item_id };
  if (!isSellable(line)) return [{ ...common, code: 'unavailable', message: `${name} is no longer for sale.` }];
  const found: CartWarning[] = [];
  if (variant.price !== price_seen) {
    const [price, previous_price] = [decimal(variant.price, state.digits), decimal(price_seen, state.digits)];
    const message = `${name} costs ${price} now, not ${previous_price}.`;
    found.push({ ...common, code: 'price_changed', message, previous_price, price });
  }
  const available = availableOf(state, cart, line);
  if (available < requested) {
    const message = available === 0 ? `${name} is out of stock.` : `There are only ${available} of ${name}.`;
    found.push({ ...common, code: 'out_of_stock', message, requested, available });
  } else if (available <= variant.low_stock_threshold) {
    const message = `Only ${available} of ${name} are left.`;
    found.push({ ...common, code: 'low_stock', message, requested, available });
  }
  return found;
}

/** Adds pieces of a variant. A refusal leaves the cart as it was. */
export function addItem(caller: Caller, id: string, given: { variant_id: string; quantity: number }): StoredCart {
  const cart = changeable(caller, id);
  const variant = findVariant(caller.state, given.variant_id);
  if (!variant) throw notFound('variant');
  const line = cart.lines.find((one) => one.variant === variant);
  const quantity = (line?.quantity ?? 0) + given.quantity;
  if (quantity > MOST_PIECES) {
    const message = `A cart can have at most ${MOST_PIECES} of one variant.`;
    throw new Refusal('cart_limit', message, { limit: MOST_PIECES });
  }
  const changed = { id: line?.id ?? caller.state.nextId(), variant, quantity, price_seen: variant.price };
  const lines = line ? cart.lines.map((one) => (one === line ? changed : one)) : [...cart.lines, changed];
  if (lines.length > MOST_LINES) {
    throw new Refusal('cart_limit', `A cart has at most ${MOST_LINES} lines.`, { limit: MOST_LINES });
  }
  return withLines(caller, cart, lines, changed);
}

/** Sets the lines of a cart, of which one has more pieces than before, within stock and mandate. */
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

/** How a cart can be delivered. */
export function deliveryOf(caller: Caller, id: string, to: Parameters<typeof parcelOf>[0]) {
  const { state } = caller;
  const cart = findCart(caller, id);
  const { subtotal, discount } = totals(state, cart);
  const parcel = parcelOf(to, forSale(cart), subtotal - discount, discountOn(state, cart)?.kind === 'free_shipping');
  const shipping_options = choicesAmong(state, parcel);
  return { shipping_options, warnings: undeliverable(state, shipping_options, parcel) };
}

/** Ends a cart with the checkout that is open for it. */
function cancelCart(caller: Caller, id: string): Cart {
  const cart = changeable(caller, id);
  const shown = cartView(caller.state, cart);
  const open = openCheckoutOf(caller.state, cart);
  if (open) endCheckout(open);
  cart.status = 'expired';
  return { ...shown, status: 'expired' };
}

/** Ends a checkout, and gives back what it holds. */
export function endCheckout(checkout: StoredCheckout, status: 'cancelled' | 'expired' = 'cancelled'): void {
  releaseStock(checkout);
  checkout.status = status;
  checkout.updated_at = now();
}

/** Gives back what a checkout holds. */
export function releaseStock(checkout: StoredCheckout): void {
  for (const [variant, quantity] of checkout.held) variant.reserved -= quantity;
  checkout.held.clear();
  checkout.reserved_until = null;
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
