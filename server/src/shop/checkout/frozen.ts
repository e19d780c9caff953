import type { Actor } from '../shop.ts';
import { STANDARD_CLASS, type Totals } from '../totals.ts';
import type { CheckoutRow, Priced } from './state.ts';

/**
 * The state of a checkout when its payment began. The order gets these lines and this total, even if prices, products
 * or discount codes change meanwhile. Addresses are not copied, because the checkout cannot change until the payment
 * ends.
 */
export interface Frozen {
  priced: Omit<Priced, 'row' | 'totals'> & { totals: Totals | TotalsBefore0225 };
  /** The actor that confirmed the payment. */
  actor: Actor;
}

/** Payments that began before migration 0225 have one tax rate for shipping. */
type TotalsBefore0225 = Omit<Totals, 'shipping_taxes'> & { shipping_tax: number; shipping_taxes?: undefined };

export function freeze({ row: _, ...priced }: Priced, { type, id, customer_id }: Actor): Frozen {
  const terms = { ...priced.terms, shipping_options: [], tax_rates: [], bank_details: null };
  return { priced: { ...priced, terms, cart: { ...priced.cart, lines: [] } }, actor: { type, id, customer_id } };
}

export function thawed({ priced }: Frozen, row: CheckoutRow): Priced {
  const { totals, tax } = priced;
  if (totals.shipping_taxes) return { ...priced, totals, row };
  const { shipping_tax, ...others } = totals;
  const whole = { tax_class: STANDARD_CLASS, rate: tax.rate, amount: totals.shipping_cost, tax: shipping_tax };
  return { ...priced, totals: { ...others, shipping_taxes: whole.amount === 0 ? [] : [whole] }, row };
}
