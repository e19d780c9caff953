import { randomUUID } from 'node:crypto';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { startServer, stopServer } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { mintToken } from '../shop/tokens.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

const me = '/api/agent/customer/me';

/** An agent's audit events, oldest first. */
async function eventsOf({ owner }: OpenShop, token_id: string) {
  const { rows } = await owner.query<{ action: string; status: number; correlation_id: string; hash: number }>(
    sql`select action, status, correlation_id, length(payload_hash) as hash from commerce.audit_events
      where actor_type = 'agent' and actor_id = ${token_id} order by id`,
  );
  return rows;
}

test('every call of an agent writes exactly one audit row, whether the call succeeds or fails', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { agent, access_token, token_id } = await givenAgent(shop, customer, {
    scopes: ['customer:self', 'catalog:read'],
  });
  const bearer = { Authorization: `Bearer ${access_token}` };
  const send = async (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
    (await fetch(`${shop.baseUrl}${path}`, { ...init, headers: { ...bearer, ...init.headers } })).status;
  const key = { 'Idempotency-Key': randomUUID() };
  const json = { ...key, 'Content-Type': 'application/json' };

  const calls: [number, string, number][] = [
    [await send(me), 'agent.getCustomer', 200],
    [await send(`${me}?page=1`), 'agent.getCustomer', 422],
    [await send('/api/agent/orders'), 'agent.listOrders', 403],
    [await send('/api/agent/nowhere'), 'unknown', 404],
    [await send(me, { method: 'DELETE' }), 'unknown', 405],
    [
      await send('/api/agent/intent/find', { method: 'POST', headers: json, body: '{broken' }),
      'agent.findProducts',
      422,
    ],
    [await send('/api/agent/intent/find', { method: 'POST', headers: key, body: 'a=b' }), 'agent.findProducts', 415],
    [await send(me, { headers: { 'X-API-Key': shop.credentials.api_key } }), 'agent.getCustomer', 401],
    [await send('/api/dashboard/orders'), 'dashboard.listOrders', 401],
    [await send('/api/agent/token', { method: 'DELETE', headers: key }), 'agent.revokeToken', 200],
    [await send(me), 'agent.getCustomer', 401],
  ];
  expect((await agent.GET(me)).response.status).toBe(401);

  expect(calls.map(([status]) => status)).toEqual(calls.map(([, , status]) => status));
  const expected = [
    ...calls.map(([, action, status]) => ({ action, status })),
    { action: 'agent.getCustomer', status: 401 },
  ];
  const events = await eventsOf(shop, token_id);
  expect(events).toMatchObject(expected);
  expect(events).toHaveLength(expected.length);
});

test('each replay of a call has its own audit row', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const [first, second] = [await givenAgent(shop, customer), await givenAgent(shop, customer)];
  const headers = { Authorization: `Bearer ${first.access_token}`, 'Idempotency-Key': randomUUID() };
  const end = () => fetch(`${shop.baseUrl}/api/agent/token`, { method: 'DELETE', headers });

  const answers = await Promise.all(Array.from({ length: 8 }, end));

  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  const events = await eventsOf(shop, first.token_id);
  expect(events.map(({ status }) => status).sort()).toEqual(answers.map(({ status }) => status).sort());
  expect(await eventsOf(shop, second.token_id)).toEqual([]);
});

test('even a rate-limited call writes an audit row', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { access_token, token_id } = await givenAgent(shop, customer);
  const limited = await startServer(databaseUrl(), { rateLimits: true });
  const ask = () => fetch(`${limited.baseUrl}${me}`, { headers: { Authorization: `Bearer ${access_token}` } });

  const answers: Response[] = [];
  for (let i = 0; i < 13; i += 1) answers.push(...(await Promise.all(Array.from({ length: 10 }, ask))));

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(120);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  expect(answers.at(-1)?.headers.get('RateLimit-Policy')).toBe('"agent";q=120;w=60');
  const events = await eventsOf(shop, token_id);
  expect([events.length, events.filter(({ status }) => status === 429).length]).toEqual([130, 10]);
  await stopServer(limited);
});

test("audits a call with a revoked token that is rejected before authentication, without the customer's id", async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { agent, access_token, token_id } = await givenAgent(shop, customer);
  await agent.DELETE('/api/agent/token');

  const { status } = await fetch(`${shop.baseUrl}/api/agent/intent/find`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${access_token}`, 'Content-Type': 'text/plain' },
    body: 'a mug',
  });

  expect(status).toBe(415);
  const { rows } = await shop.owner.query(
    sql`select customer_id from commerce.audit_events where actor_id = ${token_id} and status = 415`,
  );
  expect(rows).toEqual([{ customer_id: null }]);
});

test('a call with an unknown token writes no audit row', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  await givenAgent(shop, customer);
  const answers = await Promise.all(
    ['agt_noise', mintToken('agent')].map((token) =>
      fetch(`${shop.baseUrl}${me}`, { headers: { Authorization: `Bearer ${token}`, 'X-Site-ID': shop.site_id } }),
    ),
  );

  expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  const { rows } = await shop.owner.query(
    sql`select from commerce.audit_events where site_id = ${shop.site_id} and actor_type = 'agent'`,
  );
  expect(rows).toEqual([]);
});

test('the agent, the customer and the merchant read the same audit events, newest first, page by page', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { agent, token_id: agent_token_id } = await givenAgent(shop, customer);
  const neighbour = await givenAgent(shop, customer);
  await neighbour.agent.GET(me);
  for (let i = 0; i < 3; i += 1) await agent.GET(me, { headers: { 'X-Request-Id': `request-${i}` } });

  const path = { agent_token_id };
  const { data: first } = await customer.client.GET('/api/storefront/customer/me/agents/{agent_token_id}/audit', {
    params: { path, query: { limit: 2 } },
  });
  const { data: rest } = await customer.client.GET('/api/storefront/customer/me/agents/{agent_token_id}/audit', {
    params: { path, query: { limit: 2, cursor: first?.next_cursor ?? '' } },
  });
  const { data: merchants } = await shop.dashboard.GET('/api/dashboard/agent-tokens/{agent_token_id}/audit', {
    params: { path },
  });
  const { data: own } = await agent.GET('/api/agent/audit/me');

  const seen = [...(first?.audit_events ?? []), ...(rest?.audit_events ?? [])];
  expect(seen.map(({ correlation_id }) => correlation_id)).toEqual(['request-2', 'request-1', 'request-0']);
  expect(rest?.next_cursor).toBeNull();
  expect(seen[0]).toMatchObject({
    actor_type: 'agent',
    actor_id: agent_token_id,
    action: 'agent.getCustomer',
    status: 200,
    payload_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    ip: expect.any(String),
  });
  // All three readers get the same events. Only the sentence about each event differs.
  expect(merchants?.audit_events).toEqual(
    seen.map((event) => ({ ...event, summary: 'Viewed the customer’s profile' })),
  );
  expect(own?.audit_events).toEqual(seen.map((event) => ({ ...event, summary: null })));
  const query = { actor_type: 'agent' as const, action: 'agent.listAudit' };
  const { data: all } = await shop.dashboard.GET('/api/dashboard/audit-events', { params: { query } });
  expect(all?.audit_events).toMatchObject([{ actor_id: agent_token_id, status: 200 }]);
});

test('the audit stores the IP address of a call, and at most 500 characters of its user agent', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { access_token } = await givenAgent(shop, customer);
  const headers = { Authorization: `Bearer ${access_token}`, 'User-Agent': 'x'.repeat(2000) };
  await fetch(`${shop.baseUrl}${me}`, { headers });

  const response = await fetch(`${shop.baseUrl}/api/agent/audit/me`, {
    headers: { Authorization: headers.Authorization },
  });

  const { audit_events } = (await response.json()) as { audit_events: { user_agent: string; ip: string }[] };
  expect(audit_events[0]?.user_agent).toHaveLength(500);
  expect(audit_events[0]?.ip).toContain('127.0.0.1');
});
