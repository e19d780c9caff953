import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { createAgentClient, requestConsent } from '@commerce-backend/sdk';
import { approveAsCustomer, readDemo } from './demo-customer.ts';

/**
 * A shopping platform that speaks the Universal Commerce Protocol over REST: it reads the shop's profile, publishes its own, finds a
 * product, fills a cart, and prepares a checkout that its buyer confirms at `continue_url`. Run `node examples/ucp-client.ts mug` while
 * the demo shop is running, open the link and approve. With `--auto-approve` it acts as the customer as well.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    demo: { type: 'string', default: '.data/demo.json' },
    'auto-approve': { type: 'boolean', default: false },
  },
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
}

// Both sides publish what they speak: the shop at its address, the platform where UCP-Agent says.
const shop = (await (await fetch(`${baseUrl}/sites/${siteId}/.well-known/ucp`)).json()) as {
  ucp: { version: string; services: Record<string, Endpoint[]>; capabilities: Record<string, object[]> };
};
const { version, services, capabilities } = shop.ucp;
const endpoint = services['dev.ucp.shopping']?.find(({ transport }) => transport === 'rest')?.endpoint;
console.log(`The shop speaks UCP ${version}: ${Object.keys(capabilities).join(', ')}`);

const entry = (name: string) => [name, [{ version, spec: 'https://ucp.dev/', schema: 'https://ucp.dev/' }]];
const own = Object.fromEntries(Object.keys(capabilities).map(entry));
const profile = JSON.stringify({ ucp: { version, services: {}, payment_handlers: {}, capabilities: own } });
const host = createServer((_req, res) => void res.setHeader('Cache-Control', 'public, max-age=3600').end(profile));
await new Promise<void>((listening) => host.listen(0, '127.0.0.1', listening));
const profileUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}/profile.json`;

/** The customer's consent; without a token the platform would be a guest, and could read no orders. */
async function tokenOfCustomer(): Promise<string> {
  const pending = await requestConsent(
    { baseUrl, siteId },
    {
      agent_name: 'Example platform',
      scopes: ['catalog:read', 'cart:write', 'checkout:create', 'orders:read'],
      budget_cents: 6_000,
    },
  );
  console.log(`Open ${pending.verification_uri_complete} and compare the code: ${pending.user_code}`);
  if (options['auto-approve']) await approveAsCustomer(demo, pending.user_code);
  return (await pending.token()).access_token;
}

const token = await tokenOfCustomer();

/** A resource, or messages that say why there is none. Failures of the protocol have a status of HTTP. */
async function call(method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`${endpoint}${path}`, {
    method,
    headers: {
      'Content-Type': 'application/json',
      'UCP-Agent': `profile="${profileUrl}"`,
      'Idempotency-Key': randomUUID(),
      Authorization: `Bearer ${token}`,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const said = (await answer.json()) as Answer;
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(said)}`);
  for (const { code, content } of said.messages ?? []) console.log(`  ${code}: ${content}`);
  return said;
}

try {
  const { products } = await call('POST', '/catalog/search', { query: positionals[0] ?? 'mug' });
  const [found] = products;
  const [variant] = found?.variants ?? [];
  if (!found || !variant) throw new Error('The shop has nothing like it.');
  console.log(`Found: ${found.title}, ${variant.price.amount / 100} ${variant.price.currency}`);

  const cart = await call('POST', '/carts', { line_items: [{ item: { id: variant.id }, quantity: 1 }] });
  const checkout = await call('POST', '/checkout-sessions', { cart_id: cart.id });
  const total = checkout.totals.find(({ type }) => type === 'total')?.amount ?? 0;
  console.log(`The checkout is ${checkout.status}, its total ${total / 100} ${variant.price.currency}.`);
  console.log(`Its buyer confirms it at ${checkout.continue_url}`);
} finally {
  await createAgentClient({ baseUrl, agentToken: token }).DELETE('/api/agent/token');
  host.close();
  host.closeAllConnections();
}
