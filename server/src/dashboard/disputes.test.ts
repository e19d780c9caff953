import { afterAll, expect, test } from 'vitest';
import { mailsTo } from '../../test/mail.ts';
import { openStripe, type StripeShop } from '../../test/stripe/shop.ts';

const stripe = await openStripe();
const { standIn, server } = stripe;
afterAll(() => stripe.close());

const at = (order_id: string) => ({ params: { path: { order_id } } });
const refund = (shop: StripeShop, order_id: string, amount: string) =>
  shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    ...at(order_id),
    body: { amount, reason: 'damaged' },
  });
const ship = (shop: StripeShop, order_id: string, body: { override_dispute?: boolean } = {}) =>
  shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { ...at(order_id), body });

function intentOf(shop: StripeShop): string {
  const [intent] = [...standIn.ledger.intents.values()].filter(({ account }) => account === shop.account);
  if (!intent) throw new Error('The shop has no payment.');
  return intent.id;
}

/** Sends the shop all events about disputes that the provider has created so far. */
async function sendDisputes(shop: StripeShop): Promise<number[]> {
  const events = shop.events().filter(({ type }) => type.startsWith('charge.dispute.'));
  return Promise.all(events.map((event) => shop.send(event)));
}

async function givenDisputed(amount?: number) {
  const shop = await stripe.givenShop();
  const order = await shop.givenPaidOrder();
  const dispute = standIn.dispute(intentOf(shop), amount);
  await sendDisputes(shop);
  return { shop, order, dispute };
}

test('an open dispute blocks shipping of the exchange order that the disputed payment covers (409 order_disputed)', async () => {
  const shop = await stripe.givenShop();
  const { id: order_id, line_items } = await shop.givenPaidOrder();
  const { dashboard } = shop;
  await ship(shop, order_id);
  const lines = [{ line_item_id: line_items[0]?.id ?? '', quantity: 1, reason: 'does_not_fit' as const }];
  const back = await dashboard.POST('/api/dashboard/returns', { body: { order_id, lines, override_policy: true } });
  const params = { path: { return_id: back.data?.id ?? '' } };
  const arrived = [{ id: back.data?.lines[0]?.id ?? '', quantity: 1, condition: 'resellable' as const }];
  await dashboard.POST('/api/dashboard/returns/{return_id}/receive', { params, body: { lines: arrived } });
  const { data } = await dashboard.POST('/api/dashboard/returns/{return_id}/exchange', {
    params,
    body: { lines: [{ variant_id: line_items[0]?.variant_id ?? '', quantity: 1 }] },
  });
  const made = data?.order.id ?? '';
  standIn.dispute(intentOf(shop));
  await sendDisputes(shop);

  expect((await ship(shop, made)).error).toMatchObject({ error: 'order_disputed', disputes: [{ amount: '14.90' }] });
  expect((await ship(shop, made, { override_dispute: true })).response.status).toBe(201);
});

test('shows an open dispute on its order, and excludes its amount from refunds', async () => {
  const { shop, order, dispute } = await givenDisputed(1_000);
  expect(await shop.details(order.id)).toMatchObject({
    payment_status: 'paid',
    amount_received: '14.90',
    refundable: '4.90',
    refund_due: '0.00',
    disputes: [
      {
        order_id: order.id,
        amount: '10.00',
        currency: 'EUR',
        status: 'open',
        reason: 'fraudulent',
        provider_reference: dispute.id,
        respond_by: expect.any(String),
      },
    ],
  });
  const suggested = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds/suggestion', {
    ...at(order.id),
    body: { line_items: [{ line_item_id: order.line_items[0]?.id ?? '', quantity: 1 }] },
  });
  expect(suggested.data).toMatchObject({ amount: '4.90', refundable: '4.90' });
  expect((await refund(shop, order.id, '4.91')).error).toMatchObject({
    error: 'refund_exceeds_paid',
    paid: '14.90',
    refunded: '0.00',
    refundable: '4.90',
  });
  const { data } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}/timeline', at(order.id));
  expect(data?.entries[0]).toMatchObject({
    type: 'updated',
    message: '10.00 EUR: the customer disputes the payment at the bank. Shipping is on hold.',
    context: { dispute_status: { from: null, to: 'open' } },
  });
  const [mail] = (await mailsTo(shop, shop.credentials.staff.email)).filter(({ subject }) => /disputed/.test(subject));
  expect(mail?.subject).toBe(`The payment for order ${order.order_number} is disputed`);
  expect(mail?.html).toContain(dispute.id);
});

test('sends order.updated when a dispute is opened', async () => {
  const shop = await stripe.givenShop();
  await shop.dashboard.POST('/api/dashboard/webhooks', {
    body: { url: 'https://erp.example/events', events: ['order.updated'] },
  });
  await shop.givenPaidOrder();
  standIn.dispute(intentOf(shop));
  await sendDisputes(shop);
  const { rows } = await server.owner.query<{ count: number }>(
    `select count(*)::int from commerce.events where site_id = $1 and type = 'order.updated'`,
    [shop.site_id],
  );
  expect(rows).toEqual([{ count: 1 }]);
});

test('rejects a shipment while a dispute is open (409 order_disputed), unless the request overrides it', async () => {
  const { shop, order, dispute } = await givenDisputed();
  const held = await ship(shop, order.id);
  expect([held.response.status, held.error]).toMatchObject([
    409,
    {
      error: 'order_disputed',
      retryable: false,
      disputes: [{ id: expect.any(String), amount: '14.90', currency: 'EUR', provider_reference: dispute.id }],
    },
  ]);
  const several = await shop.dashboard.POST('/api/dashboard/orders/fulfill', {
    body: { orders: [{ order_number: order.order_number }] },
  });
  expect(several.data?.results).toMatchObject([
    { status: 'failed', message: expect.stringContaining('disputes 14.90') },
  ]);
  expect((await ship(shop, order.id, { override_dispute: true })).data).toMatchObject({
    order: { fulfillment_status: 'fulfilled' },
  });
});

test('an order can be shipped and fully refunded once its dispute is won', async () => {
  const { shop, order, dispute } = await givenDisputed();
  standIn.ledger.changeDispute(dispute, 'won');
  await sendDisputes(shop);
  expect(await shop.details(order.id)).toMatchObject({ refundable: '14.90', disputes: [{ status: 'won' }] });
  expect((await ship(shop, order.id)).response.status).toBe(201);
  await refund(shop, order.id, '14.90');
  await shop.finishMoves();
  expect(await shop.details(order.id)).toMatchObject({ payment_status: 'refunded' });
});

test('after a lost dispute, nothing is refundable or due for refund, even if the order is cancelled', async () => {
  const { shop, order, dispute } = await givenDisputed();
  standIn.ledger.changeDispute(dispute, 'lost');
  await sendDisputes(shop);
  const lost = { refundable: '0.00', refund_due: '0.00', payment_status: 'paid', disputes: [{ status: 'lost' }] };
  expect(await shop.details(order.id)).toMatchObject(lost);
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    ...at(order.id),
    body: { reason: 'fraud', refund: true },
  });
  expect(await shop.details(order.id)).toMatchObject({ ...lost, status: 'cancelled', refunds: [] });
});

test('the sales figure subtracts a lost dispute, but not an open or won dispute', async () => {
  const { shop, dispute } = await givenDisputed(1_000);
  const sales = async () => {
    const { data } = await shop.dashboard.GET('/api/dashboard/overview');
    return [data?.sales, data?.days.at(-1)?.sales];
  };
  expect(await sales()).toEqual(['14.90', '14.90']);
  standIn.ledger.changeDispute(dispute, 'lost');
  await sendDisputes(shop);
  expect(await sales()).toEqual(['4.90', '4.90']);

  const other = await givenDisputed(1_000);
  standIn.ledger.changeDispute(other.dispute, 'won');
  await sendDisputes(other.shop);
  expect((await other.shop.dashboard.GET('/api/dashboard/overview')).data?.sales).toBe('14.90');
});

test('the sales figure subtracts the part of a lost dispute that was not refunded before', async () => {
  const shop = await stripe.givenShop();
  const order = await shop.givenPaidOrder();
  await refund(shop, order.id, '4.90');
  await shop.finishMoves();
  const dispute = standIn.dispute(intentOf(shop));
  await sendDisputes(shop);
  standIn.ledger.changeDispute(dispute, 'lost');
  await sendDisputes(shop);
  expect((await shop.dashboard.GET('/api/dashboard/overview')).data?.sales).toBe('0.00');
});

test('records a dispute once if its events arrive twice or out of order, and never reopens a decided dispute', async () => {
  const shop = await stripe.givenShop();
  const { id } = await shop.givenPaidOrder();
  const dispute = standIn.dispute(intentOf(shop));
  const [opened] = shop.events().slice(-1);
  standIn.ledger.changeDispute(dispute, 'under_review');
  const [reviewed] = shop.events().slice(-1);
  standIn.ledger.changeDispute(dispute, 'lost');
  const [closed] = shop.events().slice(-1);
  if (!opened || !reviewed || !closed) throw new Error('There are no events.');
  for (const event of [closed, opened, closed]) expect(await shop.send(event)).toBe(200);
  // Simulates a dispute that the server read before the bank's decision.
  dispute.status = 'needs_response';
  expect(await shop.send(reviewed)).toBe(200);
  expect(await shop.details(id)).toMatchObject({ refundable: '0.00', disputes: [{ status: 'lost' }] });
  const { data } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}/timeline', at(id));
  expect(data?.entries.filter(({ context }) => 'dispute_status' in context)).toHaveLength(1);
});

test("ignores a bank's inquiry until it becomes a dispute", async () => {
  const shop = await stripe.givenShop();
  const { id } = await shop.givenPaidOrder();
  const inquiry = standIn.dispute(intentOf(shop), undefined, 'warning_needs_response');
  await sendDisputes(shop);
  expect(await shop.details(id)).toMatchObject({ refundable: '14.90', disputes: [] });
  standIn.ledger.changeDispute(inquiry, 'needs_response');
  await sendDisputes(shop);
  expect(await shop.details(id)).toMatchObject({ refundable: '0.00', disputes: [{ status: 'open' }] });
});

test('rejects a dispute event until its payment is recorded (409), so that the provider sends it again', async () => {
  const shop = await stripe.givenShop();
  const { checkout_id, url } = await shop.givenPage();
  await standIn.press(url, 'pay');
  const payment = shop.events();
  standIn.dispute(intentOf(shop));
  expect(await sendDisputes(shop)).toEqual([409]);
  for (const event of payment) await shop.send(event);
  expect(await sendDisputes(shop)).toEqual([200]);
  const order = await shop.orderOf(checkout_id);
  expect(await shop.details(order?.id ?? '')).toMatchObject({ disputes: [{ status: 'open', amount: '14.90' }] });
});

test('concurrent refunds and disputes together never exceed the received amount', async () => {
  for (let round = 0; round < 4; round += 1) {
    const shop = await stripe.givenShop();
    const { id } = await shop.givenPaidOrder();
    standIn.dispute(intentOf(shop), 1_000);
    const [, ...answers] = await Promise.all([
      sendDisputes(shop),
      ...Array.from({ length: 6 }, () => refund(shop, id, '3.00')),
    ]);
    const made = answers.filter(({ data }) => data).length;
    const { refundable, refunds } = await shop.details(id);
    const { rows } = await server.owner.query<{ sum: string }>(
      `select disputed + refunds_begun as sum from commerce.orders where site_id = $1 and id = $2`,
      [shop.site_id, id],
    );
    expect(refunds).toHaveLength(made);
    expect(Number(rows[0]?.sum)).toBeLessThanOrEqual(14.9);
    expect(Number(refundable)).toBeCloseTo(14.9 - Number(rows[0]?.sum), 2);
  }
});

test('a dispute of a partly refunded payment blocks the remaining amount, and the full amount if the pending refund fails', async () => {
  const shop = await stripe.givenShop();
  const { id } = await shop.givenPaidOrder();
  await refund(shop, id, '10.00');
  standIn.dispute(intentOf(shop));
  await sendDisputes(shop);
  expect(await shop.details(id)).toMatchObject({ refundable: '0.00', disputes: [{ amount: '14.90' }] });
  // The provider does not refund a disputed payment.
  await shop.finishMoves();
  expect(await shop.details(id)).toMatchObject({
    refundable: '0.00',
    refunds: [{ status: 'failed', failure_reason: 'charge_disputed' }],
  });
});

test("records a refund in Stripe's dashboard that was made before a dispute but is reported after it", async () => {
  const shop = await stripe.givenShop();
  const { id } = await shop.givenPaidOrder();
  standIn.refund(intentOf(shop), 490);
  const [made] = shop.events().slice(-1);
  standIn.dispute(intentOf(shop));
  await sendDisputes(shop);
  if (made) expect(await shop.send(made)).toBe(200);
  expect(await shop.details(id)).toMatchObject({
    payment_status: 'partially_refunded',
    refunded: '4.90',
    refundable: '0.00',
  });
});
