import { createClient } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { fetchAt } from '../../../test/fetch-at.ts';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';

const ORIGIN = 'http://localhost';
const SAME = { 'Sec-Fetch-Site': 'same-origin', 'X-Panel': '1', Origin: ORIGIN };

/** Sends exactly these headers, as a browser might. */
async function call(
  shop: Shop,
  method: string,
  path: string,
  headers: Record<string, string | undefined>,
  body?: object,
) {
  const sent = Object.entries({ 'Idempotency-Key': crypto.randomUUID(), ...headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  const json = body && { 'Content-Type': 'application/json' };
  const response = await fetch(`${shop.baseUrl}/api/dashboard/${path}`, {
    method,
    headers: { ...Object.fromEntries(sent), ...json },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { response, status: response.status, text, cookie: response.headers.get('Set-Cookie') };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

async function logInToPanel(shop: Shop): Promise<string> {
  const { email, password } = shop.credentials.staff;
  const { cookie, text, status } = await call(shop, 'POST', 'auth/login', SAME, { email, password });
  expect(status).toBe(200);
  expect(text).not.toContain('mch_');
  expect(JSON.parse(text)).toMatchObject({ access_token: '', staff: { email } });
  expect(cookie).toMatch(/^panel=mch_\w{38}; Path=\/; Max-Age=43\d{3}; HttpOnly; SameSite=Lax$/);
  return (cookie ?? '').split(';')[0] ?? '';
}

test("accepts the panel's session cookie only in calls from the panel, and never together with another credential", async () => {
  const shop = await openShop();
  const Cookie = await logInToPanel(shop);
  const other = await logInToPanel(shop);
  const all = { ...SAME, Cookie };
  const key = shop.credentials.api_key;
  const rows: [name: string, headers: Record<string, string | undefined>, read: number, change: number][] = [
    ['as the panel sends it', all, 200, 200],
    ['without Origin, as browsers send reads', { ...all, Origin: undefined }, 200, 401],
    ['without Sec-Fetch-Site', { ...all, 'Sec-Fetch-Site': undefined }, 401, 401],
    ['from another host of the site', { ...all, 'Sec-Fetch-Site': 'same-site' }, 401, 401],
    ['from elsewhere', { ...all, 'Sec-Fetch-Site': 'cross-site' }, 401, 401],
    ['by hand', { ...all, 'Sec-Fetch-Site': 'none' }, 401, 401],
    ['with a foreign Origin', { ...all, Origin: 'https://evil.example' }, 401, 401],
    ['with a hidden Origin', { ...all, Origin: 'null' }, 401, 401],
    ['with our Origin at another port', { ...all, Origin: `${ORIGIN}:81` }, 401, 401],
    ['without X-Panel', { ...all, 'X-Panel': undefined }, 401, 401],
    ['with another X-Panel', { ...all, 'X-Panel': 'true' }, 401, 401],
    ['beside an API key', { ...all, 'X-API-Key': key }, 401, 401],
    ['beside another session', { ...all, Authorization: `Bearer ${other.split('=')[1]}` }, 401, 401],
    ['beside a second cookie', { ...all, Cookie: `${Cookie}; ${other}` }, 401, 401],
    ['under the name that https has', { ...all, Cookie: `__Host-${Cookie}` }, 401, 401],
    ['beside other cookies', { ...all, Cookie: `a=1; ${Cookie}; b=2` }, 200, 200],
    ['an API key in a browser that has the cookie', { Cookie, 'X-API-Key': key }, 200, 200],
  ];
  const patch = { name: 'Renamed' };

  const results = await Promise.all(
    rows.map(async ([name, headers]) => {
      const read = await call(shop, 'GET', 'settings', { 'Idempotency-Key': undefined, ...headers });
      const change = await call(shop, 'PATCH', 'settings', headers, patch);
      return [name, read.status, change.status];
    }),
  );

  expect(results).toEqual(rows.map(([name, , read, change]) => [name, read, change]));
  const elsewhere = await fetch(`${shop.baseUrl}/api/storefront/products`, { headers: all });
  expect(elsewhere.status).toBe(401);
});

test('sets the session cookie only for the panel, and removes it and ends the session at logout', async () => {
  const shop = await openShop();
  const { email, password } = shop.credentials.staff;
  const body = { email, password: password ?? '' };
  for (const wrong of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }, { Origin: undefined }]) {
    const { status, text, cookie } = await call(shop, 'POST', 'auth/login', { ...SAME, ...wrong }, body);
    expect([status, JSON.parse(text).error, cookie]).toEqual([403, 'origin_not_allowed', null]);
  }
  const { data, response } = await createClient({ baseUrl: shop.baseUrl }).POST('/api/dashboard/auth/login', { body });
  expect(data?.access_token).toMatch(/^mch_/);
  expect(response.headers.get('Set-Cookie')).toBeNull();
  const Cookie = await logInToPanel(shop);
  expect((await call(shop, 'GET', 'me', { ...SAME, Cookie })).status).toBe(200);

  const out = await call(shop, 'POST', 'auth/logout', { ...SAME, Cookie });

  expect([out.status, out.cookie]).toEqual([204, 'panel=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax']);
  expect((await call(shop, 'GET', 'me', { ...SAME, Cookie })).status).toBe(401);
});

test("over https the panel's session cookie is bound to the host and to https, and over http it is set only on localhost", async () => {
  const shop = await openShop();
  const { email, password } = shop.credentials.staff;
  const at = async (baseUrl: string) => {
    const server = await startServer(databaseUrl(), { baseUrl });
    const there = { ...shop, baseUrl: server.baseUrl };
    const from = { ...SAME, Origin: baseUrl };
    try {
      const login = await call(there, 'POST', 'auth/login', from, { email, password });
      const Cookie = (login.cookie ?? '').split(';')[0];
      const read = await call(there, 'GET', 'me', { ...from, Cookie });
      const plain = await call(there, 'GET', 'me', { ...from, Cookie: Cookie?.replace('__Host-', '') });
      const out = await call(there, 'POST', 'auth/logout', { ...from, Cookie });
      return { login, read, plain, out };
    } finally {
      await stopServer(server);
    }
  };

  const { login, read, plain, out } = await at('https://shop.example');
  expect(login.cookie).toMatch(/^__Host-panel=mch_\w{38}; Path=\/; Max-Age=43\d{3}; HttpOnly; Secure; SameSite=Lax$/);
  expect([read.status, plain.status, out.status]).toEqual([200, 401, 204]);
  expect(out.cookie).toBe('__Host-panel=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax');

  const { login: unsafe } = await at('http://shop.example');
  expect([unsafe.status, unsafe.cookie, JSON.parse(unsafe.text).error]).toEqual([403, null, 'origin_not_allowed']);
});

test("serves the panel at all its URLs, forbids framing and caching, and answers 404 at a shop's host", async () => {
  const shop = await openShop();
  const host = `panel.${shop.site_id}.example`;
  await shop.owner.query('insert into commerce.site_domains (host, site_id, is_primary) values ($1, $2, true)', [
    host,
    shop.site_id,
  ]);
  await shop.hosts.reload();

  for (const path of ['/panel', '/panel/', '/panel/orders/1234']) {
    const page = await fetch(shop.baseUrl + path);
    const text = await page.text();
    expect(page.headers.get('Content-Security-Policy')).toMatch(
      /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/,
    );
    expect(page.headers.get('Cache-Control')).toBe('no-store');
    expect(page.headers.get('X-Frame-Options')).toBe('DENY');
    expect(page.headers.get('X-Content-Type-Options')).toBe('nosniff');
    // Tests also pass without a built panel.
    expect(text).toMatch(page.status === 200 ? '<div id="panel">' : 'npm run build');
    const [script] = /\/panel\/assets\/[^"]+\.js/.exec(text) ?? [];
    if (!script) continue;
    const asset = await fetch(shop.baseUrl + script);
    expect([asset.status, asset.headers.get('Cache-Control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect(asset.headers.get('Content-Type')).toContain('text/javascript');
  }
  for (const path of ['/panel/assets/absent.js', '/panel/assets/..%2findex.html', '/panel/assets/']) {
    expect((await fetch(shop.baseUrl + path)).status).toBe(404);
  }
  for (const path of ['/panel', '/panel/orders', '/api/dashboard/me']) {
    expect((await fetchAt(host)(shop.baseUrl + path)).status).toBe(404);
  }
});
