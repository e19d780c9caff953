import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { approve, askForConsent, givenAgent, poll } from '../../test/agents.ts';
import { PaperBrowser } from '../../test/paper-browser.ts';
import { openShop } from '../../test/shop.ts';

const consent = '/api/storefront/customer/me/agent-consent/{user_code}';

type OpenShop = Awaited<ReturnType<typeof openShop>>;
type Asked = Awaited<ReturnType<typeof askForConsent>>;

/** Requests new permissions for an agent, with its current token. */
async function askAgain({ baseUrl, site_id }: OpenShop, access_token: string, wish: object) {
  const response = await fetch(`${baseUrl}/api/agent/consent/request?site_id=${site_id}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${access_token}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
    },
    body: JSON.stringify({ agent_name: 'Shopping assistant', ...wish }),
  });
  return { status: response.status, asked: (await response.json()) as Asked & { error?: string } };
}

test('an agent can request new permissions even if its customer has ten agents, and the new token replaces the old one', async () => {
  const shop = await openShop();
  const [customer, stranger] = [await shop.givenCustomer(), await shop.givenCustomer()];
  for (let i = 0; i < 9; i += 1) await givenAgent(shop, customer);
  const old = await givenAgent(shop, customer, { budget_cents: 2_000, scopes: ['catalog:read', 'customer:self'] });
  const wish = { budget_cents: 3_000, budget_period: 'week', scope: 'catalog:read checkout:create' };
  const { status, asked } = await askAgain(shop, old.access_token, wish);
  expect(status).toBe(200);

  // Only the customer of the token can see the request with its changes.
  const params = { params: { path: { user_code: asked.user_code } } };
  expect((await stranger.client.GET(consent, params)).response.status).toBe(404);
  expect((await approve(stranger, asked.user_code)).response.status).toBe(404);
  const { data: shown } = await customer.client.GET(consent, params);
  expect(shown).toMatchObject({ replaces: { id: old.token_id, budget_cents: 2_000 }, worst_case_cents: 3_000 });
  const browser = new PaperBrowser(shop.baseUrl);
  const start = await browser.open(asked.verification_uri_complete);
  const page = await browser.press(start, 'log_in', { email: customer.email, password: customer.password });
  const text = page.html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  expect(text).toContain('Newly allowed Prepare purchases, which you confirm or decline');
  expect(text).toContain('No longer allowed See your name, e-mail address and phone number');
  expect(text).toContain('Previously €20.00 in total , now €30.00 each week');
  const done = await browser.press(page, 'approve', { same_code: 'yes', max_per_order: '12.50' });
  expect(done.html).toContain('You have allowed access');

  expect((await old.agent.GET('/api/agent/token')).response.status).toBe(200);
  const polls = await Promise.all([1, 2, 3].map(() => poll(shop, asked.device_code)));
  expect(polls.filter(({ data }) => data)).toHaveLength(1);
  const issued = polls.find(({ data }) => data)?.data;
  expect(issued).toMatchObject({
    ...{ budget_cents: 3_000, budget_period: 'week', max_per_order_cents: 1_250 },
    scope: 'catalog:read checkout:create',
  });
  expect((await old.agent.GET('/api/agent/token')).response.status).toBe(401);
  const { data: list } = await customer.client.GET('/api/storefront/customer/me/agents');
  const tokens = list?.agent_tokens ?? [];
  expect(tokens.filter(({ status: state }) => state === 'active')).toHaveLength(10);
  expect(tokens.find(({ id }) => id === old.token_id)).toMatchObject({ status: 'revoked', revoked_by: 'customer' });
  const { data: audit } = await customer.client.GET('/api/storefront/customer/me/agents/{agent_token_id}/audit', {
    params: { path: { agent_token_id: old.token_id } },
  });
  expect(audit?.audit_events.map(({ action, status: given }) => [action, given])).toContainEqual([
    'agent.requestConsent',
    200,
  ]);
});

test('the token that replaces an API-only token also works only at the API, unless its request names another resource', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const resourceOf = async (id: string | undefined) => {
    const { rows } = await shop.owner.query('select resource from commerce.tokens where id = $1', [id]);
    return rows[0]?.resource;
  };
  const replaced = async (resource: string | null) => {
    const old = await givenAgent(shop, customer);
    await shop.owner.query('update commerce.tokens set resource = $2 where id = $1', [old.token_id, resource]);
    const { asked } = await askAgain(shop, old.access_token, {});
    await approve(customer, asked.user_code);
    return asked.device_code;
  };

  const { data: bound } = await poll(shop, await replaced(''));
  const { data: unbound } = await poll(shop, await replaced(null));
  const named = await fetch(`${shop.baseUrl}/sites/${shop.site_id}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: await replaced(''),
      resource: `http://localhost/sites/${shop.site_id}/mcp`,
    }),
  });

  expect(await resourceOf(bound?.token_id)).toBe('');
  expect(await resourceOf(unbound?.token_id)).toBeNull();
  expect(await resourceOf(((await named.json()) as { token_id: string }).token_id)).toBe('/mcp');
  const at = (path: string) =>
    fetch(`${shop.baseUrl}${path}`, { headers: { Authorization: `Bearer ${bound?.access_token}` } });
  expect((await at('/api/agent/token')).status).toBe(200);
  expect((await at(`/sites/${shop.site_id}/mcp`)).status).toBe(401);
});

test('a revoked token cannot request new permissions, and its earlier requests become invalid', async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const customer = await shop.givenCustomer();
  const { access_token, token_id } = await givenAgent(shop, customer);
  const [approved, pending] = [
    (await askAgain(shop, access_token, {})).asked,
    (await askAgain(shop, access_token, {})).asked,
  ];
  await approve(customer, approved.user_code);
  const elsewhere = await askAgain(other, access_token, {});
  await customer.client.DELETE('/api/storefront/customer/me/agents/{agent_token_id}', {
    params: { path: { agent_token_id: token_id } },
  });

  const late = await askAgain(shop, access_token, {});
  const refused = await approve(customer, pending.user_code);

  expect([elsewhere, late].map(({ status, asked }) => [status, asked.error])).toEqual([
    [401, 'invalid_token'],
    [401, 'invalid_token'],
  ]);
  expect((await poll(shop, approved.device_code)).error?.error).toBe('expired_token');
  expect([refused.response.status, refused.error]).toMatchObject([410, { error: 'consent_expired' }]);
});

test('rejects a misspelt category with the most similar one, and the consent page marks an unknown category', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  await shop.givenProduct({ product_type: 'Kitchen' });
  await shop.dashboard.POST('/api/dashboard/collections', {
    body: { title: 'Summer sale', handle: 'summer-sale', published: true },
  });
  await shop.dashboard.POST('/api/dashboard/collections', {
    body: { title: 'Not yet', handle: 'not-yet', published: false },
  });
  const ask = (wish: object) => askForConsent(shop, wish);

  await expect(ask({ categories: ['Travel', 'Kitchn'] })).rejects.toThrow(/"categories",1.*"nearest":"Kitchen"/);
  const { user_code } = await ask({ categories: ['kitchen', 'Travel'] });
  const open = await ask({ budget_cents: 1_000, budget_period: 'month' });
  const path = (code: string) => ({ params: { path: { user_code: code } } });
  const { data: shown } = await customer.client.GET(consent, path(user_code));
  const more = await approve(customer, open.user_code, { budget_period: 'week', categories: ['Kitchn'] });

  expect(shown?.unknown_categories).toEqual(['Travel']);
  expect(shown?.category_choices).toEqual([
    { kind: 'product_type', value: 'Kitchen', title: 'Kitchen', products: 1 },
    { kind: 'collection', value: 'summer-sale', title: 'Summer sale', products: 0 },
  ]);
  expect((more.error as { detail: { loc: unknown[] }[] }).detail.map(({ loc }) => loc)).toEqual([
    ['body', 'budget_period'],
    ['body', 'categories', 0],
  ]);
  const browser = new PaperBrowser(shop.baseUrl);
  const start = await browser.open(open.verification_uri_complete);
  const page = await browser.press(start, 'log_in', { email: customer.email, password: customer.password });
  expect(page.html).not.toContain('Not yet');
  await browser.press(page, 'approve', {
    ...{ same_code: 'yes', category_1: 'summer-sale', scope_3: '', budget_period: 'once' },
  });
  const { data: token } = await poll(shop, open.device_code);
  expect(token).toMatchObject({ categories: ['summer-sale'], budget_period: 'once', budget_resets_at: null });
  expect(token?.scope).toBe('catalog:read cart:write checkout:create orders:read');
});
