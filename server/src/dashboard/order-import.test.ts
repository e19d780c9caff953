import { randomUUID } from 'node:crypto';
import type { OrderImport } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const importing = '/api/dashboard/orders/import';

const past: OrderImport = {
  order_number: '1042',
  external_reference: '4900013572',
  email: 'Ada@Example.com',
  currency: 'EUR',
  created_at: '2024-11-05T09:28:00.000Z',
  paid_at: '2024-11-05T09:28:30.000Z',
  line_items: [
    { name: 'Stoneware mug', sku: 'mug-1', variant_name: 'Oat', quantity: 2, price: '14.00' },
    { name: 'Linen apron', sku: 'GONE-1', quantity: 1, price: '39.00' },
  ],
  discount: '5.00',
  discount_code: 'WELCOME',
  shipping_cost: '4.90',
  tax: '10.68',
  tax_included: true,
  total: '66.90',
  payment_status: 'partially_refunded',
  fulfillment_status: 'fulfilled',
  shipping_address: { last_name: 'Brandt', address1: 'Gartenweg 3', city: 'Leipzig', country: 'DE' },
  fulfillments: [{ carrier: 'DHL', tracking_number: '0034', created_at: '2024-11-06T14:00:00.000Z' }],
  refunds: [{ amount: '14.00', reason: 'damaged', created_at: '2024-11-09T08:12:00.000Z' }],
  metadata: { tags: 'vip' },
};

const FAR = '2999-01-01T00:00:00.000Z';
const DEAR = { name: 'Palace', quantity: 1_000_000, price: '999999999999.99' };

async function open() {
  const shop = await openShop();
  const { dashboard } = shop;
  const send = async (orders: unknown[], dry_run = false) => {
    const { data, error } = await dashboard.POST(importing, { body: { orders: orders as OrderImport[], dry_run } });
    if (!data) throw new Error(JSON.stringify(error));
    return data;
  };
  const read = async (order_id: string) =>
    (await dashboard.GET('/api/dashboard/orders/{order_id}', { params: { path: { order_id } } })).data;
  return { ...shop, send, read };
}

test('imports an order with its number, times, states, fulfilments and refunds, and importing it again changes nothing', async () => {
  const { dashboard, send, read } = await open();
  const body = { name: 'Mug', sku: 'MUG-1', price: '15.00', inventory_quantity: 5, status: 'active' as const };
  const mug = (await dashboard.POST('/api/dashboard/products', { body })).data;
  const customer = (await dashboard.POST('/api/dashboard/customers', { body: { email: 'ada@example.com' } })).data;
  const first = await send([past]);
  expect(first.counts).toEqual({ created: 1, unchanged: 0, failed: 0 });
  const [result] = first.results;
  expect(result?.warnings).toMatchObject([
    { loc: ['body', 'orders', 0, 'line_items', 1, 'sku'], type: 'variant_not_found', ctx: { sku: 'GONE-1' } },
  ]);
  const id = result?.order_id ?? '';
  const order = await read(id);
  expect(order).toMatchObject({
    order_number: '1042',
    external_reference: '4900013572',
    source: 'import',
    customer_id: customer?.id,
    created_at: past.created_at,
    status: 'completed',
    payment_status: 'partially_refunded',
    fulfillment_status: 'fulfilled',
    subtotal: '67.00',
    discount: '5.00',
    shipping_cost: '4.90',
    tax: '10.68',
    total: '66.90',
    refunded: '14.00',
    refundable: '52.90',
    shipped_at: '2024-11-06T14:00:00.000Z',
    tracking_number: '0034',
    metadata: { tags: 'vip' },
    fulfillments: [{ carrier: 'DHL', items: [{ quantity: 2 }, { quantity: 1 }] }],
    refunds: [{ amount: '14.00', reason: 'damaged', created_at: '2024-11-09T08:12:00.000Z' }],
    line_items: [
      { name: 'Stoneware mug', variant_id: mug?.variants[0]?.id, total: '28.00' },
      { name: 'Linen apron', variant_id: null, sku: 'GONE-1' },
    ],
  });
  const again = await send([past]);
  expect(again.counts).toEqual({ created: 0, unchanged: 1, failed: 0 });
  expect(again.results[0]).toMatchObject({ order_id: id, warnings: [] });
  expect(await read(id)).toEqual(order);
  const timeline = await dashboard.GET('/api/dashboard/orders/{order_id}/timeline', {
    params: { path: { order_id: id } },
  });
  expect(timeline.data?.entries).toMatchObject([{ type: 'imported', actor_type: 'api_key' }]);
});

test('an import of orders sends no mail, moves no stock, counts no sales, and creates no event', async () => {
  const shop = await open();
  const { dashboard, send, owner, site_id } = shop;
  const webhook = { url: 'https://receiver.example/hooks', events: ['order.*' as const] };
  await dashboard.POST('/api/dashboard/webhooks', { body: webhook });
  const body = { name: 'Mug', sku: 'MUG-1', price: '15.00', inventory_quantity: 5, status: 'active' as const };
  const mug = (await dashboard.POST('/api/dashboard/products', { body })).data;
  const email = `${randomUUID()}@example.com`;
  const { results } = await send([{ ...past, email }]);
  const orderId = results[0]?.order_id ?? '';
  const counted = async (statement: ReturnType<typeof sql>) => (await owner.query(statement)).rows.length;
  expect(await counted(sql`select from commerce.events where site_id = ${site_id} and type like 'order.%'`)).toBe(0);
  expect(await counted(sql`select from commerce.product_sales where site_id = ${site_id}`)).toBe(0);
  expect(await counted(sql`select from commerce.payments where site_id = ${site_id}`)).toBe(0);
  const movements = sql`select from commerce.stock_movements where site_id = ${site_id} and type <> 'adjustment'`;
  expect(await counted(movements)).toBe(0);
  const jobs = sql`select from graphile_worker._private_jobs where payload::text like ${`%${orderId}%`}`;
  expect(await counted(jobs)).toBe(0);
  const product = await dashboard.GET('/api/dashboard/products/{product_id}', {
    params: { path: { product_id: mug?.id ?? '' } },
  });
  expect(product.data?.variants[0]?.inventory_quantity).toBe(5);
  const overview = (await dashboard.GET('/api/dashboard/overview')).data;
  expect(overview).toMatchObject({ orders_count: 0, sales: '0.00', orders_to_ship_count: 0, orders_to_pay_count: 0 });
});

test('continues the order numbers of the shop after the highest imported number', async () => {
  const shop = await open();
  await shop.send([
    { ...past, order_number: '1500', external_reference: null },
    { ...past, order_number: 'EN9000', external_reference: null },
    { ...past, order_number: '20241105092800', external_reference: null },
    { ...past, order_number: '7', external_reference: null },
  ]);
  const { rows } = await shop.owner.query(
    sql`select last_number from commerce.order_numbers where site_id = ${shop.site_id}`,
  );
  expect(rows).toEqual([{ last_number: 1500 }]);
});

test('maps the order states of other shop systems to the states of the API', async () => {
  const { send, read } = await open();
  const { refunds: _, fulfillments: __, payment_status: ___, fulfillment_status: ____, ...bare } = past;
  const cancelled_at = '2024-11-07T10:00:00.000Z';
  const cases: [Partial<OrderImport>, object][] = [
    [{}, { status: 'confirmed', payment_status: 'paid', fulfillment_status: 'unfulfilled' }],
    [{ fulfillment_status: 'delivered' }, { status: 'completed', fulfillment_status: 'delivered' }],
    [
      { fulfillment_status: 'returned', payment_status: 'refunded' },
      { status: 'completed', refunded: '66.90' },
    ],
    [
      { fulfillments: [{ items: [{ line_item: 0, quantity: 1 }] }] },
      { status: 'processing', fulfillment_status: 'partially_fulfilled', shipped_at: null },
    ],
    [
      { payment_status: 'awaiting_payment', payment_method: 'bank_transfer' },
      { status: 'pending', payment: { due_at: null, instructions: null } },
    ],
    [
      { payment_status: 'pending', payment_method: 'manual' },
      { status: 'confirmed', payment_status: 'pending' },
    ],
    [{ payment_status: 'failed' }, { status: 'pending', payment_status: 'failed' }],
    [
      { payment_status: 'pending', cancelled_at },
      { status: 'cancelled', payment_status: 'voided', cancelled_at },
    ],
    [
      { payment_status: 'refunded', cancelled_at },
      { status: 'cancelled', refund_due: '0.00' },
    ],
    [{ payment_status: 'voided' }, { status: 'cancelled', payment_status: 'voided' }],
    [{ payment_status: 'expired' }, { status: 'cancelled', payment_status: 'expired' }],
  ];
  const rows = cases.map(([change], i) => ({ ...bare, ...change, external_reference: null, order_number: `S-${i}` }));
  const { results } = await send(rows);
  for (const [i, [, expected]] of cases.entries()) {
    expect(results[i], JSON.stringify(results[i]?.errors)).toMatchObject({ status: 'created' });
    expect(await read(results[i]?.order_id ?? ''), `case ${i}`).toMatchObject(expected);
  }
});

test('an imported order can be marked as paid and shipped', async () => {
  const { send, read, dashboard } = await open();
  const { refunds: _, fulfillments: __, fulfillment_status: ___, ...bare } = past;
  const { results } = await send([{ ...bare, payment_status: 'awaiting_payment', payment_method: 'bank_transfer' }]);
  const path = { order_id: results[0]?.order_id ?? '' };
  await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path } });
  const body = { carrier: 'DHL' };
  await dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params: { path }, body });
  await dashboard.POST('/api/dashboard/orders/{order_id}/mark-delivered', { params: { path } });
  expect(await read(path.order_id)).toMatchObject({ status: 'completed', fulfillment_status: 'delivered' });
});

test('an import of orders and its dry run reject each invalid row, name the invalid field, and accept the other rows', async () => {
  const { send, dashboard } = await open();
  const made = await dashboard.GET('/api/dashboard/orders');
  expect(made.data?.total).toBe(0);
  const row = (change: object, i: number) => ({ ...past, external_reference: null, order_number: `R-${i}`, ...change });
  const changes: [object, (string | number)[], string][] = [
    [{ total: '67.00' }, ['total'], 'total_mismatch'],
    [{ currency: 'USD' }, ['currency'], 'currency_mismatch'],
    [{ discount: '100.00' }, ['discount'], 'less_than_equal'],
    [{ total: '66.905' }, ['total'], 'decimal_max_places'],
    [{ refunds: [{ amount: '70.00' }] }, ['refunds'], 'refund_exceeds_paid'],
    [{ refunds: [] }, ['refunds'], 'missing'],
    [{ created_at: FAR }, ['created_at'], 'value_error'],
    [{ payment_status: 'awaiting_payment', refunds: [] }, ['payment_status'], 'value_error'],
    [{ fulfillment_status: 'unfulfilled' }, ['fulfillment_status'], 'value_error'],
    [
      { fulfillments: [{ items: [{ line_item: 0, quantity: 3 }] }] },
      ['fulfillments', 0, 'items', 0],
      'fulfillment_exceeds_remaining',
    ],
    [{ order_number: 'R-0' }, ['order_number'], 'duplicate'],
    [{ line_items: [] }, ['line_items'], 'too_short'],
    [{ order_number: ' \u00a0' }, ['order_number'], 'string_too_short'],
    [{ refunds: [{ amount: '1.00', created_at: FAR }] }, ['refunds', 0, 'created_at'], 'value_error'],
    [{ fulfillments: [{ created_at: FAR }] }, ['fulfillments', 0, 'created_at'], 'value_error'],
    [{ fulfillments: [{ delivered_at: FAR }] }, ['fulfillments', 0, 'delivered_at'], 'value_error'],
    // A JavaScript number cannot represent this sum to the cent.
    [{ line_items: Array(50).fill(DEAR) }, ['line_items'], 'less_than_equal'],
  ];
  const rows = [row({}, 0), ...changes.map(([change], i) => row(change, i + 1))];
  const dry = await send(rows, true);
  const real = await send(rows);
  expect(dry.counts).toEqual({ created: 1, unchanged: 0, failed: changes.length });
  expect(real.counts).toEqual(dry.counts);
  expect(dry.results[0]?.order_id).toBeNull();
  for (const [i, [, at, type]] of changes.entries()) {
    const result = dry.results[i + 1];
    expect(result?.errors[0], `change ${i}`).toMatchObject({ loc: ['body', 'orders', i + 1, ...at], type });
    expect(real.results[i + 1]?.errors).toEqual(result?.errors);
  }
  expect((await dashboard.GET('/api/dashboard/orders', {})).data?.total).toBe(1);
});

test('importing an order again with other data reports the differences without changing the order, and rejects the number of another order', async () => {
  const { send } = await open();
  await send([past]);
  const later = await send([{ ...past, payment_status: 'refunded', refunds: [{ amount: '66.90' }] }]);
  expect(later.results[0]).toMatchObject({
    status: 'unchanged',
    warnings: [
      { loc: ['body', 'orders', 0, 'payment_status'], type: 'unchanged', ctx: { here: 'partially_refunded' } },
    ],
  });
  const other = await send([{ ...past, external_reference: '1' }]);
  expect(other.results[0]?.errors).toMatchObject([
    { loc: ['body', 'orders', 0, 'order_number'], type: 'order_number_taken' },
  ]);
  const prefixed = await send([{ ...past, order_number: 'OLD-1042' }]);
  expect(prefixed.counts.unchanged).toBe(1);
});

test('an integration cannot create an order with the reference of an imported order (409 reference_taken)', async () => {
  const { send, sync, givenProduct } = await open();
  await send([past]);
  await givenProduct({ sku: 'CUP-1', price: '9.00' });
  const line = { name: 'Cup', sku: 'CUP-1', quantity: 1, price: '9.00', total: '9.00' };
  const { response, error } = await sync.POST('/api/sync/orders', {
    body: { reference: '4900013572', currency: 'EUR', payment: 'hosted_checkout', line_items: [line] },
  });
  expect([response.status, error]).toMatchObject([409, { error: 'reference_taken' }]);
});

test("imported orders appear in the dashboard's list and export, and in the account of their own customer only", async () => {
  const shop = await open();
  const { client: customer, email } = await shop.givenCustomer();
  const { client: stranger } = await shop.givenCustomer();
  const { results } = await shop.send([{ ...past, email }]);
  const order_id = results[0]?.order_id ?? '';
  const own = (await customer.GET('/api/storefront/customer/me/orders')).data;
  expect(own?.orders).toMatchObject([{ id: order_id, order_number: '1042', source: 'import' }]);
  const path = { params: { path: { order_id } } };
  expect((await customer.GET('/api/storefront/customer/me/orders/{order_id}', path)).data?.total).toBe('66.90');
  expect((await stranger.GET('/api/storefront/customer/me/orders/{order_id}', path)).response.status).toBe(404);
  const query = { source: 'import' as const };
  expect((await shop.dashboard.GET('/api/dashboard/orders', { params: { query } })).data?.total).toBe(1);
  const exported = (await shop.dashboard.GET('/api/dashboard/orders/export')).data;
  expect(exported?.orders).toMatchObject([{ order_number: '1042', refunded: '14.00' }]);
});

test('rejected rows do not change the counter of order numbers', async () => {
  const { send, owner, site_id } = await open();
  const counter = () => owner.query(sql`select xmin::text from commerce.order_numbers where site_id = ${site_id}`);
  await send([past]);
  const before = (await counter()).rows;
  expect(before).toHaveLength(1);
  await send([{ ...past, order_number: '9999', total: '1.00' }, { order_number: '9998' }]);
  expect((await counter()).rows).toEqual(before);
});

test('two concurrent imports of the same orders create each once', async () => {
  const { send, dashboard } = await open();
  const rows = Array.from({ length: 20 }, (_, i) => ({
    ...past,
    order_number: `${2000 + i}`,
    external_reference: null,
  }));
  const both = await Promise.all([send(rows), send(rows.toReversed())]);
  expect(both.map(({ counts }) => counts.created).toSorted((a, b) => a - b)).toEqual([0, 20]);
  expect(both.map(({ counts }) => counts.unchanged).toSorted((a, b) => a - b)).toEqual([0, 20]);
  expect((await dashboard.GET('/api/dashboard/orders')).data?.total).toBe(20);
});
