import { createClient, createDashboardClient } from '@commerce-backend/sdk';
import { generateSync } from 'otplib';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { mailsTo } from '../../test/mail.ts';
import { logIn } from '../../test/session.ts';
import { openShop } from '../../test/shop.ts';
import { operationTable } from '../http/contract/contract.ts';
import { deviceInWords } from '../shop/merchant/devices.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;
type Staff = Awaited<ReturnType<typeof logIn>>['staff'];

const me = '/api/dashboard/me';
const login = '/api/dashboard/auth/login';
const NEW = 'a longer horse and a better staple';

function tryLogin({ baseUrl, credentials }: Shop, password: string, totp_code?: string) {
  const { email } = credentials.staff;
  const body = { email, password, ...(totp_code && { totp_code }) };
  return createClient({ baseUrl, maxAttempts: 1 }).POST(login, { body });
}

function passwordOf({ credentials }: Shop): string {
  return credentials.staff.password ?? '';
}

/** The TOTP code for a secret, shifted by a number of periods of 30 s. */
function codeOf(secret: string, periods = 0): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + periods * 30 });
}

async function turnOn(staff: Staff) {
  const { data: made } = await staff.POST('/api/dashboard/account/two-factor');
  const secret = made?.totp_secret ?? '';
  const body = { totp_code: codeOf(secret, -1) };
  const { data: on } = await staff.POST('/api/dashboard/account/two-factor/confirm', { body });
  return { secret, made, recovery: on?.recovery_codes ?? [] };
}

test('changing or resetting a password ends all earlier sessions, and a reset link can be used once', async () => {
  const shop = await openShop();
  const { email } = shop.credentials.staff;
  const { staff } = await logIn(shop);
  const { staff: other } = await logIn(shop);
  const wrong = { current_password: 'a guess', new_password: NEW };
  const change = '/api/dashboard/account/password';

  const refused = await staff.POST(change, { body: wrong });
  const body = { current_password: passwordOf(shop), new_password: NEW };
  const changed = await Promise.all([staff, other].map((one) => one.POST(change, { body })));

  expect([refused.response.status, refused.error?.error]).toEqual([401, 'invalid_credentials']);
  expect(changed.map(({ response }) => response.status).toSorted()).toEqual([200, 401]);
  const session = changed.find(({ data }) => data)?.data?.access_token ?? '';
  const renewed = createDashboardClient({ baseUrl: shop.baseUrl, sessionToken: session, maxAttempts: 1 });
  const statuses = [staff, other, renewed].map(async (one) => (await one.GET(me)).response.status);
  expect(await Promise.all(statuses)).toEqual([401, 401, 200]);
  expect((await tryLogin(shop, passwordOf(shop))).response.status).toBe(401);

  const client = createClient({ baseUrl: shop.baseUrl, maxAttempts: 1 });
  for (const address of [email.toUpperCase(), 'nobody@example.com']) {
    const asked = await client.POST('/api/dashboard/auth/reset-request', { body: { email: address } });
    expect([asked.response.status, asked.data]).toEqual([202, { status: 'reset_sent' }]);
  }
  const mail = (await mailsTo(shop, email)).at(-1);
  expect(mail?.html).toContain('/panel/reset#rst_');
  const resets = ['first horse battery staple', 'second horse battery staple'].map((new_password) =>
    client.POST('/api/dashboard/auth/reset', { body: { token: mail?.token ?? '', new_password } }),
  );
  const reset = await Promise.all(resets);
  expect(reset.map(({ response }) => response.status).toSorted()).toEqual([200, 400]);
  expect((await renewed.GET(me)).response.status).toBe(401);
  const chosen = reset[0]?.data ? 'first horse battery staple' : 'second horse battery staple';
  expect((await tryLogin(shop, chosen)).response.status).toBe(200);
  const told = (await mailsTo(shop, email)).filter(({ subject }) => subject === 'Your merchant account was changed');
  expect(told).toHaveLength(2);
});

test('a password reset keeps two-factor login on, and a reset link expires after 30 minutes', async () => {
  const shop = await openShop();
  const { email } = shop.credentials.staff;
  const { staff } = await logIn(shop);
  const { secret } = await turnOn(staff);
  const client = createClient({ baseUrl: shop.baseUrl, maxAttempts: 1 });
  const ask = async () => {
    await client.POST('/api/dashboard/auth/reset-request', { body: { email } });
    return (await mailsTo(shop, email)).at(-1)?.token ?? '';
  };
  const pass = (minutes: number) =>
    shop.owner.query(sql`update commerce.staff_resets set expires_at = expires_at - ${`${minutes} minutes`}::interval
      where staff_id = (select id from commerce.staff where email = ${email})`);

  const late = await ask();
  await pass(30);
  const refused = await client.POST('/api/dashboard/auth/reset', { body: { token: late, new_password: NEW } });
  expect([refused.response.status, refused.error?.error]).toEqual([400, 'reset_token_invalid']);

  const token = await ask();
  await pass(29);
  expect((await client.POST('/api/dashboard/auth/reset', { body: { token, new_password: NEW } })).data).toBeDefined();
  const without = await tryLogin(shop, NEW);
  expect([without.response.status, without.error?.error]).toEqual([401, 'second_factor_required']);
  expect((await tryLogin(shop, NEW, codeOf(secret))).response.status).toBe(200);
});

test('staff see their own sessions and can end one or all others, but not those of other staff', async () => {
  const shop = await openShop();
  const { staff } = await logIn(shop);
  const { staff: second } = await logIn(shop);
  const { staff: third } = await logIn(shop);
  const { staff: stranger } = await logIn(await openShop());
  const sessions = '/api/dashboard/account/sessions';
  const one = '/api/dashboard/account/sessions/{session_id}';

  const { data: listed = [] } = await staff.GET(sessions);
  const secondId = (await second.GET(sessions)).data?.find(({ current }) => current)?.id ?? '';
  const params = { path: { session_id: secondId } };

  expect(listed.map(({ current }) => current).toSorted()).toEqual([false, false, true]);
  expect(listed[0]).toMatchObject({ device: 'a Node.js program', ip: expect.stringContaining('127.0.0.1') });
  expect((await stranger.DELETE(one, { params })).response.status).toBe(404);
  expect((await staff.DELETE(one, { params })).response.status).toBe(204);
  expect((await second.GET(me)).response.status).toBe(401);
  expect((await staff.DELETE(sessions)).data).toMatchObject([{ current: true }]);
  expect((await third.GET(me)).response.status).toBe(401);
  expect((await stranger.GET(me)).response.status).toBe(200);
  const agents = {
    'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0': 'Firefox on Linux',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 Edg/141.0':
      'Edge on Windows',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Safari/604.1':
      'Safari on iPhone',
    '': 'an unknown program',
  };
  expect(Object.keys(agents).map(deviceInWords)).toEqual(Object.values(agents));
});

test('a login requires the second factor, accepts each TOTP code once, and limits guesses', async () => {
  const shop = await openShop();
  const password = passwordOf(shop);
  const { staff } = await logIn(shop);

  const { secret, made, recovery } = await turnOn(staff);

  expect(made?.otpauth_uri).toContain(`secret=${secret}`);
  expect(made?.qr_svg).toMatch(/^<svg /);
  expect(new Set(recovery).size).toBe(10);
  const { rows } = await shop.owner.query(
    sql`select encode(secret, 'escape') as kept from commerce.staff_second_factors`,
  );
  expect(JSON.stringify(rows)).not.toContain(secret);
  expect((await staff.POST('/api/dashboard/account/two-factor')).error).toMatchObject({ error: 'two_factor_on' });
  expect((await tryLogin(shop, password)).error).toMatchObject({ error: 'second_factor_required' });
  expect((await tryLogin(shop, 'a guess', codeOf(secret))).error).toMatchObject({ error: 'invalid_credentials' });
  for (const code of [codeOf(secret, 0), recovery[0] ?? '']) {
    const many = await Promise.all(Array.from({ length: 4 }, () => tryLogin(shop, password, code)));
    expect(many.map(({ response }) => response.status).toSorted()).toEqual([200, 401, 401, 401]);
  }
  // A code older than the last used one is rejected, even if it was never used.
  expect((await tryLogin(shop, password, codeOf(secret, -1))).error).toMatchObject({ error: 'second_factor_invalid' });
  const state = await staff.GET('/api/dashboard/account/two-factor');
  expect(state.data).toMatchObject({ status: 'on', recovery_codes_left: 9 });

  await shop.owner.query('delete from commerce.rate_counts');
  const guesses = Array.from({ length: 8 }, (_, i) => tryLogin(shop, password, `00000${i}`));
  const guessed = (await Promise.all(guesses)).map(({ response }) => response.status);
  expect(guessed.filter((status) => status === 401)).toHaveLength(5);
  expect(guessed.filter((status) => status === 429)).toHaveLength(3);
  expect((await tryLogin(shop, password, codeOf(secret, 1))).response.status).toBe(429);
  await shop.owner.query('delete from commerce.rate_counts');
  expect((await tryLogin(shop, password, codeOf(secret, 1))).response.status).toBe(200);

  const replace = () => staff.POST('/api/dashboard/account/two-factor/recovery-codes');
  const replaced = await Promise.all([replace(), replace()]);
  const [first = [], second = []] = replaced.map(({ data }) => data?.recovery_codes);
  expect(new Set([...recovery, ...first, ...second]).size).toBe(30);
  expect((await tryLogin(shop, password, recovery[1])).error).toMatchObject({ error: 'second_factor_invalid' });
  const either = [first, second].map(async (codes) => (await tryLogin(shop, password, codes[0])).response.status);
  expect((await Promise.all(either)).toSorted()).toEqual([200, 401]);
  const left = (await staff.GET('/api/dashboard/account/two-factor')).data?.recovery_codes_left;
  expect(left).toBe(9);
  const told = (await mailsTo(shop, shop.credentials.staff.email)).filter(({ html }) =>
    html.includes('recovery codes'),
  );
  expect(told.length).toBe(2);

  expect((await staff.DELETE('/api/dashboard/account/two-factor')).data).toMatchObject({ status: 'off' });
  expect((await replace()).error).toMatchObject({ error: 'two_factor_off' });
  expect((await tryLogin(shop, password)).response.status).toBe(200);
});

test('the password alone can neither turn off the second factor nor create recovery codes', async () => {
  const shop = await openShop();
  const { staff } = await logIn(shop);
  const { recovery } = await turnOn(staff);
  await shop.owner.query(
    sql`update commerce.staff_sessions set second_factor_at = now() - interval '16 minutes', confirmed_at = now()`,
  );
  const confirm = (body: { password?: string; totp_code?: string }) =>
    staff.POST('/api/dashboard/auth/confirm', { body });
  const off = () => staff.DELETE('/api/dashboard/account/two-factor');

  await confirm({ password: passwordOf(shop) });
  const refused = [await off(), await staff.POST('/api/dashboard/account/two-factor/recovery-codes')];
  await confirm({ totp_code: recovery[0] ?? '' });

  for (const { response, error } of refused) {
    expect([response.status, error]).toMatchObject([403, { error: 'step_up_required', second_factor: true }]);
  }
  expect((await off()).data).toMatchObject({ status: 'off' });
});

test('sensitive actions require the password again after 15 minutes, and owners get a mail', async () => {
  const shop = await openShop();
  const { baseUrl, owner } = shop;
  const { staff, session } = await logIn(shop);
  const { secret } = await turnOn(staff);
  const age = () => owner.query(sql`update commerce.staff_sessions set confirmed_at = now() - interval '16 minutes'`);
  const settings = '/api/dashboard/settings';
  const bank_details = { account_holder: 'Thief', iban: 'DE89370400440532013000' };
  await age();

  const id = '0192f3a0-1111-7000-8000-000000000001';
  const guarded = operationTable.filter(({ stepUp }) => stepUp === true);
  const answers = guarded.map(async ({ method, path, id: operation }) => {
    const headers = { Authorization: `Bearer ${session.access_token}`, 'Idempotency-Key': crypto.randomUUID() };
    const sent = await fetch(baseUrl + path.replace(/\{\w+\}/g, id), { method: method.toUpperCase(), headers });
    return [operation, sent.status, ((await sent.json()) as { error: string }).error];
  });

  expect(guarded.length).toBeGreaterThanOrEqual(12);
  expect(await Promise.all(answers)).toEqual(guarded.map(({ id: operation }) => [operation, 403, 'step_up_required']));
  for (const body of [{ bank_details }, { storefront_url: null }, { name: 'Alder', allowed_origins: [] }]) {
    expect((await staff.PATCH(settings, { body })).error).toMatchObject({ error: 'step_up_required' });
  }
  expect((await staff.PATCH(settings, { body: { name: 'Alder' } })).response.status).toBe(200);

  const confirm = '/api/dashboard/auth/confirm';
  expect((await staff.POST(confirm, { body: { password: 'a guess' } })).response.status).toBe(401);
  expect((await staff.PATCH(settings, { body: { bank_details } })).response.status).toBe(403);
  const until = await staff.POST(confirm, { body: { password: passwordOf(shop) } });
  expect(Date.parse(until.data?.confirmed_until ?? '') - Date.now()).toBeGreaterThan(14 * 60_000);
  expect((await staff.PATCH(settings, { body: { bank_details } })).response.status).toBe(200);
  await age();
  const codes = [codeOf(secret), codeOf(secret)].map((totp_code) => staff.POST(confirm, { body: { totp_code } }));
  expect((await Promise.all(codes)).map(({ response }) => response.status).toSorted()).toEqual([200, 401]);
  const description = 'Warehouse';
  const key = await staff.POST('/api/dashboard/api-keys', { body: { description, scopes: ['write', 'keys:write'] } });
  expect(key.response.status).toBe(201);

  const program = createDashboardClient({ baseUrl, apiKey: key.data?.secret ?? '', maxAttempts: 1 });
  const byKey = [
    await program.PATCH(settings, { body: { bank_details } }),
    await program.POST('/api/dashboard/sync-keys', { body: { description } }),
  ];
  expect(byKey.map(({ error }) => error?.error)).toEqual(['step_up_required', 'step_up_required']);
  expect((await shop.dashboard.PATCH(settings, { body: { bank_details } })).response.status).toBe(200);
  const mails = await mailsTo(shop, shop.credentials.staff.email);
  const told = mails.filter(({ subject }) => subject.startsWith('Security-related change'));
  expect(told).toHaveLength(3);
  expect(told.filter(({ html }) => html.includes('an API key'))).toHaveLength(1);
});
