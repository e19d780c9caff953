import { type Client, type ClientOptions, createSurfaceClient } from './client.ts';
import type { SurfacePaths } from './contract.ts';
import { given } from './credentials.ts';

export type StorefrontPaths = SurfacePaths<'storefront'>;

export interface StorefrontClient extends Client<StorefrontPaths> {
  /**
   * The same shop as one customer sees it: a client that sends the token of a login or of a renewal. This client stays
   * what it is, so that a server may hold one client of a guest and make one for each customer.
   */
  withCustomer(customerToken: string): StorefrontClient;
}

export interface StorefrontOptions extends ClientOptions {
  siteId: string;
  /** A storefront token (`stk_…`), which may stand in public pages. */
  storefrontToken: string;
  /** A customer's token (`cust_…`), a secret of that customer. Without one the calls are a guest's. */
  customerToken?: string;
}

/** A client of the storefront surface: the shop as its customers see it. */
export function createStorefrontClient(options: StorefrontOptions): StorefrontClient {
  const { siteId, storefrontToken, customerToken, ...rest } = options;
  const client = createSurfaceClient<StorefrontPaths>(rest, {
    'X-Site-ID': given('siteId', siteId),
    'X-Service-Token': given('storefrontToken', storefrontToken),
    ...(customerToken !== undefined && { Authorization: `Bearer ${given('customerToken', customerToken)}` }),
  });
  return {
    ...client,
    withCustomer: (token) => createStorefrontClient({ ...options, customerToken: given('customerToken', token) }),
  };
}
