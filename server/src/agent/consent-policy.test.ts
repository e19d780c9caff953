import type { AgentPolicy } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { approve, askForConsent, poll } from '../../test/agents.ts';
import { openShop } from '../../test/shop.ts';
import { draw } from '../shop/rate-counts.ts';

const consent = '/api/storefront/customer/me/agent-consent/{user_code}';
const DAY_MS = 86_400_000;

type OpenShop = Awaited<ReturnType<typeof openShop>>;
type Customer = Awaited<ReturnType<OpenShop['givenCustomer']>>;

/** Changes the shop's policy for agents. */
async function allow({ dashboard }: OpenShop, change: Partial<AgentPolicy>) {
  const policy = { enabled: true, max_budget_cents: 100_000, max_lifetime_days: 90, password_above_cents: null };
  const { error } = await dashboard.PATCH('/api/dashboard/settings', {
    body: { agent_policy: { ...policy, ...change } },
  });
  if (error) throw new Error(`The policy was refused: ${JSON.stringify(error)}`);
}

/** Opens a shop where an agent has requested a budget of 900.00 for 60 days, which the policy allows. */
async function givenLargeRequest() {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  await allow(shop, {});
  const expires_at = new Date(Date.now() + 60 * DAY_MS).toISOString();
  return { shop, customer, asked: await askForConsent(shop, { budget_cents: 90_000, expires_at }) };
}

async function look({ client }: Customer, user_code: string) {
  return client.GET(consent, { params: { path: { user_code } } });
}

test('an approval is limited by the current policy, even if the request was made before the policy changed', async () => {
  const { shop, customer, asked } = await givenLargeRequest();
  await allow(shop, { max_budget_cents: 1_000, max_lifetime_days: 1 });

  const { data: shown } = await look(customer, asked.user_code);
  const tooMuch = await approve(customer, asked.user_code, { budget_cents: 1_001 });
  await approve(customer, asked.user_code);
  const { data: token } = await poll(shop, asked.device_code);

  expect(shown).toMatchObject({ budget_cents: 1_000 });
  expect(Date.parse(shown?.token_expires_at ?? '')).toBeLessThanOrEqual(Date.now() + DAY_MS);
  expect([tooMuch.response.status, tooMuch.error]).toMatchObject([422, { detail: [{ ctx: { le: 1_000 } }] }]);
  expect(token).toMatchObject({ budget_cents: 1_000 });
  expect(token?.expires_in).toBeGreaterThan(DAY_MS / 1_000 - 60);
  expect(token?.expires_in).toBeLessThanOrEqual(DAY_MS / 1_000);
});

test('a stricter policy does not change an existing approval', async () => {
  const { shop, customer, asked } = await givenLargeRequest();
  await approve(customer, asked.user_code);
  await allow(shop, { max_budget_cents: 1_000, max_lifetime_days: 1 });

  const { data: token } = await poll(shop, asked.device_code);

  expect(token).toMatchObject({ budget_cents: 90_000 });
});

test('once the shop disables agents, approvals are rejected and polls return no token', async () => {
  const { shop, customer, asked } = await givenLargeRequest();
  const pending = await askForConsent(shop);
  await approve(customer, asked.user_code);
  await allow(shop, { enabled: false });

  const refused = await approve(customer, pending.user_code);
  const polls = [await poll(shop, asked.device_code), await poll(shop, pending.device_code)];

  expect(refused.error).toMatchObject({ error: 'agents_not_allowed' });
  expect(polls.map(({ error }) => error?.error)).toEqual(['access_denied', 'access_denied']);
});

test('an IP address can try ten unknown user codes an hour, across all accounts (429)', async () => {
  const shop = await openShop();
  const customers = await Promise.all(Array.from({ length: 4 }, () => shop.givenCustomer()));

  const guesses = await Promise.all(customers.flatMap((one) => [1, 2, 3, 4].map(() => look(one, 'BBBB-BBBB'))));

  const statuses = guesses.map(({ response }) => response.status).sort();
  expect(statuses).toEqual([...Array(10).fill(404), ...Array(6).fill(429)]);
});

test('a shop accepts fifty unknown user codes an hour, from all accounts together (429)', async () => {
  const shop = await openShop();
  const [customer, other] = [await shop.givenCustomer(), await shop.givenCustomer()];
  const inShop = { key: `user_code ${shop.site_id}`, points: 50, seconds: 3_600 };
  for (let guess = 0; guess < 49; guess += 1) await draw(shop.db, [inShop]);

  expect((await look(customer, 'BBBB-BBBB')).response.status).toBe(404);
  expect((await look(other, 'BBBB-BBBB')).response.status).toBe(429);
});
