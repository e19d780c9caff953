/**
 * Agents of a tenant's customers, and their objects. Consent requests and tokens are inserted directly into the
 * database, because a request expires after 900 seconds, which a proof may exceed, and a customer may have at most ten
 * agents.
 */

import { createHash, randomUUID } from 'node:crypto';
import type { Operation } from '../../server/src/http/contract/contract.ts';
import { hashUserCode, mintUserCode } from '../../server/src/shop/agents/user-codes.ts';
import { hashToken, mintToken } from '../../server/src/shop/tokens.ts';
import { addressOf, asCustomer, openAccount, openCustomerSession } from './customers.ts';
import type { Call } from './raw-requests.ts';
import { makeOrder, stapleOf } from './sales.ts';
import { callAs, type Ids, operationOf, type Tenant, type World } from './tenant.ts';

export const SCOPES = [
  'catalog:read',
  'cart:write',
  'checkout:create',
  'customer:self',
  'orders:read',
  'returns:request',
];

/**
 * The operations of each scope. Written by hand, not read from the contract, because the server enforces the contract.
 */
const OPENED: Record<string, string> = {
  'catalog:read': 'getFacets searchCatalog getProduct findProducts getShop',
  'cart:write': `findAndAdd listCarts createCart getCart addCartItem updateCartItem removeCartItem applyDiscount removeDiscount
    listCartShippingOptions`,
  'checkout:create': 'findAndBuy createCheckout getCheckout cancelCheckout',
  'customer:self': 'getCustomer',
  'orders:read': 'listOrders getOrder',
  'returns:request': 'prepareReturn',
};

/** Operations on the token itself, which need no scope. */
export const OF_ITSELF = ['listAudit', 'getToken', 'revokeToken'];
/** Operations on the token itself, and the requests for a token. */
export const WITHOUT_SCOPE = [...OF_ITSELF, 'requestConsent', 'pollConsent'];

/** Returns the scope that an operation of agents needs. Throws if the operation is not listed. */
export function scopeOpening({ id, name }: Operation): string {
  const scope = SCOPES.find((one) => OPENED[one]?.split(/\s+/).includes(name));
  if (scope === undefined) throw new Error(`Add ${id} to its scope in proofs/testing/agents.ts.`);
  return scope;
}

/** Polls for the customer's decision. */
export function pollConsent(world: World, tenant: Tenant, device_code: string) {
  return world.send(callOf('agent.pollConsent', {}, { body: { device_code } }), tenant);
}

/** Inserts a consent request that is pending, or already approved by this customer. */
export async function askForConsent(
  { owner }: Pick<World, 'owner'>,
  { site_id, canary }: Pick<Tenant, 'site_id' | 'canary'>,
  approvedBy: string | null = null,
) {
  const [id, user_code, device_code] = [randomUUID(), mintUserCode(), mintToken('device')];
  await owner.query(
    `insert into commerce.agent_consents (site_id, id, user_code_hash, agent_name, scopes, budget_cents, categories,
       token_expires_at, expires_at, status, customer_id, approved_at)
     values ($1, $2, $3, $4, $5, 10000, '{}', now() + interval '7 days', now() + interval '1 day',
       case when $6::uuid is null then 'pending' else 'approved' end, $6, case when $6::uuid is not null then now() end)`,
    [site_id, id, hashUserCode(user_code), `${canary} agent`, SCOPES, approvedBy],
  );
  await owner.query('insert into commerce.agent_consent_links (site_id, consent_id, token_hash) values ($1, $2, $3)', [
    site_id,
    id,
    hashToken(device_code),
  ]);
  return { id, user_code, device_code };
}

export async function makeUserCode(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  return { user_code: [(await askForConsent(world, tenant)).user_code] };
}

/** Returns the device_code of a request that a new customer has approved. */
export async function approvedDeviceCode(world: World, tenant: Tenant): Promise<string> {
  const { id } = await openAccount(world, tenant);
  return (await askForConsent(world, tenant, id)).device_code;
}

export interface AgentTerms {
  scopes?: string[];
  categories?: string[];
  max_per_order_cents?: number | null;
  budget_period?: 'once' | 'week' | 'month';
}

/**
 * Inserts the token of an agent that acts for this customer. By default it has all scopes and a budget that no proof
 * exhausts.
 */
export async function openAgent(
  { owner }: Pick<World, 'owner'>,
  { site_id, canary }: Pick<Tenant, 'site_id' | 'canary'>,
  customer_id: string,
  budget_cents = 1_000_000_000,
  { scopes = SCOPES, categories = [], max_per_order_cents = null, budget_period = 'once' }: AgentTerms = {},
) {
  const [id, secret] = [randomUUID(), mintToken('agent')];
  await owner.query(
    `insert into commerce.tokens (site_id, id, kind, token_hash, secret_prefix, description, scopes, categories, expires_at,
       customer_id)
     values ($1, $2, 'agent', $3, left($4, 8), $5, $6, $7, now() + interval '7 days', $8)`,
    [site_id, id, hashToken(secret), secret, `${canary} agent`, scopes, categories, customer_id],
  );
  await owner.query(
    `insert into commerce.agent_tokens (site_id, id, consent_id, budget_cents, max_per_order_cents, budget_period)
     values ($1, $2, $3, $4, $5, $6)`,
    [site_id, id, randomUUID(), budget_cents, max_per_order_cents, budget_period],
  );
  return { id, secret };
}

export async function makeAgentToken(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  const [first] = tenant.ids.customer;
  // The tenant's first agent acts for its first customer, whose token is in the tenant's secrets. Each further agent
  // gets a new customer.
  const customer_id = tenant.ids.agent_token.length === 0 && first ? first : (await openAccount(world, tenant)).id;
  const { id, secret } = await openAgent(world, tenant, customer_id);
  if (customer_id === first) tenant.secrets.AgentToken = secret;
  return { agent_token: [id] };
}

/** Creates a cart with the tenant's agent token. */
export async function makeAgentCart(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  const body = { variant_id: await stapleOf(world, tenant), quantity: 1 };
  const { cart } = (await callAs(world, tenant, 'agent.findAndAdd', body)) as {
    cart: { id: string; items: { id: string }[] };
  };
  return { agent_cart: [cart.id], agent_cart_line: cart.items.map(({ id }) => id) };
}

export async function makeAgentCheckout(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  const body = { variant_id: await stapleOf(world, tenant), quantity: 1 };
  const { checkout } = (await callAs(world, tenant, 'agent.findAndBuy', body)) as { checkout: { id: string } };
  return { agent_checkout: [checkout.id] };
}

/** Creates an order and assigns it to the customer of the tenant's agent. */
export async function makeAgentOrder(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  const { order: [id] = [] } = await makeOrder(world, tenant);
  await world.owner.query('update commerce.orders set customer_id = $3 where site_id = $1 and id = $2', [
    tenant.site_id,
    id,
    tenant.ids.customer[0],
  ]);
  return { agent_order: id ? [id] : [] };
}

/** Adds ended agents to the tenant's dead credentials, one for each way in which an agent can end. */
export async function buryAgents(world: World, tenant: Tenant): Promise<void> {
  const ends: Record<string, (id: string, as: Tenant) => Promise<unknown>> = {
    expired: (id) =>
      world.owner.query(`update commerce.tokens set expires_at = now() - interval '1 second' where id = $1`, [id]),
    'revoked by the merchant': (agent_token_id, as) =>
      callAs(world, as, 'dashboard.revokeAgentToken', undefined, { agent_token_id }),
    'given back': (_id, as) => callAs(world, as, 'agent.revokeToken'),
    'of an anonymised customer': async (id, as) => {
      const { rows } = await world.owner.query<{ customer_id: string }>(
        'select customer_id from commerce.tokens where id = $1',
        [id],
      );
      const customer_id = rows[0]?.customer_id ?? '';
      return callAs(world, as, 'dashboard.anonymizeCustomer', undefined, { customer_id });
    },
  };
  for (const [why, end] of Object.entries(ends)) {
    const account = await openAccount(world, tenant);
    const { id, secret } = await openAgent(world, tenant, account.id);
    await end(id, { ...tenant, secrets: { ...tenant.secrets, AgentToken: secret } });
    tenant.dead.push({ kind: 'agent', why, secret });
  }
}

/** Creates another agent of this customer, for operations on the customer's own agents. */
export async function ownAgent(world: World, tenant: Tenant, customer_id: string): Promise<string> {
  return (await openAgent(world, asCustomer(tenant, ''), customer_id)).id;
}

/** Resets a tenant's rate counts for consent codes, because proofs guess far more often than the limits allow. */
export async function forgetGuesses({ owner }: Pick<World, 'owner'>, { site_id }: Tenant): Promise<void> {
  const { rows } = await owner.query<{ id: string }>('select id from commerce.customers where site_id = $1', [site_id]);
  const customers = rows.map(({ id }) => `user_code ${site_id} ${id}`);
  const addresses = ['::1', '127.0.0.1', '::ffff:127.0.0.1'].map((ip) => `user_code ${site_id} ip ${ip}`);
  const keys = [`user_code ${site_id}`, ...customers, ...addresses];
  await owner.query('delete from commerce.rate_counts where key_hash = any($1)', [
    keys.map((key) => createHash('sha256').update(key).digest()),
  ]);
}

/** Builds a call from its parts; a writing call gets an Idempotency-Key. */
export function callOf(operation_id: string, headers: Call['headers'], parts: Partial<Call> = {}): Call {
  const operation = operationOf(operation_id);
  const key: Call['headers'] = operation.method === 'get' ? {} : { 'Idempotency-Key': randomUUID() };
  return { operation, path: {}, query: {}, ...parts, headers: { ...key, ...headers } };
}

/** Returns the headers of a call by a logged-in customer. */
export function asSignedIn({ site_id, secrets }: Tenant, token: string): Call['headers'] {
  return { 'X-Site-ID': site_id, 'X-Service-Token': secrets.StorefrontToken, Authorization: `Bearer ${token}` };
}

export function bearer(secret: string): Call['headers'] {
  return { Authorization: `Bearer ${secret}` };
}

/** Creates a customer with a session. */
export async function newCustomer(world: World, tenant: Tenant) {
  const { id } = await openAccount(world, tenant);
  return { id, token: await openCustomerSession(world, tenant, id) };
}

/** An agent creates a checkout of one product, ready for its customer to confirm. */
export async function agentCheckout(world: World, tenant: Tenant, agent: string, customer: string) {
  const as = { ...tenant, secrets: { ...tenant.secrets, AgentToken: agent, CustomerToken: customer } };
  const body = {
    variant_id: await stapleOf(world, tenant),
    quantity: 1,
    shipping_address: addressOf(tenant),
    shipping_option_id: tenant.ids.shipping_option[0],
  };
  const { checkout } = (await callAs(world, as, 'agent.findAndBuy', body)) as { checkout: { id: string } };
  const path = { checkout_id: checkout.id };
  const ready = await callAs(
    world,
    as,
    'storefront.updateCheckout',
    { payment_method: 'bank_transfer', phone: null },
    path,
  );
  return ready as { id: string; total: string };
}

/** Whether this security alternative combines an agent token with the storefront's credentials. */
export function isAgentWithStorefront(schemes: string[]): boolean {
  return schemes.includes('AgentToken') && schemes.includes('StorefrontToken');
}

/** Returns the headers of a call with an agent's token and the shop's storefront credentials. */
export function withStorefront({ site_id, secrets }: Tenant, secret: string): Call['headers'] {
  return { 'X-Site-ID': site_id, 'X-Service-Token': secrets.StorefrontToken, ...bearer(secret) };
}

/** An agent creates a cart with one line and a checkout. It sends its token together with the storefront's token. */
export async function agentsOwn(world: World, tenant: Tenant, secret = tenant.secrets.AgentToken) {
  const make = async (id: string, path: Call['path'], body?: unknown) => {
    const { status, text } = await world.send(callOf(id, withStorefront(tenant, secret), { path, body }), tenant);
    if (status !== 201 && status !== 200) throw new Error(`${id} of an agent was refused: ${status} ${text}`);
    return JSON.parse(text) as { id: string; items: { id: string }[] };
  };
  const { id: cart_id } = await make('storefront.createCart', {});
  const line = { variant_id: await stapleOf(world, tenant), quantity: 1 };
  const { items } = await make('storefront.addCartItem', { cart_id }, line);
  const checkout = await make('storefront.createCheckout', {}, { cart_id });
  return { cart: [cart_id], cart_line: items.map(({ id }) => id), checkout: [checkout.id] } satisfies Partial<Ids>;
}
