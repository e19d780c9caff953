import { type MockOptions, type MockShop, openShop } from './mock-shop.ts';

export type { MockCredentials } from './callers.ts';
export type { MockCollection, MockCustomer, MockProduct, MockShopData } from './data.ts';
export type { MockAgentTerms, MockError, MockOptions, MockShop } from './mock-shop.ts';

/**
 * The shop of `createMockShop` without msw: a function to pass to a client as its `fetch`, or to serve over HTTP.
 *
 *     const { fetch, shop } = createMockFetch();
 *     const storefront = createStorefrontClient({ ...shop, fetch });
 */
export function createMockFetch(options: MockOptions = {}): {
  /** Answers a request as the server would. */
  fetch: (request: Request) => Promise<Response>;
  shop: MockShop;
} {
  return openShop(options);
}
