import { randomUUID } from 'node:crypto';
import * as oauth from 'openid-client';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { approve, askForConsent, givenAgent, poll } from '../../test/agents.ts';
import { mailsTo } from '../../test/mail.ts';
import { openShop } from '../../test/shop.ts';

const consent = '/api/storefront/customer/me/agent-consent/{user_code}';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

/** Clears the time of the last poll, as if the polling interval had passed. */
async function wait({ owner, site_id }: OpenShop) {
  await owner.query(sql`update commerce.agent_consents set last_polled_at = null where site_id = ${site_id}`);
}

async function age({ owner, site_id }: OpenShop, interval: string) {
  await owner.query(
    sql`update commerce.agent_consents set expires_at = expires_at - ${interval}::interval where site_id = ${site_id}`,
  );
}

async function activeTokens({ owner, site_id }: OpenShop): Promise<number> {
  const { rowCount } = await owner.query(
    sql`select from commerce.tokens where site_id = ${site_id} and kind = 'agent' and revoked_at is null`,
  );
  return rowCount ?? 0;
}

test('a poll returns a token only after the customer has approved the request', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const asked = await askForConsent(shop, { budget_cents: 5000, categories: ['Kitchen'] });
  expect(asked).toMatchObject({
    expires_in: 900,
    interval: 5,
    user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
  });
  const { verification_uri, verification_uri_complete } = asked;
  expect(verification_uri_complete).toMatch(/&user_code=[A-Z]{4}-[A-Z]{4}&seal=[\w-]{22}$/);
  expect(verification_uri_complete.startsWith(`${verification_uri}&user_code=${asked.user_code}&`)).toBe(true);

  const early = await poll(shop, asked.device_code);
  const approved = await approve(customer, asked.user_code);
  const { data: token } = await poll(shop, asked.device_code);
  const later = await poll(shop, asked.device_code);

  expect([early.response.status, early.error]).toMatchObject([
    400,
    { error: 'authorization_pending', retryable: true },
  ]);
  expect((early.error as { error_description?: string }).error_description).toBeTypeOf('string');
  expect(early.response.headers.get('Retry-After')).toBe('5');
  expect(approved.data).toMatchObject({ status: 'approved', agent_name: 'Shopping assistant', budget_cents: 5000 });
  expect(token).toMatchObject({ token_type: 'Bearer', budget_cents: 5000, categories: ['Kitchen'], currency: 'EUR' });
  expect(token?.access_token).toMatch(/^agt_\w{38}$/);
  expect(token?.expires_in).toBeGreaterThan(7 * 24 * 3600 - 60);
  expect(later.error).toMatchObject({ error: 'invalid_grant' });
});

test("the customer sees the requested permissions and the agent's name before deciding", async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { user_code } = await askForConsent(shop, { agent_name: 'Bargain bot', scopes: ['catalog:read'] });

  const typed = user_code.toLowerCase().replace('-', ' ');
  const { data } = await customer.client.GET(consent, { params: { path: { user_code: typed } } });

  expect(data).toMatchObject({
    user_code,
    status: 'pending',
    agent_name: 'Bargain bot',
    scopes: ['catalog:read'],
    currency: 'EUR',
    requested_from: { ip: expect.any(String) },
    password_required: false,
  });
});

test('each poll before the interval has passed permanently adds five seconds to the interval', async () => {
  const shop = await openShop();
  const { device_code } = await askForConsent(shop);
  await poll(shop, device_code);

  const second = await poll(shop, device_code);
  const third = await poll(shop, device_code);
  await wait(shop);
  const patient = await poll(shop, device_code);

  expect([second.error, third.error]).toMatchObject([
    { error: 'slow_down', interval: 10 },
    { error: 'slow_down', interval: 15 },
  ]);
  expect(patient.error).toMatchObject({ error: 'authorization_pending' });
  expect(patient.response.headers.get('Retry-After')).toBe('15');
});

test('of 64 concurrent polls after the approval, exactly one gets a token', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { device_code, user_code } = await askForConsent(shop);
  await approve(customer, user_code);

  const polls = await Promise.all(Array.from({ length: 64 }, () => poll(shop, device_code)));

  expect(polls.filter(({ data }) => data)).toHaveLength(1);
  expect(new Set(polls.flatMap(({ error }) => (error ? [error.error] : [])))).toEqual(new Set(['invalid_grant']));
  expect(await activeTokens(shop)).toBe(1);
});

test('a customer can have at most ten active agents (agent_cap_exceeded), and revoking one makes room for another', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const asked = await Promise.all(Array.from({ length: 12 }, () => askForConsent(shop)));
  for (const { user_code } of asked) await approve(customer, user_code);

  const polls = await Promise.all(
    asked.flatMap(({ device_code }) =>
      [0, 1, 2, 3].map(() => poll(shop, device_code).then((got) => ({ ...got, device_code }))),
    ),
  );

  const got = polls.flatMap(({ data }) => (data ? [data] : []));
  expect(got).toHaveLength(10);
  expect(await activeTokens(shop)).toBe(10);
  const capped = polls.find(({ error }) => error?.error === 'agent_cap_exceeded');
  expect(capped?.response.status).toBe(400);

  const path = { agent_token_id: got[0]?.token_id ?? '' };
  await customer.client.DELETE('/api/storefront/customer/me/agents/{agent_token_id}', { params: { path } });
  const { data: eleventh } = await poll(shop, capped?.device_code ?? '');
  expect(eleventh?.access_token).toMatch(/^agt_/);
  expect(await activeTokens(shop)).toBe(10);
});

test('a denied or expired request gets no token and cannot be decided again', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const [denied, old, late] = [await askForConsent(shop), await askForConsent(shop), await askForConsent(shop)];
  const params = { path: { user_code: denied.user_code } };
  const { data } = await customer.client.POST(`${consent}/deny`, { params });
  expect(data?.status).toBe('denied');
  expect((await approve(customer, denied.user_code)).error).toMatchObject({
    error: 'consent_not_pending',
    status: 'denied',
  });
  expect((await poll(shop, denied.device_code)).error).toMatchObject({ error: 'access_denied' });

  await approve(customer, late.user_code);
  await age(shop, '900 seconds');

  const refused = await approve(customer, old.user_code);
  expect([refused.response.status, refused.error]).toMatchObject([410, { error: 'consent_expired' }]);
  expect((await poll(shop, old.device_code)).error).toMatchObject({ error: 'expired_token' });
  expect((await poll(shop, late.device_code)).error).toMatchObject({ error: 'expired_token' });
});

test('a consent request can be approved only once, but can still be denied until the token is fetched', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { device_code, user_code } = await askForConsent(shop);
  await approve(customer, user_code);

  const again = await approve(customer, user_code);
  const { data: denied } = await customer.client.POST(`${consent}/deny`, { params: { path: { user_code } } });

  expect([again.response.status, again.error]).toMatchObject([
    409,
    { error: 'consent_not_pending', status: 'approved' },
  ]);
  expect(denied?.status).toBe('denied');
  expect((await poll(shop, device_code)).error).toMatchObject({ error: 'access_denied' });
});

test('reading or approving a consent request returns 401 for guests, and 404 for customers of other shops and for others once it is approved', async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const [customer, second, foreign] = [
    await shop.givenCustomer(),
    await shop.givenCustomer(),
    await other.givenCustomer(),
  ];
  const { user_code } = await askForConsent(shop);
  const { response } = await shop.storefront.GET(consent as never, { params: { path: { user_code } } } as never);
  expect(response.status).toBe(401);
  expect((await approve(foreign, user_code)).response.status).toBe(404);

  await approve(customer, user_code);

  expect((await approve(second, user_code)).response.status).toBe(404);
  expect((await second.client.POST(`${consent}/deny`, { params: { path: { user_code } } })).response.status).toBe(404);
});

test('the customer can approve less than the agent requested, but not more (422)', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { device_code, user_code } = await askForConsent(shop, { categories: ['Kitchen', 'Garden'] });

  const more = await approve(customer, user_code, { budget_cents: 10_001, categories: ['Kitchen', 'Attic'] });
  const less = await approve(customer, user_code, { budget_cents: 2000, categories: ['kitchen'] });
  const { data: token } = await poll(shop, device_code);

  expect(more.response.status).toBe(422);
  expect((more.error as { detail: { loc: unknown }[] }).detail.map(({ loc }) => loc)).toEqual([
    ['body', 'categories'],
    ['body', 'budget_cents'],
  ]);
  expect(less.data).toMatchObject({ budget_cents: 2000, categories: ['Kitchen'] });
  expect(token).toMatchObject({ budget_cents: 2000, categories: ['Kitchen'] });
});

test("approving a budget above the shop's threshold, or with a login older than 15 minutes, needs the password", async () => {
  const shop = await openShop();
  const agent_policy = { enabled: true, max_budget_cents: 20_000, max_lifetime_days: 30, password_above_cents: 5000 };
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { agent_policy } });
  const customer = await shop.givenCustomer();
  const [dear, cheap] = [await askForConsent(shop), await askForConsent(shop, { budget_cents: 5000 })];

  const bare = await approve(customer, dear.user_code);
  const wrong = await approve(customer, dear.user_code, { current_password: 'not this one' });
  const shown = await approve(customer, dear.user_code, { current_password: customer.password });
  await shop.owner.query(
    sql`update commerce.customer_tokens set renewable_until = renewable_until - interval '16 minutes'
      where site_id = ${shop.site_id}`,
  );
  const old = await approve(customer, cheap.user_code);

  expect([bare.response.status, bare.error]).toMatchObject([403, { error: 'password_required' }]);
  expect([wrong.response.status, wrong.error]).toMatchObject([401, { error: 'invalid_credentials' }]);
  expect(shown.data?.status).toBe('approved');
  expect(old.error).toMatchObject({ error: 'password_required' });
});

test("rejects invalid values and values beyond the shop's policy (422), and a request if agents are disabled (403)", async () => {
  const shop = await openShop();
  const policy = { enabled: true, max_budget_cents: 1000, max_lifetime_days: 2 };
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { agent_policy: policy } });
  const ask = async (body: object) => {
    const response = await fetch(`${shop.baseUrl}/api/agent/consent/request?site_id=${shop.site_id}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { error: string; detail?: { loc: string[] }[] };
    return [response.status, answer.detail?.map(({ loc }) => loc.at(-1)) ?? answer.error];
  };
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

  expect(await ask({ agent_name: 'A', budget_cents: 1001, expires_at: inDays(3) })).toEqual([
    422,
    ['budget_cents', 'expires_at'],
  ]);
  expect(await ask({ agent_name: 'A', expires_at: inDays(-1) })).toEqual([422, ['expires_at']]);
  expect(await ask({ scope: 'catalog:read admin' })).toEqual([422, ['agent_name', 'scope']]);
  expect(await ask({ agent_name: 'A', scopes: ['everything'] })).toEqual([422, [0]]);
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { agent_policy: { ...policy, enabled: false } } });
  expect(await ask({ agent_name: 'A' })).toEqual([403, 'agents_not_allowed']);
});

test('a consent request names the shop in a header or the query, and needs an Idempotency-Key if its body is JSON', async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const ask = async (query: string, headers: Record<string, string>) => {
    const response = await fetch(`${shop.baseUrl}/api/agent/consent/request${query}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: '{"agent_name":"A"}',
    });
    const answer = (await response.json()) as { detail?: { loc: string[] }[] };
    return [response.status, answer.detail?.map(({ loc }) => loc.at(-1))];
  };
  const key = { 'Idempotency-Key': randomUUID() };

  expect(await ask('', { ...key, 'X-Site-ID': shop.site_id })).toEqual([200, undefined]);
  expect(await ask('', {})).toEqual([422, ['Idempotency-Key', 'site_id']]);
  expect(await ask(`?site_id=${other.site_id}`, { ...key, 'X-Site-ID': shop.site_id })).toEqual([422, ['site_id']]);
  expect((await ask(`?site_id=${randomUUID()}`, key))[0]).toBe(404);
  expect((await ask('?site_id=2026-02-30T00:00:00Z', key))[0]).toBe(422);
  expect((await ask('', { ...key, 'X-Site-ID': 'no site' }))[0]).toBe(422);
});

test.each([
  ['with discovery', true],
  ['without discovery', false],
])('an unmodified OAuth client completes the device flow %s', async (_, discovers) => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const at = (path: string) => `${shop.baseUrl}${path}`;
  // The server's URLs begin with its base URL, but in this test it listens on another port.
  const local: typeof fetch = (url, init) =>
    fetch(String(url).replace(/^http:\/\/localhost(?=\/)/, shop.baseUrl), init);
  const config = discovers
    ? await oauth.discovery(
        new URL(`http://localhost/sites/${shop.site_id}`),
        'A stock client',
        undefined,
        oauth.None(),
        {
          algorithm: 'oauth2',
          execute: [oauth.allowInsecureRequests],
          [oauth.customFetch]: local as oauth.CustomFetch,
        },
      )
    : new oauth.Configuration(
        {
          issuer: at(''),
          device_authorization_endpoint: at(`/api/agent/consent/request?site_id=${shop.site_id}`),
          token_endpoint: at('/api/agent/consent/poll'),
        },
        'A stock client',
        undefined,
        oauth.None(),
      );
  oauth.allowInsecureRequests(config);
  config[oauth.customFetch] = local as oauth.CustomFetch;

  const asked = await oauth.initiateDeviceAuthorization(config, {
    scope: 'catalog:read cart:write',
    budget_cents: '2500',
  });
  const polling = oauth.pollDeviceAuthorizationGrant(config, { ...asked, interval: 0.2 });
  await approve(customer, asked.user_code);
  await wait(shop);
  const token = await polling;

  expect(asked.verification_uri).toContain('/agent-consent');
  expect(token).toMatchObject({ token_type: 'bearer', scope: 'catalog:read cart:write', budget_cents: 2500 });
  const me = await fetch(at('/api/agent/audit/me'), { headers: { Authorization: `Bearer ${token.access_token}` } });
  expect(me.status).toBe(200);
});

test('repeating a successful poll with its Idempotency-Key returns the same token, until the token is revoked', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { device_code, user_code } = await askForConsent(shop);
  const key = { 'Idempotency-Key': randomUUID() };
  const waiting = await poll(shop, device_code, key);
  await approve(customer, user_code);

  const first = await poll(shop, device_code, key);
  const replayed = await poll(shop, device_code, key);
  const path = { agent_token_id: first.data?.token_id ?? '' };
  await customer.client.DELETE('/api/storefront/customer/me/agents/{agent_token_id}', { params: { path } });
  const dead = await poll(shop, device_code, key);

  expect(waiting.error).toMatchObject({ error: 'authorization_pending' });
  expect(first.data?.access_token).toMatch(/^agt_/);
  expect(replayed.data).toEqual(first.data);
  expect(replayed.response.headers.get('Idempotency-Replayed')).toBe('true');
  expect(dead.error).toMatchObject({ error: 'key_not_active' });
});

test('only unknown user codes count toward the attempts that a customer has', async () => {
  const shop = await openShop();
  const [guesser, bystander] = [await shop.givenCustomer(), await shop.givenCustomer()];
  const { user_code } = await askForConsent(shop);
  const look = async ({ client }: typeof guesser, code: string) =>
    (await client.GET(consent, { params: { path: { user_code: code } } })).response.status;
  for (let i = 0; i < 7; i += 1) expect(await look(guesser, user_code)).toBe(200);

  const guesses = await Promise.all(Array.from({ length: 12 }, () => look(guesser, 'BBBB-BBBB')));

  expect(guesses.filter((status) => status === 404)).toHaveLength(5);
  expect(guesses.filter((status) => status === 429)).toHaveLength(7);
  expect(await look(guesser, user_code)).toBe(429);
  expect(await look(bystander, user_code)).toBe(200);
});

test('the customer gets a mail about an approval, with a link to the account page', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  await givenAgent(shop, customer, { agent_name: 'Bargain bot <b>', budget_cents: 1234 });

  const [mail] = (await mailsTo(shop, customer.email)).slice(-1);

  expect(mail?.subject).toContain('allowed an assistant');
  expect(mail?.html).toContain('€12.34');
  expect(mail?.html).toContain('Bargain bot &lt;b&gt;');
  expect(mail?.html).toContain(`/account?site_id=${shop.site_id}`);
});

test('a password change revokes approvals whose token was not fetched', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { device_code, user_code } = await askForConsent(shop);
  await approve(customer, user_code);
  await shop.storefront.POST('/api/storefront/customer/reset-request', { body: { email: customer.email } });
  const token = (await mailsTo(shop, customer.email)).findLast((mail) => mail.token)?.token ?? '';

  const body = { token, new_password: 'another horse battery staple' };
  const { response } = await shop.storefront.POST('/api/storefront/customer/reset', { body });

  expect(response.status).toBe(200);
  expect((await poll(shop, device_code)).error).toMatchObject({ error: 'access_denied' });
});
