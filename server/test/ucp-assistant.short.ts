/**
 * Scripted assistants buy over UCP, and their customers confirm in a browser. Covers discovery by the shop's profile,
 * the order, the way back to the shop, the limits of budget and categories, and the revocation.
 */

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAgentClient } from '@commerce-backend/sdk';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../src/db/free-port.ts';
import { givenAgent } from './agents.ts';
import { type Browser, findChromium, NO_CHROMIUM, openChromium, type Page } from './chromium.ts';
import { startServer, stopServer } from './server.ts';
import { openShop } from './shop.ts';
import { accessibilityProblems, openTab, press } from './tab.ts';
import { faultsIn, faultsInAnswer, publishProfile, type UcpBody, ucpClient } from './ucp.ts';
import { databaseUrl } from './worker-database.ts';

const PLAYED = 240_000;
const chromium = findChromium();
if (!chromium) console.warn(NO_CHROMIUM);
const played = test.skipIf(!chromium);

let browser: Browser;
const agent = await publishProfile();

beforeAll(async () => {
  if (chromium) browser = await openChromium(chromium);
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await agent.close();
});

type Shop = Awaited<ReturnType<typeof givenReachableShop>>;

/** Opens a shop with a storefront, on a server that a browser can reach. */
async function givenReachableShop() {
  const [port, arrivals] = [await freePort(), [] as string[]];
  const server = await startServer(databaseUrl(), { baseUrl: `http://127.0.0.1:${port}` }, undefined, port);
  const storefront = createServer(({ url = '' }, res) => {
    arrivals.push(url);
    res.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Alder</title><h1>Alder &amp; Finch</h1>');
  });
  await new Promise<void>((listening) => storefront.listen(0, listening));
  onTestFinished(async () => {
    storefront.closeAllConnections();
    storefront.close();
    await stopServer(server);
  });
  const shop = await openShop();
  await shop.givenTerms();
  const origin = `http://localhost:${(storefront.address() as AddressInfo).port}`;
  const { error } = await shop.dashboard.PATCH('/api/dashboard/settings', {
    body: { default_tax_rate: '0', storefront_url: `${origin}/` },
  });
  expect(error).toBeUndefined();
  await shop.givenDiscount({ code: 'TEN', value: '5.00' });
  const mug = await shop.givenProduct({ name: 'Blue mug', price: '14.00', product_type: 'Mugs' });
  const bowl = await shop.givenProduct({ name: 'Blue bowl', price: '20.00', product_type: 'Bowls' });
  const variantOf = ({ variants }: typeof mug) => variants[0]?.id ?? '';
  const ids = { mug: variantOf(mug), bowl: variantOf(bowl) };
  return { shop, customer: await shop.givenCustomer(), server, origin, arrivals, ids };
}

/** Finds the endpoints by the shop's URL, the only URL that an assistant gets. */
async function endpointsAt(issuer: string) {
  const profile = (await (await fetch(`${issuer}/.well-known/ucp`)).json()) as {
    ucp: { services: Record<string, { transport: string; endpoint: string }[]> };
  };
  expect(faultsIn('profile.json#/$defs/business_schema', profile)).toEqual([]);
  const ways = profile.ucp.services['dev.ucp.shopping'] ?? [];
  return new Map(ways.map(({ transport, endpoint }) => [transport, endpoint]));
}

const line = (id: string, quantity: number) => ({ item: { id }, quantity });
const totalOf = ({ totals }: UcpBody) => totals.find(({ type }) => type === 'total')?.amount;

/** Takes the steps of a person on the checkout page. */
async function confirm(page: Page, { customer }: Shop, url: string): Promise<void> {
  await page.goto(url);
  if (await page.$('#password')) {
    await page.type('#email', customer.email);
    await page.type('#password', customer.password);
    await press(page, 'log_in');
  }
  const option = '[name="shipping_option_id"]';
  if ((await page.$(option)) && !(await page.$(`${option}:checked`))) await page.click(option);
  if (await page.$('[name="payment_method"][value="bank_transfer"]')) {
    await page.click('[name="payment_method"][value="bank_transfer"]');
  }
  if (await page.$('button[value="save"]')) await press(page, 'save');
  expect(await accessibilityProblems(page)).toEqual([]);
  await press(page, 'place_order');
  expect(await page.$eval('h1', ({ textContent }) => textContent)).toBe('Thank you for your order');
}

const ADDRESS = {
  ...{ first_name: 'June', last_name: 'Okafor', street_address: 'Lindenallee 7' },
  ...{ address_locality: 'Berlin', postal_code: '10115', address_country: 'DE' },
};

played(
  'over REST, an assistant fills a cart and applies a code, the customer confirms the order, and the assistant reads it',
  async () => {
    const given = await givenReachableShop();
    const { shop, customer, server, origin, arrivals, ids } = given;
    const { access_token, token_id } = await givenAgent(shop, customer, { budget_cents: 6_000, categories: ['Mugs'] });
    const issuer = `${server.baseUrl}/sites/${shop.site_id}`;
    expect((await endpointsAt(issuer)).get('rest')).toBe(`${issuer}/ucp/v1`);
    const { call, send } = ucpClient({ issuer, profile: agent.url, token: access_token });

    const found = await call('search_catalog', '', { body: { query: 'blue mug' } });
    expect((found.products as object[])[0]).toMatchObject({ title: 'Blue mug', variants: [{ id: ids.mug }] });
    const looked = await call('lookup_catalog', '', { body: { ids: [ids.mug] } });
    expect(looked.products).toMatchObject([{ variants: [{ price: { amount: 1_400, currency: 'EUR' } }] }]);
    const cart = await call('create_cart', '', { body: { line_items: [line(ids.mug, 3)] } });
    const changed = {
      line_items: [{ id: cart.line_items[0]?.id, ...line(ids.mug, 2) }],
      discounts: { codes: ['TEN'] },
    };
    expect(totalOf(await call('update_cart', cart.id, { body: changed }))).toBe(2_300);

    // The assistant tries to exceed its budget and categories.
    const dear = await call('update_cart', cart.id, { body: { line_items: [line(ids.mug, 5)] } });
    expect(dear.messages).toMatchObject([{ code: 'budget_exceeded', path: '$.line_items[0].quantity' }]);
    const foreign = await call('create_cart', '', { body: { line_items: [line(ids.bowl, 1)] } });
    expect(foreign).toMatchObject({ ucp: { status: 'error' }, messages: [{ code: 'category_not_allowed' }] });

    const begun = await call('create_checkout', '', { body: { cart_id: cart.id, return_url: `${origin}/thanks` } });
    const delivery = { methods: [{ type: 'shipping', destinations: [ADDRESS] }] };
    const body = { line_items: [line(ids.mug, 2)], buyer: { email: customer.email }, fulfillment: delivery };
    const filled = await call('update_checkout', begun.id, { body });
    const [method] = (filled.fulfillment as { methods: { groups: { options: { id: string }[] }[] }[] }).methods;
    const selected_option_id = method?.groups[0]?.options[0]?.id;
    const groups = [{ id: 'all', selected_option_id }];
    await call('update_checkout', begun.id, { body: { ...body, fulfillment: { methods: [{ groups }] } } });
    const done = await call('complete_checkout', begun.id);
    expect(done).toMatchObject({
      status: 'requires_escalation',
      continue_url: expect.stringContaining('/checkout/chk_'),
    });
    expect(done.messages?.at(-1)).toMatchObject({ code: 'human_confirmation_required' });

    const { page, complaints } = await openTab(browser, 375);
    await confirm(page, given, done.continue_url ?? '');
    await Promise.all([page.waitForNavigation(), page.click(`a[href^="${origin}/thanks"]`)]);
    const completed = await call('get_checkout', begun.id);
    expect(completed.status).toBe('completed');
    expect(arrivals.filter((url) => url.startsWith('/thanks'))).toEqual([`/thanks?order_id=${completed.order?.id}`]);
    expect(complaints).toEqual([]);
    expect(totalOf(await call('get_order', completed.order?.id))).toBe(totalOf(done));

    const own = createAgentClient({ baseUrl: server.baseUrl, agentToken: access_token, maxAttempts: 1 });
    const { data: audit } = await own.GET('/api/agent/audit/me', { params: { query: { limit: 100 } } });
    const events = audit?.audit_events.map(({ action, status }) => `${action} ${status}`) ?? [];
    for (const one of ['storefront.listProducts 200', 'storefront.applyDiscount 200', 'agent.getOrder 200']) {
      expect(events).toContain(one);
    }
    expect(events).toContain('storefront.updateCartItem 402');
    expect(events).toContain('storefront.addCartItem 403');

    await page.goto(`${server.baseUrl}/account?site_id=${shop.site_id}&view=assistants`);
    await press(page, 'revoke');
    const refused = await send('get_order', completed.order?.id);
    expect([refused.status, refused.headers.get('WWW-Authenticate')]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
    const rows = await shop.owner.query('select from commerce.audit_events where actor_id = $1 and status = 401', [
      token_id,
    ]);
    expect(rows.rowCount).toBe(1);
  },
  PLAYED,
);

played(
  'over MCP, assistants with and without a token hand over the checkout, and the assistant with a token reads the order',
  async () => {
    const given = await givenReachableShop();
    const { shop, customer, server, ids } = given;
    const { access_token } = await givenAgent(shop, customer, { budget_cents: 6_000, categories: ['Mugs'] });
    const address = (await endpointsAt(`${server.baseUrl}/sites/${shop.site_id}`)).get('mcp') ?? '';
    for (const token of [access_token, undefined]) {
      const client = new Client({ name: 'assistant', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
      const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
      await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
      const call = async (name: Parameters<typeof faultsInAnswer>[0], more: object): Promise<UcpBody> => {
        const meta = { 'ucp-agent': { profile: agent.url }, 'idempotency-key': randomUUID() };
        const { structuredContent } = await client.callTool({ name, arguments: { meta, ...more } });
        expect(faultsInAnswer(name, structuredContent)).toEqual([]);
        return structuredContent as UcpBody;
      };
      const found = await call('search_catalog', { catalog: { query: 'blue mug' } });
      expect((found.products as object[])[0]).toMatchObject({ variants: [{ id: ids.mug }] });
      const cart = await call('create_cart', { cart: { line_items: [line(ids.mug, 1)] } });
      const foreign = await call('create_cart', { cart: { line_items: [line(ids.bowl, 1)] } });
      if (token) expect(foreign.messages).toMatchObject([{ code: 'category_not_allowed' }]);
      const wish = { cart_id: cart.id, fulfillment: { methods: [{ type: 'shipping', destinations: [ADDRESS] }] } };
      const checkout = await call('create_checkout', { checkout: wish });
      const done = await call('complete_checkout', { id: checkout.id, checkout: {} });
      expect(done.status).toBe('requires_escalation');
      if (token) {
        const { page } = await openTab(browser, 1_280);
        await confirm(page, given, done.continue_url ?? '');
        const { order } = await call('get_checkout', { id: checkout.id });
        expect(await call('get_order', { id: order?.id })).toMatchObject({ checkout_id: checkout.id });
      } else {
        await expect(call('get_order', { id: randomUUID() })).rejects.toThrow('identity_required');
      }
      await client.close();
    }
  },
  PLAYED,
);
