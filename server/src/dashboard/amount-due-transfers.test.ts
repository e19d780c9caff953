import { createDashboardClient } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { givenVariant } from '../../test/buying.ts';
import { logIn } from '../../test/session.ts';
import { openShop } from '../../test/shop.ts';

const ORDER = '/api/dashboard/orders/{order_id}';
const MATCH = '/api/dashboard/orders/match-transfers';
const MARK = '/api/dashboard/orders/mark-paid';

type OpenShop = Awaited<ReturnType<typeof openShop>>;
type Given = Parameters<OpenShop['givenOrder']>[0] & { card_token?: string };

/** Places an order of 24.90, pays it, and adds a lid, so that the lid's price is due. */
async function givenDue({ lid = '12.50', ...given }: Given & { lid?: string } = {}) {
  const shop = await openShop();
  const mug = await givenVariant(shop);
  const order = await shop.givenOrder({ content: [{ variant_id: mug.variant_id, quantity: 2 }], ...given });
  const at = { params: { path: { order_id: order.id } } };
  if (!given?.card_token) await shop.dashboard.POST(`${ORDER}/mark-paid`, at);
  const { variant_id } = await givenVariant(shop, { name: 'Lid', price: lid });
  const expected_total = (24.9 + Number(lid)).toFixed(2);
  await shop.dashboard.POST(`${ORDER}/edit`, { ...at, body: { add: [{ variant_id, quantity: 1 }], expected_total } });
  return { shop, order_number: order.order_number, money: () => moneyOf(shop, order.id) };
}

async function moneyOf({ dashboard }: OpenShop, order_id: string) {
  const { data } = await dashboard.GET(ORDER, { params: { path: { order_id } } });
  const { payment_status, amount_received, amount_due, refund_due } = data ?? {};
  return { payment_status, amount_received, amount_due, refund_due };
}

/** Matches a statement with these amounts and texts, and marks the matched transfers as the panel does. */
async function upload(shop: OpenShop, transfers: [amount: string, text: string][]) {
  const lines = transfers.map(([amount, text], i) => `2026-03-0${i + 1},June,${text},${amount},EUR`);
  const statement = ['Date,Name,Reference,Amount,Currency', ...lines].join('\n');
  const { data } = await shop.dashboard.POST(MATCH, { body: { statement } });
  const orders = (data?.transfers ?? []).flatMap(({ outcome, amount, entry, orders: [order] }) =>
    outcome === 'matched' && order ? [{ order_number: order.order_number, amount, entry }] : [],
  );
  const marked = orders.length > 0 ? await shop.dashboard.POST(MARK, { body: { orders } }) : undefined;
  return { outcomes: data?.transfers.map(({ outcome }) => outcome), counts: marked?.data?.counts, orders };
}

test.each([
  ['by transfer', {}],
  ['by card', { payment_method: 'card', card_token: 'tok_success' }],
] as const)(
  'a transfer of the amount due after an edit is matched and recorded once (order paid %s)',
  async (_how, given) => {
    const { shop, order_number, money } = await givenDue(given);
    const statement: [string, string][] = [['12.50', `Order ${order_number}`]];

    const first = await upload(shop, statement);
    expect(first.outcomes).toEqual(['matched']);
    expect(first.counts).toEqual({ paid: 0, recorded: 1, unchanged: 0, failed: 0 });
    const paid = { payment_status: 'paid', amount_received: '37.40', amount_due: '0.00', refund_due: '0.00' };
    expect(await money()).toEqual(paid);

    expect((await upload(shop, statement)).outcomes).toEqual(['already_paid']);
    const again = await shop.dashboard.POST(MARK, { body: { orders: first.orders } });
    expect(again.data?.counts).toEqual({ paid: 0, recorded: 0, unchanged: 1, failed: 0 });
    expect(await money()).toEqual(paid);
  },
);

test('does not match a transfer of another amount, or a second transfer of the amount due', async () => {
  const { shop, order_number, money } = await givenDue();

  const { outcomes } = await upload(shop, [
    ['12.00', order_number],
    ['12.50', order_number],
    ['12.50', `again ${order_number}`],
  ]);

  expect(outcomes).toEqual(['amount_differs', 'matched', 'matched_before']);
  expect(await money()).toMatchObject({ amount_received: '37.40', refund_due: '0.00' });
});

test('uploading the transfer that paid an order again does not pay the amount due after an edit', async () => {
  const other = await givenDue();
  expect((await upload(other.shop, [['24.90', other.order_number]])).outcomes).toEqual(['already_paid']);

  // The lid costs as much as the order did, so the transfer may be the payment of either.
  const equal = await givenDue({ lid: '24.90' });
  expect((await upload(equal.shop, [['24.90', equal.order_number]])).outcomes).toEqual(['check_by_hand']);
  expect(await equal.money()).toMatchObject({ amount_received: '24.90', amount_due: '24.90' });
});

test('matches a transfer of the amount due of an exchange order', async () => {
  const shop = await openShop();
  const mug = await givenVariant(shop);
  const lamp = await givenVariant(shop, { name: 'Lamp', price: '40.00' });
  const order = await shop.givenOrder({ content: [{ variant_id: mug.variant_id, quantity: 1 }] });
  const at = { params: { path: { order_id: order.id } } };
  await shop.dashboard.POST(`${ORDER}/mark-paid`, at);
  await shop.dashboard.POST(`${ORDER}/fulfillments`, { ...at, body: {} });
  const line_item_id = order.line_items[0]?.id ?? '';
  const { data: back } = await shop.dashboard.POST('/api/dashboard/returns', {
    body: { order_id: order.id, lines: [{ line_item_id, quantity: 1, reason: 'does_not_fit' }] },
  });
  const of = { params: { path: { return_id: back?.id ?? '' } } };
  const lines = [{ id: back?.lines[0]?.id ?? '', quantity: 1, condition: 'resellable' as const }];
  await shop.dashboard.POST('/api/dashboard/returns/{return_id}/receive', { ...of, body: { lines } });
  const exchanged = await shop.dashboard.POST('/api/dashboard/returns/{return_id}/exchange', {
    ...of,
    body: { lines: [{ variant_id: lamp.variant_id, quantity: 1 }] },
  });
  const made = exchanged.data?.order;
  expect(made).toMatchObject({ amount_due: '30.00' });

  expect((await upload(shop, [['30.00', made?.order_number ?? '']])).outcomes).toEqual(['matched']);
  expect(await moneyOf(shop, made?.id ?? '')).toMatchObject({ amount_received: '40.00', amount_due: '0.00' });
});

test('a mark-paid row without an amount, or with the total of the order, does not pay the amount due after an edit', async () => {
  const { shop, order_number, money } = await givenDue();
  const before = await money();

  for (const row of [{ order_number }, { order_number, amount: '37.40' }]) {
    const { data } = await shop.dashboard.POST(MARK, { body: { orders: [row] } });
    expect(data?.counts).toEqual({ paid: 0, recorded: 0, unchanged: 1, failed: 0 });
  }
  const { data } = await shop.dashboard.POST(MARK, { body: { orders: [{ order_number, amount: '12.49' }] } });
  expect(data?.results[0]?.message).toBe('The amount due is 12.50 EUR, not 12.49 EUR.');
  expect(await money()).toEqual(before);
});

test('four parallel calls with the same bank entry record its payment once', async () => {
  const { shop, order_number, money } = await givenDue();
  const orders = [{ order_number, amount: '12.50', entry: 'abc1' }];

  const all = await Promise.all([0, 1, 2, 3].map(() => shop.dashboard.POST(MARK, { body: { orders } })));

  expect(all.map(({ data }) => data?.results[0]?.status).toSorted()).toEqual([
    ...['recorded', 'unchanged', 'unchanged', 'unchanged'],
  ]);
  expect(await money()).toMatchObject({ amount_received: '37.40', refund_due: '0.00' });
});

/** Places an order of 24.90 that awaits its transfer. */
async function givenAwaiting() {
  const shop = await openShop();
  const mug = await givenVariant(shop);
  const { id, order_number } = await shop.givenOrder({ content: [{ variant_id: mug.variant_id, quantity: 2 }] });
  const assign = (received: string, entry: string) =>
    shop.dashboard.POST(MARK, { body: { orders: [{ order_number, received, entry }] } });
  const record = (amount: string) =>
    shop.dashboard.POST(`${ORDER}/payments`, { params: { path: { order_id: id } }, body: { amount } });
  return { shop, order_number, assign, record, money: () => moneyOf(shop, id) };
}

test("when staff assign a transfer above the order's total, the full amount is recorded and the excess is due for refund", async () => {
  const { assign, money } = await givenAwaiting();

  expect((await assign('30.00', 'e1')).data?.counts).toMatchObject({ recorded: 1 });

  expect(await money()).toEqual({
    ...{ payment_status: 'paid', amount_received: '30.00', amount_due: '0.00', refund_due: '5.10' },
  });
  expect((await assign('30.00', 'e1')).data?.counts).toMatchObject({ unchanged: 1 });
  expect(await money()).toMatchObject({ amount_received: '30.00' });
});

test('when staff assign transfers to a partly paid order, the received amounts are recorded', async () => {
  const { assign, record, money } = await givenAwaiting();
  await record('10.00');

  expect((await assign('4.90', 'e1')).data?.counts).toMatchObject({ recorded: 1 });
  expect(await money()).toEqual({
    ...{ payment_status: 'awaiting_payment', amount_received: '14.90', amount_due: '10.00', refund_due: '0.00' },
  });
  expect((await assign('24.90', 'e2')).data?.counts).toMatchObject({ recorded: 1 });
  expect(await money()).toEqual({
    ...{ payment_status: 'paid', amount_received: '39.80', amount_due: '0.00', refund_due: '14.90' },
  });
});

test("when staff assign a transfer below the order's total, the order is marked as paid", async () => {
  const { assign, money } = await givenAwaiting();

  expect((await assign('24.00', 'e1')).data?.counts).toMatchObject({ paid: 1 });

  expect(await money()).toMatchObject({ payment_status: 'paid', amount_due: '0.00' });
});

test('recording a payment of the amount due, or an overpayment, needs the scope orders:payments', async () => {
  const due = await givenDue();
  const awaiting = await givenAwaiting();
  const rows = [
    [due.shop, { order_number: due.order_number, amount: '12.50' }],
    [awaiting.shop, { order_number: awaiting.order_number, received: '30.00', entry: 'ab1' }],
  ] as const;
  for (const [shop, row] of rows) {
    const scopes = ['orders:read', 'orders:write'] as const;
    const { staff } = await logIn(shop);
    const { data: key } = await staff.POST('/api/dashboard/api-keys', {
      body: { description: 'Bookkeeping', scopes: [...scopes] },
    });
    const client = createDashboardClient({ baseUrl: shop.baseUrl, apiKey: key?.secret ?? '', maxAttempts: 1 });
    const { response, error } = await client.POST(MARK, { body: { orders: [row] } });
    expect([response.status, error]).toMatchObject([403, { error: 'insufficient_scope', scope: 'orders:payments' }]);
  }
});
