import { createAgentClient, createStorefrontClient, isError, unwrap } from '@commerce-backend/sdk';
import { createMockShop, type MockShop } from '@commerce-backend/sdk/mocks';
import { createMockFetch } from '@commerce-backend/sdk/mocks/fetch';
// biome-ignore lint/correctness/noUndeclaredDependencies: the test installs it next to the SDK.
import { setupServer } from 'msw/node';

// Tests of a user who has installed the SDK with msw and ajv: a storefront and an agent without a server. sdk.test.ts
// compiles and runs this file in a separate folder.

const { handlers, shop } = createMockShop({ baseUrl: 'https://shop.test' });
const network = setupServer(...handlers);
network.listen();

async function bought(mocks: MockShop): Promise<string> {
  const storefront = createStorefrontClient(mocks);
  const { id: cart_id } = await unwrap(storefront.POST('/api/storefront/cart'));
  const params = { path: { cart_id } };
  const body = { variant_id: mocks.variantId('MUG-OAT'), quantity: 2 };
  await unwrap(storefront.POST('/api/storefront/cart/{cart_id}/items', { params, body }));
  await unwrap(storefront.POST('/api/storefront/cart/{cart_id}/discounts', { params, body: { code: 'WELCOME10' } }));
  const { id } = await unwrap(storefront.POST('/api/storefront/checkout', { body: { cart_id } }));
  return mocks.confirm(id).total;
}

async function refused(mocks: MockShop): Promise<string> {
  const agentToken = mocks.issueAgentToken({ budget_cents: 2_000 });
  const agent = createAgentClient({ baseUrl: mocks.baseUrl, agentToken });
  const body = { variant_id: mocks.variantId('LAMP-OAK') };
  const error = await unwrap(agent.POST('/api/agent/intent/find-and-buy', { body })).catch((thrown: unknown) => thrown);
  return isError(error, 'budget_exceeded') ? `${error.code} ${error.body.required_cents}` : String(error);
}

async function withoutMsw(): Promise<string> {
  const { fetch, shop: other } = createMockFetch({ data: { name: 'Tea' } });
  other.fail('storefront.getShop', 'unavailable');
  const storefront = createStorefrontClient({ ...other, fetch, maxAttempts: 1 });
  const { response } = await storefront.GET('/api/storefront/shop');
  return `${response.status} ${(await unwrap(storefront.GET('/api/storefront/shop'))).name}`;
}

console.log(JSON.stringify([await bought(shop), await refused(shop), await withoutMsw()]));
network.close();
