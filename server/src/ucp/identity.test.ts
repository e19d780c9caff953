import { randomUUID } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import sql from 'sql-template-tag';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { PaperBrowser } from '../../test/paper-browser.ts';
import { openShop } from '../../test/shop.ts';
import { faultsIn, faultsInAnswer, type UcpBody, ucpClient } from '../../test/ucp.ts';
import { linkIdentity, openLinkingPlatform, optionsFor, serverOf } from '../../test/ucp-identity.ts';
import { CAPABILITIES } from './protocol.ts';

const OLDER = '2026-04-08';
const LINKING = 'dev.ucp.common.identity_linking';
const ORDER_READ = 'dev.ucp.shopping.order:read';
const CHECKOUT = 'dev.ucp.shopping.checkout:manage';
const names = Object.keys(CAPABILITIES);

const platform = await openLinkingPlatform(names);
const older = await openLinkingPlatform(names, OLDER);
afterAll(async () => {
  await platform.close();
  await older.close();
});

let shop: Awaited<ReturnType<typeof openShop>>;
let issuer: string;
let at: string;

beforeAll(async () => {
  shop = await openShop();
  issuer = `http://localhost/sites/${shop.site_id}`;
  at = `${shop.baseUrl}/sites/${shop.site_id}`;
});

type Customer = Awaited<ReturnType<typeof shop.givenCustomer>>;

const clientOf = (profile: string, token?: string) => ucpClient({ issuer: at, profile, token });

/** Links an identity with the metadata document of a platform. */
const linked = (customer: Customer, scope: string, { client_id } = platform, resource?: string) =>
  linkIdentity(shop, customer, issuer, {
    client_id,
    scope,
    ...(resource && { resource }),
    entries: { budget: '50.00' },
  });

/** An order that the customer placed in the storefront, not over UCP. */
async function orderOf({ client }: Customer): Promise<string> {
  return (await shop.givenOrder({ client })).id;
}

interface Failure {
  code: string;
  content: string;
  ucp: object;
  messages: { code: string }[];
}

async function failureOf(answer: Response) {
  const { code, content, ...envelope } = (await answer.json()) as Failure;
  const challenge = answer.headers.get('WWW-Authenticate');
  return { status: answer.status, code, content, message: envelope.messages?.[0]?.code, challenge, envelope };
}

/** Calls a tool without a client library. */
function callTool(profile: string, token: string | undefined, name: string, given: object) {
  const meta = { 'ucp-agent': { profile }, 'idempotency-key': randomUUID() };
  const params = { name, arguments: { meta, ...given } };
  return fetch(`${at}/ucp/mcp`, {
    method: 'POST',
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...{ 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      'MCP-Protocol-Version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
}

test('the profiles of both versions advertise identity linking with the documentation and schemas of their version', async () => {
  const read = async (path: string) =>
    (await (await fetch(`${at}/.well-known/ucp${path}`)).json()) as {
      ucp: { capabilities: Record<string, { version: string; spec: string; schema: string; config?: unknown }[]> };
    };
  const pages = { '2026-08-25': 'common/identity-linking', [OLDER]: 'identity-linking' };
  for (const [version, page] of Object.entries(pages)) {
    const document = await read(version === OLDER ? `/${OLDER}` : '');
    const [entry] = document.ucp.capabilities[LINKING] ?? [];

    expect(faultsIn('ucp.json#/$defs/business_schema', document.ucp, version)).toEqual([]);
    const schema = `common/identity_linking.json#/$defs/${LINKING}/business_schema`;
    expect(faultsIn(schema, entry, version)).toEqual([]);
    expect(entry).toMatchObject({
      version,
      spec: `https://ucp.dev/${version}/specification/${page}`,
      schema: `https://ucp.dev/${version}/schemas/common/identity_linking.json`,
      config: { scopes: { [ORDER_READ]: { description: { plain: expect.any(String) } } } },
    });
    // A schema that accepts everything would make the check meaningless.
    expect(faultsIn(schema, { ...entry, config: {} }, version)).not.toEqual([]);
  }
});

test.each([
  ['2026-08-25', platform],
  [OLDER, older],
] as const)(
  'a platform of version %s follows the OAuth challenge of get_order, links the identity and reads the order',
  async (version, own) => {
    const customer = await shop.givenCustomer();
    const order_id = await orderOf(customer);
    const target = new URL(`${issuer}/ucp/v1/orders/${order_id}`);
    const headers = new Headers({ 'UCP-Agent': `profile="${own.url}"` });

    // oauth4webapi always sends a token, so the test reads the challenge for a request without a token itself.
    const refused = await clientOf(own.url).send('get_order', order_id);
    const failure = await failureOf(refused);
    expect(failure).toMatchObject({ status: 401, code: 'identity_required', message: 'identity_required' });
    expect(failure.challenge).toBe(
      `Bearer realm="${issuer}", resource_metadata="http://localhost/.well-known/oauth-protected-resource/sites/${shop.site_id}"`,
    );
    expect(faultsInAnswer('get_order', failure.envelope)).toEqual([]);
    const unknown = await oauth
      .protectedResourceRequest('agt_unknown', 'GET', target, headers, null, optionsFor(shop))
      .catch((error: unknown) => error);
    if (!(unknown instanceof oauth.WWWAuthenticateChallengeError)) throw unknown;
    const [{ scheme, parameters } = { scheme: '', parameters: {} }] = unknown.cause;
    expect([unknown.status, scheme, parameters]).toMatchObject([
      401,
      'bearer',
      { realm: issuer, error: 'invalid_token' },
    ]);
    expect(await unknown.response.json()).toMatchObject({ messages: [{ code: 'identity_required' }] });

    const metadata = await fetch(String(parameters.resource_metadata).replace('http://localhost', shop.baseUrl));
    const { authorization_servers } = (await metadata.json()) as { authorization_servers: string[] };
    expect(authorization_servers).toEqual([issuer]);
    expect((await serverOf(shop, issuer)).scopes_supported).toEqual(expect.arrayContaining([ORDER_READ, CHECKOUT]));
    const { access_token, scope, page } = await linked(customer, ORDER_READ, own);

    expect(scope?.split(' ')).toContain(ORDER_READ);
    expect(scope?.split(' ')).not.toContain(CHECKOUT);
    expect(page).toContain(own.host);
    const got = await oauth.protectedResourceRequest(access_token, 'GET', target, headers, null, optionsFor(shop));
    const order = (await got.json()) as UcpBody;
    expect(order).toMatchObject({ id: order_id, ucp: { version, status: 'success' } });
    expect(faultsInAnswer('get_order', order)).toEqual([]);
    // The token also works for functions that a guest may call.
    expect((await clientOf(own.url, access_token).call('search_catalog')).ucp.status).toBe('success');
  },
);

test('over MCP, get_order without a token gets 401 with the OAuth challenge, and with a linked token returns the order', async () => {
  const customer = await shop.givenCustomer();
  const order_id = await orderOf(customer);
  const resource = `${issuer}/ucp/mcp`;

  const guest = await callTool(platform.url, undefined, 'get_order', { id: order_id });
  const { access_token } = await linked(customer, ORDER_READ, platform, resource);
  const own = await callTool(platform.url, access_token, 'get_order', { id: order_id });

  expect([guest.status, guest.headers.get('WWW-Authenticate')]).toEqual([
    401,
    `Bearer realm="${issuer}", resource_metadata="http://localhost/.well-known/oauth-protected-resource/sites/${shop.site_id}/ucp/mcp"`,
  ]);
  // A client of this version gets the response as a stream of events.
  const [, event = '{}'] = /^data: (.*)$/m.exec(await guest.text()) ?? [];
  const { error } = JSON.parse(event) as { error: { data: object } };
  expect(error.data).toMatchObject({ code: 'identity_required', messages: [{ code: 'identity_required' }] });
  expect([own.status, await own.text()]).toEqual([200, expect.stringContaining(order_id)]);
  // The token was issued only for UCP over MCP.
  expect((await clientOf(platform.url, access_token).send('get_order', order_id)).status).toBe(401);
});

test("a customer's linked platform cannot read the order of another customer", async () => {
  const [one, other] = [await shop.givenCustomer(), await shop.givenCustomer()];
  const { access_token } = await linked(one, ORDER_READ);

  const foreign = await clientOf(platform.url, access_token).call('get_order', await orderOf(other));

  expect(foreign).toMatchObject({ ucp: { status: 'error' }, messages: [{ code: 'not_found' }] });
});

test("a platform's token is rejected with the profile of another host, over REST and MCP, even for a repeated request", async () => {
  const customer = await shop.givenCustomer();
  const order_id = await orderOf(customer);
  const { variants } = await shop.givenProduct();
  const { access_token } = await linked(customer, `${ORDER_READ} ${CHECKOUT}`);
  const own = clientOf(platform.url, access_token);
  const stranger = clientOf(older.url, access_token);
  const key = randomUUID();
  const cart = { key, body: { line_items: [{ item: { id: variants[0]?.id ?? '' }, quantity: 1 }] } };

  const made = await own.call('create_cart', '', cart);
  const refused = await failureOf(await stranger.send('get_order', order_id));
  const overMcp = await callTool(older.url, access_token, 'get_order', { id: order_id });

  expect(made.ucp.status).toBe('success');
  expect(refused).toMatchObject({
    ...{ status: 401, code: 'invalid_token', message: 'identity_required' },
    challenge: expect.stringContaining('error="invalid_token"'),
    content: `This token was granted to the UCP platform at ${platform.host}. It works only over UCP, with a profile on that host.`,
  });
  expect(overMcp.status).toBe(401);
  for (const name of ['search_catalog', 'get_cart', 'create_cart'] as const) {
    const answer = await failureOf(await stranger.send(name, made.id, name === 'create_cart' ? cart : {}));
    expect([name, answer.status, answer.code, answer.message]).toEqual([name, 401, 'invalid_token', 'invalid_token']);
  }
  const { rows } = await shop.owner.query(
    sql`select action from commerce.audit_events
      where site_id = ${shop.site_id} and action = 'agent.getOrder' and status = 401`,
  );
  expect(rows.length).toBeGreaterThan(0);
  expect((await own.call('get_order', order_id)).id).toBe(order_id);
});

test("a platform's token is rejected without a profile: by the agent API, at /mcp and for a new consent request", async () => {
  const customer = await shop.givenCustomer();
  const { access_token } = await linked(customer, `${ORDER_READ} ${CHECKOUT}`);
  const headers = { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' };
  const order_id = await orderOf(customer);

  const answers = [
    await fetch(`${shop.baseUrl}/api/agent/orders/${order_id}`, { headers }),
    await fetch(`${shop.baseUrl}/api/agent/token`, {
      headers: { ...headers, 'UCP-Agent': `profile="${platform.url}"` },
    }),
    await fetch(`${at}/mcp`, {
      method: 'POST',
      headers: { ...headers, Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    }),
    await fetch(`${shop.baseUrl}/api/agent/consent/request?site_id=${shop.site_id}`, {
      method: 'POST',
      headers: { ...headers, 'Idempotency-Key': randomUUID() },
      body: JSON.stringify({ agent_name: 'More', scopes: ['orders:read'] }),
    }),
  ];
  const unnamed = await fetch(`${at}/ucp/v1/orders/${order_id}`, { headers });

  for (const answer of answers) {
    expect([answer.status, await answer.json()]).toMatchObject([
      401,
      {
        error: 'invalid_token',
        message: expect.stringContaining(`granted to the UCP platform at ${platform.host}`),
        next: expect.stringContaining('UCP-Agent'),
      },
    ]);
  }
  expect([unnamed.status, await unnamed.json()]).toMatchObject([400, { code: 'invalid_profile_url' }]);
  await revoke(access_token);
  expect((await clientOf(platform.url, access_token).send('get_order', order_id)).status).toBe(401);
});

async function revoke(token: string) {
  const client = { client_id: platform.client_id };
  const server = await serverOf(shop, issuer);
  const answer = await oauth.revocationRequest(server, client, oauth.None(), token, optionsFor(shop));
  await oauth.processRevocationResponse(answer);
}

test('a token that was not granted to a platform works with any profile and with the agent API', async () => {
  const customer = await shop.givenCustomer();
  const order_id = await orderOf(customer);
  const { access_token } = await givenAgent(shop, customer);
  const { access_token: documented, scope } = await linked(customer, 'catalog:read orders:read');

  expect(scope).toBe('catalog:read orders:read');
  for (const token of [access_token, documented]) {
    for (const { url } of [platform, older]) {
      expect((await clientOf(url, token).call('get_order', order_id)).id).toBe(order_id);
    }
    const headers = { Authorization: `Bearer ${token}` };
    expect((await fetch(`${shop.baseUrl}/api/agent/token`, { headers })).status).toBe(200);
  }
});

test('a platform cannot exceed the scopes that the customer granted (403, which names the missing scope)', async () => {
  const customer = await shop.givenCustomer();
  const { variants } = await shop.givenProduct();
  const line_items = [{ item: { id: variants[0]?.id ?? '' }, quantity: 1 }];
  const reading = await linked(customer, ORDER_READ);
  // The customer unticks the scope for reading orders, which is the last of both requested scopes.
  const less = await linkIdentity(shop, customer, issuer, {
    ...{ client_id: platform.client_id, scope: ORDER_READ, entries: { scope_1: '' } },
  });

  const refused = await failureOf(
    await clientOf(platform.url, reading.access_token).send('create_checkout', '', { body: { line_items } }),
  );
  const cart = await clientOf(platform.url, reading.access_token).send('create_cart', '', { body: { line_items } });
  const order = await failureOf(await clientOf(platform.url, less.access_token).send('get_order', randomUUID()));

  expect(refused).toMatchObject({ status: 403, code: 'insufficient_scope', message: 'insufficient_scope' });
  expect(faultsInAnswer('create_checkout', refused.envelope)).toEqual([]);
  expect(refused.challenge).toBe(
    `Bearer realm="${issuer}", error="insufficient_scope", scope="${CHECKOUT}", ` +
      `resource_metadata="http://localhost/.well-known/oauth-protected-resource/sites/${shop.site_id}"`,
  );
  expect([cart.status, cart.headers.get('WWW-Authenticate')]).toEqual([
    403,
    expect.stringContaining('scope="dev.ucp.shopping.cart:manage"'),
  ]);
  expect(less.scope).toBe('catalog:read');
  expect(order).toMatchObject({ status: 403, challenge: expect.stringContaining(`scope="${ORDER_READ}"`) });
});

/** Opens the authorization endpoint with a client, and returns the page. */
async function authorizing(client_id: string, redirect_uri: string, wish: Record<string, string>) {
  const fields = { response_type: 'code', client_id, redirect_uri, state: 'x', ...wish };
  const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
  const query = new URLSearchParams({ ...fields, ...challenge });
  const page = await new PaperBrowser(shop.baseUrl).open(`/sites/${shop.site_id}/oauth/authorize?${query}`);
  return { status: page.response.status, html: page.html };
}

async function register(redirect_uris: string[]): Promise<string> {
  const server = await serverOf(shop, issuer);
  const metadata = { client_name: 'Platform', redirect_uris, token_endpoint_auth_method: 'none' };
  const answer = await oauth.dynamicClientRegistrationRequest(server, metadata, optionsFor(shop));
  return String((await oauth.processDynamicClientRegistrationResponse(answer)).client_id);
}

test('a registered client that requests UCP scopes needs a redirect URI with a public host, and works only for platforms of that host', async () => {
  const customer = await shop.givenCustomer();
  const order_id = await orderOf(customer);
  const [own, evil] = [`https://${platform.host}/callback`, 'https://evil.example/callback'];
  const local = 'http://127.0.0.1:7777/callback';
  const ask = async (redirect_uri: string) => {
    const client_id = await register([redirect_uri]);
    return linkIdentity(shop, customer, issuer, { client_id, redirect_uri, scope: ORDER_READ });
  };

  const granted = await ask(own);
  const stolen = await ask(evil);
  const homeless = await authorizing(await register([local]), local, { scope: ORDER_READ });
  const moved = await authorizing(platform.client_id, evil, { scope: ORDER_READ });

  expect((await clientOf(platform.url, granted.access_token).call('get_order', order_id)).id).toBe(order_id);
  const refused = await failureOf(await clientOf(platform.url, stolen.access_token).send('get_order', order_id));
  expect(refused).toMatchObject({ status: 401, content: expect.stringContaining('the UCP platform at evil.example.') });
  expect(homeless).toMatchObject({ status: 400, html: expect.stringContaining('invalid_scope') });
  expect(homeless.html).toContain('metadata document on the host of your UCP profile');
  // The metadata document of the client does not list this redirect URI.
  expect(moved).toMatchObject({ status: 400, html: expect.not.stringContaining('evil.example') });
});

test.each([
  ['an unknown scope of UCP', { scope: 'dev.ucp.shopping.order:manage' }],
  ['a scope of UCP and an unknown one', { scope: `${ORDER_READ} everything` }],
  ['the name of a property', { scope: 'constructor' }],
])('rejects %s (400 invalid_scope)', async (_, wish) => {
  const page = await authorizing(platform.client_id, 'https://assistant.example/callback', wish);

  expect(page).toMatchObject({ status: 400, html: expect.stringContaining('invalid_scope') });
});

test('rejects UCP scopes for the resource /mcp (400 invalid_scope)', async () => {
  const wish = { scope: ORDER_READ, resource: `${issuer}/mcp` };

  const page = await authorizing(platform.client_id, 'https://assistant.example/callback', wish);

  expect(page).toMatchObject({ status: 400, html: expect.stringContaining('do not work at /mcp') });
});

test('a device grant has no platform, so it rejects UCP scopes (422)', async () => {
  const answer = await fetch(`${shop.baseUrl}/api/agent/consent/request?site_id=${shop.site_id}`, {
    method: 'POST',
    body: new URLSearchParams({ agent_name: 'Device', scope: ORDER_READ }),
  });

  expect(answer.status).toBe(422);
});
