import { createDashboardClient } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { givenVariant } from '../../test/buying.ts';
import { workOverdue } from '../../test/jobs.ts';
import { mailsTo } from '../../test/mail.ts';
import { logIn } from '../../test/session.ts';
import { openShop } from '../../test/shop.ts';

const checkoutPath = '/api/storefront/checkout/{checkout_id}';
const completePath = '/api/storefront/checkout/{checkout_id}/complete';
const customerPath = '/api/dashboard/customers/{customer_id}';
const orderPath = '/api/dashboard/orders/{order_id}';
const paymentPath = '/api/dashboard/orders/{order_id}/payments';
const markPath = '/api/dashboard/orders/mark-paid';
const matchPath = '/api/dashboard/orders/match-transfers';

type OpenShop = Awaited<ReturnType<typeof openShop>>;
type Buyer = Awaited<ReturnType<OpenShop['givenCustomer']>>;

interface Terms {
  payment_terms_days?: number | null;
  credit_limit?: string | null;
}

/** A shop with a product of 10.00, delivery for 4.90, and a customer with 14 days to pay. */
async function givenWholesaler(terms: Terms = {}) {
  const shop = await openShop();
  const { variant_id } = await givenVariant(shop, { price: '10.00', inventory_quantity: 500 });
  const buyer = await shop.givenCustomer();
  const body = { payment_terms_days: 14, ...terms };
  const { error } = await shop.dashboard.PATCH(customerPath, { params: { path: { customer_id: buyer.id } }, body });
  expect(error).toBeUndefined();
  return { shop, buyer, variant_id };
}

/** Completes a checkout of `quantity` pieces by invoice: 10.00 for each, and 4.90 for the delivery. */
async function orderOnTerms(
  { shop, buyer, variant_id }: Awaited<ReturnType<typeof givenWholesaler>>,
  quantity: number,
) {
  const content = [{ variant_id, quantity }];
  return shop.givenOrder({ content, client: buyer.client, email: buyer.email, payment_method: 'invoice' });
}

function at(order_id: string) {
  return { params: { path: { order_id } } };
}

async function detailsOf({ dashboard }: OpenShop, order_id: string) {
  const { data } = await dashboard.GET(orderPath, at(order_id));
  if (!data) throw new Error('There is no order.');
  return data;
}

function record(shop: OpenShop, order_id: string, amount: string, more: object = {}) {
  return shop.dashboard.POST(paymentPath, { ...at(order_id), body: { amount, ...more } });
}

async function passDeadline(shop: OpenShop, order_id: string) {
  await shop.owner.query(
    `update commerce.orders set payment_due_at = now() - interval '4 days', payment_reminder_at = now() - interval '1 day'
      where id = $1`,
    [order_id],
  );
}

test('an order on payment terms can ship before it is paid, be paid in two parts, and be completed', async () => {
  const given = await givenWholesaler();
  const { shop } = given;
  const order = await orderOnTerms(given, 10);

  expect(order).toMatchObject({
    status: 'confirmed',
    payment_status: 'pending',
    payment_method: 'manual',
    total: '104.90',
  });
  expect(order.payment).toMatchObject({ due_at: expect.any(String), instructions: { amount: '104.90' } });
  const before = await detailsOf(shop, order.id);
  expect(before).toMatchObject({
    payment_terms: { days: 14 },
    amount_due: '104.90',
    amount_received: '0.00',
    overdue: false,
  });
  const days = (Date.parse(before.payment_due_at ?? '') - Date.parse(before.created_at)) / 86_400_000;
  expect(days).toBe(14);

  const shipped = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
    ...at(order.id),
    body: {},
  });
  expect(shipped.response.status).toBe(201);
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-delivered', at(order.id));
  expect(await detailsOf(shop, order.id)).toMatchObject({
    status: 'processing',
    payment_status: 'pending',
    amount_due: '104.90',
  });

  const first = await record(shop, order.id, '60.00', { reference: 'NTRF 1' });
  expect(first.data?.order).toMatchObject({
    payment_status: 'pending',
    amount_received: '60.00',
    amount_due: '44.90',
    refund_due: '0.00',
  });
  expect(first.data?.order.payment.instructions?.amount).toBe('44.90');
  const rest = await record(shop, order.id, '44.90', { method: 'cash' });
  expect(rest.data?.order).toMatchObject({
    status: 'completed',
    payment_status: 'paid',
    amount_received: '104.90',
    amount_due: '0.00',
    refund_due: '0.00',
  });
  expect(rest.data?.order.recorded_payments.map(({ amount, method }) => [amount, method])).toEqual([
    ['60.00', 'bank_transfer'],
    ['44.90', 'cash'],
  ]);
});

test('an overpayment of an invoice is recorded in full, and the excess is due for refund', async () => {
  const given = await givenWholesaler();
  const order = await orderOnTerms(given, 1);

  const { data } = await record(given.shop, order.id, '20.00');
  expect(data?.order).toMatchObject({
    payment_status: 'paid',
    amount_received: '20.00',
    refund_due: '5.10',
    refundable: '20.00',
  });
  const refund = await given.shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    ...at(order.id),
    body: { amount: '5.10', reason: 'other' },
  });
  expect(refund.response.status).toBe(201);
  expect(await detailsOf(given.shop, order.id)).toMatchObject({
    payment_status: 'partially_refunded',
    refund_due: '0.00',
  });
  const again = await record(given.shop, order.id, '1.00');
  expect(again.data?.order).toMatchObject({ amount_received: '21.00', refund_due: '1.00' });
});

test('a partly paid order by invoice can be refunded, cancelled, or paid in full after a partial refund', async () => {
  const given = await givenWholesaler();
  const { shop } = given;
  const [kept, ended, gone] = [
    await orderOnTerms(given, 1),
    await orderOnTerms(given, 1),
    await orderOnTerms(given, 1),
  ];
  const refund = (order_id: string, amount: string) =>
    shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
      ...at(order_id),
      body: { amount, reason: 'other' },
    });

  await record(shop, kept.id, '10.00');
  expect((await refund(kept.id, '10.01')).error).toMatchObject({ error: 'refund_exceeds_paid', refundable: '10.00' });
  await refund(kept.id, '3.00');
  expect(await detailsOf(shop, kept.id)).toMatchObject({
    payment_status: 'pending',
    amount_due: '4.90',
    refundable: '7.00',
  });
  await record(shop, kept.id, '4.90');
  expect(await detailsOf(shop, kept.id)).toMatchObject({
    payment_status: 'partially_refunded',
    amount_due: '0.00',
    refund_due: '0.00',
  });

  await record(shop, ended.id, '10.00');
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    ...at(ended.id),
    body: { reason: 'customer' },
  });
  expect(await detailsOf(shop, ended.id)).toMatchObject({
    status: 'cancelled',
    payment_status: 'voided',
    refund_due: '10.00',
    amount_due: '0.00',
  });

  await record(shop, gone.id, '10.00');
  await refund(gone.id, '10.00');
  expect(await detailsOf(shop, gone.id)).toMatchObject({
    status: 'cancelled',
    payment_status: 'voided',
    refund_due: '0.00',
  });
});

test('items returned from a partly paid order lower the amount due, and the order becomes paid when nothing is due', async () => {
  const given = await givenWholesaler();
  const { shop } = given;
  const order = await orderOnTerms(given, 2);
  const line_item_id = order.line_items[0]?.id ?? '';
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { ...at(order.id), body: {} });
  await record(shop, order.id, '14.90');
  const made = await shop.dashboard.POST('/api/dashboard/returns', {
    body: { order_id: order.id, lines: [{ line_item_id, quantity: 1, reason: 'other' }] },
  });
  const id = made.data?.lines[0]?.id ?? '';
  await shop.dashboard.POST('/api/dashboard/returns/{return_id}/receive', {
    params: { path: { return_id: made.data?.id ?? '' } },
    body: { lines: [{ id, quantity: 1, condition: 'resellable' }] },
  });
  expect(await detailsOf(shop, order.id)).toMatchObject({
    payment_status: 'paid',
    amount_due: '0.00',
    refund_due: '0.00',
  });
});

test('payment by invoice is offered only to a logged-in customer with payment terms', async () => {
  const given = await givenWholesaler();
  const { shop, buyer, variant_id } = given;
  const content = [{ variant_id, quantity: 1 }];
  const own = await shop.givenCheckout({ content, client: buyer.client });
  expect(own.payment_methods).toEqual(['bank_transfer', 'card', 'invoice']);
  for (const client of [shop.storefront, (await shop.givenCustomer()).client]) {
    const { id, payment_methods } = await shop.givenCheckout({ content, client });
    const { error } = await client.PATCH(checkoutPath, {
      params: { path: { checkout_id: id } },
      body: { payment_method: 'invoice' },
    });
    expect(payment_methods).toEqual(['bank_transfer', 'card']);
    expect(error).toMatchObject({ error: 'payment_method_unavailable' });
  }
  await shop.dashboard.PATCH(customerPath, {
    params: { path: { customer_id: buyer.id } },
    body: { payment_terms_days: null },
  });
  const without = await buyer.client.PATCH(checkoutPath, {
    params: { path: { checkout_id: own.id } },
    body: { payment_method: 'invoice' },
  });
  expect(without.error).toMatchObject({ error: 'payment_method_unavailable' });
});

test('rejects payment by invoice beyond the credit limit, both when chosen and at completion (409 credit_limit_exceeded)', async () => {
  const given = await givenWholesaler({ credit_limit: '50.00' });
  const { shop, buyer, variant_id } = given;
  await orderOnTerms(given, 3);
  const { data: customer } = await shop.dashboard.GET(customerPath, { params: { path: { customer_id: buyer.id } } });
  expect(customer).toMatchObject({ payment_terms_days: 14, credit_limit: '50.00', amount_due: '34.90' });

  const checkout = await shop.givenCheckout({ content: [{ variant_id, quantity: 2 }], client: buyer.client });
  const path = { checkout_id: checkout.id };
  const chosen = await buyer.client.PATCH(checkoutPath, { params: { path }, body: { payment_method: 'invoice' } });
  expect(chosen.response.status).toBe(409);
  expect(chosen.error).toMatchObject({
    error: 'credit_limit_exceeded',
    credit_limit: '50.00',
    amount_due: '34.90',
    total: '24.90',
  });

  await shop.dashboard.PATCH(customerPath, {
    params: { path: { customer_id: buyer.id } },
    body: { credit_limit: '59.80' },
  });
  await buyer.client.PATCH(checkoutPath, { params: { path }, body: { payment_method: 'invoice' } });
  await shop.dashboard.PATCH(customerPath, {
    params: { path: { customer_id: buyer.id } },
    body: { credit_limit: '59.79' },
  });
  const completed = await buyer.client.POST(completePath, { params: { path }, body: {} });
  expect(completed.error).toMatchObject({ error: 'credit_limit_exceeded' });
  await shop.dashboard.PATCH(customerPath, {
    params: { path: { customer_id: buyer.id } },
    body: { credit_limit: '59.80' },
  });
  expect((await buyer.client.POST(completePath, { params: { path }, body: {} })).response.status).toBe(200);
});

test('concurrent checkouts never exceed the credit limit', async () => {
  const { shop, buyer, variant_id } = await givenWholesaler({ credit_limit: '60.00' });
  const ready: string[] = [];
  for (let i = 0; i < 6; i += 1) {
    const { id } = await shop.givenCheckout({ content: [{ variant_id, quantity: 1 }], client: buyer.client });
    await buyer.client.PATCH(checkoutPath, {
      params: { path: { checkout_id: id } },
      body: { payment_method: 'invoice' },
    });
    // A customer can have only one active cart. Detaches the converted cart, so that the customer can get another.
    await shop.owner.query(
      `update commerce.carts c set customer_id = null from commerce.checkouts k where k.id = $1 and c.id = k.cart_id`,
      [id],
    );
    ready.push(id);
  }
  const answers = await Promise.all(
    ready.map((checkout_id) => buyer.client.POST(completePath, { params: { path: { checkout_id } }, body: {} })),
  );

  const statuses = answers.map(({ response }) => response.status).toSorted();
  expect(statuses).toEqual([200, 200, 200, 200, 409, 409]);
  const refused = answers.flatMap(({ error }) => error ?? []);
  expect(refused.map(({ error }) => error)).toEqual(['credit_limit_exceeded', 'credit_limit_exceeded']);
  const { rows } = await shop.owner.query(
    'select sum(total) as owed from commerce.orders where site_id = $1 and payment_terms_days is not null',
    [shop.site_id],
  );
  expect(rows).toEqual([{ owed: '59.60' }]);
});

test('an overdue invoice blocks further orders by invoice until the invoice is paid', async () => {
  const given = await givenWholesaler();
  const { shop, buyer, variant_id } = given;
  const late = await orderOnTerms(given, 1);
  await passDeadline(shop, late.id);
  expect(await detailsOf(shop, late.id)).toMatchObject({
    overdue: true,
    status: 'confirmed',
    payment_status: 'pending',
  });

  const checkout = await shop.givenCheckout({ content: [{ variant_id, quantity: 1 }], client: buyer.client });
  const choose = () =>
    buyer.client.PATCH(checkoutPath, {
      params: { path: { checkout_id: checkout.id } },
      body: { payment_method: 'invoice' },
    });
  expect((await choose()).error).toMatchObject({ error: 'invoice_overdue', order_number: late.order_number });
  await record(shop, late.id, '14.00');
  expect((await choose()).error).toMatchObject({ error: 'invoice_overdue' });
  await record(shop, late.id, '0.90');
  expect((await choose()).error).toBeUndefined();
  expect(await detailsOf(shop, late.id)).toMatchObject({ overdue: false, payment_status: 'paid' });
});

test('reminds the customer once of an overdue invoice, unless the shop turns reminders off', async () => {
  const given = await givenWholesaler();
  const { shop } = given;
  const order = await orderOnTerms(given, 1);
  await passDeadline(shop, order.id);
  await workOverdue(shop);
  await workOverdue(shop);
  const mails = await mailsTo(shop, given.buyer.email);
  expect(mails.filter(({ subject }) => subject.includes('overdue'))).toHaveLength(1);
  expect(await detailsOf(shop, order.id)).toMatchObject({ status: 'confirmed', payment_status: 'pending' });

  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { mail_overdue_invoices: false } });
  const quiet = await orderOnTerms(await givenQuiet(given), 1);
  const { rows } = await shop.owner.query('select payment_reminder_at from commerce.orders where id = $1', [quiet.id]);
  expect(rows).toEqual([{ payment_reminder_at: null }]);
});

async function givenQuiet(given: Awaited<ReturnType<typeof givenWholesaler>>) {
  const buyer: Buyer = await given.shop.givenCustomer();
  const params = { path: { customer_id: buyer.id } };
  await given.shop.dashboard.PATCH(customerPath, { params, body: { payment_terms_days: 14 } });
  return { ...given, buyer };
}

test('a bank statement pays an order by invoice in parts, and records each entry once even if it is uploaded again', async () => {
  const given = await givenWholesaler();
  const { shop } = given;
  const order = await orderOnTerms(given, 10);
  const line = (amount: string, day = 1) => `2026-03-0${day},Cafe,Invoice ${order.order_number},${amount},EUR`;
  const header = 'Date,Name,Reference,Amount,Currency';
  // Two equal lines of one day are two payments.
  const first = [header, line('30.00'), line('30.00'), line('90.00', 2)].join('\n');
  const upload = async (statement: string) => {
    const { data } = await shop.dashboard.POST(matchPath, { body: { statement } });
    const matched = data?.transfers.filter(({ outcome }) => outcome === 'matched') ?? [];
    const orders = matched.map(({ amount, entry, orders: [one] }) => ({
      order_number: one?.order_number ?? '',
      amount,
      entry,
    }));
    const marked = orders.length > 0 ? await shop.dashboard.POST(markPath, { body: { orders } }) : undefined;
    return { outcomes: data?.transfers.map(({ outcome }) => outcome), counts: marked?.data?.counts, orders };
  };

  const once = await upload(first);
  expect(once.outcomes).toEqual(['matched', 'matched', 'amount_differs']);
  expect(once.counts).toEqual({ paid: 0, recorded: 2, unchanged: 0, failed: 0 });
  const again = await upload(first);
  expect(again.outcomes).toEqual(['already_paid', 'already_paid', 'amount_differs']);
  const resent = await shop.dashboard.POST(markPath, { body: { orders: once.orders } });
  expect(resent.data?.counts).toEqual({ paid: 0, recorded: 0, unchanged: 2, failed: 0 });
  expect(await detailsOf(shop, order.id)).toMatchObject({ amount_received: '60.00', amount_due: '44.90' });

  const second = await upload([first, line('44.90', 3)].join('\n'));
  expect(second.outcomes).toEqual(['already_paid', 'already_paid', 'amount_differs', 'matched']);
  expect(second.counts).toEqual({ paid: 0, recorded: 1, unchanged: 0, failed: 0 });
  expect(await detailsOf(shop, order.id)).toMatchObject({ payment_status: 'paid', amount_received: '104.90' });
});

test('a transfer that has paid one order is not matched to another order when the statement is uploaded again', async () => {
  const given = await givenWholesaler();
  const { shop } = given;
  const onTerms = await orderOnTerms(given, 10);
  const { order_number, total } = await shop.givenOrder();
  const statement = [
    'Date,Name,Reference,Amount,Currency',
    `2026-03-01,Cafe,${order_number} and ${onTerms.order_number},${total},EUR`,
  ].join('\n');
  const outcomes = async () => {
    const { data } = await shop.dashboard.POST(matchPath, { body: { statement } });
    return data?.transfers.map(({ outcome, orders }) => [outcome, orders.length]);
  };

  expect(await outcomes()).toEqual([['several_orders', 2]]);
  const orders = [{ order_number, received: total }];
  await shop.dashboard.POST(markPath, { body: { orders } });
  expect(await outcomes()).toEqual([['check_by_hand', 2]]);
});

test('concurrent requests with the same bank entries record each entry once', async () => {
  const given = await givenWholesaler();
  const { shop } = given;
  const order = await orderOnTerms(given, 10);
  const orders = [1, 2, 3].map((n) => ({ order_number: order.order_number, amount: '10.00', entry: `abc${n}` }));
  const answers = await Promise.all([0, 1, 2, 3].map(() => shop.dashboard.POST(markPath, { body: { orders } })));
  const sum = (kind: 'recorded' | 'unchanged') => answers.reduce((all, { data }) => all + (data?.counts[kind] ?? 0), 0);
  expect([sum('recorded'), sum('unchanged')]).toEqual([3, 9]);
  const singles = await Promise.all([0, 1, 2].map(() => record(shop, order.id, '5.00', { entry: 'ff01' })));
  expect(singles.map(({ response }) => response.status).toSorted()).toEqual([201, 409, 409]);
  expect(singles.find(({ error }) => error)?.error).toMatchObject({
    error: 'payment_already_recorded',
    order_id: order.id,
  });
  expect(await detailsOf(shop, order.id)).toMatchObject({ amount_received: '35.00', amount_due: '69.90' });
});

test('an order by bank transfer can be paid in parts without expiring, and mark-paid records the remaining amount', async () => {
  const shop = await openShop();
  const order = await shop.givenOrder();
  const part = await record(shop, order.id, '4.90');
  expect(part.data?.order).toMatchObject({
    status: 'pending',
    payment_status: 'awaiting_payment',
    amount_due: '10.00',
  });
  await shop.owner.query('update commerce.orders set payment_due_at = now() where id = $1', [order.id]);
  await workOverdue(shop);
  expect(await detailsOf(shop, order.id)).toMatchObject({ status: 'pending', payment_status: 'awaiting_payment' });
  expect((await shop.dashboard.GET('/api/dashboard/overview')).data).toMatchObject({ orders_to_pay_count: 1 });
  const waiting = await shop.dashboard.GET('/api/dashboard/orders', { params: { query: { waiting_for: 'payment' } } });
  expect(waiting.data?.orders).toMatchObject([{ id: order.id }]);

  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', at(order.id));
  const paid = await detailsOf(shop, order.id);
  expect(paid).toMatchObject({
    status: 'confirmed',
    payment_status: 'paid',
    amount_received: '14.90',
    amount_due: '0.00',
  });
  expect(paid.recorded_payments.map(({ amount }) => amount)).toEqual(['4.90', '10.00']);
  const other = await record(shop, order.id, '1.00');
  expect(other.error).toMatchObject({ error: 'order_not_expired', payment_status: 'paid' });
});

test('recording payments and granting payment terms need the scope orders:payments', async () => {
  const given = await givenWholesaler();
  const { shop, buyer } = given;
  const order = await orderOnTerms(given, 1);
  const { data } = await (await logIn(shop)).staff.POST('/api/dashboard/api-keys', {
    body: { description: 'Plain', scopes: ['write'] },
  });
  const plain = createDashboardClient({ baseUrl: shop.baseUrl, apiKey: data?.secret ?? '', maxAttempts: 1 });
  const denied = { error: 'insufficient_scope', scope: 'orders:payments' };

  expect((await plain.POST(paymentPath, { ...at(order.id), body: { amount: '1.00' } })).error).toMatchObject(denied);
  const orders = [{ order_number: order.order_number, amount: '1.00' }];
  expect((await plain.POST(markPath, { body: { orders } })).error).toMatchObject(denied);
  const params = { path: { customer_id: buyer.id } };
  expect((await plain.PATCH(customerPath, { params, body: { credit_limit: '9.00' } })).error).toMatchObject(denied);
  expect((await plain.PATCH(customerPath, { params, body: { note: 'A cafe' } })).error).toBeUndefined();
  expect(await detailsOf(shop, order.id)).toMatchObject({ amount_received: '0.00' });
});

test.each([
  [{ amount: '0.00' }, ['body', 'amount']],
  [{ amount: '1.005' }, ['body', 'amount']],
  [{ amount: '1.00', received_at: '2100-01-01T00:00:00Z' }, ['body', 'received_at']],
])('rejects the payment %j (422) and records nothing', async (body, loc) => {
  const given = await givenWholesaler();
  const order = await orderOnTerms(given, 1);
  const { error } = await given.shop.dashboard.POST(paymentPath, { ...at(order.id), body });
  expect(error).toMatchObject({ error: 'validation_error', detail: [{ loc }] });
  expect(await detailsOf(given.shop, order.id)).toMatchObject({ amount_received: '0.00', recorded_payments: [] });
});
