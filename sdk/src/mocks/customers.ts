/** Customers: login (which merges carts), profile and addresses. */

import type { Customer } from '@commerce-backend/spec';
import type { Caller, Handlers } from './call.ts';
import { cartOfCustomer, endCheckout, openCheckoutOf } from './carts.ts';
import { notFound, Refusal } from './refusal.ts';
import { addressOf, after, isOver, type State, type StoredCustomer } from './state.ts';

const HOUR = 3_600_000;
const RENEWABLE_HOURS = 30 * 24;

export function customerView({ password: _, addresses, ...customer }: StoredCustomer): Customer {
  return customer;
}

/** The customer who sent the call. Throws if there is none. */
export function signedIn({ customer }: Pick<Caller, 'customer'>): StoredCustomer {
  if (!customer) throw new Error('Unreachable: no customer.');
  return customer;
}

/** Creates a token for a customer. */
export function openSession(state: State, customer: StoredCustomer) {
  const access_token = state.nextToken('cust');
  state.sessions.set(access_token, customer);
  return {
    ...{ access_token, token_type: 'Bearer' as const, expires_at: after(HOUR) },
    renewable_until: after(RENEWABLE_HOURS * HOUR),
  };
}

/** Merges a guest's cart into the customer's. The guest's quantities and discount code take precedence. */
function mergedCart(caller: Caller, cart_id: string | undefined): string | null {
  const { state, customer } = caller;
  const guest = cart_id === undefined ? undefined : state.carts.get(cart_id);
  const isMergeable = guest?.status === 'active' && guest.customer_id === null && !isOver(guest.expires_at);
  if (!guest || !isMergeable) {
    const own = [...state.carts.values()].find(
      (one) => one.customer_id === customer?.id && !one.agent && one.status === 'active' && !isOver(one.expires_at),
    );
    return own?.id ?? null;
  }
  const target = cartOfCustomer(caller);
  const taken = new Set(guest.lines.map(({ variant }) => variant));
  const moved = guest.lines.map((line) => ({ ...line, id: state.nextId() }));
  target.lines = [...target.lines.filter(({ variant }) => !taken.has(variant)), ...moved];
  target.discount = guest.discount ?? target.discount;
  const open = openCheckoutOf(state, guest);
  if (open) endCheckout(open);
  Object.assign(guest, { status: 'merged', merged_into: target.id, discount: undefined });
  return target.id;
}

export const customerHandlers: Handlers = {
  'storefront.loginCustomer': ({ state, body }) => {
    const customer = state.customers.find(({ email }) => email === body.email.toLowerCase());
    if (!customer || customer.password !== body.password) {
      throw new Refusal(
        'invalid_credentials',
        'The e-mail or the password is wrong, or the e-mail is not verified yet.',
      );
    }
    const cart_id = mergedCart({ state, customer, agent: null }, body.cart_id);
    return { ...openSession(state, customer), customer: customerView(customer), cart_id };
  },
  'storefront.refreshCustomerToken': (call) => {
    const customer = signedIn(call);
    const cart_id = mergedCart(call, undefined);
    return { ...openSession(call.state, customer), customer: customerView(customer), cart_id };
  },
  'storefront.logoutCustomer': ({ state, token }) => {
    state.sessions.delete(token);
  },
  'storefront.logoutCustomerEverywhere': ({ state, customer }) => {
    for (const [token, one] of state.sessions) if (one === customer) state.sessions.delete(token);
  },
  'storefront.getCustomer': (call) => customerView(signedIn(call)),
  'storefront.updateCustomer': (call) => customerView(Object.assign(signedIn(call), call.body)),
  'storefront.listAddresses': (call) => ({ addresses: signedIn(call).addresses }),
  'storefront.createAddress': (call) => {
    const { addresses } = signedIn(call);
    const made = addressOf(
      { ...call.body, is_default: call.body.is_default ?? addresses.length === 0 },
      call.state.nextId(),
    );
    if (made.is_default) for (const one of addresses) one.is_default = false;
    addresses.push(made);
    return made;
  },
  'storefront.updateAddress': (call) => {
    const { addresses } = signedIn(call);
    const address = addresses.find(({ id }) => id === call.path.address_id);
    if (!address) throw notFound('address');
    if (call.body.is_default) for (const one of addresses) one.is_default = false;
    return Object.assign(address, call.body);
  },
  'storefront.deleteAddress': (call) => {
    const customer = signedIn(call);
    const { address_id: id } = call.path;
    if (!customer.addresses.some((one) => one.id === id)) throw notFound('address');
    customer.addresses = customer.addresses.filter((one) => one.id !== id);
    return { id, deleted: true };
  },
};
