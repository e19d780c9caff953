import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import type { Logger } from 'pino';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { askForConsent, givenAgent, poll } from '../../../test/agents.ts';
import { fetchAt } from '../../../test/fetch-at.ts';
import { mailsTo } from '../../../test/mail.ts';
import { formWith, PaperBrowser } from '../../../test/paper-browser.ts';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { readHost } from '../../shop/merchant/domains.ts';
import { hashToken, mintToken } from '../../shop/tokens.ts';
import { openSiteHosts } from './site-hosts.ts';

let own: Shop;
let other: Shop;
let host = '';

type Shop = Awaited<ReturnType<typeof openShop>>;

beforeAll(async () => {
  own = await openShop();
  other = await openShop();
  host = await givenHost(own, 'shop', true);
  await givenHost(other, 'shop', true);
});

async function givenHost({ owner, site_id, hosts }: Shop, label: string, primary = false): Promise<string> {
  const name = `${label}.${site_id}.example`;
  await owner.query('insert into commerce.site_domains (host, site_id, is_primary) values ($1, $2, $3)', [
    name,
    site_id,
    primary,
  ]);
  await hosts.reload();
  return name;
}

function pairOf({ site_id, credentials }: Shop) {
  return { 'X-Site-ID': site_id, 'X-Service-Token': credentials.storefront_token };
}

/** Requests a path at a host of the server. */
async function askAt(name: string, path: string, init: RequestInit = {}) {
  const response = await fetchAt(name)(own.baseUrl + path, init);
  const text = await response.text();
  return { response, status: response.status, text, location: response.headers.get('Location') };
}

test('links use the primary host of a shop, or the configured base URL if the shop has none', async () => {
  const plain = await openShop();
  await givenHost(plain, 'tried');
  const { client, email } = await own.givenCustomer();
  const [at, { checkout_url: elsewhere }] = [await own.givenCheckout(), await plain.givenCheckout()];
  const consent = await askForConsent(own);
  const guest = `guest-${own.site_id}@example.com`;
  await own.givenOrder({ email: guest });
  await client.POST('/api/storefront/customer/reset-request', { body: { email } });
  const { html } = (await mailsTo(own, email)).at(-1) ?? {};

  expect((await mailsTo(own, guest)).at(-1)?.html).toContain(`http://${host}/sites/${own.site_id}/orders/ord_`);
  expect(at.checkout_url).toMatch(`http://${host}/checkout/chk_`);
  expect(elsewhere).toMatch(/^http:\/\/localhost\/checkout\/chk_/);
  expect(consent.verification_uri).toBe(`http://${host}/agent-consent?site_id=${own.site_id}`);
  expect(html).toContain(`http://${host}/account/${own.site_id}/reset/`);
});

test("redirects a shop's pages from the base URL and unknown hosts to its primary host, and serves them at all its hosts", async () => {
  const { pathname } = new URL((await own.givenCheckout()).checkout_url ?? '');
  const second = await givenHost(own, 'second');
  for (const name of ['localhost', 'nobody.example', `${host}.`, '203.0.113.7', '[::1]:80']) {
    const { response, location } = await askAt(name, `${pathname}?change=1`);
    expect([name, response.status, location]).toEqual([name, 302, `http://${host}${pathname}?change=1`]);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
  }
  for (const name of [host, host.toUpperCase(), `${host}:8443`, second]) {
    const { status, text } = await askAt(name, pathname);
    expect([name, status]).toEqual([name, 200]);
    expect(text).toContain('Mug');
  }
  expect((await askAt('localhost', `/account?site_id=${own.site_id}`)).location).toBe(
    `http://${host}/account?site_id=${own.site_id}`,
  );
  expect((await askAt(host, '/')).location).toBe(`/account?site_id=${own.site_id}`);
});

test("does not redirect OAuth metadata, or a page opened from the same origin, to the shop's host", async () => {
  const { pathname } = new URL((await own.givenCheckout()).checkout_url ?? '');
  const metadata = `/.well-known/oauth-authorization-server/sites/${own.site_id}`;

  expect((await askAt('localhost', pathname, { headers: { 'Sec-Fetch-Site': 'same-origin' } })).status).toBe(200);
  expect((await askAt('localhost', pathname, { headers: { 'Sec-Fetch-Site': 'cross-site' } })).status).toBe(302);
  const { status, text } = await askAt('localhost', metadata);
  expect([status, JSON.parse(text).issuer]).toEqual([200, `http://localhost/sites/${own.site_id}`]);
  expect((await askAt(host, metadata)).text).toBe(text);
});

test("a shop's host answers 404 for the dashboard, and for another shop's pages, links, OAuth metadata and webhooks", async () => {
  const { pathname } = new URL((await other.givenCheckout()).checkout_url ?? '');
  const { client, email } = await other.givenCustomer();
  await client.POST('/api/storefront/customer/reset-request', { body: { email } });
  const { token } = (await mailsTo(other, email)).at(-1) ?? {};
  const { site_id } = other;
  const guest = `guest-${site_id}@example.com`;
  await other.givenOrder({ email: guest });
  const order = /\/sites\/[^"]*\/orders\/ord_\w+/.exec((await mailsTo(other, guest)).at(-1)?.html ?? '')?.[0];
  for (const path of [
    pathname,
    order ?? '',
    `${pathname}/return`,
    `/account?site_id=${site_id}`,
    `/account/${site_id}/reset/${token}`,
    `/agent-consent?site_id=${site_id}`,
    `/.well-known/oauth-authorization-server/sites/${site_id}`,
    `/.well-known/oauth-authorization-server?site_id=${site_id}`,
  ]) {
    const { status, text } = await askAt(host, path);
    expect([path, status]).toEqual([path, 404]);
    expect(text).not.toContain('Shop ');
  }
  const dashboard = await askAt(host, '/api/dashboard/settings', { headers: { 'X-API-Key': own.credentials.api_key } });
  expect(dashboard.status).toBe(404);
  const event = await askAt(host, `/webhooks/stripe/${site_id}`, { method: 'POST', body: '{}' });
  expect(event.status).toBe(404);
});

/** Paths of the links in a shop's mails: view an order, confirm an e-mail address, and unlock a login. */
async function mailedPaths(shop: Shop): Promise<string[]> {
  const pathIn = (html: string | undefined, page: string) =>
    new RegExp(`href="https?://[^/"]+([^"]*/${page}/[^"]*)"`).exec(html ?? '')?.[1] ?? `no link to ${page}`;
  const [guest, newcomer] = [`june-${randomUUID()}@example.com`, `new-${randomUUID()}@example.com`];
  await shop.givenOrder({ email: guest });
  const order = (await mailsTo(shop, guest)).at(-1)?.html;
  const password = 'correct horse battery staple';
  await shop.storefront.POST('/api/storefront/customer/register', { body: { email: newcomer, password } });
  const account = (await mailsTo(shop, newcomer)).at(-1)?.html;
  const { email } = await shop.givenCustomer();
  for (let guess = 0; guess < 5; guess += 1) {
    await shop.storefront.POST('/api/storefront/customer/login', { body: { email, password: `wrong ${guess}` } });
  }
  const delayed = (await mailsTo(shop, email)).at(-1)?.html;
  return [pathIn(order, 'orders'), pathIn(account, 'verify-email'), pathIn(delayed, 'unlock')];
}

test("links in a shop's mails work at that shop's hosts, and answer 404 at another shop's host", async () => {
  const paths = await mailedPaths(other);
  const theirs = `shop.${other.site_id}.example`;
  const staff = mintToken('unlock');
  await own.owner.query(
    `insert into commerce.login_unlocks (token_hash, key_hash, expires_at) values ($1, $2, now() + interval '1 minute')`,
    [hashToken(staff), hashToken(randomUUID())],
  );

  for (const path of paths) {
    expect([path, (await askAt(theirs, path)).status]).toEqual([path, 200]);
    expect([path, (await askAt(host, path)).status]).toEqual([path, 404]);
    const { status, location } = await askAt('localhost', path);
    expect([path, status, location]).toEqual([path, 302, `http://${theirs}${path}`]);
  }
  expect((await askAt('localhost', `/unlock/${staff}`)).status).toBe(200);
  expect((await askAt(host, `/unlock/${staff}`)).status).toBe(404);
});

test("a shop's host rejects requests with another shop's credentials or with none (401)", async () => {
  const { token_id: _, access_token } = await givenAgent(other, await other.givenCustomer());
  const sync = { 'X-Site-ID': other.site_id, 'X-Sync-Secret': other.credentials.sync_secret };
  const shop = '/api/storefront/shop';
  const cases: [string, Record<string, string>, number][] = [
    [shop, pairOf(own), 200],
    [shop, { ...pairOf(own), 'X-Site-ID': own.site_id.toUpperCase() }, 200],
    [shop, pairOf(other), 401],
    [shop, { ...pairOf(other), 'X-Site-ID': own.site_id }, 401],
    [shop, { 'X-Service-Token': own.credentials.storefront_token }, 401],
    [shop, {}, 401],
    ['/api/sync/products', sync, 401],
    ['/api/agent/customer/me', { Authorization: `Bearer ${access_token}` }, 401],
  ];
  for (const [path, headers, expected] of cases) {
    const { status, text } = await askAt(host, path, { headers });
    expect([path, headers, status]).toEqual([path, headers, expected]);
    if (status === 401) expect(JSON.parse(text).error).toMatch(/^(?:invalid_token|unauthorized)$/);
  }
  expect((await askAt('localhost', shop, { headers: pairOf(other) })).status).toBe(200);
});

test("a shop's host rejects consent and token requests for another shop (401, 404)", async () => {
  const { device_code } = await askForConsent(other);
  const ask = '/api/agent/consent/request';
  const post = (path: string, body: object, headers = {}) =>
    askAt(host, path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
    });
  const wish = { agent_name: 'Assistant', scopes: ['catalog:read'], budget_cents: 0 };

  expect((await post(ask, wish, { 'X-Site-ID': other.site_id })).status).toBe(401);
  expect((await post(`${ask}?site_id=${other.site_id}`, wish)).status).toBe(404);
  expect(JSON.parse((await post('/api/agent/consent/poll', { device_code })).text)).toMatchObject({
    error: 'invalid_grant',
  });
  expect((await poll(other, device_code)).error).toMatchObject({ error: 'authorization_pending' });
});

test('only the Host header determines the host of a request', async () => {
  const shop = '/api/storefront/shop';
  const claims = [
    { 'X-Forwarded-Host': host },
    { Forwarded: `host=${host}` },
    { 'X-Host': host, 'X-Original-Host': host, 'X-HTTP-Host-Override': host },
    { Origin: `http://${host}`, Referer: `http://${host}/` },
  ];
  for (const headers of claims) {
    const { status } = await askAt('localhost', shop, { headers: { ...pairOf(other), ...headers } });
    expect([headers, status]).toEqual([headers, 200]);
  }
  for (const name of [
    `${host}.`,
    `x.${host}`,
    `${host}.example`,
    `${host}@localhost`,
    `${host}:80:80`,
    `${host}/`,
    '',
  ]) {
    const { status } = await askAt(name, shop, { headers: pairOf(other) });
    expect([name, status]).toEqual([name, 200]);
  }
  const { pathname } = new URL((await own.givenCheckout()).checkout_url ?? '');
  expect(await rawly(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nHost: localhost\r\n\r\n`)).toContain(' 400 ');
  expect(await rawly(`GET ${pathname} HTTP/1.1\r\nHost: localhost\r\nhost: ${host}\r\n\r\n`)).toContain(' 400 ');
  expect(await rawly(`GET http://${host}${pathname} HTTP/1.1\r\nHost: localhost\r\n\r\n`)).toContain(' 400 ');
  expect(await rawly(`GET ${pathname} HTTP/1.1\r\nHost: bücher.example\r\n\r\n`)).toContain(' 302 ');
});

/** Sends a raw request, which no client library could send. Returns the status line. */
function rawly(request: string): Promise<string> {
  return new Promise((answered, failed) => {
    const socket = connect(Number(new URL(own.baseUrl).port), '127.0.0.1', () => socket.write(request));
    socket.once('error', failed).once('data', (bytes) => {
      socket.destroy();
      answered(bytes.toString('latin1').split('\r\n')[0] ?? '');
    });
  });
}

test("a shop's host sends Strict-Transport-Security without includeSubDomains", async () => {
  const asked = async (name: string) =>
    (await askAt(name, '/api/storefront/shop')).response.headers.get('Strict-Transport-Security');

  expect(await asked(host)).toBe('max-age=63072000');
  expect(await asked('not-yet-added.example')).toBe('max-age=63072000');
  expect(await asked('localhost:80')).toBe('max-age=63072000; includeSubDomains');
});

test('a host rejects a form from another origin or with a session of another host (403)', async () => {
  const path = `/account?site_id=${own.site_id}`;
  const { email, password } = await own.givenCustomer();
  const at = new PaperBrowser(own.baseUrl, {}, fetchAt(host));
  const login = await at.open(path);
  const fields = formWith(login.html, 'log_in');
  for (const [name, value] of Object.entries({ email, password, action: 'log_in' })) fields.set(name, value);

  for (const Origin of ['http://localhost', `http://${host}:81`, `https://${host}`, 'http://evil.example']) {
    const refused = await at.send(path, fields, { Origin });
    expect([Origin, refused.response.status]).toEqual([Origin, 403]);
  }
  const here = await at.send(path, fields, { Origin: `http://${host}` });
  expect(here.html).toContain('log_out');

  const base = new PaperBrowser(own.baseUrl, { 'Sec-Fetch-Site': 'same-origin' }, fetchAt('localhost'));
  const { response, html } = await base.open(path);
  const Cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const taken = formWith(html, 'log_in');
  for (const [name, value] of Object.entries({ email, password, action: 'log_in' })) taken.set(name, value);
  const post = { method: 'POST', body: taken, headers: { Cookie, 'Sec-Fetch-Site': 'same-origin', Origin: 'null' } };
  expect((await askAt(host, path, post)).status).toBe(403);
  expect((await askAt('localhost', path, post)).status).toBe(303);
});

test("accepts a return_url at the shop's hosts, and rejects one at another host (422)", async () => {
  const server = await startServer(databaseUrl(), { baseUrl: 'https://commerce.example' });
  try {
    const { id: cart_id } = await own.givenCart();
    const begin = async (return_url: string) => {
      const headers = { ...pairOf(own), 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() };
      const body = JSON.stringify({ cart_id, return_url });
      const answer = await fetch(`${server.baseUrl}/api/storefront/checkout`, { method: 'POST', headers, body });
      return { ...((await answer.json()) as { return_url?: string; checkout_url?: string }), code: answer.status };
    };

    expect(await begin(`https://${host}/thanks`)).toMatchObject({
      code: 201,
      return_url: `https://${host}/thanks`,
      checkout_url: expect.stringMatching(`^https://${host}/checkout/chk_`),
    });
    for (const foreign of [
      `shop.${other.site_id}.example`,
      'commerce.example',
      `${host}:444`,
      `${host}.`,
      `x.${host}`,
    ]) {
      expect([foreign, (await begin(`https://${foreign}/thanks`)).code]).toEqual([foreign, 422]);
    }
  } finally {
    await stopServer(server);
  }
});

test("a token accepts pages at the shop's own host without listing that origin, and rejects other pages (403)", async () => {
  const body = { description: 'App', allowed_origins: ['https://app.example'] };
  const { data } = await own.dashboard.POST('/api/dashboard/storefront-tokens', { body });
  const from = (name: string, origin: string) =>
    askAt(name, '/api/storefront/shop', {
      headers: { 'X-Site-ID': own.site_id, 'X-Service-Token': data?.secret ?? '', Origin: origin },
    });

  expect((await from(host, `http://${host}`)).status).toBe(200);
  expect((await from('localhost', `http://${host}`)).status).toBe(403);
  expect((await from('localhost', 'http://localhost')).status).toBe(403);
  expect((await from(host, 'https://evil.example')).status).toBe(403);
});

test('stores a host in lower case and ASCII, and rejects anything but a name with a domain', () => {
  const base = 'https://commerce.example';
  expect(readHost('Shop.Example', base)).toBe('shop.example');
  expect(readHost('bücher.example', base)).toBe('xn--bcher-kva.example');
  for (const wrong of [
    ...['https://shop.example', 'shop.example:443', 'shop.example/', 'shop.example.', 'a@shop.example', 'shop', ''],
    ...[
      '*.shop.example',
      '127.0.0.1',
      '0x7f.1',
      '[::1]',
      'shop example',
      'shop..example',
      '-shop.example',
      'a_b.example',
    ],
    ...[
      'commerce.example',
      'COMMERCE.example',
      `${'a'.repeat(64)}.example`,
      `${'a.'.repeat(130)}example`,
      'shop\\.example',
    ],
  ]) {
    expect(() => readHost(wrong, base), wrong).toThrow();
  }
});

test('logs once when hosts cannot be read, and once when they can be read again', async () => {
  const lines: string[] = [];
  const logger = {
    warn: (_error: unknown, message: string) => lines.push(message),
    info: (message: string) => lines.push(message),
  } as unknown as Logger;
  let asked = 0;
  let isGone = true;
  const connect = () => {
    asked += 1;
    return isGone ? Promise.reject(new Error('The database is gone.')) : own.db.connect();
  };
  const db = Object.assign(Object.create(own.db), { connect });
  const hosts = await openSiteHosts({ db, baseUrl: 'http://localhost', logger, everySeconds: 0.02 });
  onTestFinished(() => hosts.stop());

  await expect.poll(() => asked).toBeGreaterThan(3);
  expect([hosts.isRead(), lines.length]).toEqual([false, 1]);
  isGone = false;
  await expect.poll(() => lines).toHaveLength(2);

  expect(hosts.isRead()).toBe(true);
  expect(lines).toEqual([expect.stringContaining('cannot be read'), expect.stringContaining('again')]);
});
