/** Strangers who use up a rate limit must not lock other people out. */

import { randomUUID } from 'node:crypto';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { accountKey, customerAccount } from '../../shop/login-throttle.ts';
import { RATE_LIMITS, type RateLimit } from '../../shop/rate-limits.ts';
import { readLimit, setSiteLimits } from '../../shop/site-limits.ts';
import { hashToken, mintToken } from '../../shop/tokens.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;

async function openLimitedShop(...limits: string[]) {
  const shop = await openShop();
  await setSiteLimits(shop.db, shop.site_id, new Map(limits.map(readLimit)));
  const server = await startServer(databaseUrl(), { rateLimits: true, trustProxy: 1 });
  return { shop, server };
}

function post(baseUrl: string, { site_id, credentials }: Shop, path: string, body: unknown, ip: string) {
  return fetch(`${baseUrl}/api/storefront${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      ...{ 'Content-Type': 'application/json', 'X-Site-ID': site_id, 'X-Forwarded-For': ip },
      ...{ 'X-Service-Token': credentials.storefront_token, 'Idempotency-Key': randomUUID() },
    },
  });
}

test("accepts a valid discount code after strangers have used up the shop's limit for wrong codes", async () => {
  const { shop, server } = await openLimitedShop('discount_failed_site=6');
  await shop.givenDiscount();
  const cart = await shop.givenCart('20.00');
  const apply = async (cart_id: string, code: string, ip: string) =>
    (await post(server.baseUrl, shop, `/cart/${cart_id}/discounts`, { code }, ip)).status;

  const strangers: number[] = [];
  for (let n = 0; n < 8; n += 1) strangers.push(await apply((await shop.givenCart()).id, `GUESS${n}`, `10.3.0.${n}`));

  expect(strangers).toEqual([400, 400, 400, 400, 400, 400, 429, 429]);
  expect(await apply(cart.id, 'TEN', '10.3.1.1')).toBe(200);
  expect(await apply(cart.id, 'ELEVEN', '10.3.1.1')).toBe(429);
  await stopServer(server);
});

test('after the limit for wrong codes is raised, a discount code rejected with 429 gets its real error (400)', async () => {
  const { shop, server } = await openLimitedShop('discount_failed_site=1');
  const cart = await shop.givenCart();
  const headers = {
    ...{ 'Content-Type': 'application/json', 'X-Site-ID': shop.site_id, 'Idempotency-Key': randomUUID() },
    'X-Service-Token': shop.credentials.storefront_token,
  };
  const apply = () =>
    fetch(`${server.baseUrl}/api/storefront/cart/${cart.id}/discounts`, {
      ...{ method: 'POST', headers, body: JSON.stringify({ code: 'NO_SUCH' }) },
    });
  await post(server.baseUrl, shop, `/cart/${cart.id}/discounts`, { code: 'OTHER' }, '10.3.2.1');

  const refused = await apply();
  await setSiteLimits(shop.db, shop.site_id, new Map([readLimit('discount_failed_site=default')]));
  const again = await apply();

  expect([refused.status, Number(refused.headers.get('Retry-After')) <= 900]).toEqual([429, true]);
  expect([again.status, await again.json()]).toMatchObject([400, { error: 'discount_not_found' }]);
  await stopServer(server);
});

test('a login with an unlock link succeeds from an IP address whose other logins are rate-limited (429)', async () => {
  const { shop, server } = await openLimitedShop('customer_login=3');
  const { email, password } = await shop.givenCustomer();
  const login = async (body: object) => (await post(server.baseUrl, shop, '/customer/login', body, '10.3.3.1')).status;
  for (let n = 0; n < 3; n += 1) await login({ email: `${randomUUID()}@example.com`, password: 'a guess' });
  const unlock_token = mintToken('unlock');
  await shop.owner.query(
    sql`insert into commerce.login_unlocks (token_hash, key_hash, site_id, expires_at)
      values (${hashToken(unlock_token)}, ${accountKey(customerAccount(shop.site_id, email))}, ${shop.site_id},
        now() + interval '15 minutes')`,
  );

  expect(await login({ email, password })).toBe(429);
  expect(await login({ email: `${randomUUID()}@example.com`, password, unlock_token })).toBe(429);
  expect(await login({ email, password, unlock_token })).toBe(200);
  await stopServer(server);
});

test('the rate limit of consent requests counts neither requests of unknown OAuth clients nor those of images on other websites', async () => {
  const { shop, server } = await openLimitedShop('consent_request=2', 'client_registration=2');
  const at = (path: string, init: RequestInit = {}) =>
    fetch(`${server.baseUrl}/sites/${shop.site_id}/oauth/${path}`, { redirect: 'manual', ...init });
  const redirect_uri = 'https://assistant.example/callback';
  const registered = await at('register', {
    ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
    body: JSON.stringify({ redirect_uris: [redirect_uri] }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const asked = { client_id, redirect_uri, response_type: 'code', code_challenge: 'x'.repeat(43), state: 's' };
  const query = new URLSearchParams({ ...asked, code_challenge_method: 'S256' });

  const unknown: number[] = [];
  for (let n = 0; n < 5; n += 1) unknown.push((await at(`authorize?client_id=x${n}`)).status);
  const image = await at(`authorize?${query}`, { headers: { 'Sec-Fetch-Dest': 'image' } });
  const visits: number[] = [];
  for (let n = 0; n < 3; n += 1) visits.push((await at(`authorize?${query}`)).status);

  expect(unknown).toEqual([400, 400, 400, 400, 400]);
  expect(image.status).toBe(400);
  expect(visits).toEqual([303, 303, 429]);
  await stopServer(server);
});

test('limits the fetches of OAuth client documents for one IP address (429), but not for other IP addresses', async () => {
  const { shop, server } = await openLimitedShop('client_document=2');
  const visit = async (n: number, ip: string) => {
    const query = new URLSearchParams({ client_id: `http://127.0.0.1:9/client-${n}` });
    const headers = { 'X-Forwarded-For': ip };
    return (await fetch(`${server.baseUrl}/sites/${shop.site_id}/oauth/authorize?${query}`, { headers })).status;
  };

  const statuses: number[] = [];
  for (let n = 0; n < 3; n += 1) statuses.push(await visit(n, '10.3.4.1'));

  expect(statuses).toEqual([400, 400, 429]);
  expect(await visit(3, '10.3.4.2')).toBe(400);
  await stopServer(server);
});

test('no rate limit lasts longer than 15 minutes, except the limit for mails to one e-mail address', () => {
  const limits = Object.entries(RATE_LIMITS) as [string, RateLimit][];

  expect(limits.filter(([, { seconds }]) => seconds > 900).map(([name]) => name)).toEqual(['reset_request']);
  for (const [name, { per, rejectsOnlyFailures, delays = false }] of limits) {
    expect(rejectsOnlyFailures || delays, name).toBe(per === 'site' || name === 'customer_login_token');
  }
});
