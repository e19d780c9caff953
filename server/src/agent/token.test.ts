import { randomUUID } from 'node:crypto';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { ALL_SCOPES, askForConsent, givenAgent } from '../../test/agents.ts';
import { startServer, stopServer } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { operationTable } from '../http/contract/contract.ts';

const me = '/api/agent/customer/me';
const agents = '/api/storefront/customer/me/agents';

test("an agent can read its customer's data and its own permissions", async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { agent, token_id } = await givenAgent(shop, customer, { categories: ['Kitchen'] });

  const { data } = await agent.GET(me);

  expect(data).toMatchObject({
    id: customer.id,
    email: customer.email,
    agent_token: { id: token_id, scopes: ALL_SCOPES, categories: ['Kitchen'], budget_cents: 10_000, status: 'active' },
  });
});

test('a token revoked by the customer, the merchant or the agent is rejected at the next call, by every server process', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const second = await startServer(databaseUrl());
  const enders: [
    string,
    (token_id: string, agent: Awaited<ReturnType<typeof givenAgent>>['agent']) => Promise<unknown>,
  ][] = [
    [
      'customer',
      (agent_token_id) =>
        customer.client.DELETE(`${agents}/{agent_token_id}`, { params: { path: { agent_token_id } } }),
    ],
    [
      'merchant',
      (agent_token_id) =>
        shop.dashboard.DELETE('/api/dashboard/agent-tokens/{agent_token_id}', { params: { path: { agent_token_id } } }),
    ],
    ['agent', (_id, agent) => agent.DELETE('/api/agent/token')],
  ];
  for (const [by, end] of enders) {
    const { agent, token_id, access_token } = await givenAgent(shop, customer);
    expect((await agent.GET(me)).response.status).toBe(200);

    await end(token_id, agent);

    const here = await agent.GET(me);
    const there = await fetch(`${second.baseUrl}${me}`, { headers: { Authorization: `Bearer ${access_token}` } });
    expect([here.response.status, here.error, there.status]).toMatchObject([401, { error: 'invalid_token' }, 401]);
    const { data } = await customer.client.GET(agents);
    expect(data?.agent_tokens.find(({ id }) => id === token_id)).toMatchObject({ status: 'revoked', revoked_by: by });
  }
  await stopServer(second);
});

test('an agent token is rejected after its expiry (401)', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { agent, token_id } = await givenAgent(shop, customer);
  await shop.owner.query(sql`update commerce.tokens set expires_at = now() where id = ${token_id}`);

  expect((await agent.GET(me)).response.status).toBe(401);
  const { data } = await customer.client.GET(agents);
  expect(data?.agent_tokens).toMatchObject([{ id: token_id, status: 'expired', revoked_by: null }]);
});

test('closing or anonymising an account revokes its agents, which the merchant can still list', async () => {
  const shop = await openShop();
  const [closed, forgotten] = [await shop.givenCustomer(), await shop.givenCustomer()];
  const [first, second] = [await givenAgent(shop, closed), await givenAgent(shop, forgotten)];
  await askForConsent(shop);

  await closed.client.DELETE('/api/storefront/customer/me');
  const params = { path: { customer_id: forgotten.id } };
  await shop.dashboard.POST('/api/dashboard/customers/{customer_id}/anonymize', { params });

  expect((await first.agent.GET(me)).response.status).toBe(401);
  expect((await second.agent.GET(me)).response.status).toBe(401);
  const { data } = await shop.dashboard.GET('/api/dashboard/agent-tokens', {
    params: { query: { status: 'revoked' } },
  });
  expect(data).toMatchObject({
    total: 2,
    agent_tokens: [
      { id: second.token_id, customer_id: forgotten.id, revoked_by: 'system' },
      { id: first.token_id, customer_id: null, revoked_by: 'system' },
    ],
  });
});

test('rejects operations beyond the scopes of an agent (403 insufficient_scope)', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { agent } = await givenAgent(shop, customer, { scopes: ['catalog:read'] });

  const profile = await agent.GET(me);
  const orders = await agent.GET('/api/agent/orders');
  const own = await agent.GET('/api/agent/audit/me');

  expect([profile.response.status, profile.error]).toMatchObject([
    403,
    { error: 'insufficient_scope', scope: 'customer:self' },
  ]);
  expect(orders.error).toMatchObject({ error: 'insufficient_scope', scope: 'orders:read' });
  expect(own.response.status).toBe(200);
});

test('an agent token alone is rejected by all other APIs (401) and by operations for people only (403)', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { access_token } = await givenAgent(shop, customer);
  const bearer = { Authorization: `Bearer ${access_token}`, 'Idempotency-Key': randomUUID() };
  const beside = { ...bearer, 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.credentials.storefront_token };
  const others = operationTable.filter(({ surface, security }) => surface !== 'agent' && security.length > 0);
  expect(others.length).toBeGreaterThan(80);

  for (const { method, path, id, humanOnly, security, surface } of others) {
    const url = `${shop.baseUrl}${path.replaceAll(/\{\w+\}/g, randomUUID())}`;
    const ask = (headers: Record<string, string>) => fetch(url, { method: method.toUpperCase(), headers });
    expect([id, (await ask(bearer)).status]).toEqual([id, humanOnly ? 403 : 401]);
    if (security.some((schemes) => schemes.includes('AgentToken'))) continue;
    const answer = await ask(beside);
    const refused = surface === 'storefront' ? 403 : 401;
    const error = humanOnly ? 'human_confirmation_required' : refused === 403 ? 'insufficient_scope' : 'unauthorized';
    expect([id, answer.status, ((await answer.json()) as { error: string }).error]).toEqual([id, refused, error]);
  }
});

test('an agent fills its own cart with the storefront token within its budget, and the customer places the order', async () => {
  const shop = await openShop();
  await shop.givenTerms();
  const customer = await shop.givenCustomer();
  const { access_token } = await givenAgent(shop, customer, { budget_cents: 2500 });
  const agent = shop.storefront.withCustomer(access_token);
  const { variants } = await shop.givenProduct({ price: '10.00' });
  const line = { variant_id: variants[0]?.id ?? '', quantity: 2 };

  const { data: cart } = await agent.POST('/api/storefront/cart');
  const cart_id = cart?.id ?? '';
  const added = await agent.POST('/api/storefront/cart/{cart_id}/items', { params: { path: { cart_id } }, body: line });
  const beyond = await agent.POST('/api/storefront/cart/{cart_id}/items', {
    params: { path: { cart_id } },
    body: { ...line, quantity: 1 },
  });
  const begun = await agent.POST('/api/storefront/checkout', { body: { cart_id } });
  const params = { path: { checkout_id: begun.data?.id ?? '' } };
  const byAgent = await agent.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} });
  const foreign = await agent.GET('/api/storefront/cart/{cart_id}', {
    params: { path: { cart_id: (await shop.givenCart()).id } },
  });
  const ready = await shop.givenCheckout({ cart_id, client: customer.client });
  const bought = await customer.client.POST('/api/storefront/checkout/{checkout_id}/complete', {
    params: { path: { checkout_id: ready.id } },
    body: { expected_total: ready.total },
  });

  expect(added.data?.total).toBe('20.00');
  expect(beyond.error).toMatchObject({ error: 'budget_exceeded' });
  expect(begun.data?.status).toBe('requires_escalation');
  expect(byAgent.error).toMatchObject({ error: 'human_confirmation_required' });
  expect(foreign.error).toMatchObject({ error: 'not_found' });
  expect(bought.data?.order.source).toBe('agent');
});

test('an agent token works alone or with a storefront token, and only in its own shop', async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const customer = await shop.givenCustomer();
  const { access_token } = await givenAgent(shop, customer);
  const ask = async (headers: Record<string, string>) =>
    (await fetch(`${shop.baseUrl}${me}`, { headers: { Authorization: `Bearer ${access_token}`, ...headers } })).status;

  expect(await ask({ 'X-Site-ID': shop.site_id })).toBe(200);
  expect(await ask({ 'X-Site-ID': other.site_id })).toBe(401);
  const { storefront_token } = shop.credentials;
  expect(await ask({ 'X-Site-ID': shop.site_id, 'X-Service-Token': storefront_token })).toBe(200);
  expect(await ask({ 'X-Service-Token': storefront_token })).toBe(401);
  const foreign = { 'X-Site-ID': shop.site_id, 'X-Service-Token': other.credentials.storefront_token };
  expect(await ask(foreign)).toBe(401);
  expect(await ask({ 'X-API-Key': shop.credentials.api_key })).toBe(401);
  expect(await ask({ Authorization: `Bearer ${customer.access_token}` })).toBe(401);
});

test('customers can see and revoke only their own agents, and merchants only the agents of their own shop', async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const [customer, second] = [await shop.givenCustomer(), await shop.givenCustomer()];
  const { agent, token_id: agent_token_id } = await givenAgent(shop, customer);
  const params = { path: { agent_token_id } };

  const seen = await second.client.GET(agents);
  const ended = await second.client.DELETE(`${agents}/{agent_token_id}`, { params });
  const read = await second.client.GET(`${agents}/{agent_token_id}/audit`, { params });
  const foreign = await other.dashboard.DELETE('/api/dashboard/agent-tokens/{agent_token_id}', { params });

  expect(seen.data?.agent_tokens).toEqual([]);
  expect([ended, read, foreign].map(({ response }) => response.status)).toEqual([404, 404, 404]);
  expect((await agent.GET(me)).response.status).toBe(200);
  const filter = { query: { customer_id: customer.id } };
  const { data } = await shop.dashboard.GET('/api/dashboard/agent-tokens', { params: filter });
  expect(data).toMatchObject({ total: 1, agent_tokens: [{ id: agent_token_id }] });
});

test('rejects every call with a revoked token that starts after the response to the revocation', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  for (let round = 0; round < 5; round += 1) {
    const { agent, token_id: agent_token_id } = await givenAgent(shop, customer);
    let revoked = false;
    const calls: Promise<{ after: boolean; status: number }>[] = [];
    const call = async () => {
      const after = revoked;
      const { response } = await agent.GET(me);
      return { after, status: response.status };
    };
    for (let i = 0; i < 8; i += 1) calls.push(call());
    const params = { path: { agent_token_id } };
    await customer.client.DELETE(`${agents}/{agent_token_id}`, { params });
    revoked = true;
    for (let i = 0; i < 8; i += 1) calls.push(call());

    const answers = await Promise.all(calls);

    expect(answers.filter(({ after, status }) => after && status !== 401)).toEqual([]);
  }
});
