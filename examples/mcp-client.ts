import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import type { Schemas } from '@commerce-backend/sdk';
import {
  type CallToolResult,
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ADDRESS, accountOf, lampIn, readDemo, SEARCH, say, sayAudit, sayFound, until } from './demo-shop.ts';

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

function newClient(): Client {
  return new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
}

/** Starts `commerce mcp`, like an assistant on the same machine. */
async function overStdio(): Promise<Client> {
  say(`1. The assistant starts commerce mcp ${address}`);
  const client = newClient();
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
  await client.connect(new StdioClientTransport({ command: 'npx', args: ['commerce', 'mcp', address], env }));
  return client;
}

/** An MCP host's data about its connection to a shop. Here it is kept in memory only. */
class Connection implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly #state = crypto.randomUUID();
  readonly #kept: Record<string, unknown> = {};
  asked: URL | undefined;

  constructor(redirectUrl: string) {
    this.redirectUrl = redirectUrl;
  }

  get clientMetadata() {
    const redirect_uris = [this.redirectUrl];
    return { client_name: 'Example assistant', redirect_uris, token_endpoint_auth_method: 'none' as const };
  }

  state = () => this.#state;
  clientInformation = () => this.#kept.client as never;
  saveClientInformation = (client: unknown) => void Object.assign(this.#kept, { client });
  tokens = () => this.#kept.tokens as never;
  saveTokens = (tokens: unknown) => void Object.assign(this.#kept, { tokens });
  codeVerifier = () => this.#kept.verifier as string;
  saveCodeVerifier = (verifier: string) => void Object.assign(this.#kept, { verifier });
  discoveryState = () => this.#kept.discovered as never;
  saveDiscoveryState = (discovered: unknown) => void Object.assign(this.#kept, { discovered });
  redirectToAuthorization(url: URL): void {
    this.asked = url;
  }
}

/**
 * Connects with only the shop's URL: the client discovers the authorization server, registers, and exchanges the
 * authorization code.
 */
async function hosted(): Promise<Client> {
  say(`1. The assistant gets the address ${address}, and asks for consent.`);
  let arrived: (url: URL) => void = () => {};
  const returned = new Promise<URL>((resolve) => {
    arrived = resolve;
  });
  const callback = createServer(({ url = '' }, res) => {
    res.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Connected</title><h1>Connected</h1>');
    if (url.startsWith('/callback')) arrived(new URL(url, redirectUrl));
  });
  await new Promise<void>((listening) => callback.listen(0, '127.0.0.1', listening));
  const redirectUrl = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
  const authProvider = new Connection(redirectUrl);
  const transport = () => new StreamableHTTPClientTransport(new URL(address), { authProvider });
  const first = transport();
  await newClient()
    .connect(first)
    .catch((error: unknown) => {
      if (!(error instanceof UnauthorizedError)) throw error;
    });
  say(`   Open ${authProvider.asked}`);
  say(`   log in as ${demo.customers[0]?.email}, give it a budget of 60.00, and tick Tableware alone. Waiting …`);
  await first.finishAuth((await returned).searchParams);
  callback.close();
  callback.closeAllConnections();
  const client = newClient();
  await client.connect(transport());
  return client;
}

const client = options.stdio ? await overStdio() : await hosted();

function call(name: string, given: object = {}): Promise<CallToolResult> {
  return client.callTool({ name, arguments: { ...given } }) as Promise<CallToolResult>;
}

/** Calls a tool. Returns its structured result. */
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
