import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;
type Order = Awaited<ReturnType<OpenShop['givenOrder']>>;

async function givenOrders(shop: OpenShop, count: number): Promise<Order[]> {
  const { variants } = await shop.givenProduct({ inventory_quantity: 500 });
  const content = [{ variant_id: variants[0]?.id ?? '', quantity: 1 }];
  const orders: Order[] = [];
  for (let i = 0; i < count; i += 1) orders.push(await shop.givenOrder({ content }));
  return orders;
}

function markPaid(shop: OpenShop, orders: Order[], statement_run_id?: string) {
  const rows = orders.map(({ order_number }) => ({ order_number }));
  const body = { orders: rows, ...(statement_run_id && { statement_run_id }) };
  return shop.dashboard.POST('/api/dashboard/orders/mark-paid', { body });
}

function undo(shop: OpenShop, statement_run_id: string) {
  return shop.dashboard.POST('/api/dashboard/statement-runs/{statement_run_id}/undo', {
    params: { path: { statement_run_id } },
  });
}

function ship(shop: OpenShop, { id }: Order) {
  return shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
    params: { path: { order_id: id } },
    body: {},
  });
}

async function detailsOf(shop: OpenShop, { id }: Order) {
  const { data } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}', { params: { path: { order_id: id } } });
  return data;
}

async function statesOf(shop: OpenShop, orders: Order[]) {
  const details = await Promise.all(orders.map((order) => detailsOf(shop, order)));
  return details.map((order) => `${order?.status} ${order?.payment_status}`);
}

test('rejects undoing a bank statement run after an edit of one of its paid orders (409)', async () => {
  const shop = await openShop();
  const [order] = (await givenOrders(shop, 1)) as [Order];
  const { variants } = await shop.givenProduct({ price: '12.50' });
  const run = randomUUID();
  await markPaid(shop, [order], run);
  const body = { add: [{ variant_id: variants[0]?.id ?? '', quantity: 1 }] };
  const edit = (more: object) =>
    shop.dashboard.POST('/api/dashboard/orders/{order_id}/edit', {
      params: { path: { order_id: order.id } },
      body: { ...body, ...more },
    });
  await edit({ expected_total: (await edit({ dry_run: true })).data?.expected_total });

  const { response, error } = await undo(shop, run);

  expect(response.status).toBe(409);
  expect(error).toMatchObject({
    error: 'statement_run_not_undoable',
    message: `Order ${order.order_number} has been shipped, edited, invoiced, refunded, cancelled or paid in parts.`,
  });
  expect(await detailsOf(shop, order)).toMatchObject({ payment_status: 'paid', amount_due: '12.50' });
  const { data: runs } = await shop.dashboard.GET('/api/dashboard/statement-runs');
  expect(JSON.stringify(runs)).toContain('"undoable":false');
});

test('undoing a bank statement run makes its orders await payment again, with a new deadline', async () => {
  const shop = await openShop();
  const orders = await givenOrders(shop, 3);
  const [first, second, other] = orders as [Order, Order, Order];
  await shop.owner.query(
    `update commerce.orders set payment_due_at = now() + interval '1 minute', payment_reminded_at = now() where id = $1`,
    [first.id],
  );
  const run = randomUUID();
  await markPaid(shop, [first], run);
  await markPaid(shop, [second], run);
  await markPaid(shop, [other]);

  const listed = await shop.dashboard.GET('/api/dashboard/statement-runs');
  const undone = await undo(shop, run);

  expect(listed.data).toMatchObject([{ id: run, undoable: true }]);
  expect(listed.data?.[0]?.orders.map(({ order_number, total }) => [order_number, total])).toEqual([
    [first.order_number, first.total],
    [second.order_number, second.total],
  ]);
  expect(undone.data?.orders.map(({ id }) => id)).toEqual([first.id, second.id]);
  expect(await statesOf(shop, orders)).toEqual([
    'pending awaiting_payment',
    'pending awaiting_payment',
    'confirmed paid',
  ]);
  const { payment } = (await detailsOf(shop, first)) ?? {};
  expect(Date.parse(payment?.due_at ?? '') - Date.now()).toBeGreaterThan(24 * 3_600_000);
  const timeline = await shop.dashboard.GET('/api/dashboard/orders/{order_id}/timeline', {
    params: { path: { order_id: first.id } },
  });
  expect(timeline.data?.entries[0]).toMatchObject({
    type: 'updated',
    context: { payment_status: { from: 'paid', to: 'awaiting_payment' } },
  });
  expect((await shop.dashboard.GET('/api/dashboard/statement-runs')).data).toEqual([]);
  expect((await undo(shop, run)).response.status).toBe(404);
  expect((await ship(shop, first)).response.status).toBe(409);
});

test('orders of an undone bank statement run can be marked as paid again', async () => {
  const shop = await openShop();
  const orders = await givenOrders(shop, 1);
  await markPaid(shop, orders, randomUUID());
  const [run] = (await shop.dashboard.GET('/api/dashboard/statement-runs')).data ?? [];
  await undo(shop, run?.id ?? '');

  const again = await markPaid(shop, orders, randomUUID());

  expect(again.data?.counts).toMatchObject({ paid: 1 });
  expect(await statesOf(shop, orders)).toEqual(['confirmed paid']);
});

test.each<[string, (shop: OpenShop, order: Order) => Promise<unknown>, string]>([
  ['shipped', ship, 'processing paid'],
  [
    'refunded',
    (shop, { id }) =>
      shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
        params: { path: { order_id: id } },
        body: { amount: '1.00', reason: 'other' },
      }),
    'confirmed partially_refunded',
  ],
  [
    'cancelled',
    (shop, { id }) =>
      shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
        params: { path: { order_id: id } },
        body: { reason: 'staff' },
      }),
    'cancelled paid',
  ],
])(
  'does not undo a bank statement run if one of its orders was %s (409 statement_run_not_undoable)',
  async (_what, change, state) => {
    const shop = await openShop();
    const orders = await givenOrders(shop, 2);
    const [first, second] = orders as [Order, Order];
    const run = randomUUID();
    await markPaid(shop, orders, run);
    await change(shop, second);

    const refused = await undo(shop, run);

    expect(refused.response.status).toBe(409);
    expect(refused.error).toMatchObject({
      error: 'statement_run_not_undoable',
      orders: [{ id: second.id, order_number: second.order_number }],
    });
    expect(await statesOf(shop, [first, second])).toEqual(['confirmed paid', state]);
    const [listed] = (await shop.dashboard.GET('/api/dashboard/statement-runs')).data ?? [];
    expect(listed?.undoable).toBe(false);
    expect(listed?.orders.map(({ undoable }) => undoable)).toEqual([true, false]);
  },
);

test('an order does not ship if its payment is undone at the same time', async () => {
  const shop = await openShop();
  for (let round = 0; round < 8; round += 1) {
    const orders = await givenOrders(shop, 2);
    const run = randomUUID();
    await markPaid(shop, orders, run);
    const [undone, shipped] = await Promise.all([undo(shop, run), ship(shop, orders[1] as Order)]);

    expect([undone.response.ok, shipped.response.ok].filter(Boolean)).toHaveLength(1);
  }
});

test('undoing a bank statement run twice concurrently changes its orders once', async () => {
  const shop = await openShop();
  const orders = await givenOrders(shop, 2);
  const run = randomUUID();
  await markPaid(shop, orders, run);

  const both = await Promise.all([undo(shop, run), undo(shop, run)]);

  expect(both.map(({ response }) => response.status).sort()).toEqual([200, 404]);
  expect(await statesOf(shop, orders)).toEqual(['pending awaiting_payment', 'pending awaiting_payment']);
});

test('another shop can neither list nor undo a bank statement run', async () => {
  const shop = await openShop();
  const orders = await givenOrders(shop, 1);
  const run = randomUUID();
  await markPaid(shop, orders, run);
  const stranger = await openShop();

  expect((await undo(stranger, run)).response.status).toBe(404);
  expect((await stranger.dashboard.GET('/api/dashboard/statement-runs')).data).toEqual([]);
  expect(await statesOf(shop, orders)).toEqual(['confirmed paid']);
});

test('a transfer for an expired order is reported as late, and does not match the order', async () => {
  const shop = await openShop();
  const [expired, due] = (await givenOrders(shop, 2)) as [Order, Order];
  await shop.owner.query('update commerce.orders set payment_due_at = now() where id = any($1)', [
    [expired.id, due.id],
  ]);
  const rows = [expired, due].map(({ order_number, total }) => `Order ${order_number},${total},EUR`);
  const statement = ['Reference,Amount,Currency', ...rows].join('\n');

  const { data } = await shop.dashboard.POST('/api/dashboard/orders/match-transfers', { body: { statement } });

  expect(data?.counts).toMatchObject({ late: 2, matched: 0 });
  expect(data?.transfers.map(({ orders }) => orders.map(({ id }) => id))).toEqual([[expired.id], [due.id]]);
  const params = { path: { order_id: expired.id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/payments', { params, body: { amount: expired.total } });
  const again = await shop.dashboard.POST('/api/dashboard/orders/match-transfers', { body: { statement } });
  expect(again.data?.counts).toMatchObject({ late: 1, already_paid: 1 });
});
