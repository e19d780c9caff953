/**
 * Scripted assistants buy in the demo shop over MCP, and their customers confirm in a browser. Covers discovery by the
 * shop's URL, the order, the limits of budget and categories, and the revocation.
 */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { createStorefrontClient, unwrap } from '@commerce-backend/sdk';
import type { components } from '@commerce-backend/spec';
import { type CallToolResult, Client, UnauthorizedError } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Browser, findChromium, NO_CHROMIUM, openChromium, type Page } from './chromium.ts';
import { allow, confirm, logIn, revoke } from './customer-tab.ts';
import { type DemoShop, openDemoShop } from './demo-shop.ts';
import { openHostedAssistant } from './hosted-assistant.ts';
import { openTab, PATIENCE_MS } from './tab.ts';

type Schemas = components['schemas'];

const CLI = join(import.meta.dirname, '../../cli/bin/commerce.js');
const PLAYED = 240_000;

const chromium = findChromium();
if (!chromium) console.warn(NO_CHROMIUM);
const played = test.skipIf(!chromium);

let browser: Browser;
let shop: DemoShop;
/** A product outside of the assistants' categories. */
let mug: string | undefined;
let config: string;

beforeAll(async () => {
  if (!chromium) return;
  browser = await openChromium(chromium);
  shop = await openDemoShop();
  const { site_id: siteId, storefront_token: storefrontToken } = shop.demo;
  const storefront = createStorefrontClient({ baseUrl: shop.baseUrl, siteId, storefrontToken });
  const query = { q: 'stoneware mug', limit: 1 };
  mug = (await unwrap(storefront.GET('/api/storefront/products', { params: { query } }))).products[0]?.id;
  config = await mkdtemp(join(tmpdir(), 'commerce-assistant-'));
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await shop?.close();
  if (config) await rm(config, { recursive: true });
});

const customer = (n: number) => {
  const found = shop.demo.customers[n];
  if (!found) throw new Error('The demo shop has too few customers.');
  return found;
};
const account = () => `${shop.baseUrl}/account?site_id=${shop.demo.site_id}`;

played(
  "a hosted assistant finds the consent page, buys with its customer's confirmation, obeys its limits, and is revoked",
  async () => {
    const assistant = await openHostedAssistant(shop.mcp);
    const { page } = await openTab(browser, 1_280);
    try {
      const first = assistant.client();
      await expect(first.client.connect(first.transport)).rejects.toThrow(UnauthorizedError);
      const metadata = `/.well-known/oauth-protected-resource/sites/${shop.demo.site_id}/mcp`;
      expect(assistant.sent.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([
        `POST /sites/${shop.demo.site_id}/mcp 401`,
        `GET ${metadata} 200`,
        `GET /.well-known/oauth-authorization-server/sites/${shop.demo.site_id} 200`,
        `POST /sites/${shop.demo.site_id}/oauth/register 201`,
      ]);
      expect(assistant.sent[0]?.challenge).toContain(`resource_metadata="${shop.baseUrl}${metadata}"`);
      expect(assistant.asked().searchParams.get('resource')).toBe(shop.mcp);

      await page.goto(assistant.asked().href);
      await logIn(page, customer(0));
      await allow(page, { budget: '250.00', categories: ['Lighting'] });
      // The shop's page redirects to the assistant's page, which shows this heading.
      const heading = () => page.$eval('h1', ({ textContent }) => textContent).catch(() => '');
      await expect.poll(heading, { timeout: PATIENCE_MS }).toBe('Connected');
      expect(assistant.returned().get('state')).toBe(assistant.state);
      await first.transport.finishAuth(assistant.returned());
      const { client, transport } = assistant.client();
      await client.connect(transport);
      expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');

      await shopAs(client, page);
      await revoke(page, account());
      await expect(client.callTool({ name: 'get_token' })).rejects.toThrow(UnauthorizedError);
      const [last] = assistant.sent.filter(({ path }) => path.endsWith('/mcp')).slice(-1);
      expect(last).toMatchObject({ status: 401, challenge: expect.stringContaining('error="invalid_token"') });
    } finally {
      assistant.close();
    }
  },
  PLAYED,
);

played(
  'a local assistant uses the token of an earlier login to buy over stdio after the customer confirms',
  async () => {
    const { page } = await openTab(browser, 375);
    await logInFromCommand(page);
    const client = new Client({ name: 'desktop', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    const environment = { PATH: process.env.PATH ?? '', COMMERCE_CONFIG: join(config, 'config.json') };
    const transport = new StdioClientTransport({
      ...{ command: process.execPath, args: [CLI, 'mcp', shop.mcp], env: environment, stderr: 'ignore' },
    });
    try {
      await client.connect(transport);
      await shopAs(client, page);
      await revoke(page, account());
      await expect(client.callTool({ name: 'get_token' })).rejects.toThrow(/commerce mcp login/);
    } finally {
      await client.close();
    }
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, 'mcp', 'logout', shop.mcp], {
      env: environment,
    });
    expect(stdout).toContain('revoked and deleted');
    const begun = promisify(execFile)(process.execPath, [CLI, 'mcp', shop.mcp], { env: environment });
    await expect(begun).rejects.toMatchObject({ code: 3, stderr: expect.stringContaining('no token') });
  },
  PLAYED,
);

/** Runs `commerce mcp login`, and opens the printed link as the customer. */
async function logInFromCommand(page: Page): Promise<void> {
  const args = [CLI, 'mcp', 'login', shop.mcp, '--budget-cents', '25000', '--category', 'Lighting', '--json'];
  const env = { ...process.env, COMMERCE_CONFIG: join(config, 'config.json') };
  const command = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(command, 'close');
  const printed: string[] = [];
  command.stdout.on('data', (chunk: Buffer) => printed.push(String(chunk)));
  const [line] = (await once(createInterface(command.stderr), 'line')) as [string];
  const [, link = '', code = ''] = /^Open (\S+) and compare the code: (\S{9})$/.exec(line) ?? [];
  await page.goto(link);
  await logIn(page, customer(1));
  expect(await page.$eval('.user-code', ({ textContent }) => textContent)).toBe(code);
  await allow(page, {});
  expect(await ended).toEqual([0, null]);
  expect(JSON.parse(printed.join(''))).toMatchObject({ address: shop.mcp, budget_cents: 25_000 });
}

const ADDRESS = {
  ...{ first_name: 'June', last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin' },
  ...{ postal_code: '10115', country: 'DE' },
};

/** Plays an assistant that buys two lamps, with a budget of 250.00 for lighting. */
async function shopAs(client: Client, page: Page): Promise<void> {
  const call = (name: string, given: object = {}) =>
    client.callTool({ name, arguments: { ...given } }) as Promise<CallToolResult>;
  async function use<Answer>(name: string, given?: object): Promise<Answer> {
    const { isError, structuredContent } = await call(name, given);
    if (isError) throw new Error(`${name} was refused: ${JSON.stringify(structuredContent)}`);
    return structuredContent as Answer;
  }
  async function refusal(name: string, given?: object) {
    const { isError, structuredContent } = await call(name, given);
    return { ...(structuredContent as { error: string; next: string | null }), isError };
  }

  const terms = await use<Schemas['AgentToken']>('get_token');
  expect(terms).toMatchObject({ budget_cents: 25_000, budget_used_cents: 0, categories: ['Lighting'] });
  const found = await use<Schemas['FindOutcome']>('find_products', { query: 'an oak table lamp under 110 euros' });
  const [lamp] = found.candidates;
  expect(lamp).toMatchObject({ price: '98.00', content: { content_trust: 'merchant', name: 'Wren Oak Table Lamp' } });
  const asked = await use<Schemas['AddOutcome']>('find_and_add', { product_id: lamp?.id });
  expect(asked).toMatchObject({ status: 'needs_choice', question: expect.any(String) });
  // MCP leaves out null.
  expect(asked.cart).toBeUndefined();
  const added = await use<Schemas['AddOutcome']>('find_and_add', { variant_id: asked.candidates[0]?.variant_id });
  const cart_id = added.cart?.id;
  const line_item_id = added.cart?.items[0]?.id;
  await use('update_cart_item', { cart_id, line_item_id, quantity: 2 });
  const coded = await use<Schemas['AgentCartChange']>('apply_discount', { cart_id, code: 'FIVEOFF' });
  expect(coded.cart).toMatchObject({ subtotal: '196.00', discount: '5.00', total: '191.00' });
  const bought = await use<Schemas['BuyOutcome']>('find_and_buy', { cart_id, shipping_address: ADDRESS });
  expect(bought).toMatchObject({ status: 'requires_escalation', checkout: { order_id: null } });

  expect(await confirm(page, bought.checkout_url ?? '')).toBe('Place order and pay €195.90');
  const { order_id } = await use<Schemas['AgentCheckout']>('get_checkout', { checkout_id: bought.checkout?.id });
  const order = await use<Schemas['AgentOrder']>('get_order', { order_id });
  expect(order).toMatchObject({ status: 'pending', payment_status: 'awaiting_payment', totals: { total: '195.90' } });

  const over = await refusal('find_and_buy', { query: 'the dusk floor lamp' });
  expect(over).toMatchObject({ isError: true, error: 'budget_exceeded', limit: 'budget', next: expect.any(String) });
  // The shop rejects a product outside of the categories even if the assistant knows its id.
  const elsewhere = await refusal('find_and_buy', { product_id: mug });
  expect(elsewhere).toMatchObject({ isError: true, error: 'category_not_allowed', next: expect.any(String) });

  // The agent can read its own audit events, including errors.
  const { audit_events } = await use<Schemas['AuditPage']>('list_audit', { limit: 100, full: true });
  expect(audit_events.map(({ action, status }) => `${action} ${status}`).reverse()).toEqual([
    'agent.getToken 200',
    'agent.findProducts 200',
    'agent.findAndAdd 200',
    'agent.findAndAdd 200',
    'agent.updateCartItem 200',
    'agent.applyDiscount 200',
    'agent.findAndBuy 200',
    'agent.getCheckout 200',
    'agent.getOrder 200',
    'agent.findAndBuy 402',
    'agent.findAndBuy 403',
  ]);
  const looked = audit_events.find(({ action }) => action === 'agent.findProducts');
  expect(looked?.details).toMatchObject({ query: 'an oak table lamp under 110 euros' });
}
