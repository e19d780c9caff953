import { randomUUID } from 'node:crypto';
import type { ConsentRequest } from '@commerce-backend/spec';
import * as oauth from 'openid-client';
import sql from 'sql-template-tag';
import { afterAll, expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { atConsent, beginAuthorization, leadsTo, registeredClient } from '../../test/oauth.ts';
import { openShop } from '../../test/shop.ts';
import { publishProfile } from '../../test/ucp.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;

const profile = await publishProfile();
afterAll(profile.close);

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Calls a tool without a client library and returns the HTTP response. */
function call(
  address: string,
  token: string,
  name: string,
  version: '2026-07-28' | '2025-11-25' = '2026-07-28',
  given: object = {},
) {
  const modern = version === '2026-07-28';
  const params = { name, arguments: given, ...(modern && { _meta: MODERN }) };
  return fetch(address, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': version,
      ...(modern && { 'Mcp-Method': 'tools/call', 'Mcp-Name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
}

test.each(['2026-07-28', '2025-11-25'] as const)(
  'a tool call without the required scope gets 403 with the scopes to request, and is audited (MCP %s)',
  async (version) => {
    const shop = await openShop();
    const scopes: ConsentRequest['scopes'] = ['catalog:read', 'cart:write'];
    const { access_token, token_id } = await givenAgent(shop, await shop.givenCustomer(), { scopes });
    const path = `/sites/${shop.site_id}/mcp`;

    const refused = await call(shop.baseUrl + path, access_token, 'list_orders', version);
    const fine = await call(shop.baseUrl + path, access_token, 'search_catalog', version);
    const own = await call(shop.baseUrl + path, access_token, 'get_token', version);

    expect(refused.status).toBe(403);
    // The challenge includes the scopes that the token has, because the next consent replaces them.
    expect(refused.headers.get('WWW-Authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="catalog:read cart:write orders:read", ' +
        `resource_metadata="http://localhost/.well-known/oauth-protected-resource${path}"`,
    );
    expect(await refused.json()).toMatchObject({
      error: 'insufficient_scope',
      error_description: 'This credential lacks the scope orders:read.',
      scope: 'orders:read',
      next: expect.any(String),
    });
    expect([fine.status, own.status]).toEqual([200, 200]);
    const { rows } = await shop.owner.query<{ action: string; status: number }>(
      sql`select action, status from commerce.audit_events
        where actor_type = 'agent' and actor_id = ${token_id} order by id`,
    );
    expect(rows).toEqual([
      { action: 'agent.listOrders', status: 403 },
      { action: 'agent.searchCatalog', status: 200 },
      { action: 'agent.getToken', status: 200 },
    ]);
  },
);

test('rejects a whole batch if one of its calls lacks the required scope (403)', async () => {
  const shop = await openShop();
  const { access_token } = await givenAgent(shop, await shop.givenCustomer(), { scopes: ['catalog:read'] });
  const one = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });

  const answer = await fetch(`${shop.baseUrl}/sites/${shop.site_id}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${access_token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify([one(1, 'search_catalog'), one(2, 'list_orders')]),
  });

  expect(answer.status).toBe(403);
});

test('UCP over MCP names the missing scope in the WWW-Authenticate challenge (403)', async () => {
  const shop = await openShop();
  const { access_token } = await givenAgent(shop, await shop.givenCustomer(), { scopes: ['catalog:read'] });
  const given = { meta: { 'ucp-agent': { profile: profile.url } }, id: randomUUID() };

  const issuer = `http://localhost/sites/${shop.site_id}`;
  const address = `${shop.baseUrl}/sites/${shop.site_id}/ucp/mcp`;
  const refused = await call(address, access_token, 'get_order', '2026-07-28', given);

  expect([refused.status, refused.headers.get('WWW-Authenticate')]).toEqual([
    403,
    `Bearer realm="${issuer}", error="insufficient_scope", scope="dev.ucp.shopping.order:read", ` +
      `resource_metadata="http://localhost/.well-known/oauth-protected-resource/sites/${shop.site_id}/ucp/mcp"`,
  ]);
});

/** Gets a token by the authorization code flow, for a resource or for none. */
async function tokenFor(shop: Shop, resource: string | undefined, sentAgain = true): Promise<string> {
  const customer = await shop.givenCustomer({ email: `${randomUUID()}@example.com` });
  const config = await registeredClient(shop);
  const wish = resource === undefined ? undefined : { resource };
  const begun = await beginAuthorization(config, wish);
  const { browser, page } = await atConsent(shop, customer, begun.address);
  const back = leadsTo(await browser.press(page, 'approve', { budget: '20.00' }));
  if (!back) throw new Error('The page does not lead back.');
  const checks = { pkceCodeVerifier: begun.code_verifier, expectedState: begun.state };
  const issued = await oauth.authorizationCodeGrant(config, back, checks, sentAgain ? wish : undefined);
  return issued.access_token;
}

/** Uses a token at each resource of the shop, and returns the statuses. */
async function statusesOf({ baseUrl, site_id }: Shop, token: string) {
  const headers = { Authorization: `Bearer ${token}` };
  const api = await fetch(`${baseUrl}/api/agent/token`, { headers });
  const mcp = await call(`${baseUrl}/sites/${site_id}/mcp`, token, 'get_token');
  const replacing = await fetch(`${baseUrl}/api/agent/consent/request?site_id=${site_id}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
    body: JSON.stringify({ agent_name: 'Again', scopes: ['catalog:read'] }),
  });
  const ucpRest = await fetch(`${baseUrl}/sites/${site_id}/ucp/v1/catalog/search`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'UCP-Agent': `profile="${profile.url}"` },
    body: '{"query":"mug"}',
  });
  const search = { meta: { 'ucp-agent': { profile: profile.url } }, catalog: { query: 'mug' } };
  const ucpMcp = await call(`${baseUrl}/sites/${site_id}/ucp/mcp`, token, 'search_catalog', '2026-07-28', search);
  const [rest, overMcp] = [ucpRest.status, ucpMcp.status];
  return { api: api.status, mcp: mcp.status, replacing: replacing.status, ucpRest: rest, ucpMcp: overMcp };
}

test('a token works only at the resource for which it was issued, and a token without a resource works at all of them', async () => {
  const shop = await openShop();
  const issuer = `http://localhost/sites/${shop.site_id}`;

  const [everywhere, api, mcp, ucp] = [
    await tokenFor(shop, undefined),
    await tokenFor(shop, issuer),
    await tokenFor(shop, `${issuer}/mcp`),
    await tokenFor(shop, `${issuer}/ucp/mcp`),
  ];
  // The client may leave out the resource when it exchanges the code.
  const mcpNamedOnce = await tokenFor(shop, `${issuer}/mcp`, false);

  const refusedAll = { api: 401, replacing: 401, ucpRest: 401, mcp: 401, ucpMcp: 401 };
  expect(await statusesOf(shop, everywhere)).toEqual({ api: 200, replacing: 200, ucpRest: 200, mcp: 200, ucpMcp: 200 });
  // UCP over REST belongs to the API.
  expect(await statusesOf(shop, api)).toEqual({ ...refusedAll, api: 200, replacing: 200, ucpRest: 200 });
  expect(await statusesOf(shop, mcp)).toEqual({ ...refusedAll, mcp: 200 });
  expect(await statusesOf(shop, mcpNamedOnce)).toEqual({ ...refusedAll, mcp: 200 });
  expect(await statusesOf(shop, ucp)).toEqual({ ...refusedAll, ucpMcp: 200 });
  const refused = await fetch(`${shop.baseUrl}/api/agent/token`, { headers: { Authorization: `Bearer ${mcp}` } });
  expect(refused.headers.get('WWW-Authenticate')).toContain('error="invalid_token"');
  expect(await refused.json()).toMatchObject({
    error: 'invalid_token',
    message: 'This token was issued for /mcp of the shop and does not work at the API.',
    next: 'Use this token at /mcp, or ask the customer for consent for the API.',
  });
  // The token is still valid, so the error of a consent request must not state that the token has ended.
  const more = await fetch(`${shop.baseUrl}/api/agent/consent/request?site_id=${shop.site_id}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${mcp}`, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
    body: JSON.stringify({ agent_name: 'Again', scopes: ['catalog:read'] }),
  });
  expect([more.status, await more.json()]).toMatchObject([
    401,
    { next: 'Use this token at /mcp, or ask the customer for consent for the API.' },
  ]);
});
