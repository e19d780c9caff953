/**
 * Scripts of requests that run against the SDK's mocks and against the server. Both must answer with the same status,
 * error code, totals, warnings and all other fields, except ids, times, secrets and URLs of pages.
 */

import { createHash, randomUUID } from 'node:crypto';
import { createMockFetch, type MockShopData } from '@commerce-backend/sdk/mocks/fetch';
import type { DiscountInput, ProductInput, SettingsPatch, ShippingOptionInput } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { atConsent, leadsTo, REDIRECT_URI } from './oauth.ts';
import { openShop } from './shop.ts';

const products: (ProductInput & { slug: string })[] = [
  {
    ...{
      slug: 'stoneware-mug',
      name: 'Stoneware Mug',
      description: 'Warm for long.',
      price: '18.50',
      status: 'active',
    },
    ...{ vendor: 'Rowan', product_type: 'Tableware', tags: ['mug', 'gift'], published_at: '2026-01-03T08:00:00Z' },
    options: [{ name: 'Colour', values: ['Oat', 'Slate'] }],
    variants: [
      { option1: 'Oat', sku: 'MUG-OAT', inventory_quantity: 24, weight: '0.4' },
      { option1: 'Slate', sku: 'MUG-SLATE', inventory_quantity: 3, weight: '0.4', price: '19.99' },
    ],
  },
  {
    ...{ slug: 'oak-lamp', name: 'Oak Lamp', description: 'Of oak.', price: '79.00', compare_at_price: '98.00' },
    ...{ product_type: 'Lamps', sku: 'LAMP', inventory_quantity: 5, weight: '2.1', tags: ['lamp'], status: 'active' },
    published_at: '2026-01-02T08:00:00Z',
  },
];
const discounts: DiscountInput[] = [
  { code: 'WELCOME10', kind: 'percentage', value: '10' },
  { code: 'FIVEOFF', kind: 'fixed_amount', value: '5.00', minimum_subtotal: '40.00' },
  { code: 'SUMMER24', kind: 'percentage', value: '25', ends_at: '2024-08-31T22:00:00.000Z' },
];
const shipping_options: ShippingOptionInput[] = [
  { name: 'Standard', price: '4.90', countries: ['DE', 'AT'], estimated_days_min: 2, estimated_days_max: 4 },
  { name: 'Pick up', price: '0', kind: 'pickup' },
];
const bank_details = { account_holder: 'Alder & Finch GmbH', iban: 'DE89370400440532013000' };
const ADDRESS = {
  ...{ first_name: 'June', last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115' },
  country: 'DE',
} as const;
const PASSWORD = 'correct horse battery staple';

interface World {
  fetch: (request: Request) => Promise<Response>;
  baseUrl: string;
  siteId: string;
  storefrontToken: string;
  email: string;
  variantIds: Record<string, string>;
  /** The shop's OAuth issuer. */
  issuer: string;
  /** Lets the customer decide on the consent page at this URL. Returns the URL of the redirect. */
  authorize(address: string, decision: Decision): Promise<string>;
}

type Decision = { budget_cents: number } | 'deny';

interface Step {
  call: string;
  status: number;
  body: unknown;
}

type Settings = Pick<SettingsPatch, 'prices_include_tax' | 'default_tax_rate' | 'tax_rates' | 'payment_deadline_hours'>;

async function mockWorld(settings: Settings): Promise<World> {
  const customers = [{ email: 'june@mail.example', password: PASSWORD, first_name: 'June', last_name: 'Okafor' }];
  const data = {
    name: 'Shop',
    products,
    discounts,
    shipping_options,
    bank_details,
    collections: [],
    customers,
    ...settings,
  };
  const { fetch, shop } = createMockFetch({ data: data as Partial<MockShopData> });
  const ids = ['MUG-OAT', 'MUG-SLATE', 'LAMP'].map((sku) => [sku, shop.variantId(sku)]);
  const { baseUrl, siteId, storefrontToken } = shop;
  return {
    ...{ fetch, baseUrl, siteId, storefrontToken, email: 'june@mail.example', variantIds: Object.fromEntries(ids) },
    issuer: `${baseUrl}/sites/${siteId}`,
    authorize: async (address, decision) => shop.authorize(address, decision),
  };
}

async function realWorld(settings: Settings): Promise<World> {
  const shop = await openShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { bank_details, ...settings } });
  const made = [];
  for (const product of products) made.push(await shop.givenProduct(product));
  for (const body of discounts) await shop.dashboard.POST('/api/dashboard/discounts', { body });
  for (const body of shipping_options) await shop.dashboard.POST('/api/dashboard/shipping-options', { body });
  const customer = await shop.givenCustomer({ password: PASSWORD });
  const variantIds = made.flatMap(({ variants }) => variants.map(({ sku, id }) => [sku, id]));
  return {
    ...{ fetch: globalThis.fetch, baseUrl: shop.baseUrl, siteId: shop.site_id, email: customer.email },
    ...{ storefrontToken: shop.credentials.storefront_token, variantIds: Object.fromEntries(variantIds) },
    issuer: `http://localhost/sites/${shop.site_id}`,
    async authorize(address, decision) {
      const { browser, page } = await atConsent(shop, customer, new URL(address));
      const fields: Record<string, string> =
        decision === 'deny' ? {} : { budget: (decision.budget_cents / 100).toFixed(2) };
      const led = leadsTo(await browser.press(page, decision === 'deny' ? 'deny' : 'approve', fields));
      return led?.href ?? 'http://localhost/nowhere';
    },
  };
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const USER_CODE = /\b[B-Z]{4}-[B-Z]{4}\b/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** Fields with random or local values. The test compares only whether they are null. */
const LEFT_OUT = [
  ...[
    'request_id',
    'access_token',
    'device_code',
    'user_code',
    'checkout_url',
    'continue_url',
    'shop_name',
    'review_token',
  ],
  ...['verification_uri', 'verification_uri_complete', 'requested_from', 'client_id', 'client_id_issued_at'],
];

/**
 * Removes intended differences: the mocks accept no cards, offer agents no alternatives, fetch no client documents, and
 * do not record uses. Also replaces values that differ by chance.
 */
function withoutNature(key: string, value: unknown): unknown {
  if (key === 'alternatives' || key === 'last_used_at' || key === 'client_id_metadata_document_supported')
    return undefined;
  // Rounds to minutes, because some seconds pass between the approval and the token.
  if (key === 'expires_in') return 60 * Math.round(Number(value) / 60);
  if (LEFT_OUT.includes(key)) return value === null ? null : 'left out';
  if (key === 'payment_methods' && Array.isArray(value)) return value.filter((method) => method !== 'card');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Sends requests, and records the responses with placeholders for ids and times. */
function player(world: World) {
  const steps: Step[] = [];
  const known = new Map<string, string>();
  const nameOf = (id: string) => known.get(id) ?? known.set(id, `id ${known.size}`).get(id) ?? '';
  const comparable = (text: string) =>
    text
      .replaceAll(world.issuer, 'issuer')
      // The mocks have no UCP, and therefore none of its scopes.
      .replaceAll(/,"dev\.ucp\.[^"]*"/g, '')
      .replaceAll(world.issuer.replace(/\/sites\/.*/, ''), 'base')
      .replaceAll(world.email, 'june@example')
      .replaceAll(UUID, nameOf)
      .replaceAll(USER_CODE, 'code')
      .replaceAll(TIME, 'time');
  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const credentials = { 'X-Site-ID': world.siteId, 'X-Service-Token': world.storefrontToken };
    const isForm = body instanceof URLSearchParams;
    const response = await world.fetch(
      new Request(`${world.baseUrl}${path}`, {
        method,
        headers: {
          ...(path.startsWith('/api/storefront') && credentials),
          ...(method !== 'GET' && { 'Idempotency-Key': randomUUID() }),
          ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    const parsed = text ? JSON.parse(comparable(JSON.stringify(JSON.parse(text, withoutNature)))) : undefined;
    steps.push({ call: `${method} ${comparable(path)}`, status: response.status, body: parsed });
    // biome-ignore lint/suspicious/noExplicitAny: each step knows the type of its response
    return (text ? JSON.parse(text) : undefined) as any;
  }
  /** Lets the customer decide, and returns the parameters of the redirect. */
  async function authorize(query: Record<string, string>, decision: Decision): Promise<string> {
    const address = `${world.issuer}/oauth/authorize?${new URLSearchParams(query)}`;
    const { origin, pathname, searchParams } = new URL(await world.authorize(address, decision));
    const code = searchParams.get('code') ?? '';
    if (code) searchParams.set('code', 'left out');
    const body = Object.fromEntries([...searchParams].sort().map(([name, value]) => [name, comparable(value)]));
    steps.push({
      call: `authorize ${JSON.stringify(decision)}`,
      status: 303,
      body: { to: origin + pathname, ...body },
    });
    return code;
  }
  return { call, authorize, steps };
}

type Player = ReturnType<typeof player>;
type Script = (call: Player['call'], world: World, authorize: Player['authorize']) => Promise<void>;

async function played(script: Script, settings: Settings): Promise<{ mocks: Step[]; server: Step[] }> {
  const [mock, real] = [await mockWorld(settings), await realWorld(settings)];
  const [mocks, server] = [player(mock), player(real)];
  await script(mocks.call, mock, mocks.authorize);
  await script(server.call, real, server.authorize);
  return { mocks: mocks.steps, server: server.steps };
}

const SHOP = '/api/storefront';

/** Browses, fills a cart, applies discount codes, checks out and orders. */
const shopper: Script = async (call, { variantIds, email }) => {
  await call('GET', `${SHOP}/products`);
  await call('GET', `${SHOP}/products?product_type=lamps&sort=price_asc`);
  await call('GET', `${SHOP}/products?option=Colour:Slate&in_stock=true&price_min=10`);
  await call('GET', `${SHOP}/products?option=Colour:Slate&option=colour:oat`);
  await call('GET', `${SHOP}/products?facets=true&limit=1&page=2`);
  for (const chosen of [
    ...['vendor=rowan', 'product_type=Lamps&tag=mug', 'tag=lamp&vendor=nobody', 'price_min=50', 'price_max=50'],
    ...['in_stock=false', 'option=Colour:Slate', 'option=Colour:Grey&vendor=Rowan', 'q=mug&vendor=nobody'],
  ]) {
    await call('GET', `${SHOP}/products?facets=true&${chosen}`);
  }
  await call('GET', `${SHOP}/products/stoneware-mug`);
  await call('GET', `${SHOP}/products/no-such-product`);
  await call('GET', `${SHOP}/collections`);

  const { id: cart } = await call('POST', `${SHOP}/cart`);
  const items = `${SHOP}/cart/${cart}/items`;
  await call('POST', `${SHOP}/checkout`, { cart_id: cart });
  await call('POST', items, { variant_id: variantIds['MUG-OAT'], quantity: 2 });
  await call('POST', items, { variant_id: variantIds['MUG-SLATE'], quantity: 4 });
  await call('POST', items, { variant_id: randomUUID().replace(/^./, 'f'), quantity: 1 });
  const filled = await call('POST', items, { variant_id: variantIds['MUG-SLATE'], quantity: 1 });
  await call('PATCH', `${items}/${filled.items[1].id}`, { quantity: 3 });
  const codes = `${SHOP}/cart/${cart}/discounts`;
  await call('POST', codes, { code: 'nothing' });
  await call('POST', codes, { code: 'SUMMER24' });
  await call('POST', codes, { code: 'fiveoff' });
  await call('POST', codes, { code: 'WELCOME10' });
  await call('GET', `${SHOP}/cart/${cart}/shipping-options?country=DE`);
  await call('GET', `${SHOP}/cart/${cart}/shipping-options?country=US`);

  const checkout = await call('POST', `${SHOP}/checkout`, { cart_id: cart });
  const path = `${SHOP}/checkout/${checkout.id}`;
  await call('POST', `${path}/complete`, {});
  const { shipping_options: options } = await call('GET', `${SHOP}/cart/${cart}/shipping-options?country=AT`);
  await call('PATCH', path, { email, shipping_address: { ...ADDRESS, postal_code: null } });
  await call('PATCH', path, { phone: 'call me', shipping_address: { ...ADDRESS, phone: 'call me' } });
  await call('PATCH', path, { phone: '030 1234567', shipping_address: { ...ADDRESS, phone: '+49 30 1234567 ext. 8' } });
  await call('PATCH', path, { shipping_address: { ...ADDRESS, country: 'US' }, shipping_option_id: options[0].id });
  const ready = await call('PATCH', path, {
    ...{ shipping_address: ADDRESS, shipping_option_id: options[0].id, payment_method: 'bank_transfer' },
  });
  await call('POST', `${path}/complete`, { expected_total: '1.00' });
  await call('POST', `${path}/complete`, { expected_total: ready.total });
  await call('GET', path);
  await call('PATCH', path, { note: 'Too late' });
  await call('POST', items, { variant_id: variantIds['MUG-OAT'], quantity: 1 });
  await call('GET', `${SHOP}/cart/${cart}`);
  await call('GET', `${SHOP}/products/stoneware-mug`);
};

/** Sends invalid requests, and repeats an Idempotency-Key. */
const careless: Script = async (call, { variantIds, siteId }) => {
  const { id: cart } = await call('POST', `${SHOP}/cart`, {});
  const items = `${SHOP}/cart/${cart}/items`;
  await call('POST', items, { variant: 'x', quantity: '2' });
  await call('POST', items, { variant_id: 'mug', quantity: 0 });
  await call('POST', items, []);
  await call('POST', items);
  await call('POST', items, { variant_id: variantIds.LAMP, quantity: 1 }, { 'Idempotency-Key': '' });
  await call('POST', `${SHOP}/cart/${cart}/discounts`, { code: '' });
  await call('DELETE', `${SHOP}/cart/${cart}/discounts`, { code: 'X' });
  await call('GET', `${SHOP}/products?limit=1000&pages=2`);
  await call('GET', `${SHOP}/products?limit=ten&facets=maybe&sort=cheap`);
  await call('GET', `${SHOP}/products?price_min=1,5`);
  await call('GET', `${SHOP}/cart/not-an-id`);
  await call('GET', `${SHOP}/cart/${cart}/shipping-options?country=XX`);
  await call('GET', `${SHOP}/customer/me`);
  await call('GET', `${SHOP}/shop`, undefined, { 'X-Service-Token': 'stk_unknown' });
  const otherSite = siteId.replace(/.$/, (last) => (last === 'f' ? 'e' : 'f'));
  await call('GET', `${SHOP}/shop`, undefined, { 'X-Site-ID': otherSite });
  await call('PUT', `${SHOP}/cart`, {});
  await call('POST', `${SHOP}/customer/login`, { email: 'nobody', password: '' });
  await call('POST', `${SHOP}/customer/login`, { email: 'nobody@mail.example', password: 'x' });
  const key = { 'Idempotency-Key': randomUUID() };
  await call('POST', items, { variant_id: variantIds.LAMP, quantity: 1 }, key);
  await call('POST', items, { variant_id: variantIds.LAMP, quantity: 1 }, key);
  await call('POST', items, { variant_id: variantIds.LAMP, quantity: 2 }, key);
  await call('GET', `${SHOP}/cart/${cart}`);
};

/** Logs in with a cart, manages addresses, orders, and reads the order history. */
const customer: Script = async (call, { variantIds, email }) => {
  const { id: cart } = await call('POST', `${SHOP}/cart`);
  await call('POST', `${SHOP}/cart/${cart}/items`, { variant_id: variantIds.LAMP, quantity: 1 });
  const login = { email, password: PASSWORD };
  const { access_token } = await call('POST', `${SHOP}/customer/login`, { ...login, cart_id: cart });
  const own = { Authorization: `Bearer ${access_token}` };
  await call('GET', `${SHOP}/cart/${cart}`, undefined, own);
  const { id: kept } = await call('POST', `${SHOP}/cart`, undefined, own);
  await call('POST', `${SHOP}/cart/${cart}/items`, { variant_id: variantIds.LAMP, quantity: 1 }, own);
  await call('GET', `${SHOP}/cart/${kept}`);
  await call('GET', `${SHOP}/customer/me`, undefined, own);
  const home = await call('POST', `${SHOP}/customer/me/addresses`, { ...ADDRESS, is_default: true }, own);
  await call('GET', `${SHOP}/customer/me/addresses`, undefined, own);
  const { id } = await call('POST', `${SHOP}/checkout`, { cart_id: kept }, own);
  const { shipping_options: options } = await call(
    'GET',
    `${SHOP}/cart/${kept}/shipping-options?country=DE`,
    undefined,
    own,
  );
  const pickup = { shipping_option_id: options[1].id };
  await call('PATCH', `${SHOP}/checkout/${id}`, pickup, own);
  await call('GET', `${SHOP}/checkout/${id}`);
  const { order } = await call('POST', `${SHOP}/checkout/${id}/complete`, {}, own);
  await call('GET', `${SHOP}/customer/me/orders`, undefined, own);
  await call('GET', `${SHOP}/customer/me/orders/${order.id}`, undefined, own);
  const address = `${SHOP}/customer/me/addresses/${home.id}`;
  await call('PATCH', address, { city: 'Bonn', postal_code: '53111' }, own);
  await call('DELETE', address, undefined, own);
  await call('PATCH', address, { city: 'Bonn' }, own);
  await call('GET', `${SHOP}/customer/me/addresses`, undefined, own);
  await call('POST', `${SHOP}/customer/logout`, undefined, own);
  await call('GET', `${SHOP}/customer/me`, undefined, own);
};

/**
 * An agent buys within and beyond its budget and categories; its customer confirms the purchase and revokes the agent.
 */
const agent: Script = async (call, { variantIds, email, siteId }) => {
  const { access_token: session } = await call('POST', `${SHOP}/customer/login`, { email, password: PASSWORD });
  const own = { Authorization: `Bearer ${session}` };
  await call('POST', `${SHOP}/customer/me/addresses`, { ...ADDRESS, is_default: true }, own);
  const wish = { agent_name: 'Shopper', budget_cents: 9_000, categories: ['Tableware'] };
  await call('POST', `/api/agent/consent/request?site_id=${siteId}`, { ...wish, budget_cents: -1, colour: 'red' });
  await call('POST', '/api/agent/consent/request', wish);
  const asked = await call('POST', `/api/agent/consent/request?site_id=${siteId}`, wish);
  const { device_code, user_code } = asked;
  const poll = () => call('POST', '/api/agent/consent/poll', { device_code });
  await poll();
  await poll();
  await call('GET', `${SHOP}/customer/me/agent-consent/${user_code}`, undefined, own);
  const approval = `${SHOP}/customer/me/agent-consent/${user_code}/approve`;
  await call('POST', approval, { budget_cents: 90_000 }, own);
  await call('POST', approval, { budget_cents: 8_000 }, own);
  await call('POST', approval, {}, own);
  const { access_token, token_id } = await poll();
  await poll();
  const as = { Authorization: `Bearer ${access_token}` };
  await call('GET', '/api/agent/token', undefined, as);
  const { cart } = await call('POST', '/api/agent/carts', {}, as);
  const items = `/api/agent/carts/${cart.id}/items`;
  await call('POST', items, { variant_id: variantIds.LAMP, quantity: 1 }, as);
  await call('POST', items, { variant_id: variantIds['MUG-OAT'], quantity: 5 }, as);
  await call('POST', items, { variant_id: variantIds['MUG-OAT'], quantity: 2 }, as);
  await call('POST', `/api/agent/carts/${cart.id}/discounts`, { code: 'WELCOME10' }, as);
  await call('GET', `/api/agent/carts/${cart.id}/shipping-options`, undefined, as);
  await call('GET', '/api/agent/customer/me', undefined, as);
  const { checkout } = await call('POST', '/api/agent/checkouts', { cart_id: cart.id }, as);
  await call('POST', `${SHOP}/checkout/${checkout.id}/complete`, {}, as);
  await call('POST', `${SHOP}/checkout/${checkout.id}/complete`, {});
  await call('PATCH', `${SHOP}/checkout/${checkout.id}`, { payment_method: 'bank_transfer' }, own);
  await call('POST', `${SHOP}/checkout/${checkout.id}/complete`, {}, own);
  await call('GET', `/api/agent/checkouts/${checkout.id}`, undefined, as);
  await call('GET', '/api/agent/orders', undefined, as);
  const buy = { variant_id: variantIds['MUG-OAT'], quantity: 3 };
  await call('POST', '/api/agent/intent/find-and-buy', { ...buy, dry_run: true }, as);
  await call('DELETE', `${SHOP}/customer/me/agents/${token_id}`, undefined, own);
  await call('GET', '/api/agent/token', undefined, as);
  await call('GET', '/api/agent/token');
};

const TAKEN_URIS = [
  ...['com.example.app:/back', 'https://app.example/back?kept=a%20b', 'http://127.0.0.1/back?kept=1'],
  ...['http://[::1]:8080', 'http://127.0.0.1?x', 'com.example.app:/back'],
];
const REFUSED_URIS = [
  ...[
    'https://someone@app.example/back',
    'https://app.example/back#part',
    'http://localhost.example.com/',
    'app:/back',
  ],
  ...['HTTPS://app.example/back', 'https://app.example/bäck', 'http://127.0.0.1:999999/', 'javascript:alert(1)', ''],
  `https://app.example/${'x'.repeat(1_000)}`,
];

/** Registers clients and exchanges codes, with invalid and with valid requests, and uses the agent's token. */
const authorized: Script = async (call, { siteId }, authorize) => {
  const oauth = `/sites/${siteId}/oauth`;
  await call('GET', `/.well-known/oauth-authorization-server/sites/${siteId}`);
  await call('POST', `${oauth}/register`, { client_name: 'Gift finder', redirect_uris: ['http://elsewhere.example/'] });
  await call('POST', `${oauth}/register`, { client_name: 'Gift finder', redirect_uris: [] });
  for (const uri of REFUSED_URIS) await call('POST', `${oauth}/register`, { redirect_uris: [REDIRECT_URI, uri] });
  await call('POST', `${oauth}/register`, [REDIRECT_URI]);
  const { client_id: app } = await call('POST', `${oauth}/register`, { redirect_uris: TAKEN_URIS });
  const client = { client_name: 'Gift finder', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' };
  const { client_id } = await call('POST', `${oauth}/register`, client);
  const code_verifier = 'v'.repeat(43);
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
  const ask = (wish: Record<string, string>, decision: Decision) =>
    authorize(
      {
        ...{ response_type: 'code', client_id, redirect_uri: REDIRECT_URI, state: 'kept' },
        ...{ code_challenge, code_challenge_method: 'S256', ...wish },
      },
      decision,
    );
  // A loopback redirect URI may have any port, and its query string is kept.
  for (const redirect_uri of ['http://127.0.0.1:54321/back?kept=1', TAKEN_URIS[0] ?? '', TAKEN_URIS[1] ?? ''])
    await ask({ client_id: app, redirect_uri, budget_cents: '1000' }, 'deny');
  const wish = { scope: 'catalog:read cart:write', budget_cents: '3000', max_per_order_cents: '2500' };
  await ask(wish, 'deny');
  const code = await ask(wish, { budget_cents: 2_000 });
  const exchange = (fields: Record<string, string>) =>
    call(
      'POST',
      `${oauth}/token`,
      new URLSearchParams({
        ...{ grant_type: 'authorization_code', client_id, redirect_uri: REDIRECT_URI, code, code_verifier },
        ...fields,
      }),
    );
  await exchange({ grant_type: 'password' });
  await exchange({ code_verifier: 'x'.repeat(43) });
  await exchange({ redirect_uri: 'https://elsewhere.example/' });
  await exchange({ client_id: 'unknown' });
  await exchange({ code: 'unknown' });
  await call('POST', `${oauth}/token`, new URLSearchParams({ grant_type: 'authorization_code', client_id, code }));
  const { access_token } = await exchange({});
  const as = { Authorization: `Bearer ${access_token}` };
  await call('GET', '/api/agent/token', undefined, as);
  await call('POST', '/api/agent/carts', {}, as);
  await call('GET', '/api/agent/orders', undefined, as);
  // A second use of an authorization code revokes the token that was issued for it.
  await exchange({});
  await call('GET', '/api/agent/token', undefined, as);

  const next = await ask({ budget_period: 'month' }, { budget_cents: 4_000 });
  const { access_token: second } = await exchange({ code: next });
  await call('GET', '/api/agent/token', undefined, { Authorization: `Bearer ${second}` });
  await call('POST', `${oauth}/revoke`, new URLSearchParams({ token: second }));
  await call('GET', '/api/agent/token', undefined, { Authorization: `Bearer ${second}` });
  await call('POST', `${oauth}/revoke`, new URLSearchParams({ token: 'agt_unknown' }));
};

const INCLUDED: Settings = { prices_include_tax: true, default_tax_rate: '0.19', payment_deadline_hours: 168 };
const ADDED: Settings = { ...INCLUDED, prices_include_tax: false, tax_rates: [{ country: 'DE', rate: '0.07' }] };

test.each(
  Object.entries({
    'a guest who orders': shopper,
    'a client with mistakes': careless,
    'a customer': customer,
    'an agent': agent,
    'an agent with a code': authorized,
  }),
)('the mocks and the server return the same responses to %s', async (_, script) => {
  for (const settings of [INCLUDED, ADDED]) {
    const { mocks, server } = await played(script, settings);
    expect(mocks).toEqual(server);
    expect(server.length).toBeGreaterThan(10);
  }
});
