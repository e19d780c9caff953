import { randomUUID } from 'node:crypto';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { givenAgent } from '../../../test/agents.ts';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { RATE_LIMITS } from '../../shop/rate-limits.ts';
import { readLimit, setSiteLimits } from '../../shop/site-limits.ts';

const tokens = '/api/dashboard/storefront-tokens';

interface Call {
  path?: string;
  /** JSON body. If it is set, the call is a POST instead of a GET. */
  body?: unknown;
  /** Value of X-Buyer-IP. */
  buyer?: string;
  token?: string;
  headers?: Record<string, string>;
}

/** Opens a shop with a private token on a server with these rate limits. All its calls come from one IP address. */
async function openShopOfServer(...limits: string[]) {
  const shop = await openShop();
  const { data: made } = await shop.dashboard.POST(tokens, { body: { description: 'Server', kind: 'private' } });
  const token = made?.secret ?? '';
  await setSiteLimits(shop.db, shop.site_id, new Map(limits.map(readLimit)));
  const server = await startServer(databaseUrl(), { rateLimits: true });
  const call = ({ path = '/shop', body, buyer, headers, ...given }: Call) =>
    fetch(`${server.baseUrl}/api/storefront${path}`, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() }),
        'X-Site-ID': shop.site_id,
        'X-Service-Token': given.token ?? token,
        ...(buyer !== undefined && { 'X-Buyer-IP': buyer }),
        ...headers,
      },
    });
  /** Sends calls one after the other. Returns their statuses. */
  const statuses = async (calls: Call[]) => {
    const found: number[] = [];
    for (const one of calls) found.push((await call(one)).status);
    return found;
  };
  return { ...shop, made, token, call, statuses, end: () => stopServer(server) };
}

const from = (buyer: string, times: number): Call[] => Array.from({ length: times }, () => ({ buyer }));
const guess = (buyer?: string, token?: string): Call => ({
  path: '/customer/login',
  body: { email: `${randomUUID()}@example.com`, password: 'a guess' },
  buyer,
  token,
});

test('with a private token, rate limits count each buyer IP address separately, in any notation (429)', async () => {
  const { statuses, end } = await openShopOfServer('storefront_read=3', 'cart_write=2');
  const carts = (buyer: string, times: number) =>
    from(buyer, times).map((one) => ({ ...one, path: '/cart', body: {} }));

  expect(await statuses(from('203.0.113.7', 4))).toEqual([200, 200, 200, 429]);
  expect(await statuses(from('203.0.113.8', 3))).toEqual([200, 200, 200]);
  expect(await statuses(from('::ffff:203.0.113.7', 1))).toEqual([429]);
  expect(await statuses([...from('2001:DB8::0:1', 2), ...from('2001:db8::1', 2)])).toEqual([200, 200, 200, 429]);
  // Without X-Buyer-IP, requests are counted by the IP address of the connection.
  expect(await statuses([{}, {}, {}, {}])).toEqual([200, 200, 200, 429]);
  expect(await statuses([...carts('203.0.113.7', 3), ...carts('203.0.113.8', 1)])).toEqual([201, 201, 429, 201]);
  await end();
});

test("ignores X-Buyer-IP with a public token, and counts the calls by the connection's IP address", async () => {
  const { credentials, statuses, owner, site_id, end } = await openShopOfServer(
    'storefront_read=3',
    'customer_login=2',
  );
  const token = credentials.storefront_token;

  const reads = ['203.0.113.7', '203.0.113.8', 'nonsense', '203.0.113.9'].map((buyer) => ({ buyer, token }));
  expect(await statuses(reads)).toEqual([200, 200, 200, 429]);
  const logins = ['203.0.113.7', 'nonsense', '203.0.113.9'].map((buyer) => guess(buyer, token));
  expect(await statuses(logins)).toEqual([401, 401, 429]);
  expect(await statuses([{ path: '/cart', body: {}, buyer: '203.0.113.7', token }])).toEqual([201]);
  const { rows } = await owner.query(
    sql`select buyer_ip from commerce.audit_events where site_id = ${site_id} and actor_type = 'storefront'`,
  );
  expect(rows).toEqual([{ buyer_ip: null }]);
  await end();
});

test.each([
  'nonsense',
  '',
  '203.0.113',
  '203.0.113.7:443',
  '[2001:db8::1]',
  '203.0.113.7, 203.0.113.8',
  '203.0.113.0/24',
  'fe80::1%eth0',
  '9'.repeat(500),
])('rejects %j as X-Buyer-IP with a private token (422), and names the header', async (buyer) => {
  const { call, end } = await openShopOfServer();

  for (const one of [{ buyer }, guess(buyer), { path: '/cart', body: {}, buyer }]) {
    const refused = await call(one);
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      detail: [
        { loc: ['header', 'X-Buyer-IP'], type: 'value_error', msg: expect.stringContaining('one IPv4 or IPv6') },
      ],
    });
  }
  await end();
});

test("the rate limit of a private token (429) counts the calls of all buyers, except those rejected by a buyer's own limit", async () => {
  expect(RATE_LIMITS.private_token).toMatchObject({ points: 6_000, seconds: 60 });
  const shop = await openShopOfServer('storefront_read=2', 'private_token=5');
  const { call, statuses, end } = shop;

  expect(await statuses(from('203.0.113.1', 6))).toEqual([200, 200, 429, 429, 429, 429]);
  expect(await statuses([...from('203.0.113.2', 1), guess('203.0.113.2'), ...from('203.0.113.3', 2)])).toEqual([
    200, 401, 200, 200,
  ]);
  const refused = await call({ buyer: '203.0.113.4' });
  expect(refused.status).toBe(429);
  expect(refused.headers.get('RateLimit-Policy')).toBe('"private_token";q=5;w=60');
  // Wrong passwords count against a separate limit, so this login attempt is not rejected with 429.
  expect(await statuses([guess('203.0.113.5')])).toEqual([401]);
  // The limit does not affect another token of the shop.
  expect(await statuses([{ token: shop.credentials.storefront_token }])).toEqual([200]);
  await end();
});

test('login rate limits count only failed logins, per buyer IP address and per private token (429)', async () => {
  expect(RATE_LIMITS.customer_login_token).toMatchObject({ points: 300, seconds: 900, strict: true });
  const shop = await openShopOfServer('customer_login=2', 'customer_login_token=4');
  const { statuses, end } = shop;
  const { email, password } = await shop.givenCustomer();
  const login = (buyer: string): Call => ({ path: '/customer/login', body: { email, password }, buyer });

  expect(await statuses([login('203.0.113.1'), login('203.0.113.1'), login('203.0.113.1')])).toEqual([200, 200, 200]);
  const one = [guess('203.0.113.1'), guess('203.0.113.1'), guess('203.0.113.1'), login('203.0.113.1')];
  expect(await statuses(one)).toEqual([401, 401, 429, 429]);
  expect(await statuses([guess('203.0.113.2'), login('203.0.113.2'), guess('203.0.113.3')])).toEqual([401, 200, 401]);
  // Once the token's limit of wrong passwords is used up, correct passwords are still accepted.
  expect(await statuses([guess('203.0.113.4'), login('203.0.113.4')])).toEqual([429, 200]);
  await end();
});

test('sends at most three mails an hour to one e-mail address, however many buyers request them (429)', async () => {
  const { statuses, end } = await openShopOfServer();
  const email = `${randomUUID()}@example.com`;
  const asks = [1, 2, 3, 4].map((last) => ({
    ...{ path: '/customer/reset-request', body: { email }, buyer: `203.0.113.${last}` },
  }));

  expect(await statuses(asks)).toEqual([202, 202, 202, 429]);
  await end();
});

test('the audit log shows the buyer’s IP address next to the caller’s', async () => {
  const { call, dashboard, end } = await openShopOfServer();

  await call({ path: '/cart', body: {}, buyer: '::ffff:203.0.113.7' });
  await call({ path: '/cart', body: {} });

  const { data } = await dashboard.GET('/api/dashboard/audit-events', {
    params: { query: { actor_type: 'storefront' } },
  });
  expect(data?.audit_events).toMatchObject([
    { action: 'storefront.createCart', ip: expect.stringContaining('127.0.0.1'), buyer_ip: null },
    { action: 'storefront.createCart', ip: expect.stringContaining('127.0.0.1'), buyer_ip: '203.0.113.7' },
  ]);
  await end();
});

test("the audit log shows the buyer's IP address for accepted and rejected calls of an agent with a private token", async () => {
  const shop = await openShopOfServer('cart_write=1');
  const { access_token, token_id } = await givenAgent(shop, await shop.givenCustomer());
  const headers = { Authorization: `Bearer ${access_token}` };

  const one = { path: '/cart', body: {}, buyer: '203.0.113.7', headers };
  // The agent's own limit counts per agent, so a new buyer IP address does not avoid it.
  expect(await shop.statuses([one, { ...one, buyer: '203.0.113.8' }])).toEqual([201, 429]);

  const { data } = await shop.dashboard.GET('/api/dashboard/audit-events', {
    params: { query: { actor_type: 'agent', actor_id: token_id } },
  });
  expect(data?.audit_events.map(({ status, buyer_ip }) => [status, buyer_ip])).toEqual([
    [429, '203.0.113.8'],
    [201, '203.0.113.7'],
  ]);
  await shop.end();
});

test('a storefront token is public unless it is created as private, and its rotated successor is of the same kind', async () => {
  const { dashboard, made, statuses, end } = await openShopOfServer('storefront_read=1');
  const path = { storefront_token_id: made?.id ?? '' };

  const { data: usual } = await dashboard.POST(tokens, { body: { description: 'Pages' } });
  const { data: successor } = await dashboard.POST('/api/dashboard/storefront-tokens/{storefront_token_id}/rotate', {
    params: { path },
  });

  expect([usual?.kind, made?.kind, successor?.kind]).toEqual(['public', 'private', 'private']);
  expect((await dashboard.GET(tokens)).data?.map(({ kind }) => kind).sort()).toEqual([
    ...['private', 'private', 'public', 'public'],
  ]);
  const token = successor?.secret;
  expect(await statuses(['203.0.113.1', '203.0.113.2'].map((buyer) => ({ buyer, token })))).toEqual([200, 200]);
  await end();
});

test('a CORS preflight response does not allow the header X-Buyer-IP', async () => {
  const { baseUrl } = await openShop();
  const answer = await fetch(`${baseUrl}/api/storefront/shop`, {
    method: 'OPTIONS',
    headers: { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' },
  });

  expect(answer.headers.get('Access-Control-Allow-Headers')).toContain('X-Service-Token');
  expect(answer.headers.get('Access-Control-Allow-Headers')).not.toContain('X-Buyer-IP');
});
