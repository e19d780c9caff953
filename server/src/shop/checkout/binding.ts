/**
 * Access to the buyer data of a checkout. The first accepted form post from the hosted page binds the data to that
 * browser. From then on, only these may read or change the data, and complete or cancel the checkout: this browser, the
 * customer, the shop's own server (with a private storefront token) and staff. Another browser can only replace all of
 * the data on the hosted page. Before the binding, the checkout id is enough, as the contract documents.
 */

import { createHash } from 'node:crypto';
import type { Order } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import type { CheckoutRow } from './state.ts';

type Bindable = Pick<CheckoutRow, 'id' | 'customer_id' | 'bound_browser'>;

const NO_BUYER = {
  email: null,
  phone: null,
  shipping_address: null,
  billing_address: null,
  note: null,
  marketing_opt_in: false,
  digital_consent_wording: null,
};

const FOR_STAFF = ['staff', 'api_key', 'system'];

/** Returns an id for the browser from its cookie, a different one for each checkout. */
export function browserOf(cookie: string, checkout_id: string): string {
  return createHash('sha256').update(`${checkout_id} ${cookie}`).digest('hex');
}

export function mayReadBuyer(shop: Shop, row: Bindable): boolean {
  if (row.bound_browser === null) return shop.agent === null || shop.agent.scopes.includes('customer:self');
  if (shop.agent) return false;
  const isCustomer = shop.actorType === 'customer' && shop.customerId === row.customer_id;
  return isCustomer || shop.browser === row.bound_browser || shop.byPrivateToken || FOR_STAFF.includes(shop.actorType);
}

/** Returns the buyer data, empty for callers who may not read it. */
export function shownBuyer(shop: Shop, row: CheckoutRow) {
  const { email, phone, shipping_address, billing_address, note } = row;
  if (mayReadBuyer(shop, row)) return { email, phone, shipping_address, billing_address, note };
  const { marketing_opt_in: _, digital_consent_wording: _consent, ...hidden } = NO_BUYER;
  return row.bound_browser === null ? { ...hidden, note } : hidden;
}

/** Removes the parts of an order that the caller may not read. */
export function shownOrder(shop: Shop, row: Bindable, order: Order): Order {
  if (mayReadBuyer(shop, row)) return order;
  const { marketing_opt_in: _, digital_consent_wording: _consent, ...hidden } = NO_BUYER;
  return { ...order, ...hidden };
}

/** The customer of the future order. A customer cannot take over buyer data that somebody else entered. */
export function customerOf(shop: Shop, row: Bindable): string | null {
  if (row.customer_id) return row.customer_id;
  return mayReadBuyer(shop, row) ? shop.customerId : null;
}

/** Throws `buyer_data_locked` for callers who may not change, complete or cancel a bound checkout. */
export function requireBuyer(shop: Shop, row: Bindable): void {
  if (row.bound_browser === null || mayReadBuyer(shop, row)) return;
  const message =
    'The buyer has entered their data on the checkout page. Only the buyer can change, complete or cancel the checkout.';
  throw new ShopError('buyer_data_locked', message);
}

/**
 * Returns the change to apply. A second browser on the hosted page replaces all buyer data, because it cannot read the
 * existing data. Throws `buyer_data_locked` for other callers who may not change it.
 */
export function boundPatch<Patch extends object>(shop: Shop, row: Bindable, patch: Patch): Patch {
  if (!namesBuyer(patch) || mayReadBuyer(shop, row) || row.bound_browser === null) return patch;
  if (shop.browser === null) requireBuyer(shop, row);
  return { ...NO_BUYER, ...patch };
}

/**
 * Binds a locked checkout to the browser that posts the page first, or to a later one that enters new buyer data.
 * Returns the browser to which the checkout is bound.
 */
export async function bind(shop: Shop, row: Bindable, patch: object = {}): Promise<string | null> {
  if (shop.browser === null || shop.browser === row.bound_browser) return row.bound_browser;
  if (row.bound_browser !== null && (mayReadBuyer(shop, row) || !namesBuyer(patch))) return row.bound_browser;
  await shop.run(
    sql`update checkouts set bound_browser = ${Buffer.from(shop.browser, 'hex')}
      where site_id = ${shop.siteId} and id = ${row.id}`,
  );
  return shop.browser;
}

function namesBuyer(patch: object): boolean {
  return Object.keys(NO_BUYER).some((field) => field in patch);
}
