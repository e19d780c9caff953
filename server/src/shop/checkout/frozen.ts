import type { Actor } from '../shop.ts';
import type { CheckoutRow, Priced } from './state.ts';

/**
 * What a payment is for, as it was when the payment began: the order that is made of it has these lines and this total, whatever
 * has happened to prices, products, codes and tokens since. Addresses are not part of it: they stay on the checkout, which
 * cannot be changed meanwhile.
 */
export interface Frozen {
  priced: Omit<Priced, 'row'>;
  /** Who confirmed it. */
  actor: Actor;
}

export function freeze({ row: _, ...priced }: Priced, { type, id, customer_id }: Actor): Frozen {
  const terms = { ...priced.terms, shipping_options: [], tax_rates: [], bank_details: null };
  return { priced: { ...priced, terms, cart: { ...priced.cart, lines: [] } }, actor: { type, id, customer_id } };
}

export function thawed({ priced }: Frozen, row: CheckoutRow): Priced {
  return { ...priced, row };
}
