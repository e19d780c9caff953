import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth4webapi from 'oauth4webapi';
import * as oauth from 'openid-client';
import { beforeAll, expect, test } from 'vitest';
import { approve, askForConsent, givenAgent } from '../../../test/agents.ts';
import { fetchAt } from '../../../test/fetch-at.ts';
import {
  atConsent,
  beginAuthorization,
  exchange,
  leadsTo,
  localFetch,
  REDIRECT_URI,
  registeredClient,
} from '../../../test/oauth.ts';
import { type Page, PaperBrowser } from '../../../test/paper-browser.ts';
import { openShop } from '../../../test/shop.ts';

let shop: Awaited<ReturnType<typeof openShop>>;
let customer: Awaited<ReturnType<typeof shop.givenCustomer>>;
let config: oauth.Configuration;

beforeAll(async () => {
  shop = await openShop();
  customer = await shop.givenCustomer();
  config = await registeredClient(shop);
});

/** The external URL to which a page redirects the browser. */
function sentTo(page: Page): URL {
  const address = leadsTo(page);
  if (!address) throw new Error(`The page does not redirect: ${page.response.status}`);
  return address;
}

const ALLOWED = { budget: '20.00' };
const NO_SCOPE = { scope_0: '', scope_1: '', scope_2: '', scope_3: '', scope_4: '' };

async function allowed(wish: Record<string, string> = {}, entries: Record<string, string> = ALLOWED) {
  const begun = await beginAuthorization(config, wish);
  const { browser, page } = await atConsent(shop, customer, begun.address);
  return { ...begun, page, back: sentTo(await browser.press(page, 'approve', entries)) };
}

async function callWith(token: string | undefined): Promise<number> {
  const { status } = await fetch(`${shop.baseUrl}/api/agent/audit/me`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  return status;
}

test("a standard OAuth client discovers the shop, registers, gets the customer's approval, calls the API, and revokes its token", async () => {
  const resource = `http://localhost/sites/${shop.site_id}`;
  const { page, back, code_verifier, state } = await allowed({ resource }, { ...ALLOWED, scope_4: '', category_1: '' });
  expect(page.html).toContain('Stock client');
  expect(page.html).toContain('assistant.example');
  expect(page.html).not.toContain('same_code');
  expect(page.html).toMatch(/name="budget" type="text" value=""/);
  expect(Object.fromEntries(back.searchParams)).toMatchObject({
    state,
    iss: `http://localhost/sites/${shop.site_id}`,
    code: expect.stringMatching(/^cod_/),
  });

  const checks = { pkceCodeVerifier: code_verifier, expectedState: state };
  const issued = await oauth.authorizationCodeGrant(config, back, checks, { resource });
  expect(issued).toMatchObject({
    token_type: 'bearer',
    scope: 'catalog:read cart:write checkout:create customer:self',
    budget_cents: 2_000,
  });
  expect(await callWith(issued.access_token)).toBe(200);
  await oauth.tokenRevocation(config, issued.access_token);
  expect(await callWith(issued.access_token)).toBe(401);
  await oauth.tokenRevocation(config, 'agt_unknown');
  const { data } = await customer.client.GET('/api/storefront/customer/me/agents');
  expect(data?.agent_tokens[0]).toMatchObject({ agent_name: 'Stock client', status: 'revoked', revoked_by: 'agent' });
});

test('after consent, only the customer who approved is redirected with the code, and URL parameters cannot change the redirect URI', async () => {
  const begun = await beginAuthorization(config);
  const { browser, at, page } = await atConsent(shop, customer, begun.address);
  const leave = at.replace('/agent-consent?', '/agent-consent/leave?');
  const stranger = await atConsent(shop, await shop.givenCustomer(), begun.address);
  const early = await browser.open(`${leave}&redirect_uri=https://evil.example&state=evil`);

  const led = await browser.press(page, 'approve', ALLOWED);
  const back = sentTo(led);
  const again = await browser.open(`${leave}&redirect_uri=https://evil.example&state=evil&code=evil`);

  expect(leadsTo(early)).toBeUndefined();
  expect(led.path).toBe('/agent-consent/leave');
  for (const { response } of [page, led]) {
    expect(response.headers.get('Content-Security-Policy')).toMatch(/; form-action 'self';/);
    expect([response.headers.get('Cache-Control'), response.headers.get('Referrer-Policy')]).toEqual([
      'no-store',
      'no-referrer',
    ]);
  }
  expect(back.origin + back.pathname).toBe(REDIRECT_URI);
  expect(sentTo(again).href).toBe(back.href);
  // The code goes only to this browser, not to others that open the page's URL, such as the browser of the person who
  // sent the link.
  for (const other of [new PaperBrowser(shop.baseUrl), stranger.browser]) {
    const { response, html } = await other.open(leave);
    expect([response.headers.get('Refresh'), /cod_/.test(html)]).toEqual([null, false]);
  }
  const code = back.searchParams.get('code') ?? '';
  const fields = { code, client_id: config.clientMetadata().client_id, redirect_uri: REDIRECT_URI };
  expect((await exchange(shop, { ...fields, code_verifier: begun.code_verifier })).status).toBe(200);
  expect((await browser.open(leave)).response.headers.get('Refresh')).toBeNull();
});

test('the OAuth resource metadata names the authorization server', async () => {
  for (const path of ['', '/mcp', '/ucp/mcp']) {
    const resource = new URL(`http://localhost/sites/${shop.site_id}${path}`);
    const options = {
      [oauth4webapi.customFetch]: localFetch(shop.baseUrl),
      [oauth4webapi.allowInsecureRequests]: true,
    };
    const answer = await oauth4webapi.resourceDiscoveryRequest(resource, options);
    const found = await oauth4webapi.processResourceDiscoveryResponse(resource, answer);
    expect(found.authorization_servers).toEqual([`http://localhost/sites/${shop.site_id}`]);
    const issuer = new URL(found.authorization_servers?.[0] ?? '');
    const server = await oauth4webapi.processDiscoveryResponse(
      issuer,
      await oauth4webapi.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' }),
    );
    expect(server).toMatchObject({ code_challenge_methods_supported: ['S256'] });
  }
});

test('sending a used authorization code with a wrong verifier or client id does not revoke the token', async () => {
  const { back, code_verifier } = await allowed();
  const { client_id } = config.clientMetadata();
  const fields = { code: back.searchParams.get('code') ?? '', client_id, redirect_uri: REDIRECT_URI, code_verifier };
  const { body } = await exchange(shop, fields);

  const refused = await exchange(shop, { ...fields, code_verifier: 'x'.repeat(43) });
  const elsewhere = await exchange(shop, { ...fields, client_id: 'another' });

  expect([refused, elsewhere]).toMatchObject([{ status: 400 }, { status: 400 }]);
  expect(await callWith(body.access_token)).toBe(200);
  await exchange(shop, fields);
  expect(await callWith(body.access_token)).toBe(401);
});

test('only the first use of an authorization code returns a token, even concurrently, and a second use revokes the token', async () => {
  const { back, code_verifier } = await allowed();
  const code = back.searchParams.get('code') ?? '';
  const client_id = config.clientMetadata().client_id;
  const fields = { code, client_id, redirect_uri: REDIRECT_URI, code_verifier };
  for (const [wrong, error] of [
    [{ client_id: 'another' }, 'invalid_grant'],
    [{ redirect_uri: `${REDIRECT_URI}/` }, 'invalid_grant'],
    [{ code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    [{ code_verifier: '' }, 'invalid_request'],
    [{ code: code.replace(/^./, code.startsWith('x') ? 'y' : 'x') }, 'invalid_grant'],
    [{ resource: `http://localhost/sites/${shop.site_id}/mcp` }, 'invalid_target'],
    [{ resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
  ] as const) {
    expect([wrong, await exchange(shop, { ...fields, ...wrong })]).toEqual([
      wrong,
      { status: 400, body: expect.objectContaining({ error, error_description: expect.any(String) }) },
    ]);
  }
  const both = await Promise.all([exchange(shop, fields), exchange(shop, fields)]);
  const issued = both.find(({ status }) => status === 200);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(await callWith(issued?.body.access_token)).toBe(401);
  const { data } = await customer.client.GET('/api/storefront/customer/me/agents');
  expect(data?.agent_tokens.find(({ id }) => id === issued?.body.token_id)).toMatchObject({ revoked_by: 'system' });

  const late = await allowed();
  await shop.owner.query(
    `update commerce.agent_consents set expires_at = now() where site_id = $1 and status = 'approved'`,
    [shop.site_id],
  );
  const sent = { ...fields, code: late.back.searchParams.get('code') ?? '', code_verifier: late.code_verifier };
  expect((await exchange(shop, sent)).body).toMatchObject({ error: 'invalid_grant' });
});

test('redirects with a standard OAuth error if the customer denies, the shop allows no agents, or the request expires', async () => {
  const denied = await beginAuthorization(config, { scope: 'catalog:read', budget_cents: '2500' });
  const asked = await atConsent(shop, customer, denied.address);
  expect(asked.page.html).toContain('value="25.00"');
  const refused = sentTo(await asked.browser.press(asked.page, 'deny'));
  expect(Object.fromEntries(refused.searchParams)).toMatchObject({
    error: 'access_denied',
    state: denied.state,
    iss: `http://localhost/sites/${shop.site_id}`,
  });

  const begun = await beginAuthorization(config);
  const { browser, page, at } = await atConsent(shop, customer, begun.address);
  for (const [entries, message] of [
    [{}, 'Enter an amount such as 25.00'],
    [{ budget: '1000.01' }, 'You can lower the budget'],
    [{ ...ALLOWED, ...NO_SCOPE }, 'Choose at least one permission'],
  ] as const) {
    const answer = await browser.press(page, 'approve', entries);
    expect([answer.response.status, answer.html]).toEqual([422, expect.stringContaining(message)]);
  }
  const policy = { enabled: true, max_budget_cents: 100_000, max_lifetime_days: 90 };
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { agent_policy: { ...policy, enabled: false } } });
  expect(sentTo(await browser.open(at)).searchParams.get('error_description')).toBe('The shop does not allow agents.');
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { agent_policy: policy } });
  expect((await browser.open(at)).response.status).toBe(200);
  await shop.owner.query(`update commerce.agent_consents set expires_at = now() where site_id = $1`, [shop.site_id]);
  expect(sentTo(await browser.open(at)).searchParams.get('error_description')).toMatch(/did not decide in time/);
});

test('a customer with ten agents can revoke one on the consent page, and then approve a new one', async () => {
  const busy = await shop.givenCustomer();
  for (let i = 1; i <= 10; i += 1) await givenAgent(shop, busy, { agent_name: `Agent ${i}` });
  const { address } = await beginAuthorization(config);
  const { browser, page } = await atConsent(shop, busy, address);
  expect(page.html).toContain('You already have ten assistants');
  expect(page.html).toContain('Agent 7');
  const shown = await browser.press(page, 'revoke');
  expect(shown.html).toContain('Allow this assistant to shop for you?');
  const { user_code } = await askForConsent(shop);
  await approve(busy, user_code);
  expect(sentTo(await browser.press(shown, 'approve', ALLOWED)).searchParams.get('code')).toMatch(/^cod_/);
});

test('shows errors in an authorization request on a page instead of redirecting', async () => {
  const { address } = await beginAuthorization(config);
  const open = (change: Record<string, string>, more = '') => {
    const changed = new URL(address);
    for (const [name, value] of Object.entries(change)) changed.searchParams.set(name, value);
    return fetch(shop.baseUrl + changed.pathname + changed.search + more, { redirect: 'manual' });
  };
  for (const change of [
    { client_id: 'unknown' },
    { redirect_uri: `${REDIRECT_URI}/` },
    { redirect_uri: 'https://assistant.example/callback?x=1' },
    { redirect_uri: 'https://assistant.example.evil.example/callback' },
    { redirect_uri: 'https://assistant.example/callback/../other' },
  ] as Record<string, string>[]) {
    const answer = await open(change);
    expect([change, answer.status, (await answer.text()).includes('href="https://assistant')]).toEqual([
      change,
      400,
      false,
    ]);
  }
  for (const [change, error] of [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: '' }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ scope: 'catalog:read admin' }, 'invalid_scope'],
    [{ resource: 'https://elsewhere.example' }, 'invalid_target'],
    [{ budget_cents: '-5' }, 'invalid_request'],
  ] as [Record<string, string>, string][]) {
    const answer = await open(change);
    expect([change, answer.status, await answer.text()]).toEqual([
      change,
      400,
      expect.stringContaining(`href="${REDIRECT_URI}?error=${error}&amp;`),
    ]);
  }
  expect((await open({}, `&redirect_uri=${encodeURIComponent('https://evil.example')}`)).status).toBe(400);
  expect((await open({}, '&state=twice')).status).toBe(400);
});

test('registers only https, loopback and reverse-domain redirect URIs, and ignores the port of a loopback URI', async () => {
  const register = (metadata: unknown) =>
    fetch(`${shop.baseUrl}/sites/${shop.site_id}/oauth/register`, { method: 'POST', body: JSON.stringify(metadata) });
  for (const uri of [
    'http://assistant.example/callback',
    'https://user@assistant.example/callback',
    'https://assistant.example/callback#part',
    'https:assistant.example',
    'javascript:alert(1)',
    'myapp://callback',
    'http://localhost.evil.example/callback',
    'http://127.0.0.1@evil.example/callback',
    'https://assistant.example/\\evil',
    '*',
  ]) {
    const answer = await register({ redirect_uris: [uri] });
    expect([uri, answer.status, await answer.json()]).toEqual([
      uri,
      400,
      expect.objectContaining({ error: 'invalid_redirect_uri' }),
    ]);
  }
  const named = await register({ redirect_uris: [REDIRECT_URI], client_name: 'a\u202eb' });
  expect(await named.json()).toMatchObject({ error: 'invalid_client_metadata' });
  const local = await registeredClient(shop, ['http://127.0.0.1:1234/cb', 'com.example.app:/cb']);
  const at = async (redirect_uri: string) => {
    const { address } = await beginAuthorization(local, { redirect_uri });
    return (await fetch(shop.baseUrl + address.pathname + address.search, { redirect: 'manual' })).status;
  };
  expect(await at('http://127.0.0.1:65001/cb')).toBe(303);
  expect(await at('com.example.app:/cb')).toBe(303);
  expect(await at('http://127.0.0.1:65001/other')).toBe(400);
  expect(await at('http://localhost:65001/cb')).toBe(400);
  expect(await at('com.example.app:/cb2')).toBe(400);
});

test('CORS lets a web page use the OAuth metadata, registration and token endpoints, but not pages or MCP', async () => {
  const Origin = 'http://localhost:6274';
  const issuer = `/sites/${shop.site_id}`;
  const at = (path: string, method: string, more: RequestInit = {}) =>
    fetch(shop.baseUrl + path, { method, redirect: 'manual', ...more, headers: { Origin, ...more.headers } });
  const asked = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'mcp-protocol-version' };
  const origins = (answer: Response) => [answer.status, answer.headers.get('Access-Control-Allow-Origin')];

  for (const well of ['oauth-authorization-server', 'oauth-protected-resource']) {
    expect(origins(await at(`/.well-known/${well}${issuer}`, 'GET'))).toEqual([200, '*']);
    expect(origins(await at(`/.well-known/${well}${issuer}`, 'OPTIONS', { headers: asked }))).toEqual([204, '*']);
  }
  for (const path of ['token', 'register', 'revoke']) {
    const before = await at(`${issuer}/oauth/${path}`, 'OPTIONS', { headers: asked });
    expect(origins(before)).toEqual([204, '*']);
    expect(before.headers.get('Access-Control-Allow-Headers')).toBe('Content-Type, MCP-Protocol-Version');
    expect(before.headers.get('Access-Control-Allow-Credentials')).toBeNull();
    expect(origins(await at(`${issuer}/oauth/${path}`, 'POST', { body: '{}' }))).toEqual([400, '*']);
  }
  const body = JSON.stringify({ redirect_uris: [`${Origin}/oauth/callback`] });
  expect(origins(await at(`${issuer}/oauth/register`, 'POST', { body }))).toEqual([201, '*']);
  expect(origins(await at(`${issuer}/oauth/authorize`, 'GET'))).toEqual([400, null]);
  expect(origins(await at(`${issuer}/mcp`, 'POST', { body: '{}' }))).toEqual([403, null]);
});

test('answers 405 with the allowed method if an OAuth endpoint that requires POST is called with another method', async () => {
  for (const path of ['token', 'register', 'revoke']) {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await fetch(`${shop.baseUrl}/sites/${shop.site_id}/oauth/${path}?grant_type=x`, { method });
      expect([path, method, answer.status, answer.headers.get('Allow')]).toEqual([path, method, 405, 'POST, OPTIONS']);
      expect(await answer.json()).toMatchObject({
        error: 'method_not_allowed',
        error_description: 'Send this request with POST.',
      });
    }
  }
});

test('registering an OAuth client with valid and invalid redirect URIs stores only the valid ones', async () => {
  // Redirect URIs of the Cursor editor.
  const [own, page, local] = [
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'https://www.cursor.com/agents/mcp/oauth/callback',
    'http://localhost:8787/callback',
  ];
  const address = `${shop.baseUrl}/sites/${shop.site_id}/oauth/register`;
  const register = (redirect_uris: string[]) =>
    fetch(address, { method: 'POST', body: JSON.stringify({ client_name: 'Cursor', redirect_uris }) });

  const registered = await register([own, page, local]);

  expect([registered.status, await registered.clone().json()]).toEqual([
    201,
    expect.objectContaining({ redirect_uris: [page, local] }),
  ]);
  const { client_id } = (await registered.json()) as { client_id: string };
  const begun = await beginAuthorization(config, { redirect_uri: local });
  const open = async (redirect_uri: string) => {
    begun.address.searchParams.set('client_id', client_id);
    begun.address.searchParams.set('redirect_uri', redirect_uri);
    return fetch(shop.baseUrl + begun.address.pathname + begun.address.search, { redirect: 'manual' });
  };
  expect((await open(local)).status).toBe(303);
  expect((await open(page)).status).toBe(303);
  expect((await open(own)).status).toBe(400);
  // An http URL is rejected even if another redirect URI is valid.
  expect((await register([page, 'http://assistant.example/callback'])).status).toBe(400);
  expect((await register([page, 'javascript:alert(1)'])).status).toBe(400);
});

test('accepts the URL of a client metadata document as client id', async () => {
  const documents: Record<string, unknown> = {};
  const asked: string[] = [];
  const server = createServer(({ url = '' }, res) => {
    asked.push(url);
    const document = documents[url];
    if (document === undefined) res.writeHead(302, { Location: '/client' }).end();
    else res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(document));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const id = (path: string) => `http://127.0.0.1:${port}${path}`;
  const about = { client_id: id('/client'), client_name: 'Documented', redirect_uris: [REDIRECT_URI] };
  Object.assign(documents, {
    '/client': about,
    '/other': about,
    '/secret': { ...about, client_id: id('/secret'), client_secret: 'x' },
    '/large': { ...about, client_id: id('/large'), client_uri: 'x'.repeat(5_000) },
    '/named': { ...about, client_id: id('/named'), redirect_uris: ['https://elsewhere.example/cb'] },
  });
  const { address } = await beginAuthorization(config);
  const open = async (client_id: string) => {
    address.searchParams.set('client_id', client_id);
    return (await fetch(shop.baseUrl + address.pathname + address.search, { redirect: 'manual' })).status;
  };
  for (const path of ['/other', '/secret', '/large', '/named', '/redirected', '/', '/a/../client']) {
    expect([path, await open(id(path))]).toEqual([path, 400]);
  }
  expect(asked).not.toContain('/client');
  expect(await open(id('/client'))).toBe(303);
  const { page } = await atConsent(shop, customer, address);
  expect(page.html).toContain(`<strong dir="auto">127.0.0.1:${port}</strong>`);
  expect(asked.filter((path) => path === '/client')).toHaveLength(1);
  server.close();
});

test('the OAuth token endpoint also accepts the device grant', async () => {
  const scope = 'catalog:read orders:read';
  const asked = await oauth.initiateDeviceAuthorization(config, { scope });
  const polled = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: asked.device_code };
  expect((await exchange(shop, polled)).body).toMatchObject({ error: 'authorization_pending' });
  expect((await exchange(shop, polled)).body).toMatchObject({ error: 'slow_down' });
  await approve(customer, asked.user_code);
  expect((await exchange(shop, polled)).body).toMatchObject({ scope });
  expect((await exchange(shop, polled)).body).toMatchObject({ error: 'invalid_grant' });
});

test('a device grant with a resource returns a token only for that resource, and rejects a resource of another site (400)', async () => {
  const issuer = `http://localhost/sites/${shop.site_id}`;
  const asked = await oauth.initiateDeviceAuthorization(config, { scope: 'catalog:read' });
  await approve(customer, asked.user_code);
  const polled = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: asked.device_code };

  const foreign = await exchange(shop, { ...polled, resource: 'https://elsewhere.example' });
  const issued = await exchange(shop, { ...polled, resource: `${issuer}/mcp` });

  expect(foreign).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
  expect(issued.status).toBe(200);
  expect(await callWith(issued.body.access_token)).toBe(401);
  const { rows } = await shop.owner.query('select resource from commerce.tokens where id = $1', [issued.body.token_id]);
  expect(rows).toEqual([{ resource: '/mcp' }]);
});

test('each host of a shop is a separate OAuth issuer, and authorization responses name the issuer at which the flow began', async () => {
  const host = `shop.${shop.site_id}.example`;
  const insertion = 'insert into commerce.site_domains (host, site_id, is_primary) values ($1, $2, true)';
  await shop.owner.query(insertion, [host, shop.site_id]);
  await shop.hosts.reload();
  const anywhere = ((address: string, init: RequestInit) => {
    const { hostname, pathname, search } = new URL(address);
    return fetchAt(hostname)(shop.baseUrl + pathname + search, init);
  }) as typeof fetch;
  const options = { [oauth4webapi.customFetch]: anywhere, [oauth4webapi.allowInsecureRequests]: true } as const;
  const serverOf = async (address: string) => {
    const asked = await oauth4webapi.discoveryRequest(new URL(address), { ...options, algorithm: 'oauth2' });
    return oauth4webapi.processDiscoveryResponse(new URL(address), asked);
  };
  const [own, published] = [await serverOf(`http://${host}`), await serverOf(`http://localhost/sites/${shop.site_id}`)];
  const { client_id } = await oauth4webapi.processDynamicClientRegistrationResponse(
    await oauth4webapi.dynamicClientRegistrationRequest(own, { redirect_uris: [REDIRECT_URI] }, options),
  );
  const client = { client_id: String(client_id) };
  const code_verifier = oauth4webapi.generateRandomCodeVerifier();
  const answerFrom = async ({ authorization_endpoint = '' }: oauth4webapi.AuthorizationServer) => {
    const address = new URL(authorization_endpoint);
    const code_challenge = await oauth4webapi.calculatePKCECodeChallenge(code_verifier);
    const asked = { response_type: 'code', redirect_uri: REDIRECT_URI, code_challenge, code_challenge_method: 'S256' };
    address.search = String(new URLSearchParams({ ...client, ...asked, resource: `http://${host}/` }));
    const { browser, page, at } = await atConsent(shop, customer, address, anywhere);
    expect(at).toMatch(`http://${host}/agent-consent?site_id=${shop.site_id}&request=aut_`);
    return sentTo(await browser.press(page, 'approve', ALLOWED));
  };

  const answer = oauth4webapi.validateAuthResponse(own, client, await answerFrom(own));
  const exchanged = await oauth4webapi.authorizationCodeGrantRequest(
    own,
    client,
    oauth4webapi.None(),
    answer,
    REDIRECT_URI,
    code_verifier,
    options,
  );
  const { access_token } = await oauth4webapi.processAuthorizationCodeResponse(own, client, exchanged);
  expect(await callWith(access_token)).toBe(200);

  const elsewhere = await answerFrom(published);
  expect(() => oauth4webapi.validateAuthResponse(own, client, elsewhere)).toThrow(/iss/);
  expect(oauth4webapi.validateAuthResponse(published, client, elsewhere).get('code')).toMatch(/^cod_/);
});
