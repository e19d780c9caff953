import { refuseShort } from '../carts/limits.ts';
import type { CartLine, CartState } from '../carts/rows.ts';
import { labelOf } from '../carts/view.ts';
import type { Shop } from '../shop.ts';
import * as stock from '../stock/stock.ts';

/**
 * Reserves the lines of a cart that was read after its checkout was locked. Throws `insufficient_stock`, even for lines
 * that are no longer for sale. Reserves nothing for a guest agent until the shopper first posts the checkout page.
 */
export async function holdStock(
  shop: Shop,
  id: string,
  cart: CartState,
  lines = cart.lines,
  { isNew = false } = {},
): Promise<void> {
  if (holdsStock(cart, lines)) return;
  if (shop.actorType === 'guest_agent') return refuseShort(shop, lines);
  const gone = lines.filter(({ sellable }) => !sellable);
  const wanted = lines
    .filter(({ sellable, custom }) => sellable && !custom)
    .map(({ variant_id, quantity }) => ({ variant_id, quantity }));
  const short = gone.map((line) => ({ variant_id: line.variant_id, requested: line.quantity, available: 0 }));
  if (short.length === 0) short.push(...(await stock.hold(shop, id, wanted, { isNew })));
  if (short.length > 0) {
    throw stock.insufficient(
      shop,
      short,
      lines.map((line) => ({ ...line, label: labelOf(line) })),
    );
  }
  for (const line of lines) {
    const held = line.track_inventory ? line.quantity : 0;
    line.free += line.held - held;
    line.held = held;
  }
}

/**
 * Whether exactly these lines are reserved. False if a variant is not tracked: no reservation protects it from
 * deletion, so its line must be read again.
 */
function holdsStock({ pieces_held }: CartState, lines: CartLine[]): boolean {
  const asWanted = lines.every((line) => line.sellable && line.track_inventory && line.held === line.quantity);
  return asWanted && pieces_held === lines.reduce((sum, { held }) => sum + held, 0);
}
