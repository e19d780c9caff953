import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, onTestFinished, test } from 'vitest';
import { type Answers, fakeServer, loggedIn } from '../testing.ts';

// biome-ignore lint/suspicious/noExplicitAny: the contract's own example.
const DETAILS: any = contract.components.examples.OrderDetails.value;
const MARK = 'POST /api/dashboard/orders/mark-paid';

function orderOf(n: number, total: string) {
  const states = { status: 'pending', payment_status: 'awaiting_payment', fulfillment_status: 'unfulfilled' };
  const id = `0192f3a2-3333-7000-8000-00000000${n}`;
  return { ...DETAILS, ...states, id, order_number: String(n), total, payment_method: 'bank_transfer' };
}

const ORDERS = [orderOf(1001, '36.00'), orderOf(1002, '10.00'), orderOf(11002, '10.00'), orderOf(1003, '20.00')];
const STATEMENT = [
  'Name,Reference,Amount,Currency',
  'June,Order 1001 and thanks,36.00,EUR',
  'Kim,1002,10.00,EUR',
  'Kim,1002 again,10.00,EUR',
  'Lee,1003,19.00,EUR',
  'Max,1003,20.00,USD',
  'Ann,for 1002 and 11002,10.00,EUR',
  'Eve,a gift,5.00,EUR',
].join('\n');

async function merchant(answers: Answers = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-match-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'statement.csv');
  await writeFile(file, STATEMENT);
  const page = { orders: ORDERS, total: ORDERS.length, page: 1, limit: 100, pages: 1 };
  const server = await fakeServer({ 'GET /api/dashboard/orders': { body: page }, ...answers });
  return { file, ...server, ...(await loggedIn(server.url)) };
}

const OUTCOMES = [
  ...['matched', 'matched', 'matched_before', 'amount_differs', 'amount_differs', 'several_orders', 'no_order'],
];

test('a dry run says of each transfer what order it fits, or why none, and marks nothing', async () => {
  const { file, commerce, seen } = await merchant();
  const { code, out } = await commerce(['orders', 'match', file, '--dry-run', '--json']);

  const told = JSON.parse(out) as { dry_run: boolean; transfers: { outcome: string; order_numbers: string[] }[] };
  expect(code).toBe(0);
  expect(told.dry_run).toBe(true);
  expect(told.transfers.map(({ outcome }) => outcome)).toEqual(OUTCOMES);
  expect(told.transfers[0]).toMatchObject({ line: 2, payer: 'June', order_numbers: ['1001'] });
  expect(seen.every(({ method }) => method === 'GET')).toBe(true);
});

const RESULT = {
  dry_run: false,
  counts: { paid: 1, unchanged: 0, failed: 1 },
  results: [
    { index: 0, order_number: '1001', order_id: ORDERS[0].id, status: 'paid', reason: null, message: null },
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

test('what fits is shown, asked about, and marked with its amount; what the server refuses is reported', async () => {
  const { file, commerce, seen } = await merchant({ [MARK]: { body: RESULT } });
  const { code, out, err } = await commerce(['orders', 'match', file], { typed: 'y' });

  expect(code).toBe(0);
  expect(err).toContain('7 incoming transfers; 2 of them fit an order.');
  expect(err).toContain('Mark 2 orders as paid? [y/N]');
  expect(seen.find(({ method }) => method === 'POST')?.body).toEqual({
    orders: [
      { order_number: '1001', amount: '36.00' },
      { order_number: '1002', amount: '10.00' },
    ],
  });
  expect(out).toContain('There is none.');
  expect(out).toContain('1 order marked as paid.');
});

test.each(['n', ''])('the answer "%s" marks nothing', async (typed) => {
  const { file, commerce, seen } = await merchant();
  const { code } = await commerce(['orders', 'match', file], { typed });
  expect(code).toBe(2);
  expect(seen.every(({ method }) => method === 'GET')).toBe(true);
});

test('a file that is no statement is refused in a sentence', async () => {
  const { file, commerce } = await merchant();
  await writeFile(file, 'name,price\nMug,14.00\n');
  const { code, err } = await commerce(['orders', 'match', file]);
  expect(code).toBe(2);
  expect(err).toContain('no header with a column for the amount');
});
