import { expect, test } from 'vitest';
import { approve, askForConsent, givenAgent, poll } from '../../../test/agents.ts';
import { PaperBrowser } from '../../../test/paper-browser.ts';
import { openShop } from '../../../test/shop.ts';
import { draw } from '../../shop/rate-counts.ts';

type Wish = Parameters<typeof askForConsent>[1];

/** Opens a shop with a customer, the customer's browser, and a consent request of an agent. */
async function givenRequest(wish: Wish = {}) {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const asked = await askForConsent(shop, wish);
  return { shop, customer, asked, browser: new PaperBrowser(shop.baseUrl) };
}

type Given = Awaited<ReturnType<typeof givenRequest>>;

async function loggedIn({ browser, customer, asked }: Given) {
  const page = await browser.open(asked.verification_uri_complete);
  return browser.press(page, 'log_in', { email: customer.email, password: customer.password });
}

test('a customer sees the agent’s request and approves it, and the agent gets its token', async () => {
  const given = await givenRequest({
    agent_name: 'Helpful <b>bot</b>',
    budget_cents: 5_000,
    categories: ['Kitchen', 'Travel'],
  });
  const page = await loggedIn(given);
  expect(page.html).toContain('Helpful &lt;b&gt;bot&lt;/b&gt;');
  expect(page.html).toContain('Nobody has verified it');
  expect(page.html).toContain('€50.00');
  expect(page.html).toContain(given.asked.user_code);
  expect((await poll(given.shop, given.asked.device_code)).error).toMatchObject({ error: 'authorization_pending' });

  const done = await given.browser.press(page, 'approve', { budget: '20.00', category_1: '', same_code: 'yes' });
  expect(done.html).toContain('You have allowed access');
  const { data } = await poll(given.shop, given.asked.device_code);
  expect(data).toMatchObject({ token_type: 'Bearer', categories: ['Kitchen'] });
  const { data: list } = await given.customer.client.GET('/api/storefront/customer/me/agents');
  expect(list?.agent_tokens).toMatchObject([{ budget_cents: 2_000, categories: ['Kitchen'], status: 'active' }]);
});

test('hides the consent request before login and after a wrong password', async () => {
  const given = await givenRequest({ agent_name: 'Helpful bot' });
  const { browser, customer, asked } = given;
  const page = await browser.open(asked.verification_uri_complete);
  expect(page.html).not.toContain('Helpful bot');
  const refused = await browser.press(page, 'log_in', { email: customer.email, password: 'not the password' });
  expect(refused.response.status).toBe(401);
  expect(refused.html).not.toContain('not the password');
  expect(refused.html).not.toContain('Helpful bot');
});

test('a consent request that was denied can no longer be approved', async () => {
  const given = await givenRequest();
  const page = await loggedIn(given);
  expect((await given.browser.press(page, 'deny')).html).toContain('You have refused access');
  const later = await given.browser.press(page, 'approve', { budget: '1.00', same_code: 'yes' });
  expect(later.html).toContain('You have refused access');
  expect((await poll(given.shop, given.asked.device_code)).error).toMatchObject({ error: 'access_denied' });
});

test('shows mistakes in a consent form at their fields, and approves nothing', async () => {
  const given = await givenRequest({ budget_cents: 5_000 });
  const page = await loggedIn(given);
  for (const [fields, message] of [
    [{ budget: '60.00', same_code: 'yes' }, 'You can lower the budget, but not raise it'],
    [{ budget: 'much', same_code: 'yes' }, 'Enter an amount such as 25.00'],
    [{ budget: '10.00' }, 'Compare the codes, and tick the box if they are the same'],
  ] as const) {
    const answer = await given.browser.press(page, 'approve', fields);
    expect([answer.response.status, answer.html]).toEqual([422, expect.stringContaining(message)]);
  }
  expect((await poll(given.shop, given.asked.device_code)).error).toMatchObject({ error: 'authorization_pending' });
});

test('accepts a typed user code, rejects an unknown one (404), and answers 429 after five wrong guesses', async () => {
  const given = await givenRequest();
  const { browser, customer, asked } = given;
  const start = await browser.open(asked.verification_uri);
  const entry = await browser.press(start, 'log_in', { email: customer.email, password: customer.password });
  const shown = await browser.press(entry, 'enter_code', {
    user_code: asked.user_code.toLowerCase().replace('-', ' '),
  });
  expect(shown.html).toContain('Allow this assistant to shop for you?');

  for (let guess = 0; guess < 5; guess += 1) {
    const wrong = await browser.press(entry, 'enter_code', { user_code: 'BBBB-BBBB' });
    expect([wrong.response.status, wrong.html]).toEqual([
      404,
      expect.stringContaining('There is no request with this code'),
    ]);
  }
  expect((await browser.press(entry, 'enter_code', { user_code: 'BBBB-BBBB' })).response.status).toBe(429);
});

test("accepts a pending user code after strangers have used up the shop's guesses, and rejects an unknown one (429)", async () => {
  const given = await givenRequest();
  const { browser, shop, asked } = given;
  const other = await askForConsent(shop);
  const inShop = { key: `user_code ${shop.site_id}`, points: 50, seconds: 900 };
  for (let guess = 0; guess < 50; guess += 1) await draw(shop.db, [inShop]);

  const page = await loggedIn(given);
  const unsealed = await browser.open(`${asked.verification_uri}&user_code=${asked.user_code}`);
  const seal = new URL(other.verification_uri_complete).searchParams.get('seal');
  const otherSeal = await browser.open(`${asked.verification_uri}&user_code=${asked.user_code}&seal=${seal}`);
  const unknown = await browser.open(`${asked.verification_uri}&user_code=BCDF-GHJK`);
  const allowed = await browser.press(page, 'approve', { budget: '1.00', same_code: 'yes' });

  expect([page, unsealed, otherSeal, unknown].map(({ response }) => response.status)).toEqual([200, 200, 200, 429]);
  expect(unknown.html).toContain('Open the link that the assistant shows');
  expect(allowed.html).toContain('You have allowed access');
});

test('marks the description that an agent gives of itself as unverified, and truncates it', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const claim =
    'VERIFIED by the shop. This is its official assistant, see https://evil.example/x. Please press Allow. ';
  const { site_id, baseUrl } = shop;
  const answer = await fetch(`${baseUrl}/api/agent/consent/request?site_id=${site_id}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'User-Agent': claim.repeat(5) },
    body: new URLSearchParams({ client_id: 'Helpful bot', scope: 'catalog:read' }),
  });
  const asked = (await answer.json()) as Given['asked'];

  const page = await loggedIn({ shop, customer, asked, browser: new PaperBrowser(baseUrl) });

  const [, shown = ''] = /Self-reported software: <q dir="auto">([^<]*)<\/q> \(not verified\)/.exec(page.html) ?? [];
  expect(shown).toMatch(/^VERIFIED by the shop/);
  expect(shown.length).toBeLessThanOrEqual(80);
  expect(page.html).not.toContain('evil.example');
});

test('hides a consent request that another customer has already approved', async () => {
  const given = await givenRequest();
  const other = await given.shop.givenCustomer();
  await approve(other, given.asked.user_code);
  expect((await loggedIn(given)).html).toContain('There is no request with this code');
});

test("replaces the customer's session at login and at approval", async () => {
  const given = await givenRequest();
  const { owner, site_id } = given.shop;
  const page = await loggedIn(given);
  const tokens = () =>
    owner.query('select id, revoked_at from commerce.customer_tokens where site_id = $1 order by created_at, id', [
      site_id,
    ]);
  const before = (await tokens()).rows.at(-1);
  await given.browser.press(page, 'approve', { budget: '1.00', same_code: 'yes' });
  const { rows } = await tokens();
  expect(rows.find(({ id }) => id === before.id).revoked_at).not.toBeNull();
  expect(rows.at(-1)?.revoked_at).toBeNull();
});

test('a customer session of one shop is not valid in another', async () => {
  const given = await givenRequest();
  await loggedIn(given);
  const other = await openShop();
  const asked = await askForConsent(other);
  expect((await given.browser.open(asked.verification_uri_complete)).html).toContain('value="log_in"');
});

test('the account page lists agents and their actions, and lets the customer revoke an agent', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { agent } = await givenAgent(shop, customer, { agent_name: 'Helpful bot' });
  await agent.GET('/api/agent/catalog/search');
  const browser = new PaperBrowser(shop.baseUrl);
  const start = await browser.open(`/account?site_id=${shop.site_id}`);
  await browser.press(start, 'log_in', { email: customer.email, password: customer.password });
  const page = await browser.open(`/account?site_id=${shop.site_id}&view=assistants`);
  expect(page.html).toMatch(/Helpful bot<\/strong>[\s\S]{0,200}Self-reported name \(not verified\)/);
  const activity = /href="([^"]*agent=[^"]*)"/.exec(page.html)?.[1]?.replace('&amp;', '&') ?? '';
  expect((await browser.open(activity)).html).toContain('Searched the catalogue');

  const revoked = await browser.press(page, 'revoke');
  expect(revoked.html).toContain('Revoked');
  expect((await agent.GET('/api/agent/catalog/search')).response.status).toBe(401);

  const out = await browser.press(revoked, 'log_out');
  expect(out.html).toContain('Log in to your account');
});

test('only the customer of an agent can confirm a checkout that the agent prepared, after login on the checkout page', async () => {
  const shop = await openShop();
  await shop.givenTerms();
  await shop.givenProduct({ name: 'Stoneware mug', price: '14.00' });
  const customer = await shop.givenCustomer();
  const { agent } = await givenAgent(shop, customer, { agent_name: 'Helpful bot' });
  const { data } = await agent.POST('/api/agent/intent/find-and-buy', { body: { query: 'stoneware mug' } });
  const url = data?.checkout_url ?? '';

  const stranger = await shop.givenCustomer();
  const theirs = new PaperBrowser(shop.baseUrl);
  const closed = await theirs.open(url);
  expect(closed.html).not.toContain('Stoneware mug');
  const other = await theirs.press(closed, 'log_in', { email: stranger.email, password: stranger.password });
  expect(other.html).toContain('was prepared for someone else');
  expect(other.html).not.toContain('Stoneware mug');

  const browser = new PaperBrowser(shop.baseUrl);
  const open = await browser.press(await browser.open(url), 'log_in', {
    email: customer.email,
    password: customer.password,
  });
  expect(open.html).toContain(
    'An assistant named <strong dir="auto">Helpful bot</strong> (self-reported, not verified) has prepared this purchase for you',
  );
  const filled = {
    shipping_country: 'DE',
    shipping_last_name: 'Okafor',
    shipping_address1: 'Lindenallee 7',
    shipping_postal_code: '10115',
    shipping_city: 'Berlin',
  };
  const review = await browser.press(open, 'save', { ...filled, payment_method: 'bank_transfer' });
  const done = await browser.press(review, 'place_order');
  expect(done.html).toContain('DE89 3704 0044 0532 0130 00');
  const { data: me } = await agent.GET('/api/agent/customer/me');
  expect(me?.agent_token.budget_used_cents).toBe(1_890);
  expect((await new PaperBrowser(shop.baseUrl).open(url)).html).not.toContain('Lindenallee');
});

test.each([
  ['merchant', 'The shop has since revoked its access.'],
  ['customer', 'You have since revoked its access.'],
  ['agent', 'It has since ended its access.'],
] as const)('a checkout can still be confirmed after the %s has revoked its agent', async (by, sentence) => {
  const shop = await openShop();
  await shop.givenTerms();
  await shop.givenProduct({ name: 'Stoneware mug', price: '14.00' });
  const customer = await shop.givenCustomer();
  const { agent, token_id } = await givenAgent(shop, customer);
  const { data } = await agent.POST('/api/agent/intent/find-and-buy', { body: { query: 'stoneware mug' } });
  const browser = new PaperBrowser(shop.baseUrl);
  const login = { email: customer.email, password: customer.password };
  const before = await browser.press(await browser.open(data?.checkout_url ?? ''), 'log_in', login);

  const params = { path: { agent_token_id: token_id } };
  if (by === 'merchant') await shop.dashboard.DELETE('/api/dashboard/agent-tokens/{agent_token_id}', { params });
  if (by === 'customer')
    await customer.client.DELETE('/api/storefront/customer/me/agents/{agent_token_id}', { params });
  if (by === 'agent') await agent.DELETE('/api/agent/token');
  const after = await browser.open(data?.checkout_url ?? '');
  const account = await browser.open(`/account?site_id=${shop.site_id}`);

  expect(before.html).not.toContain(sentence);
  expect(after.html).toContain(`<strong>${sentence}</strong> You can still place this order, or ignore it.`);
  expect(account.html).toContain(`€14.00</data>. ${sentence}`);
  const address = { shipping_country: 'DE', shipping_last_name: 'Okafor', shipping_address1: 'Lindenallee 7' };
  const review = await browser.press(after, 'save', {
    ...address,
    shipping_postal_code: '10115',
    shipping_city: 'Berlin',
    payment_method: 'bank_transfer',
  });
  expect((await browser.press(review, 'place_order')).html).toContain('DE89 3704 0044 0532 0130 00');
});
