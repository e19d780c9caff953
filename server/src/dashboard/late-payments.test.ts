import { expect, test } from 'vitest';
import { givenAgent, givenAgentCheckout } from '../../test/agents.ts';
import { givenVariant, stockOf } from '../../test/buying.ts';
import { workOverdue } from '../../test/jobs.ts';
import { openShop } from '../../test/shop.ts';

const orderPath = '/api/dashboard/orders/{order_id}';
const paidPath = '/api/dashboard/orders/{order_id}/mark-paid';
const paymentPath = '/api/dashboard/orders/{order_id}/payments';
const reinstatePath = '/api/dashboard/orders/{order_id}/reinstate';
const refundPath = '/api/dashboard/orders/{order_id}/refunds';
const timelinePath = '/api/dashboard/orders/{order_id}/timeline';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

async function givenExpired(shop: OpenShop, order_id: string) {
  const at = { params: { path: { order_id } } };
  await shop.owner.query('update commerce.orders set payment_due_at = now() where id = $1', [order_id]);
  await workOverdue(shop);
  return {
    record: (amount: string, more: object = {}) =>
      shop.dashboard.POST(paymentPath, { ...at, body: { amount, ...more } }),
    reinstate: (body: { keep_prices?: boolean } = {}) => shop.dashboard.POST(reinstatePath, { ...at, body }),
    refund: (amount: string, line_items?: { line_item_id: string; quantity: number; restock?: boolean }[]) =>
      shop.dashboard.POST(refundPath, { ...at, body: { amount, reason: 'other', ...(line_items && { line_items }) } }),
    markPaid: () => shop.dashboard.POST(paidPath, at),
    details: async () => (await shop.dashboard.GET(orderPath, at)).data,
    timeline: async () => (await shop.dashboard.GET(timelinePath, at)).data?.entries ?? [],
  };
}

/** Creates an expired order for two items of a product with a stock of 10. */
async function givenExpiredOrder() {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop, { price: '10.00', inventory_quantity: 10 });
  const order = await shop.givenOrder({ content: [{ variant_id, quantity: 2 }] });
  return { shop, product, variant_id, order, ...(await givenExpired(shop, order.id)) };
}

async function eventsOf({ owner, site_id }: OpenShop, order_id: string): Promise<string[]> {
  const { rows } = await owner.query<{ type: string }>(
    'select type from commerce.events where site_id = $1 and subject_id = $2 order by id',
    [site_id, order_id],
  );
  return rows.map(({ type }) => type);
}

test('records a late payment as due for refund, and the order stays expired', async () => {
  const { order, record, markPaid, details } = await givenExpiredOrder();

  const marked = await markPaid();
  const { data, response } = await record(order.total, {
    method: 'bank_transfer',
    received_at: '2026-03-12T00:00:00Z',
    reference: 'NTRF 4711',
  });

  expect(marked.response.status).toBe(400);
  expect(marked.error).toMatchObject({ error: 'payment_not_awaiting', next: 'cancel_or_refund' });
  expect(response.status).toBe(201);
  expect(data?.payment).toMatchObject({
    amount: order.total,
    method: 'bank_transfer',
    received_at: '2026-03-12T00:00:00.000Z',
    reference: 'NTRF 4711',
  });
  expect(await details()).toMatchObject({
    status: 'cancelled',
    payment_status: 'expired',
    amount_received: order.total,
    refundable: order.total,
    refund_due: order.total,
    recorded_payments: [{ id: data?.payment.id }],
  });
});

test('reinstates an expired order with its payment as paid and confirmed, and reserves its stock again', async () => {
  const { shop, product, order, record, reinstate, timeline } = await givenExpiredOrder();
  const released = await stockOf(shop, product.id);
  await shop.dashboard.POST('/api/dashboard/events/listeners', { body: { events: ['order.*'] } });
  await record(order.total);

  const { data } = await reinstate();
  const again = await reinstate();
  const shipped = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
    params: { path: { order_id: order.id } },
    body: {},
  });

  expect(released.on_hand).toBe(10);
  expect(data).toMatchObject({
    status: 'confirmed',
    payment_status: 'paid',
    cancelled_at: null,
    cancel_reason: null,
    refund_due: '0.00',
    line_states: [{ to_fulfill: 2 }],
  });
  expect(await stockOf(shop, product.id)).toMatchObject({ on_hand: 8, reserved: 0 });
  expect(again.error).toMatchObject({ error: 'order_not_expired', status: 'confirmed', payment_status: 'paid' });
  expect(shipped.response.status).toBe(201);
  const types = (await timeline()).map(({ type }) => type).toReversed();
  expect(types).toEqual(['created', 'payment_expired', 'updated', 'payment_confirmed', 'updated', 'fulfilled']);
  // Events of the same transaction may arrive in any order.
  const told = await eventsOf(shop, order.id);
  expect(told.toSorted()).toEqual(['order.fulfilled', 'order.paid', 'order.updated', 'order.updated']);
});

test('a late payment can be refunded in full while its order stays expired', async () => {
  const { order, record, refund, reinstate, details } = await givenExpiredOrder();
  const early = await refund('1.00');
  await record(order.total);

  const { data } = await refund(order.total);
  const beyond = await refund('0.01');
  const late = await reinstate();

  expect(early.error).toMatchObject({ error: 'invalid_transition' });
  expect(data).toMatchObject({
    refund: { status: 'succeeded' },
    order: { payment_status: 'expired', status: 'cancelled' },
  });
  expect(beyond.error).toMatchObject({ error: 'refund_exceeds_paid', refundable: '0.00' });
  expect(late.error).toMatchObject({ error: 'payment_incomplete', amount_received: '0.00', amount_due: order.total });
  expect(await details()).toMatchObject({ refunded: order.total, refundable: '0.00', refund_due: '0.00' });
});

test('reinstates an order only once its total is paid, and shows the excess as due for refund', async () => {
  const { order, record, reinstate, refund, details } = await givenExpiredOrder();
  await record('5.00');

  const early = await reinstate();
  await record(order.total);
  const { data } = await reinstate();
  await refund('5.00');

  expect(early.error).toMatchObject({ error: 'payment_incomplete', total: order.total, amount_received: '5.00' });
  expect(data).toMatchObject({ payment_status: 'paid', refund_due: '5.00' });
  expect(await details()).toMatchObject({
    refund_due: '0.00',
    refundable: order.total,
    line_states: [{ to_fulfill: 2 }],
  });
});

test('rejects the reinstatement of an order if the stock of an item is insufficient, and reserves nothing', async () => {
  const { shop, product, variant_id, order, record, reinstate, details } = await givenExpiredOrder();
  await record(order.total);
  await shop.dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
    params: { path: { variant_id } },
    body: { delta: -9, reason: 'correction' },
  });

  const { error } = await reinstate();

  expect(error).toMatchObject({ error: 'insufficient_stock', lines: [{ variant_id, requested: 2, available: 1 }] });
  expect(await stockOf(shop, product.id)).toMatchObject({ on_hand: 1 });
  expect(await details()).toMatchObject({ payment_status: 'expired', refund_due: order.total });
});

test('reinstating an order does not take already refunded items from the stock', async () => {
  const { shop, product, order, record, refund, reinstate } = await givenExpiredOrder();
  await record(order.total);
  await record('10.00');
  const line_item_id = order.line_items[0]?.id ?? '';
  const { error } = await refund('10.00', [{ line_item_id, quantity: 1, restock: true }]);

  const { data } = await reinstate();
  const reinstated = await stockOf(shop, product.id);
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    params: { path: { order_id: order.id } },
    body: { reason: 'customer' },
  });

  expect(error).toBeUndefined();
  expect(data).toMatchObject({
    payment_status: 'partially_refunded',
    refund_due: '0.00',
    line_states: [{ removed: 1, to_fulfill: 1 }],
  });
  expect(reinstated).toMatchObject({ on_hand: 9, reserved: 0 });
  // Shipped items are restocked once.
  expect(await stockOf(shop, product.id)).toMatchObject({ on_hand: 10 });
});

test("rejects the reinstatement after a price change unless the request keeps the order's prices", async () => {
  const { shop, product, variant_id, order, record, reinstate } = await givenExpiredOrder();
  await record(order.total);
  const { response } = await shop.dashboard.PATCH('/api/dashboard/products/{product_id}/variants/{variant_id}', {
    params: { path: { product_id: product.id, variant_id } },
    body: { price: '12.00' },
  });

  const refused = await reinstate();
  const { data } = await reinstate({ keep_prices: true });

  expect(response.status).toBe(200);
  expect(refused.error).toMatchObject({
    error: 'order_prices_changed',
    lines: [{ previous_price: '10.00', price: '12.00' }],
  });
  expect(data).toMatchObject({ payment_status: 'paid', total: order.total });
});

test('rejects reinstating an order whose discount code is used up, and otherwise redeems the code', async () => {
  const shop = await openShop();
  const discount = await shop.givenDiscount({ usage_limit: 1 });
  const uses = async () => {
    const params = { path: { discount_id: discount.id } };
    return (await shop.dashboard.GET('/api/dashboard/discounts/{discount_id}', { params })).data?.usage_count;
  };
  const orderWithCode = async () => {
    const cart = await shop.givenCart('30.00');
    const params = { path: { cart_id: cart.id } };
    await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', { params, body: { code: 'TEN' } });
    return shop.givenOrder({ cart_id: cart.id });
  };
  const first = await orderWithCode();
  const expired = await givenExpired(shop, first.id);
  await expired.record(first.total);
  const second = await orderWithCode();

  const refused = await expired.reinstate();
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    params: { path: { order_id: second.id } },
    body: { reason: 'customer' },
  });
  const released = await uses();
  const { data } = await expired.reinstate();

  expect(refused.response.status).toBe(400);
  expect(refused.error).toMatchObject({ error: 'discount_usage_limit_reached' });
  expect(released).toBe(0);
  expect(data).toMatchObject({ payment_status: 'paid' });
  expect(await uses()).toBe(1);
});

test('only one of several concurrent reinstatements takes the last items', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop, { inventory_quantity: 2 });
  const content = [{ variant_id, quantity: 2 }];
  const orders = [];
  for (let i = 0; i < 3; i += 1) {
    const order = await shop.givenOrder({ content });
    const expired = await givenExpired(shop, order.id);
    await expired.record(order.total);
    orders.push(expired);
  }

  const answers = await Promise.all(orders.flatMap(({ reinstate }) => [reinstate(), reinstate()]));

  expect(answers.filter(({ data }) => data)).toHaveLength(1);
  expect(await stockOf(shop, product.id)).toMatchObject({ on_hand: 0 });
});

test("reinstating an order prepared by an agent counts against the agent's budget again", async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const token = await givenAgent(shop, customer);
  const { variant_id } = await givenVariant(shop, { price: '10.00' });
  const checkout = await givenAgentCheckout(shop, customer, token, [{ variant_id, quantity: 1 }]);
  const { data: completed } = await customer.client.POST('/api/storefront/checkout/{checkout_id}/complete', {
    params: { path: { checkout_id: checkout.id } },
    body: {},
  });
  const order = completed?.order;
  const expired = await givenExpired(shop, order?.id ?? '');
  await expired.record(order?.total ?? '');
  const used = async () => {
    const { data } = await customer.client.GET('/api/storefront/customer/me/agents');
    return data?.agent_tokens[0]?.budget_used_cents;
  };
  const before = await used();

  await expired.reinstate();

  expect(before).toBe(0);
  expect(await used()).toBe(Math.round(Number(order?.total) * 100));
});

test('rejects a payment for a paid card order (409), and a payment with an amount of 0.00 or a future date (422)', async () => {
  const shop = await openShop();
  const { id } = await shop.givenOrder();
  const card = await shop.givenOrder({ payment_method: 'card', card_token: 'tok_success' });
  const at = { params: { path: { order_id: card.id } } };
  const paid = await shop.dashboard.POST(paymentPath, { ...at, body: { amount: card.total } });
  const { record } = await givenExpired(shop, id);

  const zero = await record('0.00');
  const future = await record('1.00', { received_at: '2999-01-01T00:00:00Z' });
  const unknown = await shop.dashboard.POST(paymentPath, {
    params: { path: { order_id: '0192f3a0-5555-7000-8000-00000000dead' } },
    body: { amount: '1.00' },
  });

  expect(paid.response.status).toBe(409);
  expect(paid.error).toMatchObject({ error: 'order_not_expired', status: 'confirmed', payment_status: 'paid' });
  expect([zero.response.status, future.response.status, unknown.response.status]).toEqual([422, 422, 404]);
});

test('accepts a late payment for an overdue order before the expiry job has run', async () => {
  const shop = await openShop();
  const { id, total } = await shop.givenOrder();
  await shop.owner.query('update commerce.orders set payment_due_at = now() where id = $1', [id]);

  const { data } = await shop.dashboard.POST(paymentPath, {
    params: { path: { order_id: id } },
    body: { amount: total },
  });

  expect(data?.order).toMatchObject({ status: 'cancelled', payment_status: 'expired', amount_received: total });
});

test('changing the notes of an order sends order.updated, and sending a mail again does not', async () => {
  const shop = await openShop();
  const { id } = await shop.givenOrder({ email: 'june@example.com' });
  const at = { params: { path: { order_id: id } } };
  await shop.dashboard.POST('/api/dashboard/events/listeners', { body: { events: ['order.updated'] } });

  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mails', { ...at, body: { kind: 'placed' } });
  const before = await eventsOf(shop, id);
  await shop.dashboard.PATCH(orderPath, { ...at, body: { staff_note: 'Before Easter' } });

  expect(before).toEqual([]);
  expect(await eventsOf(shop, id)).toEqual(['order.updated']);
});
