import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { givenAgent } from '../../../test/agents.ts';
import { openShop } from '../../../test/shop.ts';

test('redirects a path without the API prefix to the API, and keeps method, query and body', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Blue mug' });
  const customer = await shop.givenCustomer();
  const { access_token } = await givenAgent(shop, customer);
  const agent = { Authorization: `Bearer ${access_token}` };
  const post = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
  const ask = (path: string, init: RequestInit = {}) => fetch(shop.baseUrl + path, init);

  const found = await ask('/agent/catalog/search?q=mug', { headers: agent });
  expect([found.status, await found.text()]).toEqual([200, expect.stringContaining('Blue mug')]);
  const asked = await ask('/agent/intent/find', {
    method: 'POST',
    headers: { ...agent, ...post },
    body: JSON.stringify({ query: 'a blue mug' }),
  });
  expect([asked.status, await asked.text()]).toEqual([200, expect.stringContaining('Blue mug')]);
  const login = await ask('/customer/login', {
    method: 'POST',
    headers: { ...post, 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.credentials.storefront_token },
    body: JSON.stringify({ email: customer.email, password: customer.password }),
  });
  expect([login.status, await login.json()]).toEqual([
    200,
    expect.objectContaining({ access_token: expect.any(String) }),
  ]);
});

test.each([
  ['GET', '/agent/catalog/search', '/api/agent/catalog/search'],
  ['GET', '/agent/customer/me', '/api/agent/customer/me'],
  ['GET', '/agent/audit/me?limit=5', '/api/agent/audit/me?limit=5'],
  ['POST', '/agent/intent/find', '/api/agent/intent/find'],
  ['POST', '/agent/intent/find-and-add', '/api/agent/intent/find-and-add'],
  ['POST', '/agent/intent/find-and-buy', '/api/agent/intent/find-and-buy'],
  ['POST', '/customer/login', '/api/storefront/customer/login'],
  [
    'POST',
    '/customer/me/agent-consent/BCDF-GHJK/approve',
    '/api/storefront/customer/me/agent-consent/BCDF-GHJK/approve',
  ],
])('redirects %s %s to the API (308)', async (method, path, location) => {
  const { baseUrl } = await openShop();
  const answer = await fetch(baseUrl + path, { method, redirect: 'manual' });
  expect([answer.status, answer.headers.get('Location')]).toEqual([308, location]);
});

test.each([
  ['POST', '/agent/catalog/search'],
  ['GET', '/customer/me'],
  ['GET', '/agent/carts'],
  ['GET', '/agent-consent'],
])('%s %s is not redirected', async (method, path) => {
  const { baseUrl } = await openShop();
  const answer = await fetch(baseUrl + path, { method, redirect: 'manual' });
  expect(answer.status).not.toBe(308);
});
