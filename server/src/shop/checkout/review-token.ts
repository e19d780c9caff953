/**
 * The review token identifies the state of a checkout that a person reviewed, so that the order can be checked against
 * that state. It contains an HMAC of each displayed part, so that an error can name the changed parts without stored
 * state.
 */

import { createHmac } from 'node:crypto';
import type { Address } from '@commerce-backend/spec';
import { ShopError } from '../errors.ts';
import { decimal } from '../money.ts';
import type { Shop } from '../shop.ts';
import { totalsOnTheWire } from '../totals.ts';
import type { Priced } from './state.ts';

/** Bytes per HMAC. */
const LENGTH = 12;

/** The displayed parts by their names in `Checkout`, in the order of the token. */
function partsOf(shop: Shop, { row, lines, totals, tax, cart, shipping_option, payment_method }: Priced) {
  const digits = shop.currencyDigits;
  const code = cart.discount?.holds ? cart.discount.code : null;
  return {
    items: lines.map((one) => [
      one.id,
      one.variant_id,
      one.name,
      one.variant_name,
      one.quantity,
      decimal(one.price, digits),
    ]),
    total: [shop.currency, tax.included, code, Object.entries(totalsOnTheWire(totals, digits)).toSorted()],
    email: row.email,
    phone: row.phone,
    shipping_address: canonical(row.shipping_address),
    billing_address: canonical(row.billing_address),
    shipping_option: shipping_option && [shipping_option.id, shipping_option.name, shipping_option.price],
    payment_method,
    note: row.note,
  };
}

/**
 * Returns the non-empty fields in a fixed order, because jsonb does not keep their order and empty ones may be missing.
 */
function canonical(address: Address | null): unknown {
  return (
    address &&
    Object.entries(address)
      .filter(([, value]) => value)
      .toSorted()
  );
}

/** Returns the token of a checkout's current state. */
export function reviewToken(shop: Shop, { secretKey }: { secretKey: string }, priced: Priced): string {
  const macs = Object.entries(partsOf(shop, priced)).map(([part, value]) =>
    createHmac('sha256', secretKey)
      .update(JSON.stringify(['checkout review', shop.siteId, priced.row.id, part, value]))
      .digest()
      .subarray(0, LENGTH),
  );
  return Buffer.concat(macs).toString('base64url');
}

/** Throws `review_changed` with the changed parts if the checkout does not match the token. */
export function requireReviewed(shop: Shop, deps: { secretKey: string }, priced: Priced, expected: string): void {
  const [seen, now] = [expected, reviewToken(shop, deps, priced)].map((token) => Buffer.from(token, 'base64url'));
  const partAt = (token: Buffer | undefined, at: number) =>
    token?.subarray(at * LENGTH, (at + 1) * LENGTH).toString('hex');
  const changed = Object.keys(partsOf(shop, priced)).filter((_part, at) => partAt(seen, at) !== partAt(now, at));
  if (changed.length === 0) return;
  const total = decimal(priced.totals.total, shop.currencyDigits);
  throw new ShopError('review_changed', `The checkout differs from the review: ${changed.join(', ')}.`, {
    changed,
    total,
  });
}
