import { parseArgs } from 'node:util';
import { requestConsent } from '@commerce-backend/sdk';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { approveAsCustomer, readDemo } from './demo-customer.ts';

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
const demo = readDemo(options.demo);
const { base_url: baseUrl, site_id: siteId } = demo;

const pending = await requestConsent(
  { baseUrl, siteId },
  {
    agent_name: 'Example assistant',
    scopes: ['catalog:read', 'cart:write', 'checkout:create'],
    budget_cents: 6_000,
  },
);
console.log(`Open ${pending.verification_uri_complete} and compare the code: ${pending.user_code}`);
if (options['auto-approve']) await approveAsCustomer(demo, pending.user_code);
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
