import { randomUUID } from 'node:crypto';
import { createClient, createDashboardClient } from '@commerce-backend/sdk';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { logIn } from '../../test/session.ts';
import { openShop } from '../../test/shop.ts';
import { inTransaction } from '../db/transaction.ts';
import { accountKey } from '../shop/login-throttle.ts';
import { createSite, mintPassword } from '../shop/merchant/sites.ts';

const login = '/api/dashboard/auth/login';
const logout = '/api/dashboard/auth/logout';
const me = '/api/dashboard/me';

test('a login opens a session of twelve hours, and returns the shops of the staff member', async () => {
  const shop = await openShop();
  const { email } = shop.credentials.staff;

  const { session, staff } = await logIn(shop);

  expect(session).toMatchObject({ token_type: 'Bearer', staff: { email }, merchants: [{ site_id: shop.site_id }] });
  expect(session.access_token).toMatch(/^mch_[0-9A-Za-z]{38}$/);
  const hours = (Date.parse(session.expires_at) - Date.now()) / 3_600_000;
  expect(hours).toBeCloseTo(12, 1);
  const { data } = await staff.GET(me);
  expect(data).toMatchObject({ staff: { email }, api_key: null, merchant: { site_id: shop.site_id } });
});

test('a login ignores the case of the e-mail address', async () => {
  const { baseUrl, credentials } = await openShop();
  const { email, password } = credentials.staff;

  const { data } = await createClient({ baseUrl }).POST(login, {
    body: { email: email.toUpperCase(), password: password ?? '' },
  });

  expect(data?.staff.email).toBe(email);
});

test('a login works even if the clock of the database was set back', async () => {
  const { baseUrl, credentials, owner } = await openShop();
  const { email, password } = credentials.staff;
  const client = createClient({ baseUrl });
  const body = { email, password: password ?? '' };
  await client.POST(login, { body });

  // Simulates failures that were counted while the clock was a day ahead.
  await owner.query(
    `update commerce.login_throttles set next_attempt_at = next_attempt_at + interval '1 day',
       expires_at = expires_at + interval '1 day' where key_hash = $1`,
    [accountKey(email)],
  );
  const again = await client.POST(login, { body });

  expect(again.response.status).toBe(200);
});

test('a login returns the same error for a wrong password and an unknown e-mail address (401)', async () => {
  const { baseUrl, credentials } = await openShop();
  const client = createClient({ baseUrl });

  const wrong = await client.POST(login, { body: { email: credentials.staff.email, password: 'not the password' } });
  const unknown = await client.POST(login, { body: { email: 'nobody@example.com', password: 'not the password' } });

  expect(wrong.response.status).toBe(401);
  expect(unknown.response.status).toBe(401);
  const { request_id: _a, ...first } = wrong.error ?? {};
  const { request_id: _b, ...second } = unknown.error ?? {};
  expect(first).toEqual(second);
  expect(first).toMatchObject({ error: 'invalid_credentials' });
});

test('after five failed logins for one e-mail address, rejects even the right password for a while (429)', async () => {
  const { baseUrl, credentials } = await openShop();
  const client = createClient({ baseUrl, maxAttempts: 1 });
  const { email, password } = credentials.staff;

  const statuses: number[] = [];
  for (let i = 0; i < 6; i += 1) {
    const { response } = await client.POST(login, { body: { email, password: `guess ${i}` } });
    statuses.push(response.status);
  }
  const { error, response } = await client.POST(login, { body: { email, password: password ?? '' } });

  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  expect(error).toMatchObject({ error: 'rate_limited' });
  expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
});

test('checks five of 20 concurrent wrong passwords, and rejects the others (429)', async () => {
  const { baseUrl, credentials } = await openShop();
  const client = createClient({ baseUrl, maxAttempts: 1 });
  const { email } = credentials.staff;

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => client.POST(login, { body: { email, password: `guess ${i}` } })),
  );

  expect(answers.filter(({ response }) => response.status === 401)).toHaveLength(5);
  expect(answers.filter(({ response }) => response.status === 429)).toHaveLength(15);
});

test('a successful login resets the count of failed logins', async () => {
  const shop = await openShop();
  const client = createClient({ baseUrl: shop.baseUrl });
  const { email } = shop.credentials.staff;
  for (let i = 0; i < 4; i += 1) await client.POST(login, { body: { email, password: 'a guess' } });

  await logIn(shop);
  const { response } = await client.POST(login, { body: { email, password: 'a guess' } });

  expect(response.status).toBe(401);
  await expect(logIn(shop)).resolves.toBeDefined();
});

test('a logout immediately ends only its own session', async () => {
  const shop = await openShop();
  const { staff } = await logIn(shop);
  const { staff: other } = await logIn(shop);

  const { response } = await staff.POST(logout);

  expect(response.status).toBe(204);
  expect((await staff.GET(me)).response.status).toBe(401);
  expect((await other.GET(me)).response.status).toBe(200);
});

test('rejects a session that has expired', async () => {
  const shop = await openShop();
  const { session, staff } = await logIn(shop);

  await shop.owner.query(
    sql`update commerce.staff_sessions set expires_at = now() where staff_id = ${session.staff.id}`,
  );

  const { error, response } = await staff.GET(me);
  expect(error).toMatchObject({ error: 'invalid_token' });
  expect(response.headers.get('WWW-Authenticate')).toContain('invalid_token');
});

test('repeating a login with the same Idempotency-Key returns the same session', async () => {
  const { baseUrl, credentials, owner } = await openShop();
  const { email, password } = credentials.staff;
  const call = {
    body: { email, password: password ?? '' },
    params: { header: { 'Idempotency-Key': randomUUID() } },
  };

  const first = await createClient({ baseUrl }).POST(login, call);
  const second = await createClient({ baseUrl }).POST(login, call);

  expect(second.data).toEqual(first.data);
  expect(second.response.headers.get('Idempotency-Replayed')).toBe('true');
  const { rows } = await owner.query(
    sql`select from commerce.staff_sessions where staff_id = ${first.data?.staff.id ?? null}`,
  );
  expect(rows).toHaveLength(1);
});

test('rejects repeating a login with the same Idempotency-Key after the logout (409 key_not_active)', async () => {
  const { baseUrl, credentials } = await openShop();
  const { email, password } = credentials.staff;
  const call = {
    body: { email, password: password ?? '' },
    params: { header: { 'Idempotency-Key': randomUUID() } },
  };
  const { data } = await createClient({ baseUrl }).POST(login, call);
  await createDashboardClient({ baseUrl, sessionToken: data?.access_token ?? '' }).POST(logout);

  const { error, response } = await createClient({ baseUrl }).POST(login, call);

  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'key_not_active' });
});

test('a staff member of several shops must choose a shop at login', async () => {
  const shop = await openShop();
  const stranger = await openShop();
  const { email } = shop.credentials.staff;
  const password = await mintPassword();
  const { credentials: second } = await inTransaction(shop.db, (connection) =>
    createSite(connection, { name: 'Second', currency: 'JPY', staff: { email, name: 'Staff' }, password }),
  );

  const { session, staff } = await logIn(shop);
  const { staff: atSecond } = await logIn(shop, second.merchant_id);
  const { staff: atStranger } = await logIn(shop, stranger.credentials.merchant_id);

  expect(second.staff.password).toBeNull();
  expect(session.merchants.map(({ site_id }) => site_id).toSorted()).toEqual([shop.site_id, second.site_id].toSorted());
  const unsaid = await staff.GET('/api/dashboard/settings');
  expect(unsaid.response.status).toBe(422);
  expect(unsaid.error).toMatchObject({ detail: [{ loc: ['header', 'X-Service-Merchant-Id'], type: 'missing' }] });
  expect((await staff.GET(me)).data).toMatchObject({ merchant: null, merchants: [{}, {}] });
  expect((await atSecond.GET('/api/dashboard/settings')).data).toMatchObject({ currency: 'JPY' });
  const refused = await atStranger.GET('/api/dashboard/settings');
  expect(refused.response.status).toBe(403);
  expect(refused.error).toMatchObject({ error: 'merchant_not_allowed' });
  expect((await staff.POST(logout)).response.status).toBe(204);
});

test('an API key can read its own description and scopes', async () => {
  const { dashboard, site_id } = await openShop();

  const { data } = await dashboard.GET(me);

  expect(data).toMatchObject({
    staff: null,
    api_key: { description: 'First API key', scopes: expect.arrayContaining(['read', 'write']) },
    role: null,
    merchant: { site_id },
    merchants: [{ site_id }],
  });
});
