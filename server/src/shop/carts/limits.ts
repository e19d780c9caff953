import { ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { insufficient } from '../stock/stock.ts';
import type { CartLine, CartState } from './rows.ts';
import { availableOf, labelOf, totals } from './view.ts';

/**
 * Maximum subtotal in minor units. Above it, sums with tax and shipping might exceed the exact range of a JavaScript
 * number.
 */
const MAX_SUBTOTAL = 1e15;

/** Throws `conflict` if the total is too large to calculate. */
export function refuseTooDear(cart: CartState): void {
  if (totals(cart).subtotal <= MAX_SUBTOTAL) return;
  throw new ShopError('conflict', 'The total of the cart is too large for one order. Split it into two orders.');
}

/** Throws `insufficient_stock` if lines exceed the available stock. */
export function refuseShort(shop: Shop, lines: CartLine[]): void {
  const short = lines
    .filter((line) => line.quantity > availableOf(line))
    .map((line) => ({ variant_id: line.variant_id, requested: line.quantity, available: availableOf(line) }));
  if (short.length === 0) return;
  throw insufficient(
    shop,
    short,
    lines.map((line) => ({ ...line, label: labelOf(line) })),
  );
}

/** The error for changes of a cart or checkout with a pending payment. */
export function paying(context: { payment_id: string; checkout_id?: string }): ShopError {
  const message = 'A payment is pending. Complete or cancel it, then retry the request.';
  return new ShopError('payment_in_progress', message, context);
}
