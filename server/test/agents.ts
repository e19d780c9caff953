import { createAgentClient, createClient, createStorefrontClient } from '@commerce-backend/sdk';
import type { AgentConsentApproval, ConsentRequest } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { DemoCredentials } from '../src/demo/stored.ts';
import * as carts from '../src/shop/carts/carts.ts';
import * as checkouts from '../src/shop/checkout/checkouts.ts';
import { inShop } from '../src/shop/in-shop.ts';
import { withoutHosts } from '../src/shop/links.ts';
import type { openShop } from './shop.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;
type Customer = Awaited<ReturnType<Shop['givenCustomer']>>;

export const ALL_SCOPES: ConsentRequest['scopes'] = [
  'catalog:read',
  'cart:write',
  'checkout:create',
  'customer:self',
  'orders:read',
];

/** Requests consent for an agent, by default for all scopes and a budget of 100.00. */
export async function askForConsent({ baseUrl, site_id }: Shop, wish: ConsentRequest = {}) {
  const { data, error } = await createClient({ baseUrl, maxAttempts: 1 }).POST('/api/agent/consent/request', {
    params: { query: { site_id } },
    body: { agent_name: 'Shopping assistant', scopes: ALL_SCOPES, budget_cents: 10_000, ...wish },
  });
  if (!data) throw new Error(`The request was refused: ${JSON.stringify(error)}`);
  return data;
}

export function poll({ baseUrl }: Shop, device_code: string, headers?: Record<string, string>) {
  return createClient({ baseUrl, maxAttempts: 1 }).POST('/api/agent/consent/poll', { body: { device_code }, headers });
}

export function approve({ client }: Customer, user_code: string, body: AgentConsentApproval = {}) {
  const path = { user_code };
  return client.POST('/api/storefront/customer/me/agent-consent/{user_code}/approve', { params: { path }, body });
}

/** Requests consent for an agent, which the customer approves. Returns the agent with its token. */
export async function givenAgent(shop: Shop, customer: Customer, wish: ConsentRequest = {}) {
  const { user_code, device_code } = await askForConsent(shop, wish);
  const approved = await approve(customer, user_code);
  const { data: token, error } = await poll(shop, device_code);
  if (!token) throw new Error(`There is no token: ${JSON.stringify(error ?? approved.error)}`);
  const agent = createAgentClient({ baseUrl: shop.baseUrl, agentToken: token.access_token, maxAttempts: 1 });
  return { ...token, agent };
}

/** Creates an agent for the demo shop's first customer. */
export async function agentOfDemo(baseUrl: string, { site_id, storefront_token, customers }: DemoCredentials) {
  const anyone = createClient({ baseUrl, maxAttempts: 1 });
  const shopper = { baseUrl, siteId: site_id, storefrontToken: storefront_token, maxAttempts: 1 };
  const [customer] = customers;
  const { data: login } = await createStorefrontClient(shopper).POST('/api/storefront/customer/login', {
    body: { email: customer?.email ?? '', password: customer?.password ?? '' },
  });
  const { data: asked } = await anyone.POST('/api/agent/consent/request', {
    params: { query: { site_id } },
    body: { agent_name: 'Shopping assistant', scopes: ['catalog:read'], budget_cents: 0 },
  });
  const params = { path: { user_code: asked?.user_code ?? '' } };
  await createStorefrontClient({ ...shopper, customerToken: login?.access_token ?? '' }).POST(
    '/api/storefront/customer/me/agent-consent/{user_code}/approve',
    { params, body: {} },
  );
  const { data: token, error } = await anyone.POST('/api/agent/consent/poll', {
    body: { device_code: asked?.device_code ?? '' },
  });
  if (!token) throw new Error(`There is no token: ${JSON.stringify(error)}`);
  return token;
}

/** Creates an agent's checkout that needs only the customer's confirmation. */
export async function givenAgentCheckout(
  shop: Shop,
  customer: Customer,
  { token_id, categories }: { token_id: string; categories: string[] },
  lines: { variant_id: string; quantity: number }[],
) {
  await shop.givenTerms();
  const tenant = { ...(await tenantOf(shop)), show_stock: 'exact', catalog_version: '' } as const;
  const actor = {
    type: 'agent' as const,
    id: token_id,
    customer_id: customer.id,
    agent: { token_id, categories, scopes: [] },
  };
  const checkoutDeps = {
    baseUrl: 'http://localhost',
    hosts: withoutHosts('http://localhost'),
    secretKey: 'a secret of the tests, long enough to be one',
    card: undefined,
  };
  // Raises the budget while the purchase is prepared, because an agent cannot prepare a purchase above its budget.
  const more = 1_000_000_000;
  await shop.owner.query(
    sql`update commerce.agent_tokens set budget_cents = budget_cents + ${more},
      max_per_order_cents = max_per_order_cents + ${more} where id = ${token_id}`,
  );
  const cart_id = await inShop(shop.db, tenant, actor, async (inside) => {
    const { id } = await carts.createForAgent(inside);
    for (const line of lines) await carts.addItem(inside, id, line);
    await checkouts.create(inside, checkoutDeps, id);
    return id;
  });
  await shop.owner.query(
    sql`update commerce.agent_tokens set budget_cents = budget_cents - ${more},
      max_per_order_cents = max_per_order_cents - ${more} where id = ${token_id}`,
  );
  return shop.givenCheckout({ cart_id, client: customer.client });
}

async function tenantOf({ owner, site_id }: Shop) {
  const { rows } = await owner.query<{
    site_id: string;
    merchant_id: string;
    currency: string;
    currency_digits: number;
  }>(sql`select site_id, merchant_id, currency, currency_digits from commerce.sites where site_id = ${site_id}`);
  const [tenant] = rows;
  if (!tenant) throw new Error('The shop is gone.');
  return tenant;
}
