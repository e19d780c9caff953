import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Answers, fakeServer, loggedIn } from '../testing.ts';

const MATCH = 'POST /api/dashboard/orders/match-transfers';
const MARK = 'POST /api/dashboard/orders/mark-paid';

function orderOf(n: number, total: string) {
  const id = `0192f3a2-3333-7000-8000-00000000${n}`;
  const rest = { currency: 'EUR', payment_status: 'awaiting_payment', email: 'june@example.com' };
  return { id, order_number: String(n), total, ...rest };
}

const ORDERS = [orderOf(1001, '36.00'), orderOf(1002, '10.00')];
const OUTCOMES = ['matched', 'matched', 'amount_differs', 'no_order'];
const transfers = OUTCOMES.map((outcome, i) => ({
  ...{ line: i + 2, amount: i === 1 ? '10.00' : '36.00', currency: 'EUR', payer: 'June', text: 'Order', outcome },
  message: outcome === 'matched' ? null : 'The text contains no order number.',
  orders: outcome === 'no_order' ? [] : [ORDERS[i % 2] ?? {}],
}));
const counts = { matched: 2, amount_differs: 1, no_order: 1 };
const none = { already_paid: 0, several_orders: 0, matched_before: 0, not_awaiting: 0, late: 0, check_by_hand: 0 };
const left_out = { outgoing: 1, not_booked: 2 };
const STATEMENT = 'Name;Verwendungszweck;Betrag\nJörg;Order 1001;36,00\n';

async function merchant(answers: Answers = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-match-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'statement.csv');
  await writeFile(file, Buffer.from(STATEMENT, 'latin1'));
  const body = { format: 'csv', counts: { ...counts, ...none }, left_out, transfers };
  const server = await fakeServer({ [MATCH]: { body }, ...answers });
  return { file, ...server, ...(await loggedIn(server.url)) };
}

test('a dry run of `orders match` shows the matching order of each transfer or the reason for no match, and changes no order', async () => {
  const { file, commerce, seen } = await merchant();
  const { code, out } = await commerce(['orders', 'match', file, '--dry-run', '--json']);

  const printed = JSON.parse(out) as { dry_run: boolean; transfers: { outcome: string; order_numbers: string[] }[] };
  expect(code).toBe(0);
  expect(printed).toMatchObject({ dry_run: true, counts });
  expect(printed.transfers.map(({ outcome }) => outcome)).toEqual(OUTCOMES);
  expect(printed.transfers[0]).toMatchObject({ line: 2, payer: 'June', order_numbers: ['1001'] });
  expect(seen.map(({ body }) => body)).toEqual([{ statement: STATEMENT }]);
});

const RESULT = {
  dry_run: false,
  counts: { paid: 1, unchanged: 0, failed: 1 },
  results: [
    { index: 0, order_number: '1001', order_id: ORDERS[0]?.id ?? null, status: 'paid', reason: null, message: null },
    {
      index: 1,
      order_number: '1002',
      order_id: null,
      status: 'failed',
      reason: 'not_found',
      message: 'There is none.',
    },
  ],
};

test('`orders match` shows the matches, asks for confirmation, and marks the orders as paid with the transferred amounts', async () => {
  const { file, commerce, seen } = await merchant({ [MARK]: { body: RESULT } });
  const { code, out, err } = await commerce(['orders', 'match', file], { typed: 'y' });

  expect(code).toBe(0);
  expect(err).toContain('4 incoming transfers; 2 of them fit an order.');
  expect(err).toContain('Mark 2 orders as paid? [y/N]');
  expect(seen.at(-1)?.body).toEqual({
    orders: [
      { order_number: '1001', amount: '36.00' },
      { order_number: '1002', amount: '10.00' },
    ],
    statement_run_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(err).toContain('Not listed: 1 outgoing and 2 not booked.');
  expect(out).toContain('There is none.');
  const sent = seen.at(-1)?.body as { statement_run_id: string } | undefined;
  expect(out).toMatch(/1001 +36\.00 EUR .*paid/);
  expect(out).toContain('1 order marked as paid.');
  expect(out).toContain(`commerce orders undo-statement ${sent?.statement_run_id}`);
});

test('`orders match --assign` assigns a transfer to an order with another total', async () => {
  const order = orderOf(1007, '50.00');
  const { file, commerce, seen } = await merchant({
    'GET /api/dashboard/orders': { body: { orders: [order], pagination: { page: 1, total_pages: 1, total: 1 } } },
    [`GET /api/dashboard/orders/${order.id}`]: { body: order },
    [MARK]: { body: RESULT },
  });
  const { code, err } = await commerce(['orders', 'match', file, '--assign', '4=1007', '--yes']);

  expect(code).toBe(0);
  expect(err).toContain('assigned by you; the total is 50.00 EUR');
  expect(seen.at(-1)?.body).toMatchObject({
    orders: [
      { order_number: '1001', amount: '36.00' },
      { order_number: '1002', amount: '10.00' },
      { order_number: '1007' },
    ],
  });
});

test('`orders match --assign` records a transfer for an expired order as a late payment', async () => {
  const order = { ...orderOf(1007, '36.00'), payment_status: 'expired' };
  const RECORD = `POST /api/dashboard/orders/${order.id}/payments`;
  const { file, commerce, seen } = await merchant({
    'GET /api/dashboard/orders': { body: { orders: [order], pagination: { page: 1, total_pages: 1, total: 1 } } },
    [`GET /api/dashboard/orders/${order.id}`]: { body: order },
    [MARK]: { body: RESULT },
    [RECORD]: { status: 201, body: { payment: {}, order } },
  });
  const { code, out, err } = await commerce(['orders', 'match', file, '--assign', '4=1007'], { typed: 'y' });

  expect(code).toBe(0);
  expect(err).toContain('Mark 2 orders as paid and record 1 late payment? [y/N]');
  expect(seen.at(-2)?.body).not.toMatchObject({ orders: [{}, {}, {}] });
  expect(seen.at(-1)?.body).toEqual({ amount: '36.00', reference: 'Order' });
  expect(out).toContain('1 late payment recorded.');
});

test('`orders match --assign` rejects an unreadable amount for an expired order', async () => {
  const order = { ...orderOf(1007, '1500.00'), payment_status: 'expired' };
  const unread = { ...transfers[3], amount: '1.500', outcome: 'check_by_hand' };
  const { file, commerce, seen } = await merchant({
    [MATCH]: { body: { format: 'csv', counts: { ...counts, ...none }, left_out, transfers: [unread] } },
    'GET /api/dashboard/orders': { body: { orders: [order], pagination: { page: 1, total_pages: 1, total: 1 } } },
    [`GET /api/dashboard/orders/${order.id}`]: { body: order },
  });
  const { code, err } = await commerce(['orders', 'match', file, '--assign', '1=1007', '--yes']);

  expect(code).toBe(2);
  expect(err).toContain('The amount of transfer 1 cannot be read: 1.500.');
  expect(seen.filter(({ body }) => JSON.stringify(body ?? '').includes('amount'))).toEqual([]);
});

test('`orders match --assign` rejects an order in another currency', async () => {
  const order = orderOf(1007, '37.40');
  const foreign = { ...transfers[3], amount: '37.40', currency: 'USD', outcome: 'check_by_hand' };
  const { file, commerce, seen } = await merchant({
    [MATCH]: { body: { format: 'csv', counts: { ...counts, ...none }, left_out, transfers: [foreign] } },
    'GET /api/dashboard/orders': { body: { orders: [order], pagination: { page: 1, total_pages: 1, total: 1 } } },
    [`GET /api/dashboard/orders/${order.id}`]: { body: order },
  });
  const { code, err } = await commerce(['orders', 'match', file, '--assign', '1=1007', '--yes']);

  expect(code).toBe(2);
  expect(err).toContain('Transfer 1 is in USD, and order 1007 in EUR.');
  expect(seen.filter(({ body }) => JSON.stringify(body ?? '').includes('statement_run_id'))).toEqual([]);
});

test.each([
  ['9=1001', 'names no transfer'],
  ['x', 'names no transfer'],
  ['1=1002', 'Transfer 1 belongs to an order already'],
])('`orders match` rejects --assign %s', async (assignment, message) => {
  const { file, commerce, seen } = await merchant();
  const { code, err } = await commerce(['orders', 'match', file, '--assign', assignment, '--yes']);

  expect(code).toBe(2);
  expect(err).toContain(message);
  expect(seen).toHaveLength(1);
});

const RUN = {
  id: '0192f3a0-8888-7000-8000-000000000001',
  marked_at: '2026-03-12T09:30:00.000Z',
  undoable: true,
  orders: ORDERS.map((order) => ({ ...order, undoable: true })),
};
const RUNS = { 'GET /api/dashboard/statement-runs': { body: [RUN] } };
const UNDO = `POST /api/dashboard/statement-runs/${RUN.id}/undo`;

test('`orders undo-statement` shows the orders of a bank statement before undoing the statement', async () => {
  const orders = ORDERS.map((order) => ({ ...order, payment_due_at: '2026-03-19T09:30:00.000Z' }));
  const { commerce } = await merchant({ ...RUNS, [UNDO]: { body: { orders } } });
  const listed = await commerce(['orders', 'statements']);
  const { code, out, err } = await commerce(['orders', 'undo-statement', RUN.id], { typed: 'y' });

  expect(listed.out).toContain(RUN.id);
  expect(code).toBe(0);
  expect(err).toContain('Orders: 1001, 1002');
  expect(out).toContain('2 orders await payment again: 1001, 1002.');
});

test('`orders undo-statement` rejects a bank statement with shipped orders, and shows the reason', async () => {
  const body = {
    error: 'statement_run_not_undoable',
    message: 'Order 1002 has been shipped, invoiced, refunded or cancelled.',
  };
  const { commerce } = await merchant({ ...RUNS, [UNDO]: { status: 409, body } });
  const { code, err } = await commerce(['orders', 'undo-statement', RUN.id, '--yes']);

  expect(code).toBe(1);
  expect(err).toContain('Order 1002 has been shipped');
});

test.each(['n', ''])('`orders match` marks no order as paid after the answer "%s"', async (typed) => {
  const { file, commerce, seen } = await merchant();
  const { code } = await commerce(['orders', 'match', file], { typed });
  expect(code).toBe(2);
  expect(seen).toHaveLength(1);
});
