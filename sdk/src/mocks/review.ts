/** Computes the `review_token` of a checkout. The server signs each part of the review; the mocks only hash it. */

import type { PaymentMethod, ShippingChoice } from '@commerce-backend/spec';
import { forSale } from './carts.ts';
import { decimal, onTheWire, type TaxTerms, type Totals } from './money.ts';
import { Refusal } from './refusal.ts';
import type { State, StoredCheckout } from './state.ts';

/** A checkout with the parts that the review page shows. */
interface Reviewed {
  checkout: StoredCheckout;
  totals: Totals;
  tax: TaxTerms;
  shipping_option: ShippingChoice | null;
  payment_method: PaymentMethod | null;
}

function partsOf({ digits, data }: State, { checkout, totals, tax, shipping_option, payment_method }: Reviewed) {
  const { cart, email, phone, shipping_address, billing_address, note } = checkout;
  return {
    items: forSale(cart).map(({ id, variant, quantity }) => [id, variant.product.input.name, quantity, variant.price]),
    total: [data.currency, tax.included, cart.discount?.code, onTheWire(totals, digits)],
    ...{ email, phone, shipping_address, billing_address },
    shipping_option: shipping_option && [shipping_option.id, shipping_option.name, shipping_option.price],
    ...{ payment_method, note },
  };
}

export function reviewToken(state: State, priced: Reviewed): string {
  return hashesOf(state, priced).join('');
}

/** Throws `review_changed` if the checkout has changed since the token was issued. */
export function requireReviewed(state: State, priced: Reviewed, expected: string): void {
  const names = Object.keys(partsOf(state, priced));
  const hashes = hashesOf(state, priced);
  const changed = names.filter((_name, at) => expected.slice(at * LENGTH, (at + 1) * LENGTH) !== hashes[at]);
  if (changed.length === 0) return;
  const message = `The checkout differs from the review: ${changed.join(', ')}.`;
  throw new Refusal('review_changed', message, { changed, total: decimal(priced.totals.total, state.digits) });
}

const LENGTH = 8;

function hashesOf(state: State, priced: Reviewed): string[] {
  return Object.values(partsOf(state, priced)).map((part) => hash(JSON.stringify([priced.checkout.id, part])));
}

/** FNV-1a hash in hexadecimal. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value.toString(16).padStart(LENGTH, '0');
}
