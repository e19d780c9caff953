import { afterAll, expect, test } from 'vitest';
import { openStripe, type StripeShop } from '../../test/stripe/shop.ts';

const stripe = await openStripe();
const { standIn, server } = stripe;
afterAll(() => stripe.close());

const refund = (shop: StripeShop, order_id: string, amount: string, more: object = {}) =>
  shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params: { path: { order_id } },
    body: { amount, reason: 'damaged' as const, ...more },
  });
const capture = (shop: StripeShop, order_id: string, body: { amount?: string } = {}) =>
  shop.dashboard.POST('/api/dashboard/orders/{order_id}/capture', { params: { path: { order_id } }, body });

function refundedAt(shop: StripeShop): number {
  return [...standIn.ledger.refunds.values()]
    .filter(({ account, status }) => account === shop.account && status !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0);
}

test('a refund is pending until the provider has returned the money', async () => {
  const shop = await stripe.givenShop();
  const { id } = await shop.givenPaidOrder();
  const { data } = await refund(shop, id, '4.90');
  expect(data).toMatchObject({ refund: { status: 'pending' }, order: { payment_status: 'paid' } });
  expect(await shop.details(id)).toMatchObject({ refunded: '0.00', refundable: '10.00' });
  await shop.finishMoves();
  expect(await shop.details(id)).toMatchObject({
    payment_status: 'partially_refunded',
    refunded: '4.90',
    refundable: '10.00',
    refunds: [{ status: 'succeeded', failure_reason: null }],
  });
  await refund(shop, id, '10.00');
  await shop.finishMoves();
  expect(await shop.details(id)).toMatchObject({ payment_status: 'refunded', refundable: '0.00' });
  expect(refundedAt(shop)).toBe(1_490);
});

test('concurrent refunds never exceed the paid amount', async () => {
  const shop = await stripe.givenShop();
  const { id } = await shop.givenPaidOrder();
  const answers = await Promise.all(Array.from({ length: 12 }, () => refund(shop, id, '4.00')));
  expect(answers.filter(({ data }) => data)).toHaveLength(3);
  expect(answers.find(({ error }) => error)?.error).toMatchObject({ error: 'refund_exceeds_paid', refundable: '2.90' });
  // A run may fail, because Stripe delays one of two concurrent requests. The last run then completes the refunds.
  await Promise.allSettled([shop.finishMoves(), shop.finishMoves(), shop.finishMoves()]);
  await shop.finishMoves();
  expect(refundedAt(shop)).toBe(1_200);
  expect(await shop.details(id)).toMatchObject({ refunded: '12.00', refundable: '2.90' });
});

test('a refund is paid once despite lost responses and errors of the provider', async () => {
  const shop = await stripe.givenShop();
  const { id } = await shop.givenPaidOrder();
  await refund(shop, id, '5.00');
  for (const fault of ['cut_after', 'error_500', 'error_429'] as const) {
    standIn.faults.add(fault, /POST \/v1\/refunds/, 2);
    await shop.finishMoves().catch(() => undefined);
    standIn.faults.clear();
  }
  await shop.finishMoves();
  expect(refundedAt(shop)).toBe(500);
  expect(await shop.details(id)).toMatchObject({ refunded: '5.00', refunds: [{ status: 'succeeded' }] });
});

test('a refund that the provider rejects fails and can be repeated', async () => {
  const shop = await stripe.givenShop();
  const { id } = await shop.givenPaidOrder();
  standIn.ledger.refundsBegin = 'pending';
  await refund(shop, id, '14.90');
  await shop.finishMoves();
  expect(await shop.details(id)).toMatchObject({ refundable: '0.00', refunds: [{ status: 'pending' }] });
  const [made] = [...standIn.ledger.refunds.values()].filter(({ account }) => account === shop.account);
  if (made) standIn.ledger.changeRefund(made, 'failed');
  for (const event of shop.events().filter(({ type }) => type.startsWith('refund.'))) await shop.send(event);
  expect(await shop.details(id)).toMatchObject({
    payment_status: 'paid',
    refundable: '14.90',
    refunds: [{ status: 'failed', failure_reason: 'lost_or_stolen_card' }],
  });
  standIn.ledger.refundsBegin = 'succeeded';
  expect((await refund(shop, id, '14.90')).response.status).toBe(201);
});

function refundsOf(shop: StripeShop) {
  return [...standIn.ledger.refunds.values()].filter(({ account }) => account === shop.account);
}

/** Sends all refund events twice: in reverse order, and then in order. */
async function tellRefunds(shop: StripeShop): Promise<void> {
  const events = shop.events().filter(({ type }) => type.startsWith('refund.'));
  for (const event of [...events.toReversed(), ...events]) expect(await shop.send(event)).toBe(200);
}

test('marks a refund as failed when the bank rejects it later, and notifies the staff', async () => {
  const shop = await stripe.givenShop();
  const product = await shop.givenProduct({ inventory_quantity: 10 });
  await shop.dashboard.POST('/api/dashboard/events/listeners', { body: { events: ['order.refunded'] } });
  const order = await shop.givenPaidOrder({ content: [{ variant_id: product.variants[0]?.id ?? '', quantity: 2 }] });
  const line_items = [{ line_item_id: order.line_items[0]?.id ?? '', quantity: 2, restock: true }];
  await refund(shop, order.id, '4.00');
  await refund(shop, order.id, '20.90', { line_items });
  await shop.finishMoves();
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    params: { path: { order_id: order.id } },
    body: { reason: 'customer' },
  });
  expect(await shop.details(order.id)).toMatchObject({ payment_status: 'refunded', refund_due: '0.00' });

  const large = refundsOf(shop).find(({ amount }) => amount === 2_090);
  if (large) standIn.ledger.changeRefund(large, 'failed');
  await tellRefunds(shop);
  expect(await shop.details(order.id)).toMatchObject({
    payment_status: 'partially_refunded',
    refunded: '4.00',
    refundable: '20.90',
    refund_due: '20.90',
    refunds: [
      { status: 'succeeded', provider_reference: expect.stringMatching(/^re_/) },
      { status: 'failed', failure_reason: 'lost_or_stolen_card', provider_reference: large?.id },
    ],
  });
  const { rows: mails } = await server.owner.query(
    `select from graphile_worker._private_jobs
      where payload ->> 'site_id' = $1 and payload ->> 'template' in ('refund_failed', 'refund_sent_back')`,
    [shop.site_id],
  );
  // The staff and the customer each get one mail.
  expect(mails).toHaveLength(2);
  const { data: timeline } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}/timeline', {
    params: { path: { order_id: order.id } },
  });
  expect(timeline?.entries[0]).toMatchObject({
    type: 'refunded',
    context: { payment_status: { from: 'refunded', to: 'partially_refunded' }, amount: '20.90' },
  });
  const { rows: told } = await server.owner.query(
    `select payload::json -> 'data' ->> 'payment_status' as status from commerce.events
      where site_id = $1 and type = 'order.refunded' order by id`,
    [shop.site_id],
  );
  expect(told.map(({ status }) => status)).toEqual(['partially_refunded', 'refunded', 'partially_refunded']);
  // The failed refund does not undo the return, so a second refund cannot restock the goods again.
  const again = await refund(shop, order.id, '20.90', { line_items });
  expect(again.error).toMatchObject({ detail: [{ loc: ['body', 'line_items', 0, 'quantity'] }] });
  expect((await refund(shop, order.id, '20.90')).response.status).toBe(201);
  await shop.finishMoves();
  expect(await shop.details(order.id)).toMatchObject({ payment_status: 'refunded', refund_due: '0.00' });
  expect(refundedAt(shop)).toBe(2_490);
});

test("records a refund from Stripe's dashboard once, and reverts it if the refund fails", async () => {
  const shop = await stripe.givenShop();
  const [order, other] = [await shop.givenPaidOrder(), await shop.givenPage()];
  await standIn.press(other.url, 'pay');
  await shop.complete(other.checkout_id, {});
  const made = standIn.refund(intentOf(shop, order.id), 490, 'requested_by_customer');
  standIn.refund(intentOf(shop, order.id), 100);
  await tellRefunds(shop);
  expect(await shop.details(order.id)).toMatchObject({
    payment_status: 'partially_refunded',
    refunded: '5.90',
    refundable: '9.00',
    refunds: [
      { amount: '1.00', reason: 'other', status: 'succeeded' },
      { amount: '4.90', reason: 'customer', status: 'succeeded', provider_reference: made.id },
    ],
  });
  const [elsewhere] =
    (await shop.dashboard.GET('/api/dashboard/orders', { params: { query: { limit: 1 } } })).data?.orders ?? [];
  expect((await shop.details(elsewhere?.id ?? '')).refunded).toBe('0.00');
  standIn.ledger.changeRefund(made, 'failed');
  await tellRefunds(shop);
  expect(await shop.details(order.id)).toMatchObject({ refunded: '1.00', refundable: '13.90' });
});

test('keeps a manual refund when a bank rejects another refund', async () => {
  const shop = await stripe.givenShop();
  const { id } = await shop.givenPaidOrder();
  const sendBack = async (amount: number) => {
    const made = refundsOf(shop).find((one) => one.amount === amount && one.status === 'succeeded');
    if (made) standIn.ledger.changeRefund(made, 'failed');
    await tellRefunds(shop);
  };
  await refund(shop, id, '4.00');
  await shop.finishMoves();
  await sendBack(400);
  expect((await refund(shop, id, '4.00', { by_hand: true })).data?.refund).toMatchObject({ status: 'succeeded' });
  await refund(shop, id, '10.90');
  await shop.finishMoves();
  expect(await shop.details(id)).toMatchObject({ payment_status: 'refunded', refundable: '0.00' });
  await sendBack(1_090);
  expect(await shop.details(id)).toMatchObject({
    payment_status: 'partially_refunded',
    refunded: '4.00',
    refundable: '10.90',
    refunds: [{ status: 'failed' }, { status: 'succeeded', provider_reference: null }, { status: 'failed' }],
  });
});

test('rejects a refund event until its payment is recorded (409), and then records the refund', async () => {
  const shop = await stripe.givenShop();
  const { checkout_id, url } = await shop.givenPage();
  await standIn.press(url, 'pay');
  standIn.refund(intentOf(shop, checkout_id), 1_490);
  const events = shop.events();
  const refunds = events.filter(({ type }) => type.startsWith('refund.'));
  for (const event of refunds) expect(await shop.send(event)).toBe(409);
  for (const event of events.filter((one) => !refunds.includes(one))) expect(await shop.send(event)).toBe(200);
  for (const event of refunds) expect(await shop.send(event)).toBe(200);
  const order = await shop.orderOf(checkout_id);
  expect(await shop.details(order?.id ?? '')).toMatchObject({ payment_status: 'refunded', refunded: '14.90' });
});

test("ignores a refund made at the provider if the order's payment was voided", async () => {
  const shop = await stripe.givenShop({ capture: 'manual' });
  const { id } = await shop.givenPaidOrder();
  const params = { path: { order_id: id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', { params, body: { reason: 'customer' } });
  const intent = standIn.ledger.intent(intentOf(shop, id));
  standIn.ledger.capture(intent, 1_490);
  standIn.refund(intent.id, 490);
  await tellRefunds(shop);
  expect(await shop.details(id)).toMatchObject({ payment_status: 'voided', refunded: '0.00' });
});

test("refunds made in Stripe's dashboard and through the API together never exceed the paid amount", async () => {
  const shop = await stripe.givenShop();
  const { id } = await shop.givenPaidOrder();
  await refund(shop, id, '10.00');
  standIn.refund(intentOf(shop, id), 1_000);
  const [event] = shop.events().slice(-1);
  if (!event) throw new Error('There is no event.');
  // The server has stored its refund but not sent it yet, so Stripe decides which of the two refunds is made.
  expect(await shop.send(event)).toBeGreaterThanOrEqual(400);
  await shop.finishMoves();
  expect(await shop.send(event)).toBe(200);
  expect(await shop.details(id)).toMatchObject({
    refunded: '10.00',
    refundable: '4.90',
    refunds: expect.arrayContaining([expect.objectContaining({ status: 'failed' })]),
  });
  expect(refundedAt(shop)).toBe(1_000);
});

/** Returns the id of the first PaymentIntent of the shop. */
function intentOf(shop: StripeShop, order_id: string): string {
  const mine = [...standIn.ledger.intents.values()].filter(({ account }) => account === shop.account);
  const [first] = mine;
  if (!first) throw new Error(`Order ${order_id} has no payment.`);
  return first.id;
}

test('refunds order lines up to their quantity, and restocks them if requested', async () => {
  const shop = await stripe.givenShop();
  const product = await shop.givenProduct({ inventory_quantity: 10 });
  const variant_id = product.variants[0]?.id ?? '';
  const order = await shop.givenPaidOrder({ content: [{ variant_id, quantity: 3 }] });
  const line_item_id = order.line_items[0]?.id ?? '';
  const stock = async () =>
    (await server.owner.query<{ on_hand: number }>('select on_hand from commerce.variants where id = $1', [variant_id]))
      .rows[0]?.on_hand;
  expect(await stock()).toBe(7);
  const line_items = [{ line_item_id, quantity: 2, restock: true }];
  const { data } = await refund(shop, order.id, '20.00', { line_items });
  expect(data?.refund.line_items).toEqual([{ line_item_id, quantity: 2, restock: true, shipped: false }]);
  expect(await stock()).toBe(7);
  await shop.finishMoves();
  expect(await stock()).toBe(9);
  const { error } = await refund(shop, order.id, '10.00', { line_items });
  expect(error).toMatchObject({ detail: [{ loc: ['body', 'line_items', 0, 'quantity'] }] });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    params: { path: { order_id: order.id } },
    body: { reason: 'customer' },
  });
  expect(await stock()).toBe(10);
});

test('a cancelled paid order has an amount due for refund until it has been refunded', async () => {
  const shop = await stripe.givenShop();
  const [asked, later] = [await shop.givenPaidOrder(), await shop.givenPaidOrder()];
  const cancel = (order_id: string, body: { refund?: boolean }) =>
    shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
      params: { path: { order_id } },
      body: { reason: 'customer', ...body },
    });
  expect((await cancel(asked.id, { refund: true })).data).toMatchObject({ status: 'cancelled' });
  await cancel(later.id, {});
  expect(await shop.details(asked.id)).toMatchObject({ refund_due: '14.90', refundable: '0.00' });
  expect(await shop.details(later.id)).toMatchObject({ refund_due: '14.90', refundable: '14.90' });
  await shop.finishMoves();
  expect(await shop.details(asked.id)).toMatchObject({ refund_due: '0.00', payment_status: 'refunded' });
  expect(await shop.details(later.id)).toMatchObject({ refund_due: '14.90' });
});

test("a customer's total spent is the captured amount minus successful refunds", async () => {
  const shop = await stripe.givenShop({ capture: 'manual' });
  const { id } = await shop.givenPaidOrder();
  const { data: customer } = await shop.dashboard.POST('/api/dashboard/customers', {
    body: { email: 'june@example.com' },
  });
  const customer_id = customer?.id ?? '';
  await server.owner.query('update commerce.orders set customer_id = $2 where id = $1', [id, customer_id]);
  const spent = async () => {
    const path = '/api/dashboard/customers/{customer_id}';
    const { data } = await shop.dashboard.GET(path, { params: { path: { customer_id } } });
    return data?.total_spent;
  };
  await capture(shop, id, { amount: '12.00' });
  await shop.finishMoves();
  expect(await spent()).toBe('12.00');
  await refund(shop, id, '4.00');
  expect(await spent()).toBe('12.00');
  await shop.finishMoves();
  expect(await spent()).toBe('8.00');
  const [made] = refundsOf(shop);
  if (made) standIn.ledger.changeRefund(made, 'failed');
  await tellRefunds(shop);
  expect(await spent()).toBe('12.00');
});

test('eight concurrent captures of 12.00 capture 12.00 once, and no higher amount can be refunded', async () => {
  const shop = await stripe.givenShop({ capture: 'manual' });
  const { id, payment_status } = await shop.givenPaidOrder();
  expect(payment_status).toBe('authorized');
  expect((await capture(shop, id, { amount: '14.91' })).response.status).toBe(422);
  const answers = await Promise.all(Array.from({ length: 8 }, () => capture(shop, id, { amount: '12.00' })));
  expect(answers.every(({ data }) => data)).toBe(true);
  expect((await capture(shop, id, { amount: '13.00' })).error).toMatchObject({ error: 'conflict' });
  expect((await refund(shop, id, '1.00')).error).toMatchObject({ error: 'invalid_transition' });
  await Promise.allSettled([shop.finishMoves(), shop.finishMoves()]);
  await shop.finishMoves();
  expect(await shop.details(id)).toMatchObject({ payment_status: 'paid', refundable: '12.00' });
  expect((await refund(shop, id, '12.01')).error).toMatchObject({ error: 'refund_exceeds_paid', paid: '12.00' });
});

test('refunds an exchange order through the payment of the original order, up to the exchange credit', async () => {
  const shop = await stripe.givenShop();
  const { id: order_id, line_items } = await shop.givenPaidOrder();
  const { dashboard } = shop;
  const of = (id: string) => ({ params: { path: { order_id: id } } });
  await dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { ...of(order_id), body: {} });
  const lines = [{ line_item_id: line_items[0]?.id ?? '', quantity: 1, reason: 'does_not_fit' as const }];
  const back = await dashboard.POST('/api/dashboard/returns', { body: { order_id, lines, override_policy: true } });
  const params = { path: { return_id: back.data?.id ?? '' } };
  const arrived = [{ id: back.data?.lines[0]?.id ?? '', quantity: 1, condition: 'resellable' as const }];
  await dashboard.POST('/api/dashboard/returns/{return_id}/receive', { params, body: { lines: arrived } });
  const other = await dashboard.POST('/api/dashboard/products', {
    body: { name: 'Lid', price: '12.00', status: 'active', inventory_quantity: 3 },
  });
  const variant_id = other.data?.variants[0]?.id ?? '';
  const { data } = await dashboard.POST('/api/dashboard/returns/{return_id}/exchange', {
    params,
    body: { lines: [{ variant_id, quantity: 1 }] },
  });
  const made = data?.order.id ?? '';
  expect(data?.order).toMatchObject({ exchange_credit: '10.00', amount_due: '2.00' });
  expect(await shop.details(order_id)).toMatchObject({ amount_received: '4.90', refundable: '4.90' });

  const above = await refund(shop, made, '10.01');
  expect(above.error).toMatchObject({ error: 'refund_exceeds_paid', refundable: '10.00' });
  await refund(shop, made, '10.00');
  await refund(shop, order_id, '4.90');
  await shop.finishMoves();

  expect(await shop.details(made)).toMatchObject({ refunded: '10.00', refundable: '0.00', payment_status: 'refunded' });
  expect(await shop.details(order_id)).toMatchObject({ refunded: '4.90', payment_status: 'refunded' });
  expect(refundedAt(shop)).toBe(1_490);
});

test("a refund in Stripe's dashboard is split between an order and its exchange order, and reverted on both if it fails", async () => {
  const shop = await stripe.givenShop();
  const { id: order_id, line_items } = await shop.givenPaidOrder();
  const { dashboard } = shop;
  const params = { path: { order_id } };
  await dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body: {} });
  const lines = [{ line_item_id: line_items[0]?.id ?? '', quantity: 1, reason: 'does_not_fit' as const }];
  const back = await dashboard.POST('/api/dashboard/returns', { body: { order_id, lines, override_policy: true } });
  const of = { params: { path: { return_id: back.data?.id ?? '' } } };
  const arrived = [{ id: back.data?.lines[0]?.id ?? '', quantity: 1, condition: 'resellable' as const }];
  await dashboard.POST('/api/dashboard/returns/{return_id}/receive', { ...of, body: { lines: arrived } });
  const { data } = await dashboard.POST('/api/dashboard/returns/{return_id}/exchange', {
    ...of,
    body: { lines: [{ variant_id: line_items[0]?.variant_id ?? '', quantity: 1 }] },
  });
  const exchange_id = data?.order.id ?? '';
  const [intent] = [...standIn.ledger.intents.values()].filter(({ account }) => account === shop.account);

  const made = standIn.refund(intent?.id ?? '', 1_490);
  const event = shop.events().at(-1);
  if (!event) throw new Error('The refund was not reported.');
  expect([await shop.send(event), await shop.send(event)]).toEqual([200, 200]);

  expect(await shop.details(order_id)).toMatchObject({ refunded: '4.90', payment_status: 'refunded' });
  expect(await shop.details(exchange_id)).toMatchObject({ refunded: '10.00', status: 'cancelled', refundable: '0.00' });

  standIn.ledger.changeRefund(made, 'failed');
  const failed = shop.events().at(-1);
  if (failed) expect(await shop.send(failed)).toBe(200);
  expect(await shop.details(order_id)).toMatchObject({ refunded: '0.00', payment_status: 'paid', refundable: '4.90' });
  expect(await shop.details(exchange_id)).toMatchObject({ refunded: '0.00', refundable: '10.00' });
});

test('rejects an edit while a payment is authorized (409 payment_in_progress), and accepts the edit after the capture', async () => {
  const shop = await stripe.givenShop({ capture: 'manual' });
  const { id, line_items } = await shop.givenPaidOrder();
  const line_item_id = line_items[0]?.id ?? '';
  const edit = (body: object) =>
    shop.dashboard.POST('/api/dashboard/orders/{order_id}/edit', {
      params: { path: { order_id: id } },
      body: { change: [{ line_item_id, quantity: 2 }], ...body },
    });
  const { error, response } = await edit({ dry_run: true });
  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'payment_in_progress', payment_id: expect.any(String) });
  await capture(shop, id, { amount: '12.00' });
  await shop.finishMoves();

  await edit({ expected_total: '24.90' });

  // The order costs 20.00 for two pieces and 4.90 for delivery. The capture released 2.90 of the first piece, so only
  // the 10.00 of the second piece are due.
  expect(await shop.details(id)).toMatchObject({ total: '24.90', amount_received: '12.00', amount_due: '10.00' });
});

test('the first fulfilment captures an authorized payment', async () => {
  const shop = await stripe.givenShop({ capture: 'manual' });
  const { id } = await shop.givenPaidOrder();
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
    params: { path: { order_id: id } },
    body: {},
  });
  await shop.finishMoves();
  expect(await shop.details(id)).toMatchObject({ payment_status: 'paid', status: 'processing' });
  expect((await capture(shop, id)).data).toMatchObject({ payment_status: 'paid' });
});

test('cancelling an order releases its authorization, and capturing an expired authorization cancels the order', async () => {
  const shop = await stripe.givenShop({ capture: 'manual' });
  const [cancelled, lapsed] = [await shop.givenPaidOrder(), await shop.givenPaidOrder()];
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    params: { path: { order_id: cancelled.id } },
    body: { reason: 'customer' },
  });
  await shop.settlePayments();
  const intents = [...standIn.ledger.intents.values()].filter(({ account }) => account === shop.account);
  expect(intents.map(({ status }) => status)).toEqual(['canceled', 'requires_capture']);
  const intent = intents[1];
  if (intent) standIn.ledger.change(intent, 'canceled');
  await capture(shop, lapsed.id);
  await shop.finishMoves();
  expect(await shop.details(lapsed.id)).toMatchObject({ status: 'cancelled', payment_status: 'voided' });
});

test('voids an authorization that expires after part of the order has shipped, and keeps the order', async () => {
  const shop = await stripe.givenShop({ capture: 'manual' });
  const { id, line_items } = await shop.givenPaidOrder();
  const [line] = line_items;
  const line_item_id = (line as { id?: string } | undefined)?.id ?? '';
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
    params: { path: { order_id: id } },
    body: { items: [{ line_item_id, quantity: 1 }] },
  });
  const intents = [...standIn.ledger.intents.values()].filter(({ account }) => account === shop.account);
  for (const intent of intents) standIn.ledger.change(intent, 'canceled');

  await shop.finishMoves();

  expect(await shop.details(id)).toMatchObject({ status: 'processing', payment_status: 'voided', cancelled_at: null });
});

test('a refund of a bank transfer is recorded as completed immediately', async () => {
  const shop = await stripe.givenShop();
  const { id } = await shop.givenOrder();
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path: { order_id: id } } });
  expect((await refund(shop, id, '14.90')).data).toMatchObject({
    refund: { status: 'succeeded' },
    order: { payment_status: 'refunded' },
  });
});
