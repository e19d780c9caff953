import { expect, test } from 'vitest';
import { fakeServer, loggedIn, refusal } from '../testing.ts';

const ID = '0192f3a2-aaaa-7000-8000-000000000001';
const CUSTOMER = '0192f3a2-9999-7000-8000-000000000001';

const TOKEN = {
  ...{ id: ID, agent_name: 'Bargain\u001b[31m bot', customer_id: CUSTOMER, scopes: ['catalog:read'], categories: [] },
  ...{ currency: 'JPY', budget_cents: 5000, budget_used_cents: 1200, budget_pending_cents: 0 },
  ...{ budget_remaining_cents: 3800, max_per_order_cents: 900, budget_period: 'week', spent_total_cents: 7000 },
  ...{
    budget_resets_at: '2026-03-09T08:15:00.000Z',
    status: 'active',
    created_at: '2026-03-02T08:16:00.000Z',
    last_used_at: null,
  },
  ...{ expires_at: '2026-03-09T08:15:00.000Z', revoked_at: null, revoked_by: null },
};

test('lists agents with their limits and spending, and removes control characters from their names', async () => {
  const page = { agent_tokens: [TOKEN], total: 1, page: 1, limit: 20, pages: 1 };
  const { url, seen } = await fakeServer({ 'GET /api/dashboard/agent-tokens': { body: page } });
  const { commerce } = await loggedIn(url);

  const { code, out } = await commerce(['agents', 'list', '--status', 'active', '--customer', CUSTOMER]);

  expect(code).toBe(0);
  expect(out).toContain('Bargain [31m bot');
  expect(out).toMatch(/active\s+5000 a week\s+1200\s+0\s/);
  expect(out).toMatch(/\s900\s+2026-03-09 08:15\s/);
  expect(out).toContain(ID);
  expect(Object.fromEntries(seen.at(-1)?.query ?? [])).toEqual({ status: 'active', customer_id: CUSTOMER });
});

test("`agents revoke` shows the name of the revoked agent, and the server's error for an unknown id", async () => {
  const { url } = await fakeServer({
    [`DELETE /api/dashboard/agent-tokens/${ID}`]: { body: { ...TOKEN, status: 'revoked', revoked_by: 'merchant' } },
    [`DELETE /api/dashboard/agent-tokens/${CUSTOMER}`]: refusal(404, 'not_found', 'There is no such agent.'),
  });
  const { commerce } = await loggedIn(url);

  expect((await commerce(['agents', 'revoke', ID, '--yes'])).out).toContain('Revoked: Bargain [31m bot.');
  expect(await commerce(['agents', 'revoke', CUSTOMER, '--yes'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is no such agent.'),
  });
});

test('reads the audit events of an agent page by page, up to the requested number', async () => {
  const event = (at: number) => ({
    ...{
      id: `0192f3a2-bbbb-7000-8000-00000000000${at}`,
      actor_type: 'agent',
      actor_id: ID,
      action: 'agent.findAndBuy',
    },
    ...{ status: at === 1 ? 402 : 200, payload_hash: 'ab', ip: '203.0.113.7', user_agent: null },
    ...{ correlation_id: `request-${at}`, created_at: '2026-03-02T08:20:00.000Z' },
  });
  const { url, seen } = await fakeServer({
    [`GET /api/dashboard/agent-tokens/${ID}/audit`]: ({ query }) => ({
      body: query.has('cursor')
        ? { audit_events: [event(2), event(3)], next_cursor: null }
        : { audit_events: [event(1)], next_cursor: 'next' },
    }),
  });
  const { commerce } = await loggedIn(url);

  const { out } = await commerce(['agents', 'audit', ID, '--max', '2', '--json']);

  const { audit_events } = JSON.parse(out) as { audit_events: { correlation_id: string; status: number }[] };
  expect(audit_events).toMatchObject([{ status: 402 }, { correlation_id: 'request-2' }]);
  expect(seen.filter(({ path }) => path.endsWith('/audit'))).toHaveLength(2);
});
