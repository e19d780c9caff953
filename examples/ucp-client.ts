import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { createAgentClient, requestConsent, unwrap } from '@commerce-backend/sdk';
import { ADDRESS, accountOf, lampIn, readDemo, say, sayAudit, TERMS, until } from './demo-shop.ts';

/**
 * A shopping platform, without a language model, that speaks the Universal Commerce Protocol over REST: it reads the shop's profile,
 * publishes its own, finds a product, fills a cart, and prepares a checkout that its buyer confirms at `continue_url`. It reads the
 * order, hits its limits, and ends when it is revoked. Run `npx node examples/ucp-client.ts "stoneware mug"` while the demo shop is running.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { demo: { type: 'string', default: '.data/demo.json' } },
});
const demo = readDemo(options.demo);
const { base_url: baseUrl, site_id: siteId } = demo;

interface Endpoint {
  transport: string;
  endpoint: string;
}
interface Answer {
  ucp: { status: string };
  id: string;
  status: string;
  products: { title: string; variants: { id: string; price: { amount: number; currency: string } }[] }[];
  totals: { type: string; amount: number }[];
  messages?: { code: string; content: string }[];
  continue_url?: string;
  order?: { id: string };
  label?: string;
}

// Profiles describe the functions that each side supports. The shop's profile is at its URL, the platform's at the URL
// in UCP-Agent.
const shop = (await (await fetch(`${baseUrl}/sites/${siteId}/.well-known/ucp`)).json()) as {
  ucp: { version: string; services: Record<string, Endpoint[]>; capabilities: Record<string, object[]> };
};
const { version, services, capabilities } = shop.ucp;
const endpoint = services['dev.ucp.shopping']?.find(({ transport }) => transport === 'rest')?.endpoint;
say(`1. The shop speaks UCP ${version}: ${Object.keys(capabilities).join(', ')}`);

const entry = (name: string) => [name, [{ version, spec: 'https://ucp.dev/', schema: 'https://ucp.dev/' }]];
const spoken = Object.fromEntries(Object.keys(capabilities).map(entry));
const profile = JSON.stringify({ ucp: { version, services: {}, payment_handlers: {}, capabilities: spoken } });
const host = createServer((_req, res) => void res.setHeader('Cache-Control', 'public, max-age=3600').end(profile));
await new Promise<void>((listening) => host.listen(0, '127.0.0.1', listening));
const profileUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}/profile.json`;

// Requests the customer's consent. Without a token the platform is a guest and cannot read orders.
const pending = await requestConsent(
  { baseUrl, siteId },
  { ...TERMS, scopes: [...TERMS.scopes], agent_name: 'Example platform' },
);
say(`   Open ${pending.verification_uri_complete}`);
say(`   and compare the code: ${pending.user_code}. (Log in as ${demo.customers[0]?.email}.) Waiting …`);
const { access_token: token } = await pending.token();

/**
 * Sends a request. Returns the response's status and body. If the shop is busy, waits as long as Retry-After requires
 * and retries up to four times with the same idempotency key, which prevents duplicates.
 */
async function send(method: string, path: string, body?: object): Promise<{ status: number; said: Answer }> {
  const headers = {
    'Content-Type': 'application/json',
    'UCP-Agent': `profile="${profileUrl}"`,
    'Idempotency-Key': randomUUID(),
    Authorization: `Bearer ${token}`,
  };
  for (let attempt = 1; ; attempt += 1) {
    const answer = await fetch(`${endpoint}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const said = (await answer.json()) as Answer;
    if (![429, 503].includes(answer.status) || attempt === 5) return { status: answer.status, said };
    await new Promise((done) => setTimeout(done, 1_000 * Number(answer.headers.get('Retry-After') ?? 1)));
  }
}

/**
 * Calls a UCP operation. Returns the resource, or messages that explain why there is none. Throws for a protocol
 * error, which has an HTTP error status.
 */
async function call(method: string, path: string, body?: object): Promise<Answer> {
  const { status, said } = await send(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(said)}`);
  for (const { code, content } of said.messages ?? []) say(`   ${code}: ${content}`);
  return said;
}

const totalOf = ({ totals }: Answer) => (totals.find(({ type }) => type === 'total')?.amount ?? 0) / 100;
const lineOf = (id: string, quantity: number) => ({ item: { id }, quantity });

const { products } = await call('POST', '/catalog/search', { query: positionals[0] ?? 'stoneware mug' });
const [found] = products;
const [variant] = found?.variants ?? [];
if (!found || !variant) throw new Error('The shop has nothing like it.');
const { currency } = variant.price;
say(`\n2. It found: ${found.title}, ${variant.price.amount / 100} ${currency}`);

say('\n3. It fills a cart, and prepares the checkout. It never completes one.');
const cart = await call('POST', '/carts', { line_items: [lineOf(variant.id, 1)] });
const { address1, city, postal_code, country, ...name } = ADDRESS;
const destination = {
  ...{ ...name, street_address: address1, address_locality: city, postal_code, address_country: country },
};
const fulfillment = { methods: [{ type: 'shipping', destinations: [destination] }] };
const checkout = await call('POST', '/checkout-sessions', { cart_id: cart.id, fulfillment });
say(`   The checkout is ${checkout.status}, its total ${totalOf(checkout)} ${currency}.`);
say(`   Open ${checkout.continue_url}`);
say('   Waiting for the buyer to confirm …');
const order_id = await until(async () => {
  return (await send('GET', `/checkout-sessions/${checkout.id}`)).said.order?.id;
});
if (order_id) {
  const order = await call('GET', `/orders/${order_id}`);
  say(`   Confirmed: order ${order.label}, ${totalOf(order)} ${currency}.`);
}

say('\n4. It tries to buy more than its budget allows.');
await call('POST', '/carts', { line_items: [lineOf(variant.id, 20)] });
say('\n5. It tries to buy a lamp, which is no tableware.');
await call('POST', '/carts', { line_items: [lineOf(await lampIn(demo), 1)] });
say('\n6. It reads what the audit has of it.');
const own = createAgentClient({ baseUrl, agentToken: token });
const params = { query: { limit: 100 } };
sayAudit((await unwrap(own.GET('/api/agent/audit/me', { params }))).audit_events);

say('\n7. The customer revokes its access.');
say(`   Open ${accountOf(demo)} and revoke it. Waiting …`);
const refused = await until(async () => {
  const { status, said } = await send('GET', `/carts/${cart.id}`);
  return status === 401 ? JSON.stringify(said) : undefined;
});
say(`   The next call is refused: ${refused}`);
host.close();
host.closeAllConnections();
