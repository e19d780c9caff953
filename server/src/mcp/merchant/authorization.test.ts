import { createDashboardClient } from '@commerce-backend/sdk';
import * as oauth from 'openid-client';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { givenAgent } from '../../../test/agents.ts';
import { beginConnecting, givenAssistant, READING } from '../../../test/assistants.ts';
import { fetchAt } from '../../../test/fetch-at.ts';
import { connect } from '../../../test/mcp-client.ts';
import { logIn } from '../../../test/session.ts';
import { openShop } from '../../../test/shop.ts';
import { givenMember } from '../../../test/team.ts';

const assistants = '/api/dashboard/assistants';
const one = '/api/dashboard/assistants/{assistant_id}';

/** The status of a call at the merchant MCP. */
async function statusAt(baseUrl: string, token: string | undefined) {
  const answer = await post(baseUrl, token, 'list_orders');
  return answer.status;
}

function post(baseUrl: string, token: string | undefined, name: string, given: object = {}) {
  return fetch(`${baseUrl}/mcp/merchant`, {
    method: 'POST',
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  });
}

test('an unmodified OAuth client reads orders as the staff member who approved it in the panel', async () => {
  const shop = await openShop();
  const { staff } = await logIn(shop);
  const begun = await beginConnecting(shop, { resource: 'http://localhost/mcp/merchant' });
  const shown = await staff.GET('/api/dashboard/assistant-request', { params: { query: { request: begun.request } } });
  const body = { request: begun.request, scopes: ['orders:read' as const], lifetime_days: 7 };
  const { data } = await staff.POST(assistants, { body });
  const issued = await oauth.authorizationCodeGrant(begun.config, new URL(data?.redirect_url ?? ''), begun.expected);
  const { use } = await connect(`${shop.baseUrl}/mcp/merchant`, issued.access_token);

  expect([begun.status, new URL(begun.page).pathname]).toEqual([302, '/panel/connect']);
  expect(shown.data).toMatchObject({ client_name: 'Claude', client_host: 'assistant.example', scopes: READING });
  expect(issued).toMatchObject({ access_token: expect.stringMatching(/^mrc_/), scope: 'orders:read' });
  expect(issued.expires_in).toBeGreaterThan(6.9 * 86_400);
  expect(issued.expires_in).toBeLessThanOrEqual(7 * 86_400);
  expect(await use('list_orders')).toMatchObject({ orders: [], total: 0 });
});

test('the OAuth metadata of the merchant MCP server and of its issuer refer to each other', async () => {
  const { baseUrl } = await openShop();
  const at = async (path: string) => (await fetch(baseUrl + path)).json();

  expect(await at('/.well-known/oauth-protected-resource/mcp/merchant')).toMatchObject({
    resource: 'http://localhost/mcp/merchant',
    authorization_servers: ['http://localhost/merchant'],
    scopes_supported: READING,
  });
  expect(await at('/.well-known/oauth-authorization-server/merchant')).toMatchObject({
    issuer: 'http://localhost/merchant',
    token_endpoint: 'http://localhost/merchant/oauth/token',
    code_challenge_methods_supported: ['S256'],
  });
});

test('the host of a shop answers 404 for the merchant MCP server and its OAuth endpoints', async () => {
  const shop = await openShop();
  const { access_token } = await givenAssistant(shop);
  const host = `merchant.${shop.site_id}.example`;
  await shop.owner.query(
    sql`insert into commerce.site_domains (host, site_id, is_primary) values (${host}, ${shop.site_id}, true)`,
  );
  await shop.hosts.reload();
  const at = async (path: string, method: string) => {
    const headers = { Authorization: `Bearer ${access_token}` };
    return (await fetchAt(host)(shop.baseUrl + path, { method, headers })).status;
  };

  expect(await at('/mcp/merchant', 'POST')).toBe(404);
  expect(await at('/merchant/oauth/token', 'POST')).toBe(404);
  expect(await at('/merchant/oauth/register', 'POST')).toBe(404);
  expect(await at('/merchant/oauth/authorize', 'GET')).toBe(404);
  expect(await at('/.well-known/oauth-authorization-server/merchant', 'GET')).toBe(404);
  expect(await at('/.well-known/oauth-protected-resource/mcp/merchant', 'GET')).toBe(404);
});

test('the merchant MCP server rejects a call without a token, and names the URL of its metadata (401)', async () => {
  const { baseUrl } = await openShop();
  const answer = await post(baseUrl, undefined, 'list_orders');

  expect(answer.status).toBe(401);
  expect(answer.headers.get('WWW-Authenticate')).toContain(
    'resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp/merchant"',
  );
});

test('the merchant MCP server accepts only its own tokens, which the dashboard API and the shop MCP server reject (401)', async () => {
  const shop = await openShop();
  const { session } = await logIn(shop);
  const { access_token } = await givenAssistant(shop);
  const agent = await givenAgent(shop, await shop.givenCustomer());
  const others = [session.access_token, shop.credentials.api_key, agent.access_token, 'mrc_made-up'];

  expect(await Promise.all(others.map((token) => statusAt(shop.baseUrl, token)))).toEqual([401, 401, 401, 401]);
  const at = createDashboardClient({ baseUrl: shop.baseUrl, sessionToken: access_token, maxAttempts: 1 });
  expect((await at.GET('/api/dashboard/orders')).error).toMatchObject({ error: 'invalid_token' });
  const asKey = { 'X-API-Key': access_token };
  expect((await fetch(`${shop.baseUrl}/api/dashboard/orders`, { headers: asKey })).status).toBe(401);
  const atShop = await fetch(`${shop.baseUrl}/sites/${shop.site_id}/mcp`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${access_token}` },
  });
  expect(atShop.status).toBe(401);
  expect(await statusAt(shop.baseUrl, access_token)).toBe(200);
});

test('a call without the required scope gets 403 with the scopes to request, and is audited', async () => {
  const shop = await openShop();
  const { access_token } = await givenAssistant(shop, { scopes: ['orders:read'] });

  const refused = await post(shop.baseUrl, access_token, 'list_customers');

  expect(refused.status).toBe(403);
  expect(refused.headers.get('WWW-Authenticate')).toBe(
    'Bearer error="insufficient_scope", scope="orders:read customers:read", ' +
      'resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp/merchant"',
  );
  expect(await auditOf(shop)).toEqual([
    { action: 'dashboard.listCustomers', status: 403, outcome: 'insufficient_scope', assistant: 'Claude' },
  ]);
});

test("each call of an assistant is audited with the assistant's name, including reads and unknown tools", async () => {
  const shop = await openShop();
  const { access_token, staff } = await givenAssistant(shop);
  const { client, use, refused } = await connect(`${shop.baseUrl}/mcp/merchant`, access_token);
  await use('list_orders');
  await refused('get_order', { order_id: crypto.randomUUID() });
  await client.callTool({ name: 'delete_everything', arguments: {} }).catch(() => undefined);

  expect(await auditOf(shop)).toEqual([
    { action: 'dashboard.listOrders', status: 200, outcome: 'done', assistant: 'Claude' },
    { action: 'dashboard.getOrder', status: 404, outcome: 'not_found', assistant: 'Claude' },
    { action: 'unknown', status: 404, outcome: 'not_found', assistant: 'Claude' },
  ]);
  const { data } = await staff.GET('/api/dashboard/audit-events', {
    params: { query: { action: 'dashboard.listOrders' } },
  });
  expect(data?.audit_events[0]).toMatchObject({ actor_type: 'staff', details: { assistant: 'Claude' } });
});

test('the assistant of a staff member of one shop cannot read another shop', async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const product = await shop.givenProduct();
  const { access_token } = await givenAssistant(other);
  const { use, refused } = await connect(`${other.baseUrl}/mcp/merchant`, access_token);

  expect(await refused('get_product', { product_id: product.id })).toMatchObject({ error: 'not_found' });
  expect(await use('list_products')).toMatchObject({ total: 0 });
});

test("staff cannot grant a scope beyond their role, and a reduced role applies to the assistant's next call", async () => {
  const shop = await openShop();
  const manager = await givenMember(shop, 'manager');
  const fulfilment = await givenMember(shop, 'fulfilment');
  const { request } = await beginConnecting(shop);
  const beyond = await fulfilment.client.POST(assistants, {
    body: { request, scopes: ['customers:read'], lifetime_days: 1 },
  });
  expect(beyond.error).toMatchObject({ error: 'insufficient_scope', scope: 'customers:read' });

  const { access_token } = await givenAssistant(shop, { by: manager.client });
  const { use, refused } = await connect(`${shop.baseUrl}/mcp/merchant`, access_token);
  await use('list_customers');
  const params = { path: { staff_id: manager.id } };
  await manager.owner.PATCH('/api/dashboard/staff/{staff_id}', { params, body: { role: 'fulfilment' } });

  expect(await refused('list_customers')).toMatchObject({ error: 'insufficient_scope' });
  await use('list_orders');
});

test('removing a staff member revokes the tokens of their assistants for good, even if the member joins again', async () => {
  const shop = await openShop();
  const member = await givenMember(shop, 'manager');
  const { access_token } = await givenAssistant(shop, { by: member.client });
  expect(await statusAt(shop.baseUrl, access_token)).toBe(200);

  await member.owner.DELETE('/api/dashboard/staff/{staff_id}', { params: { path: { staff_id: member.id } } });
  expect(await statusAt(shop.baseUrl, access_token)).toBe(401);
  await shop.owner.query(
    sql`insert into commerce.staff_memberships (staff_id, site_id, role) values (${member.id}, ${shop.site_id}, 'manager')`,
  );
  expect(await statusAt(shop.baseUrl, access_token)).toBe(401);
});

test('changing the password of a staff member revokes the tokens of their assistants', async () => {
  const shop = await openShop();
  const { access_token, staff } = await givenAssistant(shop);
  const current_password = shop.credentials.staff.password ?? '';
  const body = { current_password, new_password: 'four other quiet words' };
  expect((await staff.POST('/api/dashboard/account/password', { body })).error).toBeUndefined();

  expect(await statusAt(shop.baseUrl, access_token)).toBe(401);
});

test('staff see only their own assistants and cannot disconnect others; staff who manage staff see and disconnect all', async () => {
  const shop = await openShop();
  const viewer = await givenMember(shop, 'viewer');
  const mine = await givenAssistant(shop, { by: viewer.client, scopes: ['orders:read'] });
  const owners = await givenAssistant(shop, { by: viewer.owner });
  const own = await viewer.client.GET(assistants);
  const all = await viewer.owner.GET(assistants);
  const foreign = await viewer.client.DELETE(one, { params: { path: { assistant_id: owners.id } } });

  expect(own.data?.assistants).toMatchObject([{ id: mine.id, staff: { id: viewer.id }, scopes: ['orders:read'] }]);
  expect(all.data?.assistants.map(({ id }) => id)).toEqual([owners.id, mine.id]);
  expect(foreign.error).toMatchObject({ error: 'not_found' });
  await viewer.owner.DELETE(one, { params: { path: { assistant_id: mine.id } } });
  expect(await statusAt(shop.baseUrl, mine.access_token)).toBe(401);
  expect(await statusAt(shop.baseUrl, owners.access_token)).toBe(200);
});

test('an authorization code works once and only with its verifier, and a second use revokes the token', async () => {
  const shop = await openShop();
  const { staff } = await logIn(shop);
  const begun = await beginConnecting(shop);
  const body = { request: begun.request, scopes: READING, lifetime_days: 1 };
  const { data } = await staff.POST(assistants, { body });
  const address = new URL(data?.redirect_url ?? '');
  const again = (pkceCodeVerifier = begun.expected.pkceCodeVerifier) =>
    oauth.authorizationCodeGrant(begun.config, address, { ...begun.expected, pkceCodeVerifier });

  await expect(again(oauth.randomPKCECodeVerifier())).rejects.toMatchObject({ error: 'invalid_grant' });
  const { access_token } = await again();
  await expect(again(oauth.randomPKCECodeVerifier())).rejects.toMatchObject({ error: 'invalid_grant' });
  expect(await statusAt(shop.baseUrl, access_token)).toBe(200);
  await expect(again()).rejects.toMatchObject({ error: 'invalid_grant' });
  expect(await statusAt(shop.baseUrl, access_token)).toBe(401);
});

test('two concurrent exchanges of one authorization code issue at most one token, which is revoked', async () => {
  const shop = await openShop();
  const { staff } = await logIn(shop);
  const begun = await beginConnecting(shop);
  const { data } = await staff.POST(assistants, {
    body: { request: begun.request, scopes: READING, lifetime_days: 1 },
  });
  const results = await Promise.allSettled(
    [1, 2].map(() => oauth.authorizationCodeGrant(begun.config, new URL(data?.redirect_url ?? ''), begun.expected)),
  );

  const issued = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.access_token] : []));
  expect(issued).toHaveLength(1);
  expect(await statusAt(shop.baseUrl, issued[0])).toBe(401);
});

test('rejects an altered approval request, and authorization requests with an unknown client, redirect URI, scope or resource', async () => {
  const shop = await openShop();
  const { staff } = await logIn(shop);
  const { request, address } = await beginConnecting(shop);
  const changed = `${request.slice(0, 20)}${request[20] === 'A' ? 'B' : 'A'}${request.slice(21)}`;
  const wrong = await staff.POST(assistants, { body: { request: changed, scopes: ['orders:read'], lifetime_days: 1 } });
  const open = async (change: (fields: URLSearchParams) => void) => {
    const altered = new URL(address);
    change(altered.searchParams);
    const answer = await fetch(shop.baseUrl + altered.pathname + altered.search, { redirect: 'manual' });
    return [answer.status, ((await answer.json()) as { error: string }).error];
  };

  expect(wrong.error).toMatchObject({ error: 'validation_error', detail: [{ loc: ['body', 'request'] }] });
  expect(await open((fields) => fields.set('client_id', 'made-up'))).toEqual([401, 'invalid_client']);
  expect(await open((fields) => fields.set('redirect_uri', 'https://evil.example/'))).toEqual([400, 'invalid_request']);
  expect(await open((fields) => fields.set('scope', 'keys:write'))).toEqual([400, 'invalid_scope']);
  expect(await open((fields) => fields.set('resource', 'https://evil.example/'))).toEqual([400, 'invalid_target']);
});

test("expired approvals whose code was never exchanged do not count toward a staff member's limit of assistants", async () => {
  const shop = await openShop();
  const { staff } = await logIn(shop);
  const { request } = await beginConnecting(shop);
  const approve = () => staff.POST(assistants, { body: { request, scopes: ['orders:read'], lifetime_days: 90 } });
  const answers = await Promise.all(Array.from({ length: 21 }, approve));
  expect(answers.filter(({ error }) => error?.error === 'limit_reached')).toHaveLength(1);
  await shop.owner.query(
    sql`update commerce.assistants set code_expires_at = now() where site_id = ${shop.site_id} and token_hash is null`,
  );

  expect((await approve()).error).toBeUndefined();
});

test('approving an assistant requires the password again 15 minutes after the login (403 step_up_required)', async () => {
  const shop = await openShop();
  const { staff } = await logIn(shop);
  const { request } = await beginConnecting(shop);
  await shop.owner.query(
    sql`update commerce.staff_sessions s set confirmed_at = now() - interval '16 minutes'
      from commerce.staff_memberships m where m.staff_id = s.staff_id and m.site_id = ${shop.site_id}`,
  );
  const { error } = await staff.POST(assistants, { body: { request, scopes: ['orders:read'], lifetime_days: 1 } });

  expect(error).toMatchObject({ error: 'step_up_required' });
});

async function auditOf(shop: Awaited<ReturnType<typeof openShop>>) {
  const { rows } = await shop.owner.query<{ action: string; status: number; details: string }>(
    sql`select action, status, details from commerce.audit_events
      where site_id = ${shop.site_id} and details is not null order by id`,
  );
  return rows.map(({ action, status, details }) => ({ action, status, ...(JSON.parse(details) as object) }));
}

test.each([
  ['en', 'Unknown assistant', 'The assistant sent an invalid request', 'Back to assistant.example'],
  ['de', 'Unbekannter Assistent', 'Ungültige Anfrage des Assistenten', 'Zurück zu assistant.example'],
  ['fr', 'Assistant inconnu', 'Demande de l’assistant non valide', 'Retour vers assistant.example'],
])(
  'a browser with an invalid request of an assistant gets a page, which links back to a known client only (%s)',
  async (language, unknown, invalid, back) => {
    const shop = await openShop();
    const { address } = await beginConnecting(shop);
    const open = async (name: string, value: string, Accept = 'text/html,*/*;q=0.8') => {
      const changed = new URL(address);
      changed.searchParams.set(name, value);
      const headers = { Accept, 'Accept-Language': language };
      const answer = await fetch(shop.baseUrl + changed.pathname + changed.search, { headers, redirect: 'manual' });
      return {
        status: answer.status,
        type: answer.headers.get('Content-Type'),
        policy: answer.headers.get('Content-Security-Policy'),
        text: await answer.text(),
      };
    };

    const strange = await open('client_id', 'made-up');
    const elsewhere = await open('redirect_uri', 'https://evil.example/');
    const mistaken = await open('scope', 'keys:write');
    const program = await open('scope', 'keys:write', 'application/json');

    const html = { type: 'text/html; charset=utf-8', policy: expect.stringContaining("default-src 'none'") };
    expect(strange).toMatchObject({ status: 401, ...html, text: expect.stringContaining(`<h1>${unknown}</h1>`) });
    expect(elsewhere).toMatchObject({ status: 400, ...html });
    expect(elsewhere.text).not.toContain('evil.example');
    expect(mistaken).toMatchObject({ status: 400, ...html, text: expect.stringContaining(`<h1>${invalid}</h1>`) });
    expect(mistaken.text).toContain(`<html lang="${language}">`);
    expect(mistaken.text).toContain(`>${back}</a>`);
    expect(mistaken.text).toMatch(/href="https:\/\/assistant\.example\/callback\?error=invalid_scope[^"]*&amp;iss=/);
    expect([program.status, JSON.parse(program.text).error]).toEqual([400, 'invalid_scope']);
  },
);
