import { parseArgs } from 'node:util';
import type { Schemas } from '@commerce-backend/sdk';
import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ADDRESS, accountOf, lampIn, readDemo, SEARCH, say, sayAudit, sayFound, until } from './demo-shop.ts';
import { connectHosted, newClient } from './mcp-host.ts';

/**
 * An assistant, without a language model, that uses a shop over MCP with the client of the protocol's own SDK. Run
 * `npx node examples/mcp-client.ts` while the demo shop is running. Its only input is the address of the shop; it sends its
 * customer to the consent page, as hosted assistants do. With `--stdio` it starts `commerce mcp` instead, as assistants on the
 * same machine do, with the token that `commerce mcp login` has stored. It finds a mug, prepares its purchase, waits until the
 * customer confirms it, hits its limits, and ends when it is revoked.
 */
const { values: options } = parseArgs({
  options: {
    demo: { type: 'string', default: '.data/demo.json' },
    stdio: { type: 'boolean', default: false },
  },
});
const demo = readDemo(options.demo);
const address = `${demo.base_url}/sites/${demo.site_id}/mcp`;

/** Starts `commerce mcp`, like an assistant on the same machine. */
async function overStdio(): Promise<Client> {
  say(`1. The assistant starts commerce mcp ${address}`);
  const client = newClient();
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
  await client.connect(new StdioClientTransport({ command: 'npx', args: ['commerce', 'mcp', address], env }));
  return client;
}

/** Sends the customer to the consent page, like a hosted assistant. */
function hosted(): Promise<Client> {
  say(`1. The assistant gets the address ${address}, and asks for consent.`);
  return connectHosted(address, (url) => {
    say(`   Open ${url}`);
    say(`   log in as ${demo.customers[0]?.email}, give it a budget of 60.00, and tick Tableware alone. Waiting …`);
  });
}

const client = options.stdio ? await overStdio() : await hosted();

function call(name: string, given: object = {}): Promise<CallToolResult> {
  return client.callTool({ name, arguments: { ...given } }) as Promise<CallToolResult>;
}

/** Calls a tool and returns its structured result. */
async function use<Answer>(name: string, given?: object): Promise<Answer> {
  const { isError, structuredContent } = await call(name, given);
  if (isError) throw new Error(`${name} was refused: ${JSON.stringify(structuredContent)}`);
  return structuredContent as Answer;
}

async function tryBeyond(given: object): Promise<void> {
  const { isError, structuredContent } = await call('find_and_buy', { ...given, dry_run: true });
  if (!isError) throw new Error('It was allowed, but should have been refused.');
  const { error, message, next } = structuredContent as Record<string, string>;
  say(`   Refused, ${error}: ${message}\n   What to do: ${next}\n`);
}

const { tools } = await client.listTools();
const terms = await use<Schemas['AgentToken']>('get_token');
const kinds = terms.categories.join(', ') || 'anything';
say(`   It has ${tools.length} tools, and may spend ${terms.budget_cents / 100} ${terms.currency} on ${kinds}.\n`);

say(`2. It searches with ${JSON.stringify(SEARCH)}.`);
const { candidates, currency } = await use<Schemas['FindOutcome']>('find_products', SEARCH);
sayFound(candidates, currency);
const variant_id = candidates[0]?.variant_id;

say('\n3. It prepares the purchase. It cannot pay; the customer confirms.');
const bought = await use<Schemas['BuyOutcome']>('find_and_buy', { variant_id, shipping_address: ADDRESS });
say(`   ${bought.status}: ${bought.totals?.total} ${currency} in total.`);
say(`   Open ${bought.checkout_url}`);
say('   Waiting for the customer to confirm …');
const checkout_id = bought.checkout?.id;
const order_id = await until(async () => {
  return (await use<Schemas['AgentCheckout']>('get_checkout', { checkout_id })).order_id ?? undefined;
});
if (order_id) {
  const order = await use<Schemas['AgentOrder']>('get_order', { order_id });
  say(`   Confirmed: order ${order.order_number}, ${order.totals.total} ${currency}.\n`);
}

say('4. It tries to buy more than its budget allows.');
await tryBeyond({ variant_id, quantity: 20 });
say('5. It tries to buy a lamp, which is no tableware.');
await tryBeyond({ variant_id: await lampIn(demo) });
say('6. It reads what the audit has of it.');
sayAudit((await use<Schemas['AuditPage']>('list_audit', { limit: 100, full: true })).audit_events);

say('\n7. The customer revokes its access.');
say(`   Open ${accountOf(demo)} and revoke it. Waiting …`);
const refused = await until(() => call('get_token').then(() => undefined, String));
say(`   The next call is refused: ${refused}`);
await client.close();
