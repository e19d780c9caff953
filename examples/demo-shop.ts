import { readFileSync } from 'node:fs';
import { createStorefrontClient, type Schemas, unwrap } from '@commerce-backend/sdk';

/** The demo shop's credentials, and the customer for whom the example agents shop. */
export interface Demo {
  base_url: string;
  site_id: string;
  storefront_token: string;
  customers: { email: string; password: string }[];
}

export function readDemo(file: string): Demo {
  return JSON.parse(readFileSync(file, 'utf8')) as Demo;
}

/** Delivery address of the customer. */
export const ADDRESS = {
  ...{ first_name: 'Ada', last_name: 'Meyer', address1: 'Lindenallee 7' },
  ...{ city: 'Berlin', postal_code: '10115', country: 'DE' },
};

/** Permissions that most example agents request. */
export const TERMS = {
  scopes: ['catalog:read', 'cart:write', 'checkout:create', 'customer:self', 'orders:read'] as const,
  budget_cents: 6_000,
  categories: ['Tableware'],
};

function storefrontOf({ base_url: baseUrl, site_id: siteId, storefront_token: storefrontToken }: Demo) {
  return createStorefrontClient({ baseUrl, siteId, storefrontToken });
}

/** Logs in as the customer, for `--auto-approve`. Without it, a person approves in the browser. */
export async function logInAsCustomer(demo: Demo) {
  const shop = storefrontOf(demo);
  const [login] = demo.customers;
  if (!login) throw new Error('The demo shop has no customer with a password.');
  const { access_token } = await unwrap(shop.POST('/api/storefront/customer/login', { body: { ...login } }));
  return shop.withCustomer(access_token);
}

/** Approves an agent's consent request as the customer. */
export async function approveAsCustomer(demo: Demo, user_code: string): Promise<void> {
  const customer = await logInAsCustomer(demo);
  const params = { path: { user_code } };
  await unwrap(customer.POST('/api/storefront/customer/me/agent-consent/{user_code}/approve', { params, body: {} }));
}

/** Completes a checkout that an agent prepared: fills in missing fields and places the order. */
export async function confirmAsCustomer(demo: Demo, checkout_id: string): Promise<void> {
  const customer = await logInAsCustomer(demo);
  const params = { path: { checkout_id } };
  const { cart_id } = await unwrap(
    customer.PATCH('/api/storefront/checkout/{checkout_id}', {
      params,
      body: { shipping_address: ADDRESS, payment_method: 'bank_transfer' },
    }),
  );
  const { shipping_options } = await unwrap(
    customer.GET('/api/storefront/cart/{cart_id}/shipping-options', {
      params: { path: { cart_id }, query: { country: 'DE' } },
    }),
  );
  const shipping_option_id = shipping_options.find(({ kind }) => kind === 'delivery')?.id ?? null;
  const { review_token } = await unwrap(
    customer.PATCH('/api/storefront/checkout/{checkout_id}', { params, body: { shipping_option_id } }),
  );
  const body = { expected: review_token ?? '' };
  await unwrap(customer.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body }));
}

/** Finds a lamp, which is not in the agent's categories. Returns the id of its first variant. */
export async function lampIn(demo: Demo): Promise<string> {
  const query = { q: 'table lamp', limit: 1 };
  const { products } = await unwrap(storefrontOf(demo).GET('/api/storefront/products', { params: { query } }));
  const [variant] = products[0]?.variants ?? [];
  if (!variant) throw new Error('The shop has no lamp.');
  return variant.id;
}

/** The search of the example agents. Limits and exclusions are filters, which apply exactly; the query only names the product. */
export const SEARCH = { query: 'mug', price_max: '30', attribute: ['material:stoneware'], exclude_text: ['plastic'] };

/** Prints the products that a search found, each with its picture and its page. */
export function sayFound(candidates: Schemas['AgentCandidate'][], currency: string): void {
  for (const { price, availability, image_url, url, match_reasons, content } of candidates) {
    say(`   ${content.name}, ${content.variant_name ?? 'single variant'}: ${price} ${currency}, ${availability}`);
    say(`     because: ${match_reasons.join('; ')}`);
    say(`     picture: ${image_url ?? 'none'}`);
    say(`     page: ${url}`);
  }
}

export function accountOf({ base_url, site_id }: Demo): string {
  return `${base_url}/account?site_id=${site_id}`;
}

export function say(text: string): void {
  console.log(text);
}

const PATIENCE_MS = 10 * 60_000;

/** Polls every two seconds until there is a result. Returns undefined after ten minutes. */
export async function until<Answer>(ask: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((done) => setTimeout(done, 2_000));
  }
  return undefined;
}

/** Prints an agent's audit events, oldest first. */
export function sayAudit(events: { action: string; status: number; details?: object | null }[]): void {
  for (const { action, status, details } of events.toReversed()) {
    const { query, outcome, amount, currency } = (details ?? {}) as Record<string, string | null>;
    const parts = [query && `"${query}"`, amount && `${amount} ${currency}`, status >= 400 && outcome];
    const told = parts.filter(Boolean).join(', ');
    say(`   ${action} ${status}${told && `: ${told}`}`);
  }
}
