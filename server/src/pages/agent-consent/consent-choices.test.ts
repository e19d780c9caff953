import { randomUUID } from 'node:crypto';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { approve, askForConsent, givenAgent, poll } from '../../../test/agents.ts';
import {
  atConsent,
  beginAuthorization,
  exchange,
  leadsTo,
  REDIRECT_URI,
  registeredClient,
} from '../../../test/oauth.ts';
import { PaperBrowser } from '../../../test/paper-browser.ts';
import { openShop } from '../../../test/shop.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;
type Customer = Awaited<ReturnType<Shop['givenCustomer']>>;
type Asked = Awaited<ReturnType<typeof askForConsent>>;

const DAY_SECONDS = 86_400;

/** Requests consent as a standard OAuth client does, with a form. */
async function askByForm({ baseUrl, site_id }: Shop, fields: Record<string, string>): Promise<Asked> {
  const answer = await fetch(`${baseUrl}/api/agent/consent/request?site_id=${site_id}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  if (answer.status !== 200) throw new Error(await answer.text());
  return (await answer.json()) as Asked;
}

/** Opens the page of a device request in the browser of a logged-in customer. */
async function opened(shop: Shop, customer: Customer, { verification_uri_complete }: Asked, language = 'en') {
  const browser = new PaperBrowser(shop.baseUrl, { 'Accept-Language': language });
  const { email, password } = customer;
  const page = await browser.press(await browser.open(verification_uri_complete), 'log_in', { email, password });
  return { browser, page };
}

async function limitAgents({ owner, site_id }: Shop, policy: object): Promise<void> {
  await owner.query(
    sql`update commerce.site_settings set agent_policy = agent_policy || ${JSON.stringify(policy)}::jsonb
      where site_id = ${site_id}`,
  );
}

const valuesOf = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`name="${name}" value="([^"]*)"( checked)?`, 'g'))].map(([, value, on]) => [
    value,
    !!on,
  ]);

test('a device request of a registered client shows the registered name on the consent page, and keeps the registration', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { client_id } = (await registeredClient(shop)).clientMetadata();
  const asked = await askByForm(shop, { client_id, scope: 'catalog:read' });

  const { browser, page } = await opened(shop, customer, asked);
  const done = await browser.press(page, 'approve', { same_code: 'yes' });
  const { data } = await poll(shop, asked.device_code);

  expect(page.html).toContain('Stock client');
  expect(page.html).not.toContain(client_id);
  expect(done.html).toContain('You have allowed access');
  expect(data).toMatchObject({ agent_name: 'Stock client', budget_cents: 0 });
  const { rows } = await shop.owner.query(
    sql`select expires_at > now() + interval '80 days' as kept from commerce.oauth_clients where client_id = ${client_id}`,
  );
  expect(rows).toEqual([{ kept: true }]);
});

test('the consent page shows an unknown client_id as the name, and ignores registrations in other shops', async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const { client_id } = (await registeredClient(other)).clientMetadata();
  const { page } = await opened(shop, await shop.givenCustomer(), await askByForm(shop, { client_id }));

  expect(page.html).toContain(client_id);
  expect(page.html).not.toContain('Stock client');
});

test("a device request without a budget asks the customer for one, up to the shop's limit", async () => {
  const shop = await openShop();
  await limitAgents(shop, { max_budget_cents: 30_000 });
  const customer = await shop.givenCustomer();
  const asked = await askByForm(shop, { client_id: 'Helper' });
  const { browser, page } = await opened(shop, customer, asked);

  const empty = await browser.press(page, 'approve', { same_code: 'yes' });
  const high = await browser.press(page, 'approve', { same_code: 'yes', budget: '300.01' });
  const done = await browser.press(page, 'approve', { same_code: 'yes', budget: '300' });
  const { data } = await poll(shop, asked.device_code);

  expect(page.html).toMatch(/name="budget" type="text" value=""/);
  expect(page.html).toContain('At most €300.00 in total');
  expect(page.html).toContain('The budget that you enter');
  expect([empty.response.status, empty.html]).toEqual([422, expect.stringContaining('Enter an amount such as 25.00')]);
  expect([high.response.status, high.html]).toEqual([422, expect.stringContaining('not raise it above')]);
  expect(done.html).toContain('You have allowed access');
  expect(data).toMatchObject({ budget_cents: 30_000 });
});

test("a replacement request without a budget does not show the shop's limit as the new budget", async () => {
  const shop = await openShop();
  await limitAgents(shop, { max_budget_cents: 80_000 });
  const customer = await shop.givenCustomer();
  const { access_token } = await givenAgent(shop, customer, { budget_cents: 4_000 });
  const body = { agent_name: 'Again', scopes: ['catalog:read', 'checkout:create'] };
  const answer = await fetch(`${shop.baseUrl}/api/agent/consent/request?site_id=${shop.site_id}`, {
    method: 'POST',
    headers: {
      ...{ Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' },
      'Idempotency-Key': randomUUID(),
    },
    body: JSON.stringify(body),
  });
  const { page } = await opened(shop, customer, (await answer.json()) as Asked);

  const changes = page.html.slice(page.html.indexOf('class="changes"'), page.html.indexOf('<form method="post"'));
  expect(changes).toContain('Budget');
  expect(changes).toContain('The budget that you enter');
  expect(changes).not.toContain('€800');
});

test("approving a request without a budget over the API grants the customer's budget, or 0 if none is given", async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const [silent, named] = [await askByForm(shop, { client_id: 'A' }), await askByForm(shop, { client_id: 'B' })];
  const params = { path: { user_code: silent.user_code } };

  const seen = await customer.client.GET('/api/storefront/customer/me/agent-consent/{user_code}', { params });
  await approve(customer, silent.user_code);
  await approve(customer, named.user_code, { budget_cents: 2_500 });
  const budgets = [await poll(shop, silent.device_code), await poll(shop, named.device_code)].map(
    ({ data }) => data?.budget_cents,
  );

  expect(seen.data).toMatchObject({ budget_named: false, worst_case_cents: 0, lifetime_choices: [7, 30, 90] });
  expect(budgets).toEqual([0, 2_500]);
});

test("the consent page offers 7, 30 or 90 days up to the shop's maximum, with 7 as the default", async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const lifetimes: unknown[] = [];
  for (const chosen of [undefined, '30', '90', '365']) {
    const asked = await askForConsent(shop);
    const { browser, page } = await opened(shop, customer, asked);
    expect(valuesOf(page.html, 'lifetime_days')).toEqual([
      ['7', true],
      ['30', false],
      ['90', false],
    ]);
    await browser.press(page, 'approve', { same_code: 'yes', ...(chosen && { lifetime_days: chosen }) });
    const { data } = await poll(shop, asked.device_code);
    lifetimes.push(Math.round((data?.expires_in ?? 0) / DAY_SECONDS));
  }
  expect(lifetimes).toEqual([7, 30, 90, 7]);

  await limitAgents(shop, { max_lifetime_days: 30 });
  const monthly = await opened(shop, customer, await askForConsent(shop));
  await limitAgents(shop, { max_lifetime_days: 5 });
  const shortest = await opened(shop, customer, await askForConsent(shop));
  expect(valuesOf(monthly.page.html, 'lifetime_days').map(([value]) => value)).toEqual(['7', '30']);
  expect(valuesOf(shortest.page.html, 'lifetime_days')).toEqual([]);
});

test('the authorization code flow offers 7, 30 or 90 days, and a 90-day token works on day 80 and expires on day 90', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const config = await registeredClient(shop);
  const begun = await beginAuthorization(config);
  const { browser, page } = await atConsent(shop, customer, begun.address);
  const back = leadsTo(await browser.press(page, 'approve', { budget: '20.00', lifetime_days: '90' }));
  const { body } = await exchange(shop, {
    code: back?.searchParams.get('code') ?? '',
    client_id: config.clientMetadata().client_id,
    redirect_uri: REDIRECT_URI,
    code_verifier: begun.code_verifier,
  });
  const headers = { Authorization: `Bearer ${body.access_token}` };
  /** Moves the token's times into the past instead of setting the clock forward. */
  const statusAfter = async (days: number) => {
    await shop.owner.query(
      sql`update commerce.tokens set expires_at = expires_at - ${days} * interval '1 day' where id = ${body.token_id}`,
    );
    return (await fetch(`${shop.baseUrl}/api/agent/token`, { headers })).status;
  };

  expect(valuesOf(page.html, 'lifetime_days').map(([value]) => value)).toEqual(['7', '30', '90']);
  expect(Math.round(Number(body.expires_in) / DAY_SECONDS)).toBe(90);
  expect([await statusAfter(80), await statusAfter(10)]).toEqual([200, 401]);
});

test('if the agent requested an expiry, the consent page offers no other, and an approval cannot extend it', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const expires_at = new Date(Date.now() + 3 * DAY_SECONDS * 1000).toISOString();
  const asked = await askForConsent(shop, { expires_at });
  const { page } = await opened(shop, customer, asked);

  await approve(customer, asked.user_code, { lifetime_days: 30 });
  const { data } = await poll(shop, asked.device_code);

  expect(valuesOf(page.html, 'lifetime_days')).toEqual([]);
  expect(data?.expires_at).toBe(expires_at);
});

test('during a rolling upgrade, a consent request keeps its requested expiry, and one without a budget stores the budget 0', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const expires_at = new Date(Date.now() + DAY_SECONDS * 1000).toISOString();
  const asked = await askForConsent(shop, { expires_at });
  // An older process does not know the column, so its requests have the default value.
  await shop.owner.query(
    sql`update commerce.agent_consents set lifetime_named = default where site_id = ${shop.site_id}`,
  );
  const { browser, page } = await opened(shop, customer, asked);
  await browser.press(page, 'approve', { same_code: 'yes' });
  const { data } = await poll(shop, asked.device_code);

  expect(data?.expires_at).toBe(expires_at);
  // An older process grants `budget_cents`, or the limit of the shop if it is null.
  await askByForm(shop, { client_id: 'Helper' });
  const { rows } = await shop.owner.query(
    sql`select budget_cents::int from commerce.agent_consents where site_id = ${shop.site_id} and status = 'pending'`,
  );
  expect(rows).toEqual([{ budget_cents: 0 }]);
});

test("rejects an approval over the API whose lifetime exceeds the shop's maximum, and names the field (422)", async () => {
  const shop = await openShop();
  await limitAgents(shop, { max_lifetime_days: 30 });
  const customer = await shop.givenCustomer();
  const { user_code } = await askForConsent(shop);

  const beyond = await approve(customer, user_code, { lifetime_days: 31 });
  const within = await approve(customer, user_code, { lifetime_days: 30 });

  expect(beyond.error).toMatchObject({ detail: [{ loc: ['body', 'lifetime_days'], ctx: { le: 30 } }] });
  expect(within.response.status).toBe(200);
});

test("a weekly budget for 90 days requires the password if the sum of all weeks exceeds the shop's threshold", async () => {
  const shop = await openShop();
  await limitAgents(shop, { password_above_cents: 10_000 });
  const customer = await shop.givenCustomer();
  const asked = await askForConsent(shop, { budget_cents: 2_000, budget_period: 'week' });
  const { browser, page } = await opened(shop, customer, asked);

  const longer = await browser.press(page, 'approve', { same_code: 'yes', lifetime_days: '90' });
  const done = await browser.press(longer, 'approve', { same_code: 'yes', password: customer.password });

  expect(page.html).not.toContain('name="password"');
  expect([longer.response.status, longer.html]).toEqual([403, expect.stringContaining('Enter your password to allow')]);
  expect(done.html).toContain('You have allowed access');
  const { data } = await poll(shop, asked.device_code);
  expect(Math.round((data?.expires_in ?? 0) / DAY_SECONDS)).toBe(90);
});

test('the consent page shows the code, then a summary in three lines, then the other fields in a collapsed section', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  for (const product_type of ['Travel', 'ätherische Öle', 'Kitchen', 'Audio'])
    await shop.givenProduct({ product_type });
  const asked = await askForConsent(shop, {
    ...{
      scopes: ['catalog:read', 'checkout:create'],
      budget_cents: 5_000,
      budget_period: 'month',
      max_per_order_cents: 2_000,
    },
  });
  const { browser, page } = await opened(shop, customer, asked);
  const { html } = page;

  const order = ['class="user-code"', 'name="same_code"', '>It may<', '>Up to<', '>Until<', '<details class="adjust">'];
  const places = order.map((part) => html.indexOf(part));
  expect(places.every((place) => place > 0)).toBe(true);
  expect(places.toSorted((a, b) => a - b)).toEqual(places);
  expect(html).toContain('<li>See the shop’s products</li><li>Prepare purchases, which you confirm or decline</li>');
  expect(html).toContain('€50.00 each month · at most €20.00 per purchase');
  const folded = html.slice(html.indexOf('<details'), html.indexOf('</details>'));
  for (const name of ['scope_0', 'budget', 'max_per_order', 'budget_period', 'lifetime_days', 'category_0'])
    expect(folded).toContain(`name="${name}"`);
  const titles = [...folded.matchAll(/name="category_\d+" value="([^"]*)"/g)].map(([, value]) => value);
  expect(titles).toEqual(['ätherische Öle', 'Audio', 'Kitchen', 'Travel']);

  // A mistake in the collapsed section opens the section. A mistake outside does not.
  const high = await browser.press(page, 'approve', { same_code: 'yes', budget: '60.00' });
  const uncompared = await browser.press(page, 'approve');
  expect(high.html).toContain('<details class="adjust" open>');
  expect(uncompared.html).toContain('<details class="adjust">');
});

test.each([
  ['en', 'Nothing: it can only browse', 'Adjust', '30 days'],
  ['de', 'Nichts: Er kann sich nur umsehen', 'Anpassen', '30 Tage'],
  ['fr', 'il peut seulement parcourir la boutique', 'Modifier', '30 jours'],
])('the consent page contains the texts of the language %s', async (language, browses, adjust, days) => {
  const shop = await openShop();
  const asked = await askForConsent(shop, { scopes: ['catalog:read'], budget_cents: 0 });
  const { page } = await opened(shop, await shop.givenCustomer(), asked, language);

  for (const words of [browses, `<summary>${adjust}</summary>`, days]) expect(page.html).toContain(words);
});
