import { randomUUID } from 'node:crypto';
import sql from 'sql-template-tag';
import { expect, test, vi } from 'vitest';
import { mailsTo } from '../../test/mail.ts';
import { openShop } from '../../test/shop.ts';

const register = '/api/storefront/customer/register';
const verify = '/api/storefront/customer/verify-email';
const resend = '/api/storefront/customer/verify-email/resend';
const login = '/api/storefront/customer/login';
const refresh = '/api/storefront/customer/refresh';
const logout = '/api/storefront/customer/logout';
const resetRequest = '/api/storefront/customer/reset-request';
const reset = '/api/storefront/customer/reset';
const me = '/api/storefront/customer/me';
const password = '/api/storefront/customer/me/password';

const PASSWORD = 'correct horse battery staple';
const OTHER = 'a longer horse and a better staple';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

function address(): string {
  return `june-${randomUUID()}@example.com`;
}

async function newestTo(shop: OpenShop, email: string) {
  const mail = (await mailsTo(shop, email)).at(-1);
  if (!mail) throw new Error(`There is no mail to ${email}.`);
  return mail;
}

async function givenRegistration(shop: OpenShop, email: string, words = PASSWORD) {
  await shop.storefront.POST(register, { body: { email, password: words, first_name: 'June' } });
  return newestTo(shop, email);
}

async function logInAs({ storefront }: OpenShop, email: string, words: string) {
  const { data, error, response } = await storefront.POST(login, { body: { email, password: words } });
  return { session: data, error, status: response.status };
}

test('account mails use the language of the request, otherwise the language of the shop', async () => {
  const shop = await openShop();
  const told = [];
  for (const asked of ['fr-CH, fr;q=0.9', 'ja, *;q=0.5', '*']) {
    const email = address();
    const headers = { 'Accept-Language': asked };
    await shop.storefront.POST(register, { body: { email, password: PASSWORD }, headers });
    const { html, token } = await newestTo(shop, email);
    await shop.storefront.POST(verify, { body: { token } });
    await shop.storefront.POST(resetRequest, { body: { email } });
    const later = await newestTo(shop, email);
    told.push([html, later.html].map((text) => /<html lang="(.*?)">/.exec(text)?.[1]));
  }

  expect(told).toEqual([['fr', 'fr'], ...[1, 2].map(() => ['en', 'en'])]);
});

test('an account exists only after the mailed verification link is used', async () => {
  const shop = await openShop();
  const email = address();

  const answer = await shop.storefront.POST(register, { body: { email, password: PASSWORD, first_name: 'June' } });
  const { token, html } = await newestTo(shop, email);
  const before = await logInAs(shop, email, PASSWORD);
  const verified = await shop.storefront.POST(verify, { body: { token } });
  const after = await logInAs(shop, email, PASSWORD);

  expect([answer.response.status, answer.data]).toEqual([202, { status: 'verification_sent' }]);
  expect(html).toContain(`http://localhost/account/${shop.site_id}/verify-email/${token}`);
  expect([before.status, before.error]).toMatchObject([401, { error: 'invalid_credentials' }]);
  expect(verified.data).toMatchObject({ email, first_name: 'June', email_verified_at: expect.any(String) });
  expect(after.session).toMatchObject({ token_type: 'Bearer', customer: { email }, cart_id: null });
  expect(after.session?.access_token).toMatch(/^cust_[0-9A-Za-z]{38}$/);
});

test('a verification link works once, and is invalid after a newer one is sent', async () => {
  const shop = await openShop();
  const email = address();
  const first = await givenRegistration(shop, email);
  await shop.storefront.POST(resend, { body: { email } });
  const second = await newestTo(shop, email);

  const replaced = await shop.storefront.POST(verify, { body: { token: first.token } });
  const used = await Promise.all(
    [1, 2, 3, 4].map(() => shop.storefront.POST(verify, { body: { token: second.token } })),
  );

  expect([replaced.response.status, replaced.error]).toMatchObject([400, { error: 'verification_token_invalid' }]);
  expect(used.map(({ response }) => response.status).toSorted()).toEqual([200, 400, 400, 400]);
});

test('an account gets the password and names of the registration whose link was opened first', async () => {
  for (const [opened, words, name] of [
    [0, PASSWORD, 'June'],
    [1, OTHER, 'Mallory'],
  ] as const) {
    const shop = await openShop();
    const email = address();
    const tokens = [(await givenRegistration(shop, email, PASSWORD)).token];
    await shop.storefront.POST(register, { body: { email, password: OTHER, first_name: 'Mallory' } });
    tokens.push((await newestTo(shop, email)).token);
    const use = (token = '') => shop.storefront.POST(verify, { body: { token } });

    const begun = await use(tokens[opened]);
    const other = await use(tokens[1 - opened]);

    expect(begun.data).toMatchObject({ email, first_name: name });
    expect([other.response.status, other.error]).toMatchObject([400, { error: 'verification_token_invalid' }]);
    const logins = await Promise.all([PASSWORD, OTHER].map((given) => logInAs(shop, email, given)));
    expect(logins.map(({ status }) => status)).toEqual([PASSWORD, OTHER].map((given) => (given === words ? 200 : 401)));
    const left = await shop.owner.query(
      sql`select email from commerce.customer_registrations where site_id = ${shop.site_id} union all
        select email from commerce.customer_codes where site_id = ${shop.site_id} and used_at is null`,
    );
    expect(left.rows).toEqual([]);
  }
});

test('a verification link does not replace a password that the customer has set after registration', async () => {
  const shop = await openShop();
  const email = address();
  await shop.dashboard.POST('/api/dashboard/customers', { body: { email } });
  const { token } = await givenRegistration(shop, email, OTHER);
  await shop.storefront.POST(resetRequest, { body: { email } });
  const { token: reset_token } = await newestTo(shop, email);
  await shop.storefront.POST(reset, { body: { token: reset_token, new_password: PASSWORD } });

  const { response } = await shop.storefront.POST(verify, { body: { token } });

  expect(response.status).toBe(400);
  expect((await logInAs(shop, email, OTHER)).status).toBe(401);
  expect((await logInAs(shop, email, PASSWORD)).status).toBe(200);
});

test('if several verification links for one e-mail address are used concurrently, only one creates the account', async () => {
  const shop = await openShop();
  const email = address();
  const tokens = [];
  for (const words of [PASSWORD, OTHER, PASSWORD]) tokens.push((await givenRegistration(shop, email, words)).token);

  const answers = await Promise.all(tokens.map((token) => shop.storefront.POST(verify, { body: { token } })));

  expect(answers.map(({ response }) => response.status).toSorted()).toEqual([200, 400, 400]);
});

test('resending a verification mail sends a link for each registration, with its time', async () => {
  const shop = await openShop();
  const email = address();
  await givenRegistration(shop, email, PASSWORD);
  await givenRegistration(shop, email, OTHER);
  await shop.owner.query(
    sql`update commerce.customer_registrations set created_at = '2026-03-02T08:22:00Z'
      where site_id = ${shop.site_id} and id = (
        select id from commerce.customer_registrations where site_id = ${shop.site_id} order by id limit 1)`,
  );

  await shop.storefront.POST(resend, { body: { email } });
  const { html } = await newestTo(shop, email);
  const [own = ''] = /Monday, 2 March 2026, 08:22:00 UTC.*?(vrf_[0-9A-Za-z]{38})/s.exec(html)?.slice(1) ?? [];
  const { response } = await shop.storefront.POST(verify, { body: { token: own } });

  expect(html).toContain('more than once');
  expect(response.status).toBe(200);
  expect((await logInAs(shop, email, OTHER)).status).toBe(401);
  expect((await logInAs(shop, email, PASSWORD)).status).toBe(200);
});

test('registering an e-mail address that has an account mails a warning to its owner, and changes nothing', async () => {
  const shop = await openShop();
  const { email } = await shop.givenCustomer();

  const taken = await shop.storefront.POST(register, { body: { email, password: OTHER } });
  const free = await shop.storefront.POST(register, { body: { email: address(), password: OTHER } });
  const { subject, token } = await newestTo(shop, email);

  expect([taken.response.status, taken.data]).toEqual([free.response.status, free.data]);
  expect([subject, token]).toEqual([expect.stringContaining('You already have an account'), '']);
  expect((await logInAs(shop, email, PASSWORD)).status).toBe(200);
  expect((await logInAs(shop, email, OTHER)).status).toBe(401);
});

test('a customer created by staff keeps their data and gets the password of the registration', async () => {
  const shop = await openShop();
  const email = address();
  const { data: entered } = await shop.dashboard.POST('/api/dashboard/customers', {
    body: { email, first_name: 'Juniper', note: 'Likes blue' },
  });

  const { token } = await givenRegistration(shop, email);
  const { data } = await shop.storefront.POST(verify, { body: { token } });

  expect(data).toMatchObject({ id: entered?.id, first_name: 'Juniper' });
});

test('an account gets only the guest orders with its verified e-mail address, in upper or lower case', async () => {
  const shop = await openShop();
  const email = address();
  const order = (to: string) =>
    shop.owner.query(
      sql`insert into commerce.orders (site_id, id, order_number, email, subtotal, total, currency, status,
          payment_status, fulfillment_status, source)
        values (${shop.site_id}, gen_random_uuid(), ${randomUUID()}, ${to}, 1.00, 1.00, 'EUR', 'completed', 'paid',
          'delivered', 'storefront')`,
    );
  await order(email.toUpperCase());
  await order(address());

  const { token } = await givenRegistration(shop, email);
  await shop.storefront.POST(verify, { body: { token } });
  const { session } = await logInAs(shop, email, PASSWORD);
  const { data } = await shop.storefront
    .withCustomer(session?.access_token ?? '')
    .GET('/api/storefront/customer/me/orders');

  expect(data).toMatchObject({ total: 1, orders: [{ email: email.toUpperCase() }] });
  const params = { path: { order_id: data?.orders[0]?.id ?? '' } };
  const timeline = await shop.dashboard.GET('/api/dashboard/orders/{order_id}/timeline', { params });
  expect(timeline.data?.entries).toMatchObject([
    { type: 'customer_attached', actor_type: 'guest', context: { customer_id: session?.customer.id } },
  ]);
});

test('returns the same error for a wrong password, an unknown e-mail address and an account of another shop', async () => {
  const shop = await openShop();
  const neighbour = await openShop();
  const { email } = await shop.givenCustomer();

  const answers = [
    await logInAs(shop, email, 'not the password'),
    await logInAs(shop, address(), PASSWORD),
    await logInAs(neighbour, email, PASSWORD),
  ];

  const told = answers.map(({ status, error }) => ({ status, error: { ...error, request_id: '' } }));
  expect(new Set(told.map((one) => JSON.stringify(one))).size).toBe(1);
  expect(told[0]).toMatchObject({ status: 401, error: { error: 'invalid_credentials' } });
});

test('counts concurrent wrong passwords individually, per shop and e-mail address (429)', async () => {
  const shop = await openShop();
  const neighbour = await openShop();
  const { email } = await shop.givenCustomer();
  await neighbour.givenCustomer({ email });

  // Sends the right password together with the guesses, because the delay may have ended by the time the guesses are
  // checked.
  const passwords = [...Array.from({ length: 12 }, (_, i) => `guess ${i}`), PASSWORD];
  const answers = await Promise.all(passwords.map((password) => logInAs(shop, email, password)));

  expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(8);
  expect(answers.at(-1)?.status).toBe(429);
  expect((await logInAs(neighbour, email, PASSWORD)).status).toBe(200);
});

test('rejects an invalid customer token (401) instead of treating the caller as a guest', async () => {
  const shop = await openShop();
  const neighbour = await openShop();
  const { client, access_token } = await shop.givenCustomer();
  const stranger = await neighbour.givenCustomer();
  const cartOf = (authorization: string) =>
    fetch(`${shop.baseUrl}/api/storefront/cart`, {
      method: 'POST',
      headers: {
        'X-Site-ID': shop.site_id,
        'X-Service-Token': shop.credentials.storefront_token,
        'Idempotency-Key': randomUUID(),
        Authorization: authorization,
      },
    });

  expect((await client.GET(me)).response.status).toBe(200);
  expect((await client.GET('/api/storefront/products')).response.status).toBe(200);
  expect((await shop.storefront.GET(me)).response.status).toBe(401);
  expect((await shop.storefront.withCustomer(stranger.access_token).GET(me)).response.status).toBe(401);
  expect((await cartOf(`Bearer ${access_token}`)).status).toBe(201);
  for (const wrong of [`Bearer ${stranger.access_token}`, 'Bearer cust_noise', 'Basic abc', 'Bearer', '']) {
    expect((await cartOf(wrong)).status).toBe(401);
  }
});

test('a customer token expires an hour after its last use, and 30 days after the login at the latest', async () => {
  const shop = await openShop();
  const { client, session } = await shop.givenCustomer();
  const endsIn = async (expires: string, renewable: string) =>
    shop.owner.query(
      sql`update commerce.customer_tokens set expires_at = now() + ${expires}::interval,
        renewable_until = now() + ${renewable}::interval where site_id = ${shop.site_id}`,
    );
  const minutesLeft = async () => {
    const { rows } = await shop.owner.query<{ minutes: number }>(
      sql`select extract(epoch from expires_at - now())::float8 / 60 as minutes from commerce.customer_tokens
        where site_id = ${shop.site_id}`,
    );
    return rows[0]?.minutes;
  };

  const minutes = (Date.parse(session.expires_at) - Date.now()) / 60_000;
  const days = (Date.parse(session.renewable_until) - Date.now()) / 86_400_000;
  expect([minutes, days]).toEqual([expect.closeTo(60, 0), expect.closeTo(30, 1)]);
  await endsIn('1 minute', '20 days');
  expect((await client.GET(me)).response.status).toBe(200);
  await expect.poll(minutesLeft).toBeCloseTo(60, 0);
  await endsIn('1 minute', '30 minutes');
  expect((await client.GET(me)).response.status).toBe(200);
  await expect.poll(minutesLeft).toBeCloseTo(30, 0);
  await endsIn('0', '30 minutes');
  expect((await client.GET(me)).response.status).toBe(401);
  await endsIn('1 hour', '0');
  expect((await client.GET(me)).response.status).toBe(401);
});

test('renewing a customer token returns a new one, and the old one works for at most another minute', async () => {
  const shop = await openShop();
  const { client, session } = await shop.givenCustomer();

  const { data: renewed } = await client.POST(refresh);
  const both = [client, shop.storefront.withCustomer(renewed?.access_token ?? '')];

  expect(renewed).toMatchObject({ renewable_until: session.renewable_until, customer: { id: session.customer.id } });
  expect(renewed?.access_token).not.toBe(session.access_token);
  for (const one of both) expect((await one.GET(me)).response.status).toBe(200);
  const { rows } = await shop.owner.query<{ seconds: number }>(
    sql`select extract(epoch from expires_at - now())::float8 as seconds from commerce.customer_tokens
      where site_id = ${shop.site_id} and replaced_at is not null`,
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.seconds).toBeLessThanOrEqual(60);
});

test('a logout ends all tokens of its session, even concurrently renewed ones, but no other session', async () => {
  const shop = await openShop();
  const { client, email } = await shop.givenCustomer();
  const { session: other } = await logInAs(shop, email, PASSWORD);

  const renewals = Array.from({ length: 8 }, () => client.POST(refresh));
  const [{ response }, ...renewed] = await Promise.all([client.POST(logout), ...renewals]);

  expect(response.status).toBe(204);
  for (const { data } of renewed) {
    if (data) expect((await shop.storefront.withCustomer(data.access_token).GET(me)).response.status).toBe(401);
  }
  expect((await client.GET(me)).response.status).toBe(401);
  expect((await shop.storefront.withCustomer(other?.access_token ?? '').GET(me)).response.status).toBe(200);
});

test("logging out everywhere ends all sessions of the customer, even concurrently renewed ones, but no one else's", async () => {
  const shop = await openShop();
  const { client, email } = await shop.givenCustomer();
  const { session: other } = await logInAs(shop, email, PASSWORD);
  const neighbour = await shop.givenCustomer();

  const renewals = Array.from({ length: 4 }, () => client.POST(refresh));
  const [{ response }, ...renewed] = await Promise.all([
    client.POST('/api/storefront/customer/logout-all'),
    ...renewals,
  ]);

  expect(response.status).toBe(204);
  const tokens = [other, ...renewed.map(({ data }) => data)].flatMap((session) => session?.access_token ?? []);
  for (const token of tokens) {
    expect((await shop.storefront.withCustomer(token).GET(me)).response.status).toBe(401);
  }
  expect((await client.GET(me)).response.status).toBe(401);
  expect((await neighbour.client.GET(me)).response.status).toBe(200);
  expect((await logInAs(shop, email, PASSWORD)).status).toBe(200);
});

test('repeating a login or renewal with the same Idempotency-Key returns the same token until it is revoked', async () => {
  const shop = await openShop();
  const { email } = await shop.givenCustomer();
  const keyed = () => ({ params: { header: { 'Idempotency-Key': randomUUID() } } });
  const call = { body: { email, password: PASSWORD }, ...keyed() };

  const first = await shop.storefront.POST(login, call);
  const again = await shop.storefront.POST(login, call);
  const client = shop.storefront.withCustomer(first.data?.access_token ?? '');
  const renewal = keyed();
  const renewed = await client.POST(refresh, renewal);
  const renewedAgain = await client.POST(refresh, renewal);
  await client.POST(logout);
  const dead = await shop.storefront.POST(login, call);

  expect(again.data).toEqual(first.data);
  expect(renewedAgain.data).toEqual(renewed.data);
  expect([dead.response.status, dead.error]).toMatchObject([409, { error: 'key_not_active' }]);
});

test('rejects an Idempotency-Key that another session of the customer has used (422)', async () => {
  const shop = await openShop();
  const { client, email } = await shop.givenCustomer();
  const { session } = await logInAs(shop, email, PASSWORD);
  const call = { params: { header: { 'Idempotency-Key': randomUUID() } } };
  await client.POST(refresh, call);

  const { error, response } = await shop.storefront.withCustomer(session?.access_token ?? '').POST(refresh, call);

  expect(response.status).toBe(422);
  expect(error).toMatchObject({ detail: [{ type: 'idempotency_conflict' }] });
});

test('a password reset link works once, sets a new password and ends every session', async () => {
  const shop = await openShop();
  const { client, email } = await shop.givenCustomer();

  const known = await shop.storefront.POST(resetRequest, { body: { email: email.toUpperCase() } });
  const unknown = await shop.storefront.POST(resetRequest, { body: { email: address() } });
  const { token, html } = await newestTo(shop, email);
  const tries = await Promise.all(
    [1, 2, 3].map(() => shop.storefront.POST(reset, { body: { token, new_password: OTHER } })),
  );

  expect([known.response.status, known.data]).toEqual([unknown.response.status, unknown.data]);
  expect(html).toContain(`http://localhost/account/${shop.site_id}/reset/${token}`);
  expect(tries.map(({ response }) => response.status).toSorted()).toEqual([200, 400, 400]);
  expect(tries.find(({ data }) => data)?.data).toMatchObject({ email });
  expect(tries.find(({ error }) => error)?.error).toMatchObject({ error: 'reset_token_invalid' });
  expect((await client.GET(me)).response.status).toBe(401);
  expect((await logInAs(shop, email, PASSWORD)).status).toBe(401);
  expect((await logInAs(shop, email, OTHER)).status).toBe(200);
  expect((await newestTo(shop, email)).subject).toContain('has changed');
});

test('a password reset link is invalid after 30 minutes, after a newer one was sent, and in another shop', async () => {
  const shop = await openShop();
  const neighbour = await openShop();
  const { email } = await shop.givenCustomer();
  const request = async () => {
    await shop.storefront.POST(resetRequest, { body: { email } });
    return (await newestTo(shop, email)).token;
  };
  const statusOf = async ({ storefront }: OpenShop, token: string) =>
    (await storefront.POST(reset, { body: { token, new_password: OTHER } })).response.status;
  const first = await request();
  const second = await request();

  expect(await statusOf(shop, first)).toBe(400);
  expect(await statusOf(neighbour, second)).toBe(400);
  const { rows } = await shop.owner.query<{ minutes: number }>(
    sql`select extract(epoch from expires_at - now())::float8 / 60 as minutes from commerce.customer_codes
      where site_id = ${shop.site_id} and used_at is null`,
  );
  await shop.owner.query(sql`update commerce.customer_codes set expires_at = now() where site_id = ${shop.site_id}`);
  expect(rows[0]?.minutes).toBeCloseTo(30, 0);
  expect(await statusOf(shop, second)).toBe(400);
  expect((await logInAs(shop, email, PASSWORD)).status).toBe(200);
});

test('a password reset for an unknown e-mail address sends no mail, and queued jobs contain no secrets', async () => {
  const shop = await openShop();
  const email = address();
  await shop.storefront.POST(resetRequest, { body: { email } });
  await shop.storefront.POST(resend, { body: { email } });
  // Another test that delivers mails may deliver ours, so this repeats until one is seen in the queue.
  const rows = await vi.waitUntil(async () => {
    await shop.storefront.POST(register, { body: { email: address(), password: PASSWORD } });
    const queued = await shop.owner.query(
      sql`select payload from graphile_worker._private_jobs where payload ->> 'site_id' = ${shop.site_id}`,
    );
    return queued.rows.length > 0 && queued.rows;
  });

  expect(JSON.stringify(rows)).not.toMatch(/vrf_|rst_|argon2|staple/);
  expect(await mailsTo(shop, email)).toEqual([]);
});

test('an update changes only the given profile fields, and null clears a field', async () => {
  const shop = await openShop();
  const { client } = await shop.givenCustomer();

  await client.PATCH(me, { body: { phone: '+49 30 1234567', marketing_opt_in: true } });
  const { data } = await client.PATCH(me, { body: { last_name: null } });

  expect(data).toMatchObject({ first_name: 'June', last_name: null, phone: '+49 30 1234567', marketing_opt_in: true });
  expect((await client.GET(me)).data).toEqual(data);
});

test('changing the e-mail address requires the password, and takes effect once the mailed link is used', async () => {
  const shop = await openShop();
  const { client, email } = await shop.givenCustomer();
  const next = address();

  const wrong = await client.PATCH(me, { body: { email: next, current_password: 'not the password' } });
  const asked = await client.PATCH(me, { body: { email: next, current_password: PASSWORD } });
  const { token } = await newestTo(shop, next);
  const { data } = await shop.storefront.POST(verify, { body: { token } });

  expect([wrong.response.status, wrong.error]).toMatchObject([401, { error: 'invalid_credentials' }]);
  expect(asked.data).toMatchObject({ email });
  expect(data).toMatchObject({ email: next });
  expect((await client.GET(me)).data).toMatchObject({ email: next });
  expect((await logInAs(shop, email, PASSWORD)).status).toBe(401);
  expect((await logInAs(shop, next, PASSWORD)).status).toBe(200);
  expect((await newestTo(shop, email)).subject).toContain('has changed');
});

test('changing to the e-mail address of another customer has no effect, and does not reveal that customer', async () => {
  const shop = await openShop();
  const { client, email } = await shop.givenCustomer();
  const other = await shop.givenCustomer();

  const { data } = await client.PATCH(me, { body: { email: other.email, current_password: PASSWORD } });

  expect(data).toMatchObject({ email });
  expect(await newestTo(shop, other.email)).toMatchObject({ subject: expect.stringContaining('Someone'), token: '' });
});

test('changing the password ends every session except the current one', async () => {
  const shop = await openShop();
  const { client, email } = await shop.givenCustomer();
  const { session } = await logInAs(shop, email, PASSWORD);
  await shop.storefront.POST(resetRequest, { body: { email } });
  const { token } = await newestTo(shop, email);

  const wrong = await client.POST(password, { body: { current_password: OTHER, new_password: OTHER } });
  const changed = await client.POST(password, { body: { current_password: PASSWORD, new_password: OTHER } });

  expect(wrong.response.status).toBe(401);
  expect(changed.data).toMatchObject({ email });
  expect((await client.GET(me)).response.status).toBe(200);
  expect((await shop.storefront.withCustomer(session?.access_token ?? '').GET(me)).response.status).toBe(401);
  expect((await shop.storefront.POST(reset, { body: { token, new_password: PASSWORD } })).response.status).toBe(400);
  expect((await logInAs(shop, email, OTHER)).status).toBe(200);
});

test('closing an account deletes it, detaches its carts, and frees its e-mail address', async () => {
  const shop = await openShop();
  const { client, id, email } = await shop.givenCustomer();
  const cart = await shop.givenCart('10.00', client);
  await client.POST('/api/storefront/customer/me/addresses', { body: ADDRESS });

  const { data } = await client.DELETE(me);

  expect(data).toEqual({ id, deleted: true });
  expect((await client.GET(me)).response.status).toBe(401);
  expect((await logInAs(shop, email, PASSWORD)).status).toBe(401);
  const path = { customer_id: id };
  expect(
    (await shop.dashboard.GET('/api/dashboard/customers/{customer_id}', { params: { path } })).response.status,
  ).toBe(404);
  const { rows } = await shop.owner.query(
    sql`select customer_id, status from commerce.carts where site_id = ${shop.site_id} and id = ${cart.id}`,
  );
  expect(rows).toEqual([{ customer_id: null, status: 'expired' }]);
  await expect(shop.givenCustomer({ email })).resolves.toMatchObject({ email });
});

test('closing an account releases the stock and the discount code of its checkout', async () => {
  const shop = await openShop();
  const { client } = await shop.givenCustomer();
  const { variants } = await shop.givenProduct({ inventory_quantity: 3 });
  const cart = await shop.givenCart([{ variant_id: variants[0]?.id ?? '', quantity: 3 }], client);
  await shop.givenDiscount({ usage_limit: 1 });
  const path = { cart_id: cart.id };
  await client.POST('/api/storefront/cart/{cart_id}/discounts', { params: { path }, body: { code: 'TEN' } });
  const { data } = await client.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });

  await client.DELETE(me);

  expect(data).toMatchObject({ status: 'open' });
  const { rows } = await shop.owner.query(
    sql`select v.reserved, d.usage_count, c.status, c.email from commerce.variants v
      join commerce.discounts d using (site_id) join commerce.checkouts c using (site_id) where site_id = ${shop.site_id}`,
  );
  expect(rows).toEqual([{ reserved: 0, usage_count: 0, status: 'cancelled', email: null }]);
});

const ADDRESS = { last_name: 'Okafor', address1: 'Elm Street 1', city: 'Berlin', postal_code: '10115', country: 'DE' };

test('a login merges the guest cart, and succeeds even if the cart cannot be merged', async () => {
  const shop = await openShop();
  const { email } = await shop.givenCustomer();
  const guest = await shop.givenCart();
  const body = { email, password: PASSWORD, cart_id: guest.id };

  const { data } = await shop.storefront.POST(login, { body });
  const again = await shop.storefront.POST(login, { body });
  const unknown = await shop.storefront.POST(login, { body: { ...body, cart_id: randomUUID() } });

  expect(data?.cart_id).not.toBe(guest.id);
  const path = { cart_id: data?.cart_id ?? '' };
  const cart = await shop.storefront
    .withCustomer(data?.access_token ?? '')
    .GET('/api/storefront/cart/{cart_id}', { params: { path } });
  expect(cart.data).toMatchObject({ items: [{ quantity: 1 }] });
  expect([again.data?.cart_id, unknown.data?.cart_id]).toEqual([data?.cart_id, data?.cart_id]);
});

test('a shopper who logs in during the checkout keeps the last item in stock', async () => {
  const shop = await openShop();
  await shop.givenTerms();
  const { email } = await shop.givenCustomer();
  const product = await shop.givenProduct({ inventory_quantity: 1 });
  const guest = await shop.givenCart([{ variant_id: product.variants[0]?.id ?? '', quantity: 1 }]);
  const checkouts = '/api/storefront/checkout';
  const before = await shop.storefront.POST(checkouts, { body: { cart_id: guest.id } });
  expect(before.response.status).toBe(201);

  const { data } = await shop.storefront.POST(login, { body: { email, password: PASSWORD, cart_id: guest.id } });

  const customer = shop.storefront.withCustomer(data?.access_token ?? '');
  const after = await customer.POST(checkouts, { body: { cart_id: data?.cart_id ?? '' } });
  expect(after.response.status).toBe(201);
  expect(after.data?.items).toMatchObject([{ quantity: 1, available: true }]);
  const path = { checkout_id: before.data?.id ?? '' };
  const old = await shop.storefront.GET('/api/storefront/checkout/{checkout_id}', { params: { path } });
  expect(old.data).toMatchObject({ status: 'cancelled', reserved_until: null });
  const { data: stock } = await shop.dashboard.GET('/api/dashboard/inventory', {
    params: { query: { product_id: product.id } },
  });
  expect(stock?.inventory).toMatchObject([{ on_hand: 1, reserved: 1 }]);
});
