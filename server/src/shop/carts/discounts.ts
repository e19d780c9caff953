import type { Cart, DiscountApplication } from '@commerce-backend/spec';
import { v7 as uuidv7 } from 'uuid';
import { type DiscountCode, unknownCode } from '../discounts/terms.ts';
import type { Shop } from '../shop.ts';
import { lockForChange } from './carts.ts';
import * as redemptions from './redemptions.ts';
import { type CartState, discountOf, refusalOn } from './rows.ts';
import { application, view } from './view.ts';

/**
 * Applies a discount code to the cart: reserves a use of it and releases the previous code. Throws `discount_*`, and
 * the errors of `lockForChange`.
 */
export async function apply(shop: Shop, cart_id: string, given: string): Promise<DiscountApplication> {
  const cart = await lockForChange(shop, cart_id);
  const product_ids = cart.lines.map(({ product_id }) => product_id);
  const code = await redemptions.lockCode(shop, given.trim(), cart.discount?.discount_id ?? null, product_ids);
  if (!code) throw unknownCode();
  const refusal = refusalOn(cart.lines, code, shop.currencyDigits);
  if (refusal) throw refusal;
  if (cart.discount?.discount_id === code.discount_id) {
    await redemptions.updateReservation(shop, cart);
    return application(cart);
  }
  return application(await replace(shop, cart, code));
}

/** Applies a discount code without checking its conditions. */
async function replace(shop: Shop, cart: CartState, code: DiscountCode): Promise<CartState> {
  if (cart.discount) await redemptions.release(shop, cart.id);
  const redemption_id = uuidv7();
  const changed = { ...cart, discount: discountOf({ ...code, redemption_id }, undefined) };
  await redemptions.reserve(shop, changed, code, redemption_id);
  return changed;
}

/** Removes the discount code from the cart, if there is one. Throws the errors of `lockForChange`. */
export async function remove(shop: Shop, cart_id: string): Promise<Cart> {
  const cart = await lockForChange(shop, cart_id);
  if (cart.discount) await redemptions.release(shop, cart_id);
  return view({ ...cart, discount: undefined });
}
