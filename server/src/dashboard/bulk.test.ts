import { createDashboardClient } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { logIn } from '../../test/session.ts';
import { openShop } from '../../test/shop.ts';

const adjustPath = '/api/dashboard/inventory/adjust';
const fulfillPath = '/api/dashboard/orders/fulfill';
const matchPath = '/api/dashboard/orders/match-transfers';
const markPath = '/api/dashboard/orders/mark-paid';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

async function stockOf({ dashboard }: OpenShop, product_id: string) {
  const { data } = await dashboard.GET('/api/dashboard/inventory', { params: { query: { product_id } } });
  return data?.inventory.map(({ inventory_quantity }) => inventory_quantity);
}

test('validates each row of a stock adjustment against the stock left by earlier rows', async () => {
  const shop = await openShop();
  const options = [{ name: 'Size', values: ['S', 'M'] }];
  const variants = [
    { option1: 'S', price: '10.00', sku: 'MUG-S', inventory_quantity: 5 },
    { option1: 'M', price: '10.00', sku: 'MUG-M', inventory_quantity: 5 },
  ];
  const mug = await shop.givenProduct({ options, variants, price: undefined });
  const stranger = await (await openShop()).givenProduct();
  const [small, medium] = mug.variants.map(({ id }) => id);
  const adjustments = [
    { variant_id: small ?? '', delta: 3 },
    { sku: 'MUG-S', set_to: 2, expected_quantity: 8 },
    { sku: 'MUG-M', set_to: 9, expected_quantity: 4 },
    { variant_id: medium ?? '', delta: -6 },
    { variant_id: medium ?? '', set_to: 5, expected_quantity: 5 },
    { variant_id: stranger.variants[0]?.id ?? '', delta: 1 },
    { sku: 'NONE', delta: 1 },
    { sku: 'MUG-M', delta: 2_000_000_000 / 2 },
  ];
  const body = { reason: 'correction' as const, note: 'Counted', adjustments };

  const tried = await shop.dashboard.POST(adjustPath, { body: { ...body, dry_run: true } });
  expect(await stockOf(shop, mug.id)).toEqual([5, 5]);
  const { data } = await shop.dashboard.POST(adjustPath, { body });

  expect(data?.results).toEqual(tried.data?.results);
  expect(data?.counts).toEqual({ adjusted: 2, unchanged: 1, failed: 5 });
  expect(data?.results.map(({ status, reason, inventory_quantity }) => [status, reason, inventory_quantity])).toEqual([
    ['adjusted', null, 8],
    ['adjusted', null, 2],
    ['failed', 'quantity_changed', 5],
    ['failed', 'insufficient_stock', 5],
    ['unchanged', null, 5],
    ['failed', 'not_found', null],
    ['failed', 'not_found', null],
    ['failed', 'out_of_range', 5],
  ]);
  expect(await stockOf(shop, mug.id)).toEqual([2, 5]);
  const { data: told } = await shop.dashboard.GET('/api/dashboard/inventory/{variant_id}/movements', {
    params: { path: { variant_id: small ?? '' } },
  });
  const movements = told?.movements.map(({ delta, on_hand_after, note }) => [delta, on_hand_after, note]);
  expect(movements?.slice(0, 2)).toEqual([
    [-6, 2, 'Counted'],
    [3, 8, 'Counted'],
  ]);
  const unnamed = await shop.dashboard.POST(adjustPath, { body: { ...body, adjustments: [{ delta: 1 }] } });
  expect(unnamed.error).toMatchObject({ detail: [{ loc: ['body', 'adjustments', 0] }] });
});

test('concurrent stock adjustments and sales of the same variants lose no stock and never deadlock', async () => {
  const shop = await openShop();
  const ids: string[] = [];
  for (let i = 0; i < 6; i += 1) ids.push((await shop.givenProduct()).variants[0]?.id ?? '');
  const rows = (order: string[]) => order.map((variant_id) => ({ variant_id, delta: 1 }));
  const adjust = (order: string[]) =>
    shop.dashboard.POST(adjustPath, { body: { reason: 'received', adjustments: rows(order) } });

  const all = await Promise.all([
    ...[ids, ids.toReversed(), ids, ids.toReversed()].map(adjust),
    shop.givenCheckout({ content: ids.map((variant_id) => ({ variant_id, quantity: 1 })) }),
  ]);

  expect(all.slice(0, 4).map((one) => ('data' in one ? one.data?.counts.adjusted : 0))).toEqual([6, 6, 6, 6]);
  const { data } = await shop.dashboard.GET('/api/dashboard/inventory', { params: { query: { limit: 100 } } });
  const held = data?.inventory.filter(({ variant_id }) => ids.includes(variant_id));
  expect(held?.map(({ on_hand, reserved }) => [on_hand, reserved])).toEqual(ids.map(() => [14, 1]));
});

test('marks 30 orders as paid from a bank statement, and skips transfers that do not match exactly', async () => {
  const shop = await openShop();
  const { variants } = await shop.givenProduct({ inventory_quantity: 50 });
  const content = [{ variant_id: variants[0]?.id ?? '', quantity: 1 }];
  const orders: Awaited<ReturnType<OpenShop['givenOrder']>>[] = [];
  for (let i = 0; i < 31; i += 1) orders.push(await shop.givenOrder({ content }));
  const [first, ...others] = orders;
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', {
    params: { path: { order_id: first?.id ?? '' } },
  });
  const line = (text: string, amount = '14,90', currency = 'EUR') => `"Kim Tran";"${text}";"${amount}";"${currency}"`;
  const [second, third] = [others[0]?.order_number, others[1]?.order_number];
  const statement = [
    '"Name";"Verwendungszweck";"Betrag";"Währung"',
    ...others.map(({ order_number }) => line(`Bestellung RE${order_number}, danke`)),
    line(`noch einmal ${second}`),
    line(`${first?.order_number}`),
    line(`${second}`, '14,91'),
    line(`${second}`, '14,90', 'USD'),
    line(`${second} und ${third}`),
    line('Miete'),
    line(`${second}`, '-14,90'),
  ].join('\n');

  const match = () => shop.dashboard.POST(matchPath, { body: { statement } });
  const { data, error } = await match();

  expect(error).toBeUndefined();
  expect(data?.format).toBe('csv');
  expect(data?.counts).toMatchObject({
    matched: 30,
    matched_before: 1,
    already_paid: 1,
    amount_differs: 1,
    check_by_hand: 1,
  });
  expect(data?.transfers.slice(30).map(({ outcome }) => outcome)).toEqual([
    ...['matched_before', 'already_paid', 'amount_differs', 'check_by_hand', 'several_orders', 'no_order'],
  ]);
  expect(data?.transfers[32]?.message).toBe(`The total of order ${second} is 14.90 EUR.`);
  const matched = data?.transfers.filter(({ outcome }) => outcome === 'matched') ?? [];
  const body = {
    orders: matched.map(({ amount, orders: [order] }) => ({ order_number: order?.order_number ?? '', amount })),
  };
  const [once, twice] = await Promise.all([
    shop.dashboard.POST(markPath, { body }),
    shop.dashboard.POST(markPath, { body: { orders: body.orders.toReversed() } }),
  ]);
  expect((once.data?.counts.paid ?? 0) + (twice.data?.counts.paid ?? 0)).toBe(30);
  expect((once.data?.counts.unchanged ?? 0) + (twice.data?.counts.unchanged ?? 0)).toBe(30);
  expect((await match()).data?.counts).toMatchObject({ matched: 0, already_paid: 33 });
  const foreign = await (await openShop()).dashboard.POST(matchPath, { body: { statement } });
  expect(foreign.data?.counts).toMatchObject({ matched: 0, no_order: 35, check_by_hand: 1 });
  const broken = await shop.dashboard.POST(matchPath, { body: { statement: 'Date,Text\n' } });
  expect(broken.error).toMatchObject({ detail: [{ loc: ['body', 'statement'], type: 'statement_unreadable' }] });
});

test('ships orders in bulk with tracking, and exports orders and customers page by page', async () => {
  const shop = await openShop();
  const { client, id: customer_id } = await shop.givenCustomer();
  const address = { ...{ first_name: 'June', last_name: 'Okafor', address1: 'Lindenallee 7' }, city: 'Berlin' };
  await client.POST('/api/storefront/customer/me/addresses', { body: { ...address, country: 'DE' } });
  const [first, second, unpaid] = [await shop.givenOrder({ client }), await shop.givenOrder(), await shop.givenOrder()];
  await shop.dashboard.POST(markPath, {
    body: { orders: [first, second].map(({ order_number }) => ({ order_number })) },
  });
  const rows = [
    { order_number: first.order_number, carrier: 'DHL', tracking_number: '0034' },
    { order_number: unpaid.order_number },
    { order_number: second.order_number },
    { order_number: second.order_number },
    { order_number: '999' },
  ];

  const { data } = await shop.dashboard.POST(fulfillPath, { body: { orders: rows } });

  expect(data?.counts).toEqual({ fulfilled: 2, failed: 3 });
  expect(data?.results.map(({ order_id, status, reason }) => [order_id, status, reason])).toEqual([
    [first.id, 'fulfilled', null],
    [unpaid.id, 'failed', 'invalid_transition'],
    [second.id, 'fulfilled', null],
    [second.id, 'failed', 'duplicate'],
    [null, 'failed', 'not_found'],
  ]);
  const again = await shop.dashboard.POST(fulfillPath, { body: { orders: [rows[0] ?? { order_number: '' }] } });
  expect(again.data?.results[0]?.message).toBe('Nothing is left to ship.');

  const { staff } = await logIn(shop);
  const pages: { order_number: string; tracking_number?: string | null; fulfillments: unknown[] }[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: 2, ...(cursor && { cursor }) };
    const answer = await staff.GET('/api/dashboard/orders/export', { params: { query } });
    pages.push(...(answer.data?.orders ?? []));
    cursor = answer.data?.next_cursor ?? undefined;
  } while (cursor);
  expect(
    pages.map(({ order_number, tracking_number, fulfillments }) => [
      order_number,
      tracking_number,
      fulfillments.length,
    ]),
  ).toEqual([
    [first.order_number, '0034', 1],
    [second.order_number, null, 1],
    [unpaid.order_number, null, 0],
  ]);
  const { data: whole } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}', {
    params: { path: { order_id: first.id } },
  });
  expect(pages[0]).toEqual(whole);
  const people = await staff.GET('/api/dashboard/customers/export');
  const { data: customer } = await shop.dashboard.GET('/api/dashboard/customers/{customer_id}', {
    params: { path: { customer_id } },
  });
  expect(people.data?.customers).toContainEqual(customer);
  const { data: key } = await staff.POST('/api/dashboard/api-keys', {
    body: { description: 'Warehouse', scopes: ['read', 'write'] },
  });
  const withKey = createDashboardClient({ baseUrl: shop.baseUrl, apiKey: key?.secret ?? '' });
  const denied = await withKey.GET('/api/dashboard/orders/export');
  expect(denied.error).toMatchObject({ error: 'insufficient_scope', scope: 'orders:export' });
});
