import { readFileSync } from 'node:fs';
import { createStorefrontClient, type StorefrontClient, unwrap } from '@commerce-backend/sdk';

/** The demo shop's customer, for examples with `--auto-approve`. Otherwise a person does all of this in the browser. */

export interface Demo {
  base_url: string;
  site_id: string;
  storefront_token: string;
  customers: { email: string; password: string }[];
}

/** The credentials that the server writes when it makes its demo shop. */
export function readDemo(path: string): Demo {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** A client for the demo shop's first customer. */
export async function logInAsCustomer(demo: Demo): Promise<StorefrontClient> {
  const { base_url: baseUrl, site_id: siteId, storefront_token: storefrontToken } = demo;
  const shop = createStorefrontClient({ baseUrl, siteId, storefrontToken });
  const [login] = demo.customers;
  if (!login) throw new Error('The demo shop has no customer with a password.');
  const { access_token } = await unwrap(shop.POST('/api/storefront/customer/login', { body: { ...login } }));
  return shop.withCustomer(access_token);
}

/** Gives an agent the consent that it asks for. */
export async function approveAsCustomer(demo: Demo, user_code: string): Promise<void> {
  const customer = await logInAsCustomer(demo);
  const params = { path: { user_code } };
  await unwrap(customer.POST('/api/storefront/customer/me/agent-consent/{user_code}/approve', { params, body: {} }));
}

/** Fills in what is missing in a checkout that an agent prepared, and places the order. */
export async function confirmAsCustomer(demo: Demo, checkout_id: string): Promise<void> {
  const customer = await logInAsCustomer(demo);
  const params = { path: { checkout_id } };
  const address = {
    ...{ first_name: 'Ada', last_name: 'Meyer', address1: 'Lindenallee 7' },
    ...{ city: 'Berlin', postal_code: '10115', country: 'DE' },
  };
  const { cart_id } = await unwrap(
    customer.PATCH('/api/storefront/checkout/{checkout_id}', {
      params,
      body: { shipping_address: address, payment_method: 'bank_transfer' },
    }),
  );
  const { shipping_options } = await unwrap(
    customer.GET('/api/storefront/cart/{cart_id}/shipping-options', {
      params: { path: { cart_id }, query: { country: 'DE' } },
    }),
  );
  const shipping_option_id = shipping_options.find(({ kind }) => kind === 'delivery')?.id ?? null;
  await unwrap(customer.PATCH('/api/storefront/checkout/{checkout_id}', { params, body: { shipping_option_id } }));
  await unwrap(customer.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} }));
}
