import { refuseShort } from '../carts/limits.ts';
import type { CartLine, CartState } from '../carts/rows.ts';
import { labelOf } from '../carts/view.ts';
import type { Shop } from '../shop.ts';
import * as stock from '../stock/stock.ts';

/** The stock that a checkout holds for its cart. */

/**
 * Holds exactly what the cart has, which was read after its checkout was locked, if it has one; a new one holds nothing yet. Throws
 * `insufficient_stock`, also for lines that are no longer for sale. For an agent without a token nothing is held: its human holds
 * it, by the first change on the checkout's page.
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
  const wanted = lines.filter(({ sellable }) => sellable).map(({ variant_id, quantity }) => ({ variant_id, quantity }));
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
 * Whether the stock is held already: exactly these lines, and nothing else. A variant of which pieces are held cannot be
 * deleted; one that is not tracked must be read again, for it may be gone by now.
 */
function holdsStock({ pieces_held }: CartState, lines: CartLine[]): boolean {
  const asWanted = lines.every((line) => line.sellable && line.track_inventory && line.held === line.quantity);
  return asWanted && pieces_held === lines.reduce((sum, { held }) => sum + held, 0);
}
