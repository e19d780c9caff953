import { expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { PaperBrowser, unescaped } from '../../test/paper-browser.ts';
import { givenShippedOrder } from '../../test/returns.ts';

type Given = Awaited<ReturnType<typeof givenShippedOrder>>;

/** A shipped order, and an agent of its customer that may prepare returns. */
async function givenReturningAgent(quantity = 3, how: Parameters<typeof givenShippedOrder>[1] = {}) {
  const given = await givenShippedOrder(quantity, how);
  const { agent, token_id } = await givenAgent(given.shop, given.customer, { scopes: ['returns:request'] });
  const prepare = (pieces: number, more: object = {}) =>
    agent.POST('/api/agent/returns', {
      body: {
        order_id: given.order.id,
        lines: [{ line_item_id: given.line_item_id, quantity: pieces }],
        reason: 'does_not_fit',
        ...more,
      },
    });
  return { ...given, agent, token_id, prepare };
}

async function returnsOf({ shop }: Given) {
  return (await shop.dashboard.GET('/api/dashboard/returns')).data?.returns;
}

test('an agent prepares a return, and the customer logs in and requests it on the order page', async () => {
  const given = await givenReturningAgent(3);
  const { shop, customer, order, line_item_id, prepare } = given;

  const { data } = await prepare(2);
  expect(data).toMatchObject({
    status: 'requires_escalation',
    order_number: order.order_number,
    fee: '0.00',
    currency: 'EUR',
  });
  expect(await returnsOf(given)).toEqual([]);

  const browser = new PaperBrowser(shop.baseUrl);
  const link = new URL(data?.confirm_url ?? '');
  const login = await browser.open(link.pathname + link.search);
  expect(login.html).not.toContain('request_return');
  const page = await browser.press(login, 'log_in', { email: customer.email, password: customer.password });
  expect(unescaped(page.html)).toContain('Your assistant has prepared a return of this order.');
  expect(page.html).toContain('<option value="2" selected>');
  expect(page.html).toContain('<option value="does_not_fit" selected>');

  await browser.press(page, 'request_return', { [`quantity-${line_item_id}`]: '2', reason: 'does_not_fit' });
  expect(await returnsOf(given)).toMatchObject([
    { status: 'requested', created_by: 'customer', lines: [{ quantity: 2, reason: 'does_not_fit' }] },
  ]);
});

test('rejects preparing a return of another customer’s order (404), or without the scope returns:request (403)', async () => {
  const { shop, order, line_item_id } = await givenReturningAgent(1);
  const body = { order_id: order.id, lines: [{ line_item_id, quantity: 1 }], reason: 'other' as const };
  const stranger = await givenAgent(shop, await shop.givenCustomer(), { scopes: ['returns:request'] });
  const foreign = await stranger.agent.POST('/api/agent/returns', { body });
  expect(foreign.error).toMatchObject({ error: 'not_found' });
  expect(foreign.response.status).toBe(404);

  const reader = await givenAgent(shop, await shop.givenCustomer(), { scopes: ['orders:read'] });
  const unscoped = await reader.agent.POST('/api/agent/returns', { body });
  expect(unscoped.error).toMatchObject({ error: 'insufficient_scope', scope: 'returns:request' });
});

test('a consent request without scopes does not grant returns:request', async () => {
  const { shop, customer } = await givenShippedOrder(1);
  const { scope } = await givenAgent(shop, customer, { scopes: undefined });
  expect(scope).toBe('catalog:read cart:write checkout:create customer:self orders:read');
});

test('rejects preparing a return that the customer could not request on the order page', async () => {
  const given = await givenReturningAgent(2);
  const { prepare, line_item_id, shop } = given;
  expect((await prepare(3)).error).toMatchObject({
    error: 'return_quantity_exceeded',
    lines: [{ line_item_id, requested: 3, returnable: 2 }],
  });
  const twice = [
    { line_item_id, quantity: 1 },
    { line_item_id, quantity: 1 },
  ];
  const repeated = await prepare(1, { lines: twice });
  expect(repeated.response.status).toBe(422);
  expect(repeated.error).toMatchObject({ detail: [{ loc: ['body', 'lines', 1, 'line_item_id'] }] });
  const unknown = await prepare(1, { lines: [{ line_item_id: given.order.id, quantity: 1 }] });
  expect(unknown.error).toMatchObject({ error: 'not_found' });

  await given.shippedDaysAgo(20);
  expect((await prepare(1)).error).toMatchObject({ error: 'return_window_closed' });
  await shop.dashboard.PATCH('/api/dashboard/settings', {
    body: { return_policy: { enabled: false, window_days: 14 } },
  });
  expect((await prepare(1)).error).toMatchObject({ error: 'not_returnable' });
  expect((await (await givenReturningAgent(1, { returnable: false })).prepare(1)).error).toMatchObject({
    error: 'not_returnable',
  });
  expect((await (await givenReturningAgent(2, { ship: 1 })).prepare(2)).error).toMatchObject({
    error: 'return_quantity_exceeded',
    lines: [{ returnable: 1 }],
  });
});

test('the account page ignores an invalid link of a prepared return, and returns 404 for another customer’s order', async () => {
  const { shop, customer, order, line_item_id } = await givenShippedOrder(1);
  const browser = new PaperBrowser(shop.baseUrl);
  const path = `/account?site_id=${shop.site_id}&order=${order.id}`;
  const login = await browser.open(`${path}&return=other.${line_item_id}~1<script>`);
  const page = await browser.press(login, 'log_in', { email: customer.email, password: customer.password });
  expect(page.html).toContain('request_return');
  expect(page.html).not.toContain('Your assistant has prepared');

  const stranger = await shop.givenCustomer();
  const other = new PaperBrowser(shop.baseUrl);
  const ask = await other.open(`${path}&return=other.${line_item_id}~1`);
  const refused = await other.press(ask, 'log_in', { email: stranger.email, password: stranger.password });
  expect(refused.response.status).toBe(404);
});

test('the audit records that the agent prepared a return, with the number of the order', async () => {
  const { shop, order, prepare, token_id } = await givenReturningAgent(1);
  await prepare(1);
  const params = { path: { agent_token_id: token_id } };
  const { data } = await shop.dashboard.GET('/api/dashboard/agent-tokens/{agent_token_id}/audit', { params });
  expect(data?.audit_events[0]).toMatchObject({
    action: 'agent.prepareReturn',
    status: 200,
    summary: `Prepared a return of order ${order.order_number}`,
    details: { order_number: order.order_number, ids: { order_id: order.id } },
  });
});
