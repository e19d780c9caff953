import type { Cart } from '@commerce-backend/spec';
import { lockForChange } from '../carts/carts.ts';
import * as carts from '../carts/expiry.ts';
import { view } from '../carts/view.ts';
import type { Shop } from '../shop.ts';
import { requireBuyer } from './binding.ts';
import { end, openOf } from './checkouts.ts';

/**
 * Ends a cart and its open checkout. Returns the cart as it was before, with the status `expired`. Throws
 * `buyer_data_locked`, and the errors of `carts.lockForChange`.
 */
export async function cancelCart(shop: Shop, id: string): Promise<Cart> {
  const cart = await lockForChange(shop, id);
  // Lock order: discounts before stock.
  await carts.end(shop, id);
  const open = await openOf(shop, id);
  if (open) requireBuyer(shop, open);
  if (open) await end(shop, open.id, 'cancelled');
  return { ...view(cart), status: 'expired' };
}
