import { expect, test } from 'vitest';
import { givenVariant, stockOf } from '../../test/buying.ts';
import { mailsTo } from '../../test/mail.ts';
import { PaperBrowser } from '../../test/paper-browser.ts';
import { givenShippedOrder } from '../../test/returns.ts';

const EXCHANGE = '/api/dashboard/returns/{return_id}/exchange';
const ORDER = '/api/dashboard/orders/{order_id}';

/**
 * A paid order of three shipped mugs (10.00, parcel 4.90), two of which have come back. Lids cost 12.50, 5 are in
 * stock.
 */
async function givenReceived({ pieces = 2, fee = '0.00', price = '12.50' } = {}) {
  const given = await givenShippedOrder(3);
  const { shop, order, receive } = given;
  const lid = await givenVariant(shop, { name: 'Lid', price, inventory_quantity: 5 });
  const back = await given.given(pieces, { fee });
  await receive(back.id, back.lines[0]?.id ?? '', pieces);
  const { dashboard } = shop;
  const of = (order_id: string) => ({ params: { path: { order_id } } });
  return {
    ...given,
    back,
    lid,
    exchange: (quantity = 1, more: object = {}) =>
      dashboard.POST(EXCHANGE, {
        params: { path: { return_id: back.id } },
        body: { lines: [{ variant_id: lid.variant_id, quantity }], ...more },
      }),
    details: async (order_id = order.id) => (await dashboard.GET(ORDER, of(order_id))).data,
    refund: (order_id: string, amount: string) =>
      dashboard.POST(`${ORDER}/refunds`, { ...of(order_id), body: { amount, reason: 'other' } }),
    record: (order_id: string, amount: string) =>
      dashboard.POST(`${ORDER}/payments`, { ...of(order_id), body: { amount } }),
    cancel: (order_id: string) =>
      dashboard.POST(`${ORDER}/cancel`, { ...of(order_id), body: { reason: 'customer', refund: true } }),
    ship: (order_id: string) => dashboard.POST(`${ORDER}/fulfillments`, { ...of(order_id), body: {} }),
  };
}

test('an exchange for more expensive goods credits the returned goods, makes the difference due, and closes the return', async () => {
  const { exchange, details, record, ship, order, shop, lid } = await givenReceived();

  const { data, response } = await exchange(2);

  expect(response.status).toBe(201);
  const made = data?.order;
  expect(made).toMatchObject({
    exchange_of: order.id,
    exchange_credit: '20.00',
    total: '25.00',
    shipping_cost: '0.00',
    amount_received: '20.00',
    amount_due: '5.00',
    source: 'dashboard',
    status: 'confirmed',
    email: order.email,
    line_items: [{ name: 'Lid', quantity: 2, price: '12.50' }],
  });
  expect(data?.return).toMatchObject({
    status: 'closed',
    resolution: 'exchange',
    exchange_order_id: made?.id,
    refund_ids: [],
  });
  expect(await details()).toMatchObject({
    amount_received: '14.90',
    refunded: '0.00',
    refundable: '14.90',
    amount_due: '0.00',
    refund_due: '0.00',
    payment_status: 'paid',
  });
  const mails = await mailsTo(shop, order.email ?? '');
  const placed = mails.find(({ subject }) => subject.includes(`order ${made?.order_number}`));
  expect(placed?.html).toContain('Credit from your return: €20.00');
  const [link = ''] = /http[^"]*\/orders\/ord_\w+/.exec(placed?.html ?? '') ?? [];
  const page = await new PaperBrowser(shop.baseUrl).open(link);
  expect(page.html).toContain('partly paid');
  expect(page.html).toMatch(/Credit from your return: .*€20\.00/);
  expect(await stockOf(shop, lid.product.id)).toMatchObject({ on_hand: 3 });
  expect((await record(made?.id ?? '', '5.00')).data?.order).toMatchObject({
    amount_due: '0.00',
    amount_received: '25.00',
  });
  expect((await ship(made?.id ?? '')).data?.order).toMatchObject({ fulfillment_status: 'fulfilled' });
});

test('a bank transfer of exactly the amount due of an exchange order is matched once', async () => {
  const { exchange, details, shop } = await givenReceived();
  const { data } = await exchange(2);
  const made = data?.order;
  const line = (amount: string) => `2026-03-02,Jo,Exchange ${made?.order_number},${amount},EUR`;
  const upload = async (...lines: string[]) => {
    const statement = ['Date,Name,Reference,Amount,Currency', ...lines].join('\n');
    const matches = await shop.dashboard.POST('/api/dashboard/orders/match-transfers', { body: { statement } });
    const transfers = matches.data?.transfers ?? [];
    const matched = transfers.filter(({ outcome }) => outcome === 'matched');
    const orders = matched.map(({ amount, entry }) => ({ order_number: made?.order_number ?? '', amount, entry }));
    if (orders.length > 0) await shop.dashboard.POST('/api/dashboard/orders/mark-paid', { body: { orders } });
    return transfers.map(({ outcome, message }) => [outcome, message]);
  };

  const beyond = await upload(line('5.01'));
  const first = await upload(line('5.00'));
  const again = await upload(line('5.00'));

  expect(beyond).toEqual([['amount_differs', `5.00 EUR are due for order ${made?.order_number}.`]]);
  expect(first).toEqual([['matched', null]]);
  expect(again.map(([outcome]) => outcome)).toEqual(['already_paid']);
  expect(await details(made?.id)).toMatchObject({ amount_received: '25.00', amount_due: '0.00', refund_due: '0.00' });
});

test('an exchange for cheaper goods refunds the difference', async () => {
  const { exchange, details } = await givenReceived();

  const { data } = await exchange(1);

  expect(data?.order).toMatchObject({ total: '12.50', exchange_credit: '12.50', amount_due: '0.00' });
  expect(await details()).toMatchObject({
    amount_received: '22.40',
    refunded: '7.50',
    refundable: '14.90',
    refund_due: '0.00',
  });
  expect(data?.return.refund_ids).toHaveLength(1);
});

test('a return fee lowers the credit of an exchange', async () => {
  const { exchange } = await givenReceived({ fee: '1.50' });
  expect((await exchange(2)).data?.order).toMatchObject({ exchange_credit: '18.50', amount_due: '6.50' });
});

test('the amount due for refund after an edit stays due when returned items are refunded or exchanged', async () => {
  const { shop, order, line_item_id, given, receive, refundReturn, details } = await givenShippedOrder(3, { ship: 2 });
  const at = { params: { path: { order_id: order.id } } };
  const body = { change: [{ line_item_id, quantity: 2 }], expected_total: '24.90' };
  await shop.dashboard.POST(`${ORDER}/edit`, { ...at, body });
  const givenBack = async () => {
    const back = await given(1);
    await receive(back.id, back.lines[0]?.id ?? '', 1);
    return back.id;
  };

  await refundReturn(await givenBack());
  expect(await details()).toMatchObject({ refunded: '10.00', refund_due: '10.00' });
  const cheap = await givenVariant(shop, { name: 'Spoon', price: '2.50' });
  const { response } = await shop.dashboard.POST(EXCHANGE, {
    params: { path: { return_id: await givenBack() } },
    body: { lines: [{ variant_id: cheap.variant_id, quantity: 1 }] },
  });

  expect(response.status).toBe(201);
  expect(await details()).toMatchObject({ refunded: '17.50', refund_due: '10.00', amount_received: '32.40' });
});

test('with price `paid`, an exchange charges the price paid for the same product, and rejects other products (422)', async () => {
  const { shop, exchange, given, receive, order, customer: _ } = await givenReceived({ pieces: 1 });
  const other = await exchange(1, { price: 'paid' });
  expect(other.error).toMatchObject({ detail: [{ loc: ['body', 'lines', 0, 'variant_id'] }] });

  // The price of the mug has increased since the purchase.
  const variant_id = order.line_items[0]?.variant_id ?? '';
  const path = { product_id: order.line_items[0]?.product_id ?? '', variant_id };
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}/variants/{variant_id}', {
    params: { path },
    body: { price: '19.00' },
  });
  const back = await given(1);
  await receive(back.id, back.lines[0]?.id ?? '', 1);
  const send = (price: 'paid' | 'current') =>
    shop.dashboard.POST(EXCHANGE, {
      params: { path: { return_id: back.id } },
      body: { lines: [{ variant_id, quantity: 1 }], price },
    });
  const { data } = await send('paid');
  expect(data?.order).toMatchObject({ total: '10.00', exchange_credit: '10.00', amount_due: '0.00' });
});

test('cancelling an exchange order refunds its credit once, and all refunds stay within the amount received', async () => {
  const { exchange, cancel, refund, details } = await givenReceived();
  const { data } = await exchange(2);
  const id = data?.order.id ?? '';

  await cancel(id);

  expect(await details(id)).toMatchObject({
    status: 'cancelled',
    refunded: '20.00',
    refund_due: '0.00',
    amount_due: '0.00',
  });
  expect((await refund(id, '0.01')).error).toMatchObject({ error: 'refund_exceeds_paid' });
  await refund((await details())?.id ?? '', '14.90');
  expect(await details()).toMatchObject({ refunded: '14.90', refundable: '0.00', payment_status: 'refunded' });
});

test('parallel exchanges and refunds of a return credit its items once', async () => {
  const { exchange, refundReturn, back, details, shop, lid } = await givenReceived();

  const results = await Promise.all([exchange(1), exchange(2), refundReturn(back.id), exchange(1), exchange(2)]);

  expect(results.filter(({ response }) => response.status < 300)).toHaveLength(1);
  expect(results.filter(({ response }) => response.status >= 500)).toEqual([]);
  expect(await details()).toMatchObject({ refundable: '14.90', line_states: [{ refunded: 2 }] });
  const { data: orders } = await shop.dashboard.GET('/api/dashboard/orders');
  const sold = orders?.orders.flatMap(({ line_items }) => line_items).filter(({ name }) => name === 'Lid') ?? [];
  const { on_hand } = await stockOf(shop, lid.product.id);
  expect(on_hand).toBe(5 - sold.reduce((sum, { quantity }) => sum + quantity, 0));
});

test('rejects an exchange before goods have arrived, after the return is closed, or without enough stock', async () => {
  const { exchange, back: _, given, shop, lid } = await givenReceived();
  expect((await exchange(6)).error).toMatchObject({ error: 'insufficient_stock' });
  const waiting = await given(1);
  const send = (return_id: string) =>
    shop.dashboard.POST(EXCHANGE, {
      params: { path: { return_id } },
      body: { lines: [{ variant_id: lid.variant_id, quantity: 1 }] },
    });
  expect((await send(waiting.id)).error).toMatchObject({ error: 'invalid_transition' });
  await exchange(1);
  expect((await exchange(1)).error).toMatchObject({ error: 'invalid_transition', from: 'closed' });
});

test('rejects an exchange of goods that the customer keeps (409 conflict)', async () => {
  const { given, shop } = await givenShippedOrder(2);
  const lid = await givenVariant(shop, { name: 'Lid', price: '12.50' });
  const back = await given(1, { keep_goods: true });
  const { error } = await shop.dashboard.POST(EXCHANGE, {
    params: { path: { return_id: back.id } },
    body: { lines: [{ variant_id: lid.variant_id, quantity: 1 }] },
  });
  expect(error).toMatchObject({ error: 'conflict' });
});

test('rejects an exchange whose total is too large (422)', async () => {
  const { exchange } = await givenReceived({ price: '999999999999.00' });
  const { error } = await exchange(10_000);
  expect(error).toMatchObject({ detail: [{ loc: ['body', 'lines'], msg: 'The total is too large.' }] });
});
