import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { givenAgent, givenAgentCheckout } from '../../test/agents.ts';
import { givenPaidOrder, givenVariant, stockOf } from '../../test/buying.ts';
import { workOverdue } from '../../test/jobs.ts';
import { mailsTo } from '../../test/mail.ts';
import { openShop } from '../../test/shop.ts';

const listPath = '/api/dashboard/orders';
const orderPath = '/api/dashboard/orders/{order_id}';
const paidPath = '/api/dashboard/orders/{order_id}/mark-paid';
const shipPath = '/api/dashboard/orders/{order_id}/fulfillments';
const deliveredPath = '/api/dashboard/orders/{order_id}/mark-delivered';
const cancelPath = '/api/dashboard/orders/{order_id}/cancel';
const refundPath = '/api/dashboard/orders/{order_id}/refunds';
const timelinePath = '/api/dashboard/orders/{order_id}/timeline';
const unknown = '0192f3a0-5555-7000-8000-00000000dead';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

function at(order_id: string) {
  return { params: { path: { order_id } } };
}

async function typesOf({ dashboard }: OpenShop, order_id: string) {
  const { data } = await dashboard.GET(timelinePath, at(order_id));
  return data?.entries.map(({ type }) => type).toReversed();
}

test('marking an order as paid confirms it, and marking it again changes nothing', async () => {
  const shop = await openShop();
  const { id } = await shop.givenOrder();

  const { data: first } = await shop.dashboard.POST(paidPath, at(id));
  const { data: second, response } = await shop.dashboard.POST(paidPath, at(id));

  expect(first).toMatchObject({ payment_status: 'paid', status: 'confirmed' });
  expect(first).not.toHaveProperty('payment_confirmed_at');
  expect(response.status).toBe(200);
  expect(second).toEqual(first);
});

test('only one of 64 concurrent requests to mark an order as paid changes it, and all return the paid order', async () => {
  const shop = await openShop();
  const { id } = await shop.givenOrder();

  const answers = await Promise.all(Array.from({ length: 64 }, () => shop.dashboard.POST(paidPath, at(id))));

  expect(new Set(answers.map(({ data }) => data?.updated_at)).size).toBe(1);
  expect(answers.every(({ data }) => data?.payment_status === 'paid')).toBe(true);
  expect(await typesOf(shop, id)).toEqual(['created', 'payment_confirmed']);
});

test('rejects marking an order as paid if it is not paid by bank transfer (400), and names its payment method', async () => {
  const shop = await openShop();
  const { id } = await shop.givenOrder({ payment_method: 'card', card_token: 'tok_success' });

  const { error, response } = await shop.dashboard.POST(paidPath, at(id));

  expect(response.status).toBe(400);
  expect(error).toMatchObject({ error: 'not_bank_transfer', payment_method: 'card' });
});

test('an order past its payment deadline is shown as expired before the expiry job runs, and the job restocks the items', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop);
  const { id } = await shop.givenOrder({ content: [{ variant_id, quantity: 2 }] });
  await shop.owner.query('update commerce.orders set payment_due_at = now() where id = $1', [id]);

  const { error, response } = await shop.dashboard.POST(paidPath, at(id));
  const { data } = await shop.dashboard.GET(listPath);
  const cancelled = await shop.dashboard.POST(cancelPath, { ...at(id), body: { reason: 'customer' } });
  const typesBefore = await typesOf(shop, id);
  await workOverdue(shop);
  const after = await shop.dashboard.POST(paidPath, at(id));

  expect(response.status).toBe(400);
  expect(error).toMatchObject({ error: 'payment_not_awaiting', payment_status: 'expired', next: 'cancel_or_refund' });
  expect(data?.orders).toMatchObject([{ id, status: 'cancelled', payment_status: 'expired' }]);
  expect(cancelled.error).toMatchObject({ error: 'invalid_transition', from: 'cancelled', allowed: [] });
  expect(typesBefore).toEqual(['created']);
  expect(after.error).toMatchObject({ error: 'payment_not_awaiting', payment_status: 'expired' });
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 0 });
  expect(await typesOf(shop, id)).toEqual(['created', 'payment_expired']);
});

test('rejects marking a refunded order as paid (400)', async () => {
  const shop = await openShop();
  const { id, total } = await givenPaidOrder(shop);
  await shop.dashboard.POST(refundPath, { ...at(id), body: { amount: total, reason: 'customer' } });

  const { error, response } = await shop.dashboard.POST(paidPath, at(id));

  expect(response.status).toBe(400);
  expect(error).toMatchObject({ error: 'payment_not_awaiting', payment_status: 'refunded' });
});

test('ships an order in parts, delivers and completes it', async () => {
  const shop = await openShop();
  const { variant_id } = await givenVariant(shop);
  const { id, line_items } = await givenPaidOrder(shop, { content: [{ variant_id, quantity: 3 }] });
  const line_item_id = line_items[0]?.id ?? '';

  const part = await shop.dashboard.POST(shipPath, { ...at(id), body: { items: [{ line_item_id, quantity: 1 }] } });
  const early = await shop.dashboard.POST(deliveredPath, at(id));
  const rest = await shop.dashboard.POST(shipPath, { ...at(id), body: { carrier: 'DHL', tracking_number: '0034' } });
  const { data: delivered } = await shop.dashboard.POST(deliveredPath, at(id));
  const { data: list } = await shop.dashboard.GET(shipPath, at(id));

  expect(part.data?.order).toMatchObject({ status: 'processing', fulfillment_status: 'partially_fulfilled' });
  expect(part.data?.fulfillment.items).toEqual([{ line_item_id, quantity: 1 }]);
  expect(early.response.status).toBe(409);
  expect(early.error).toMatchObject({
    error: 'invalid_transition',
    field: 'fulfillment_status',
    from: 'partially_fulfilled',
    to: 'delivered',
    allowed: ['fulfilled'],
  });
  expect(rest.data?.order).toMatchObject({ fulfillment_status: 'fulfilled', tracking_number: '0034' });
  expect(rest.data?.fulfillment.items).toEqual([{ line_item_id, quantity: 2 }]);
  expect(delivered).toMatchObject({ status: 'completed', fulfillment_status: 'delivered' });
  expect(list?.fulfillments.map(({ delivered_at }) => delivered_at)).toEqual([
    delivered?.delivered_at,
    delivered?.delivered_at,
  ]);
  expect(await typesOf(shop, id)).toEqual(['created', 'payment_confirmed', 'fulfilled', 'fulfilled', 'delivered']);
});

test('concurrent shipments never exceed the remaining quantity of an order line', async () => {
  const shop = await openShop();
  const { variant_id } = await givenVariant(shop);
  const { id, line_items } = await givenPaidOrder(shop, { content: [{ variant_id, quantity: 3 }] });
  const body = { items: [{ line_item_id: line_items[0]?.id ?? '', quantity: 2 }] };

  const answers = await Promise.all(
    Array.from({ length: 8 }, () => shop.dashboard.POST(shipPath, { ...at(id), body })),
  );

  const refused = answers.filter(({ response }) => response.status === 409);
  expect(refused).toHaveLength(7);
  expect(refused[0]?.error).toMatchObject({
    error: 'fulfillment_exceeds_remaining',
    lines: [{ line_item_id: line_items[0]?.id, requested: 2, remaining: 1 }],
  });
});

test('rejects a shipment that lists an order line twice (422) or a line of another order (404)', async () => {
  const shop = await openShop();
  const [order, other] = [await givenPaidOrder(shop), await givenPaidOrder(shop)];
  const own = { line_item_id: order.line_items[0]?.id ?? '', quantity: 1 };
  const foreign = { line_item_id: other.line_items[0]?.id ?? '', quantity: 1 };

  const twice = await shop.dashboard.POST(shipPath, { ...at(order.id), body: { items: [own, own] } });
  const elsewhere = await shop.dashboard.POST(shipPath, { ...at(order.id), body: { items: [foreign] } });

  expect(twice.response.status).toBe(422);
  expect(elsewhere.response.status).toBe(404);
});

test('rejects shipping an unpaid order (409 invalid_transition)', async () => {
  const shop = await openShop();
  const { id } = await shop.givenOrder();

  const { error, response } = await shop.dashboard.POST(shipPath, { ...at(id), body: {} });

  expect(response.status).toBe(409);
  expect(error).toMatchObject({
    error: 'invalid_transition',
    field: 'status',
    from: 'pending',
    to: 'processing',
    allowed: ['confirmed', 'cancelled'],
  });
});

test('rejects shipping an order that is already shipped (409 invalid_transition)', async () => {
  const shop = await openShop();
  const { id } = await givenPaidOrder(shop);
  await shop.dashboard.POST(shipPath, { ...at(id), body: {} });

  const { error, response } = await shop.dashboard.POST(shipPath, { ...at(id), body: {} });

  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'invalid_transition', field: 'fulfillment_status', from: 'fulfilled' });
});

test('delivering a pickup order with payment on handover marks the order as paid and completed', async () => {
  const shop = await openShop();
  const { id: shipping_option_id } = await shop.givenShippingOption({ kind: 'pickup', price: '0.00' });
  const { id } = await shop.givenOrder({ shipping_option_id, payment_method: 'manual' });
  await shop.dashboard.POST(shipPath, { ...at(id), body: {} });

  const { data } = await shop.dashboard.POST(deliveredPath, at(id));

  expect(data).toMatchObject({ status: 'completed', payment_status: 'paid', fulfillment_status: 'delivered' });
  expect(await typesOf(shop, id)).toEqual(['created', 'fulfilled', 'payment_confirmed', 'delivered']);
});

test('the mail for each parcel lists its items and tracking', async () => {
  const shop = await openShop();
  const email = `${randomUUID()}@example.com`;
  const content = await Promise.all(
    ['Mug', 'Bowl'].map(async (name) => ({ variant_id: (await givenVariant(shop, { name })).variant_id, quantity: 3 })),
  );
  const { id, line_items } = await givenPaidOrder(shop, { email, content });
  const itemsOf = (position: number) => [{ line_item_id: line_items[position]?.id ?? '', quantity: 2 }];
  const parcels = [
    { items: itemsOf(0), carrier: 'DHL', tracking_number: 'FIRST-1' },
    { items: itemsOf(1), carrier: 'GLS', tracking_number: 'SECOND-2', tracking_url: 'https://gls.example/SECOND-2' },
    {},
  ];
  for (const body of parcels) await shop.dashboard.POST(shipPath, { ...at(id), body });

  const mails = (await mailsTo(shop, email)).filter(({ subject }) => subject.includes('on its way'));

  const pieces = ['2 of 3 × Mug', '1 of 3 × Mug', '2 of 3 × Bowl', '1 of 3 × Bowl'];
  const told = [...pieces, 'DHL', 'FIRST-1', 'GLS', 'SECOND-2', 'https://gls.example/SECOND-2'];
  expect(mails.map(({ html }) => told.filter((words) => html.includes(words))).toSorted()).toEqual(
    [
      ['2 of 3 × Mug', 'DHL', 'FIRST-1'],
      ['2 of 3 × Bowl', 'GLS', 'SECOND-2', 'https://gls.example/SECOND-2'],
      ['1 of 3 × Mug', '1 of 3 × Bowl'],
    ].toSorted(),
  );
});

test('the amounts in an order mail add up, with tax included or added', async () => {
  for (const prices_include_tax of [true, false]) {
    const shop = await openShop();
    const email = `${randomUUID()}@example.com`;
    await shop.givenTerms({ prices_include_tax, default_tax_rate: '0.19' });
    await shop.givenDiscount();
    const { id: cart_id } = await shop.givenCart('30.00');
    const params = { path: { cart_id } };
    await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', { params, body: { code: 'TEN' } });
    const { total } = await shop.givenOrder({ email, cart_id });

    const [mail] = await mailsTo(shop, email);

    const rows = [...(mail?.html ?? '').matchAll(/<tr><th[^>]*>([^<]+)<\/th><td[^>]*>(−?)€([\d.]+)<\/td>/g)];
    const names = rows.map(([, name]) => name);
    const upToTotal = rows.slice(names.indexOf('Subtotal'), names.indexOf('Total'));
    const sum = upToTotal.reduce(
      (cents, [, , sign, amount = '']) => cents + (sign ? -1 : 1) * Math.round(100 * Number(amount)),
      0,
    );
    expect(names.slice(names.indexOf('Subtotal'))).toEqual(
      prices_include_tax
        ? ['Subtotal', 'Discount', 'Delivery', 'Total', 'Tax included, 19%']
        : ['Subtotal', 'Discount', 'Delivery', 'Tax, 19%', 'Total'],
    );
    expect((sum / 100).toFixed(2)).toBe(total);
  }
});

test('cancelling an order restocks it, frees its discount code and voids the payment', async () => {
  const shop = await openShop();
  const discount = await shop.givenDiscount({ usage_limit: 1 });
  const { product, variant_id } = await givenVariant(shop);
  const cart = await shop.givenCart([{ variant_id, quantity: 2 }]);
  const params = { path: { cart_id: cart.id } };
  await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', { params, body: { code: 'TEN' } });
  const { id } = await shop.givenOrder({ cart_id: cart.id });

  const { data } = await shop.dashboard.POST(cancelPath, { ...at(id), body: { reason: 'customer', note: 'Twice' } });
  const again = await shop.dashboard.POST(cancelPath, { ...at(id), body: { reason: 'customer' } });
  const { data: code } = await shop.dashboard.GET('/api/dashboard/discounts/{discount_id}', {
    params: { path: { discount_id: discount.id } },
  });

  expect(data).toMatchObject({ status: 'cancelled', payment_status: 'voided' });
  expect(again.error).toMatchObject({ error: 'invalid_transition', from: 'cancelled', allowed: [] });
  expect(code?.usage_count).toBe(0);
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 0 });
});

test('cancelling an order with `restock: false` does not restock it', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop);
  const { id } = await shop.givenOrder({ content: [{ variant_id, quantity: 2 }] });

  await shop.dashboard.POST(cancelPath, { ...at(id), body: { reason: 'inventory', restock: false } });

  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 8, reserved: 0 });
});

test('rejects cancelling a shipped order (invalid_transition)', async () => {
  const shop = await openShop();
  const { id } = await givenPaidOrder(shop);
  await shop.dashboard.POST(shipPath, { ...at(id), body: {} });

  const { error } = await shop.dashboard.POST(cancelPath, { ...at(id), body: { reason: 'staff' } });

  expect(error).toMatchObject({ error: 'invalid_transition', from: 'processing', allowed: ['completed'] });
});

test('concurrent payments, cancellations and shipments of an order keep the stock consistent', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop, { inventory_quantity: 30 });
  for (let round = 0; round < 5; round += 1) {
    const { id } = await shop.givenOrder({ content: [{ variant_id, quantity: 1 }] });
    await Promise.all([
      shop.dashboard.POST(paidPath, at(id)),
      shop.dashboard.POST(cancelPath, { ...at(id), body: { reason: 'staff' } }),
      shop.dashboard.POST(shipPath, { ...at(id), body: {} }),
      shop.dashboard.POST(cancelPath, { ...at(id), body: { reason: 'fraud' } }),
    ]);
  }

  const { data } = await shop.dashboard.GET(listPath);
  const kept = data?.orders.filter(({ status }) => status !== 'cancelled').length ?? 0;
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 30 - kept, reserved: 0 });
});

test('several refunds together never exceed the paid amount', async () => {
  const shop = await openShop();
  const { id, total } = await givenPaidOrder(shop, { content: '25.10' });
  const refund = (amount: string) =>
    shop.dashboard.POST(refundPath, { ...at(id), body: { amount, reason: 'damaged' } });

  const answers = await Promise.all(Array.from({ length: 6 }, () => refund('12.00')));
  const { data: between } = await shop.dashboard.GET(orderPath, at(id));
  const { data: last } = await refund('6.00');
  const beyond = await refund('0.01');
  const { data: list } = await shop.dashboard.GET(refundPath, at(id));

  expect(total).toBe('30.00');
  expect(answers.map(({ response }) => response.status).toSorted()).toEqual([201, 201, 409, 409, 409, 409]);
  expect(between).toMatchObject({ payment_status: 'partially_refunded', refunded: '24.00', refundable: '6.00' });
  expect(last?.order.payment_status).toBe('refunded');
  expect(beyond.error).toMatchObject({
    error: 'refund_exceeds_paid',
    paid: '30.00',
    refunded: '30.00',
    refundable: '0.00',
  });
  expect(list?.refunds.map(({ amount }) => amount)).toEqual(['12.00', '12.00', '6.00']);
});

test('rejects a refund of an unpaid order, of 0.00, or of an amount with too many decimals', async () => {
  const shop = await openShop();
  const { id } = await shop.givenOrder();
  const refund = (amount: string) =>
    shop.dashboard.POST(refundPath, { ...at(id), body: { amount, reason: 'customer' } });

  const unpaid = await refund('1.00');
  const [zero, finer] = [await refund('0.00'), await refund('1.001')];

  expect(unpaid.error).toMatchObject({
    error: 'invalid_transition',
    field: 'payment_status',
    from: 'awaiting_payment',
    to: 'refunded',
  });
  expect([zero, finer].map(({ response }) => response.status)).toEqual([422, 422]);
});

test('a full refund with the reason `returned` marks a shipped order as returned', async () => {
  const shop = await openShop();
  const { id, total } = await givenPaidOrder(shop);
  await shop.dashboard.POST(shipPath, { ...at(id), body: {} });

  const { data } = await shop.dashboard.POST(refundPath, { ...at(id), body: { amount: total, reason: 'returned' } });

  expect(data?.order).toMatchObject({ payment_status: 'refunded', fulfillment_status: 'returned' });
  expect((await typesOf(shop, id))?.slice(-2)).toEqual(['refunded', 'returned']);
});

test('changing the notes and metadata of an order adds a timeline entry with the changed fields', async () => {
  const shop = await openShop();
  const { id } = await shop.givenOrder({ note: 'Ring twice.' });

  const { data } = await shop.dashboard.PATCH(orderPath, {
    ...at(id),
    body: { staff_note: 'Regular', metadata: { shelf: 'B2' } },
  });
  const { data: timeline } = await shop.dashboard.GET(timelinePath, at(id));

  expect(data).toMatchObject({ note: 'Ring twice.', staff_note: 'Regular', metadata: { shelf: 'B2' } });
  expect(timeline?.entries[0]).toMatchObject({
    type: 'updated',
    actor_type: 'api_key',
    context: { fields: ['staff_note', 'metadata'] },
  });
  expect(timeline?.entries[1]).toMatchObject({ type: 'created', actor_type: 'guest', context: { total: '14.90' } });
});

test('lists the timeline of an order newest first, page by page', async () => {
  const shop = await openShop();
  const { id } = await givenPaidOrder(shop);
  await shop.dashboard.POST(shipPath, { ...at(id), body: {} });
  const read = (cursor?: string) =>
    shop.dashboard.GET(timelinePath, { params: { path: { order_id: id }, query: { limit: 2, cursor } } });

  const { data: first } = await read();
  const { data: second } = await read(first?.next_cursor ?? undefined);

  expect(first?.entries.map(({ type }) => type)).toEqual(['fulfilled', 'payment_confirmed']);
  expect(second?.entries.map(({ type }) => type)).toEqual(['created']);
  expect(second?.next_cursor).toBeNull();
});

test('lists the orders that match all filters, in the requested order', async () => {
  const shop = await openShop();
  const { variant_id } = await givenVariant(shop, { sku: 'LAMP-1', price: '50.00' });
  const paid = await givenPaidOrder(shop, { content: [{ variant_id, quantity: 1 }] });
  const waiting = await shop.givenOrder({ email: 'otto_@example.com' });
  const idsOf = async (query: Record<string, string>) => {
    const { data } = await shop.dashboard.GET(listPath, { params: { query } });
    return data?.orders.map(({ id }) => id);
  };

  expect(await idsOf({})).toEqual([waiting.id, paid.id]);
  expect(await idsOf({ sort: 'total_desc' })).toEqual([paid.id, waiting.id]);
  expect(await idsOf({ payment_status: 'paid', status: 'confirmed' })).toEqual([paid.id]);
  expect(await idsOf({ fulfillment_status: 'fulfilled' })).toEqual([]);
  expect(await idsOf({ q: 'lamp-' })).toEqual([paid.id]);
  expect(await idsOf({ q: '1002' })).toEqual([waiting.id]);
  expect(await idsOf({ q: 'otto_' })).toEqual([waiting.id]);
  expect(await idsOf({ q: 'june okafor' })).toEqual([waiting.id, paid.id]);
  expect(await idsOf({ created_from: waiting.created_at })).toEqual([waiting.id]);
  expect(await idsOf({ created_to: waiting.created_at, payment_method: 'bank_transfer' })).toEqual([paid.id]);
  expect(await idsOf({ customer_id: unknown })).toEqual([]);
});

test('filters orders by the agent that prepared them', async () => {
  const shop = await openShop();
  const { variant_id } = await givenVariant(shop);
  const customer = await shop.givenCustomer();
  const agent = await givenAgent(shop, customer, { budget_cents: 100_000 });
  const { id: checkout_id } = await givenAgentCheckout(shop, customer, { ...agent, categories: [] }, [
    { variant_id, quantity: 1 },
  ]);
  const { data } = await customer.client.POST('/api/storefront/checkout/{checkout_id}/complete', {
    params: { path: { checkout_id } },
    body: {},
  });
  await shop.givenOrder({ client: customer.client });
  const idsOf = async (query: Record<string, string>) =>
    (await shop.dashboard.GET(listPath, { params: { query } })).data?.orders.map(({ id }) => id);

  expect(await idsOf({ agent_token_id: agent.token_id })).toEqual([data?.order.id]);
  expect(await idsOf({ agent_token_id: agent.token_id, customer_id: customer.id })).toEqual([data?.order.id]);
  expect(await idsOf({ agent_token_id: unknown })).toEqual([]);
});

test('a page past the end of the list of orders has no orders, and contains the total', async () => {
  const shop = await openShop();
  await shop.givenOrder();

  const { data } = await shop.dashboard.GET(listPath, { params: { query: { page: 3, limit: 1 } } });

  expect(data).toEqual({ orders: [], total: 1, page: 3, limit: 1, pages: 1 });
});

test('returns an order stored by an older version, with null for the missing fields', async () => {
  const shop = await openShop();
  const id = randomUUID();
  await shop.owner.query(
    `insert into commerce.orders (site_id, id, order_number, subtotal, total, currency, status, payment_status,
      fulfillment_status, source, shipping_address)
    values ($1, $2, 'OLD-7', 10, 10, 'EUR', 'confirmed', 'paid', 'unfulfilled', 'ai_widget', '{"city": "Berlin"}')`,
    [shop.site_id, id],
  );
  await shop.owner.query(
    `insert into commerce.order_lines (site_id, id, order_id, position, name, quantity, price, total)
    values ($1, gen_random_uuid(), $2, 1, 'Mug', 1, 10, 10)`,
    [shop.site_id, id],
  );

  const { data } = await shop.dashboard.GET(orderPath, at(id));
  const { data: shipped } = await shop.dashboard.POST(shipPath, { ...at(id), body: {} });

  expect(data).toMatchObject({
    order_number: 'OLD-7',
    email: null,
    payment_method: null,
    line_items: [{ name: 'Mug', quantity: 1, variant_id: null, sku: null, option1: null, variant_name: null }],
    payment: { method: null, status: 'paid', instructions: null },
  });
  expect(shipped?.order.fulfillment_status).toBe('fulfilled');
});

test('returns 404 for orders of other shops', async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const { id } = await givenPaidOrder(other);
  const { dashboard } = shop;

  const answers = await Promise.all([
    dashboard.GET(orderPath, at(id)),
    dashboard.PATCH(orderPath, { ...at(id), body: { note: 'x' } }),
    dashboard.POST(paidPath, at(id)),
    dashboard.POST(shipPath, { ...at(id), body: {} }),
    dashboard.GET(shipPath, at(id)),
    dashboard.POST(deliveredPath, at(id)),
    dashboard.POST(cancelPath, { ...at(id), body: { reason: 'staff' } }),
    dashboard.POST(refundPath, { ...at(id), body: { amount: '1.00', reason: 'other' } }),
    dashboard.GET(refundPath, at(id)),
    dashboard.GET(timelinePath, at(id)),
  ]);

  expect(answers.map(({ response }) => response.status)).toEqual(Array(10).fill(404));
  expect((await dashboard.GET(listPath)).data?.total).toBe(0);
});
