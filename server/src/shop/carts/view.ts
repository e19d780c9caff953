import type { Cart, CartItem, CartWarning, DiscountApplication } from '@commerce-backend/spec';
import { decimal } from '../money.ts';
import { isTold, shownQuantity } from '../shown-quantity.ts';
import { type Totals, totalsOf } from '../totals.ts';
import { type CartLine, type CartState, forSale } from './rows.ts';

export function view(state: CartState): Cart {
  const { id, status, customer_id, currency, currency_digits: digits, expires_at, created_at, updated_at } = state;
  const { subtotal, discount, total } = totals(state);
  return {
    id,
    status,
    customer_id,
    currency,
    items: items(state),
    subtotal: decimal(subtotal, digits),
    discount: decimal(discount, digits),
    discount_code: state.discount?.code ?? null,
    total: decimal(total, digits),
    warnings: warnings(state),
    locale: state.locale,
    expires_at,
    created_at,
    updated_at,
  };
}

/**
 * The cart's totals in minor units, before shipping and tax. They ignore lines that are no longer for sale, and a
 * discount whose conditions are not met.
 */
export function totals({ lines, discount, currency_digits: digits }: CartState): Totals {
  const terms = discount?.holds ? discount.terms : undefined;
  return totalsOf({ lines: forSale(lines), discount: terms, shipping: 0, tax: { rate: '0', included: true }, digits });
}

/** Returns the cart's discount code with the total discount and the discount of each line. */
export function application(state: CartState): DiscountApplication {
  const { discount, currency, currency_digits: digits } = state;
  if (!discount) throw new Error(`Cart ${state.id} has no code.`);
  const { discount: amount, allocations } = totals(state);
  return {
    code: discount.code,
    kind: discount.terms.kind,
    amount_off: decimal(amount, digits),
    currency,
    allocations: allocations.map((one) => ({ line_item_id: one.id, amount_off: decimal(one.amount, digits) })),
  };
}

/** Cart lines as the API returns them, for a cart or its checkout. */
export function items({ lines, currency_digits: digits }: CartState): CartItem[] {
  return lines.map((line) => ({
    id: line.id,
    variant_id: line.variant_id,
    product_id: line.product_id,
    name: line.name,
    variant_name: line.variant_name,
    sku: line.sku,
    image_url: line.image_url,
    quantity: line.quantity,
    price: decimal(line.price, digits),
    total: decimal(line.price * line.quantity, digits),
    available: line.quantity <= availableOf(line),
  }));
}

/**
 * Quantity that can be bought, including this cart's reservation. 0 if the line is no longer for sale; infinity if
 * stock is not tracked or may be oversold.
 */
export function availableOf(line: CartLine): number {
  if (!line.sellable) return 0;
  if (!line.track_inventory || line.inventory_policy === 'continue') return Number.POSITIVE_INFINITY;
  return Math.max(0, line.free + line.held);
}

/** Warnings about changed prices, stock and discount codes; none for a cart that is no longer active. */
export function warnings(state: CartState): CartWarning[] {
  if (state.status !== 'active') return [];
  return [...state.lines.flatMap((line) => warningsOf(line, state)), ...warningsOfCode(state)];
}

function warningsOfCode({ discount }: CartState): CartWarning[] {
  if (!discount?.refusal) return [];
  const { code: reason, message } = discount.refusal;
  const why = reason === 'discount_not_found' ? 'It is no longer valid.' : message;
  const sentence = `The code ${discount.code} is not applied at the moment. ${why}`;
  return [{ ...NOTHING_MORE, code: 'discount_not_applied', line_item_id: null, message: sentence, reason }];
}

export const NOTHING_MORE = { previous_price: null, price: null, requested: null, available: null };

function warningsOf(line: CartLine, { currency_digits: digits, show_stock }: CartState): CartWarning[] {
  const { id: line_item_id, quantity: requested } = line;
  const name = labelOf(line);
  if (!line.sellable) {
    return [{ ...NOTHING_MORE, code: 'unavailable', line_item_id, message: `${name} is no longer for sale.` }];
  }
  const found: CartWarning[] = [];
  if (line.price !== line.price_seen) {
    const [price, previous_price] = [decimal(line.price, digits), decimal(line.price_seen, digits)];
    const message = `${name} now costs ${price} instead of ${previous_price}.`;
    found.push({ ...NOTHING_MORE, code: 'price_changed', line_item_id, message, previous_price, price });
  }
  const left = availableOf(line);
  const available = shownQuantity(show_stock, left, line.low_stock_threshold);
  if (left < requested) {
    const fewer = isTold(show_stock, left, line.low_stock_threshold)
      ? `Only ${left} of ${name} in stock.`
      : `Fewer than ${requested} of ${name} are in stock.`;
    const message = left === 0 ? `${name} is out of stock.` : fewer;
    found.push({ ...NOTHING_MORE, code: 'out_of_stock', line_item_id, message, requested, available });
  } else if (left <= line.low_stock_threshold && show_stock !== 'never') {
    const message = `Only ${available} of ${name} in stock.`;
    found.push({ ...NOTHING_MORE, code: 'low_stock', line_item_id, message, requested, available });
  }
  return found;
}

/** The name of a line, short enough for a sentence. */
export function labelOf({ name, variant_name }: CartLine): string {
  const label = variant_name ? `${name}, ${variant_name}` : name;
  return label.length > 300 ? `${label.slice(0, 299)}…` : label;
}
