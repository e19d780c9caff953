import type { CartLine, CartState } from './cart-rows.ts';
import { availableOf, labelOf, totals } from './cart-view.ts';
import { ShopError } from './errors.ts';

/** Above this, in minor units, sums with tax and shipping would no longer be exact. */
const MAX_SUBTOTAL = 1e15;

/** Refuses a cart whose sum is beyond reckoning. Throws `conflict`. */
export function refuseTooDear(cart: CartState): void {
  if (totals(cart).subtotal <= MAX_SUBTOTAL) return;
  throw new ShopError('conflict', 'The cart comes to more than can be ordered at once. Make two orders.');
}

/** Refuses lines of more pieces than can be bought. Throws `insufficient_stock`. */
export function refuseShort(lines: CartLine[]): void {
  const short = lines.filter((line) => line.quantity > availableOf(line));
  const [first] = short;
  if (!first) return;
  throw new ShopError(
    'insufficient_stock',
    `There are ${availableOf(first)} pieces of ${labelOf(first)}, not ${first.quantity}.`,
    {
      lines: short.map((line) => ({
        line_item_id: line.id,
        variant_id: line.variant_id,
        requested: line.quantity,
        available: availableOf(line),
      })),
    },
  );
}
