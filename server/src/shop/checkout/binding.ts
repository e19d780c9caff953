import { createHash } from 'node:crypto';
import type { Order } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import type { CheckoutRow } from './state.ts';

/**
 * Access to the buyer's data of a checkout. The first accepted post from the hosted page binds the data to that
 * browser. Then only this browser, the customer, the shop's own server (a private storefront token) and staff may read
 * and change them, and complete or cancel the checkout. Without such a post, everybody who knows the checkout's id has
 * access through the API, as published.
 */
type Bindable = Pick<CheckoutRow, 'id' | 'customer_id' | 'bound_browser'>;

/** The buyer's data with every field empty. */
const NO_BUYER = {
  email: null,
  phone: null,
  shipping_address: null,
  billing_address: null,
  note: null,
  marketing_opt_in: false,
};

const FOR_STAFF = ['staff', 'api_key', 'system'];

/** Identifier of a browser, different in each checkout. */
export function browserOf(cookie: string, checkout_id: string): string {
  return createHash('sha256').update(`${checkout_id} ${cookie}`).digest('hex');
}

/** Whether the caller may read the buyer's data of a checkout. */
export function mayReadBuyer(shop: Shop, row: Bindable): boolean {
  if (row.bound_browser === null) return shop.agent === null || shop.agent.scopes.includes('customer:self');
  if (shop.agent) return false;
  const isCustomer = shop.actorType === 'customer' && shop.customerId === row.customer_id;
  return isCustomer || shop.browser === row.bound_browser || shop.byPrivateToken || FOR_STAFF.includes(shop.actorType);
}

/** The buyer's data that the caller may read. */
export function shownBuyer(shop: Shop, row: CheckoutRow) {
  const { email, phone, shipping_address, billing_address, note } = row;
  if (mayReadBuyer(shop, row)) return { email, phone, shipping_address, billing_address, note };
  const { marketing_opt_in: _, ...hidden } = NO_BUYER;
  return row.bound_browser === null ? { ...hidden, note } : hidden;
}

/** The order of a checkout, reduced to what the caller may read. */
export function shownOrder(shop: Shop, row: Bindable, order: Order): Order {
  if (mayReadBuyer(shop, row)) return order;
  const { marketing_opt_in: _, ...hidden } = NO_BUYER;
  return { ...order, ...hidden };
}

/** The customer of the future order. A customer does not take over data that somebody else entered. */
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
 * Adapts a requested change. Another browser on the page replaces all of the buyer's data, so that it keeps nothing
 * that it could not read. Throws `buyer_data_locked` if anybody else changes the buyer's data.
 */
export function boundPatch<Patch extends object>(shop: Shop, row: Bindable, patch: Patch): Patch {
  if (!namesBuyer(patch) || mayReadBuyer(shop, row) || row.bound_browser === null) return patch;
  if (shop.browser === null) requireBuyer(shop, row);
  return { ...NO_BUYER, ...patch };
}

/**
 * Binds a locked checkout to the posting browser on its first post, or if that browser entered the buyer's data itself.
 * Returns the browser to which the checkout is now bound.
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
