/** Finds carts, converts them to responses and calculates their totals. */

import type { Cart, CartItem, CartWarning } from '@commerce-backend/spec';
import type { Caller } from './call.ts';
import { refusalOf, termsOf } from './discounts.ts';
import { decimal, type Totals, totalsOf } from './money.ts';
import { freeOf, imageOf, isTracked, isVisible, variantName } from './products.ts';
import { notFound, Refusal } from './refusal.ts';
import { choicesAmong, parcelOf, undeliverable } from './shipping.ts';
import { after, DAY, isOver, now, type State, type StoredCart, type StoredCheckout, type StoredLine } from './state.ts';

export function newCart({ state, customer, agent }: Caller, locale: string | null = null): StoredCart {
  const days = customer ? (agent ? 30 : 90) : 7;
  const cart: StoredCart = {
    ...{ id: state.nextId(), status: 'active', customer_id: customer?.id ?? null, agent, merged_into: null, locale },
    ...{ lines: [], discount: undefined, expires_at: after(days * DAY), created_at: now(), updated_at: now() },
  };
  state.carts.set(cart.id, cart);
  return cart;
}

/** The customer's active cart, created if there is none. */
export function cartOfCustomer(caller: Caller): StoredCart {
  const own = [...caller.state.carts.values()].find(
    (cart) => cart.customer_id === caller.customer?.id && !cart.agent && isUsable(cart),
  );
  return own ?? newCart({ ...caller, agent: null });
}

function isUsable({ status, expires_at }: StoredCart): boolean {
  return status === 'active' && !isOver(expires_at);
}

/** Finds a cart of the caller. Throws `not_found` or `cart_expired`. */
export function findCart({ state, customer, agent }: Caller, id: string): StoredCart {
  const cart = state.carts.get(id);
  if (!cart || (cart.customer_id !== null && cart.customer_id !== customer?.id)) throw notFound('cart');
  if (agent && cart.agent !== agent) throw notFound('cart');
  if (cart.status === 'expired' || (cart.status === 'active' && isOver(cart.expires_at))) {
    throw new Refusal('cart_expired', 'The cart has expired.');
  }
  return cart;
}

/** Throws `cart_not_active` if the cart was merged or ordered. */
export function refuseInactive({ status, merged_into }: StoredCart): void {
  if (status === 'active') return;
  const cart_id = merged_into ?? undefined;
  throw new Refusal('cart_not_active', `The cart is ${status} and cannot be changed.`, { status, cart_id });
}

export function isSellable({ variant }: StoredLine): boolean {
  return isVisible(variant.product);
}

/** The lines whose products are for sale. */
export function forSale({ lines }: StoredCart): StoredLine[] {
  return lines.filter(isSellable);
}

export function openCheckoutOf(state: State, cart: StoredCart): StoredCheckout | undefined {
  return [...state.checkouts.values()].find(
    (one) =>
      one.cart === cart && ['open', 'ready', 'requires_escalation'].includes(one.status) && !isOver(one.expires_at),
  );
}

/** The quantity of a line that can be bought, including stock that its own checkout reserves. */
export function availableOf(state: State, cart: StoredCart, { variant }: StoredLine): number {
  if (!isVisible(variant.product)) return 0;
  if (!isTracked(variant) || variant.inventory_policy === 'continue') return Number.POSITIVE_INFINITY;
  return Math.max(0, freeOf(variant) + (openCheckoutOf(state, cart)?.held.get(variant) ?? 0));
}

/** Throws `insufficient_stock` if a line exceeds the available stock. */
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
  throw new Refusal('insufficient_stock', agent ? `${forAgent} The field lines lists the items.` : forPeople, {
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
    requires_shipping: variant.requires_shipping,
  }));
}

/** The conditions and amount of the cart's discount code. Undefined if there is none or its conditions are not met. */
export function discountOn(state: State, cart: StoredCart) {
  const { discount } = cart;
  if (!discount || refusalOf(state, discount, pricedLines(forSale(cart)))) return undefined;
  return termsOf(state, discount);
}

/** The totals of a cart, without shipping and tax. */
export function totals(state: State, cart: StoredCart): Totals {
  return totalsOf({
    ...{ lines: pricedLines(forSale(cart)), discount: discountOn(state, cart), shipping: 0, digits: state.digits },
    tax: { rate: '0', rates: {}, included: true, shipping: 'class' },
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
  const message = `The code ${discount.code} is not applied at the moment. ${refusal.message}`;
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
    const message = `${name} now costs ${price} instead of ${previous_price}.`;
    found.push({ ...common, code: 'price_changed', message, previous_price, price });
  }
  const available = availableOf(state, cart, line);
  if (available < requested) {
    const message = available === 0 ? `${name} is out of stock.` : `Only ${available} of ${name} in stock.`;
    found.push({ ...common, code: 'out_of_stock', message, requested, available });
  } else if (available <= variant.low_stock_threshold) {
    const message = `Only ${available} of ${name} in stock.`;
    found.push({ ...common, code: 'low_stock', message, requested, available });
  }
  return found;
}

/** The shipping options for a cart, with a warning if none delivers to the address. */
export function deliveryOf(caller: Caller, id: string, to: Parameters<typeof parcelOf>[0]) {
  const { state } = caller;
  const cart = findCart(caller, id);
  const { subtotal, discount } = totals(state, cart);
  const parcel = parcelOf(to, forSale(cart), subtotal - discount, discountOn(state, cart)?.kind === 'free_shipping');
  const shipping_options = choicesAmong(state, parcel);
  return { shipping_options, warnings: undeliverable(state, shipping_options, parcel) };
}

/** Ends a checkout and releases its stock. */
export function endCheckout(checkout: StoredCheckout, status: 'cancelled' | 'expired' = 'cancelled'): void {
  releaseStock(checkout);
  checkout.status = status;
  checkout.updated_at = now();
}

/** Releases the stock that a checkout reserves. */
export function releaseStock(checkout: StoredCheckout): void {
  for (const [variant, quantity] of checkout.held) variant.reserved -= quantity;
  checkout.held.clear();
  checkout.reserved_until = null;
}
