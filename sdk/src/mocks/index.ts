import { HttpResponse, http, type RequestHandler } from 'msw';
import { operations } from './contract.ts';
import { type MockOptions, type MockShop, openShop } from './mock-shop.ts';

export type { MockCredentials } from './callers.ts';
export type { MockCollection, MockCustomer, MockProduct, MockShopData } from './data.ts';
export type { MockAgentTerms, MockError, MockOptions, MockShop } from './mock-shop.ts';

/**
 * A shop in memory behind msw handlers, one for each operation of the contract, for tests and for development without a
 * server. It simulates the storefront and the agent surface: catalogue, cart, code, checkout, order, login, consent,
 * budget. Every other operation returns the contract's example. All requests are validated, and rejected with the
 * server's error bodies.
 *
 *     const { handlers, shop } = createMockShop();
 *     const network = setupServer(...handlers);
 *     const storefront = createStorefrontClient(shop);
 *
 * `shop` has the `baseUrl`, `siteId` and tokens for the clients, and methods to change its state:
 * `shop.setStock('MUG-OAT', 1)`.
 */
export function createMockShop(options: MockOptions = {}): { handlers: RequestHandler[]; shop: MockShop } {
  const { shop, fetch } = openShop(options);
  const resolve = async ({ request }: { request: Request }) => {
    try {
      return await fetch(request);
    } catch (error) {
      if (error instanceof TypeError) return HttpResponse.error();
      throw error;
    }
  };
  const handlers = operations.map(({ method, path }) => {
    const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    return http[verb](`${shop.baseUrl}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`, resolve);
  });
  const places = ['api', '.well-known/oauth-authorization-server', `sites/${shop.siteId}/oauth`];
  return { handlers: [...handlers, ...places.map((one) => http.all(`${shop.baseUrl}/${one}/*`, resolve))], shop };
}
