import { type Client, type ClientOptions, createSurfaceClient } from './client.ts';
import type { SurfacePaths } from './contract.ts';
import { given } from './credentials.ts';

export type StorefrontPaths = SurfacePaths<'storefront'>;

export interface StorefrontClient extends Client<StorefrontPaths> {
  /**
   * A new client for one customer, which sends the token of a login or of a refresh. This client does not change, so a
   * server can keep one client for guests and create one for each customer.
   */
  withCustomer(customerToken: string): StorefrontClient;
  /** A new client for the buyer at this address, for a server that serves many buyers. Needs a private token. */
  withBuyerIp(buyerIp: string): StorefrontClient;
}

export interface StorefrontOptions extends ClientOptions {
  siteId: string;
  /** A storefront token (`stk_…`). A public one may appear in pages; a private one must stay on your server. */
  storefrontToken: string;
  /** A customer's token (`cust_…`), a secret of that customer. Without it the caller is a guest. */
  customerToken?: string | undefined;
  /**
   * The IPv4 or IPv6 address of the buyer for whom your server calls. Rate limits for guests and failed logins then
   * apply to this address. With a public token the server ignores it.
   */
  buyerIp?: string | undefined;
}

/**
 * A client for the storefront surface: the shop as its customers see it. Throws a TypeError without its credentials or
 * with an invalid `baseUrl`. Prices and totals are decimal strings in the shop's currency, with exactly its digits.
 *
 *     const storefront = createStorefrontClient({ baseUrl: 'https://shop.example', siteId, storefrontToken });
 *     const { products } = await unwrap(storefront.GET('/api/storefront/products', { params: { query: { q: 'mug' } } }));
 */
export function createStorefrontClient(options: StorefrontOptions): StorefrontClient {
  const { siteId, storefrontToken, customerToken, buyerIp, ...rest } = options;
  const client = createSurfaceClient<StorefrontPaths>(rest, {
    'X-Site-ID': given('siteId', siteId),
    'X-Service-Token': given('storefrontToken', storefrontToken),
    ...(customerToken !== undefined && { Authorization: `Bearer ${given('customerToken', customerToken)}` }),
    ...(buyerIp !== undefined && { 'X-Buyer-IP': given('buyerIp', buyerIp) }),
  });
  return {
    ...client,
    withCustomer: (token) => createStorefrontClient({ ...options, customerToken: given('customerToken', token) }),
    withBuyerIp: (address) => createStorefrontClient({ ...options, buyerIp: given('buyerIp', address) }),
  };
}
