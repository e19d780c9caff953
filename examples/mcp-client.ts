import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createStorefrontClient, requestConsent, unwrap } from '@commerce-backend/sdk';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/**
 * An assistant that reaches a shop over MCP, by the client of the protocol's own SDK. Run `node examples/mcp-client.ts "a mug under
 * 20 euros"` while the demo shop is running, open the link and approve. With `--auto-approve` it acts as the customer as well.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    demo: { type: 'string', default: '.data/demo.json' },
    'auto-approve': { type: 'boolean', default: false },
  },
});
const demo = JSON.parse(readFileSync(options.demo, 'utf8')) as {
  base_url: string;
  site_id: string;
  storefront_token: string;
  customers: { email: string; password: string }[];
};
const { base_url: baseUrl, site_id: siteId, storefront_token: storefrontToken } = demo;

const pending = await requestConsent(
  { baseUrl, siteId },
  {
    agent_name: 'Example assistant',
    scopes: ['catalog:read', 'cart:write', 'checkout:create'],
    budget_cents: 6_000,
  },
);
console.log(`Open ${pending.verification_uri_complete} and compare the code: ${pending.user_code}`);
if (options['auto-approve']) {
  const shop = createStorefrontClient({ baseUrl, siteId, storefrontToken });
  const [login] = demo.customers;
  if (!login) throw new Error('The demo shop has no customer with a password.');
  const { access_token } = await unwrap(shop.POST('/api/storefront/customer/login', { body: { ...login } }));
  const params = { path: { user_code: pending.user_code } };
  await unwrap(
    shop
      .withCustomer(access_token)
      .POST('/api/storefront/customer/me/agent-consent/{user_code}/approve', { params, body: {} }),
  );
}
const { access_token } = await pending.token();

const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
const headers = { Authorization: `Bearer ${access_token}` };
const address = new URL(`${baseUrl}/sites/${siteId}/mcp`);
await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));

const { tools } = await client.listTools();
console.log(`The shop has ${tools.length} tools: ${tools.map(({ name }) => name).join(', ')}`);

const found = await client.callTool({
  name: 'find_products',
  arguments: { query: positionals[0] ?? 'a mug', limit: 3 },
});
console.log(textOf(found));
const [first] = (found.structuredContent as { candidates: { id: string }[] }).candidates;
if (first) {
  const bought = await client.callTool({ name: 'find_and_buy', arguments: { product_id: first.id } });
  console.log(textOf(bought));
}
await client.callTool({ name: 'revoke_token' });
await client.close();

function textOf({ content }: { content: unknown[] }): string {
  return content.map((part) => (part as { text: string }).text).join('\n');
}
