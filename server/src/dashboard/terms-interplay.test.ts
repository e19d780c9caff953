import { expect, test } from 'vitest';
import { givenVariant } from '../../test/buying.ts';
import { workOverdue } from '../../test/jobs.ts';
import { mailsTo } from '../../test/mail.ts';
import { FILLED_IN, openShop } from '../../test/shop.ts';
import { matched, moveToEu, withdraw } from '../../test/withdrawals.ts';

/** Payment terms, payments in parts and drafts together with returns, withdrawals, edits, refunds and erasure. */

const ORDER = '/api/dashboard/orders/{order_id}';
const RETURN = '/api/dashboard/returns/{return_id}';
const CUSTOMER = '/api/dashboard/customers/{customer_id}';

/**
 * Places an order of pieces for 10.00 and a delivery for 4.90, by a customer with 14 days to pay. Returns functions for
 * the steps of the staff.
 */
async function givenOrder(quantity: number, payment_method: 'invoice' | 'bank_transfer' = 'invoice') {
  const shop = await openShop();
  const { dashboard } = shop;
  await dashboard.PATCH('/api/dashboard/settings', { body: { return_policy: { enabled: true, window_days: 14 } } });
  const { variant_id } = await givenVariant(shop, { price: '10.00', inventory_quantity: 500 });
  const { id: customer_id, email, client } = await shop.givenCustomer();
  const ofCustomer = { params: { path: { customer_id } } };
  await dashboard.PATCH(CUSTOMER, { ...ofCustomer, body: { payment_terms_days: 14 } });
  const buys = (pieces: number) =>
    shop.givenOrder({ content: [{ variant_id, quantity: pieces }], client, email, payment_method });
  const order = await buys(quantity);
  const at = { params: { path: { order_id: order.id } } };
  const line_item_id = order.line_items[0]?.id ?? '';
  return {
    ...{ shop, order, at, line_item_id, email, ofCustomer, buys },
    pay: async (amount: string) => {
      const { error } = await dashboard.POST(`${ORDER}/payments`, { ...at, body: { amount } });
      expect(error).toBeUndefined();
    },
    ship: () => dashboard.POST(`${ORDER}/fulfillments`, { ...at, body: {} }),
    resize: async (pieces: number) => {
      const body = { change: [{ line_item_id, quantity: pieces }], expected_total: `${pieces * 10 + 4}.90` };
      expect((await dashboard.POST(`${ORDER}/edit`, { ...at, body })).error).toBeUndefined();
    },
    refund: async (amount: string, more: { shipping?: string; pieces?: number } = {}) => {
      const { shipping, pieces } = more;
      const line_items = pieces && [{ line_item_id, quantity: pieces, shipped: true }];
      const body = {
        amount,
        reason: 'other' as const,
        ...(line_items && { line_items }),
        ...(shipping && { shipping }),
      };
      expect((await dashboard.POST(`${ORDER}/refunds`, { ...at, body })).error).toBeUndefined();
    },
    /** Creates a return of pieces and records their arrival. */
    giveBack: async (pieces: number) => {
      const lines = [{ line_item_id, quantity: pieces, reason: 'other' as const }];
      const { data } = await dashboard.POST('/api/dashboard/returns', { body: { order_id: order.id, lines } });
      const params = { path: { return_id: data?.id ?? '' } };
      const arrived = [{ id: data?.lines[0]?.id ?? '', quantity: pieces, condition: 'resellable' as const }];
      expect((await dashboard.POST(`${RETURN}/receive`, { params, body: { lines: arrived } })).error).toBeUndefined();
      return params;
    },
    details: async () => (await dashboard.GET(ORDER, at)).data,
    owes: async () => (await dashboard.GET(CUSTOMER, ofCustomer)).data?.amount_due,
    erase: () => dashboard.POST(`${CUSTOMER}/anonymize`, ofCustomer),
    /** Moves the deadline and the time of the reminder into the past. */
    passDeadline: async () => {
      await shop.owner.query(
        `update commerce.orders set payment_due_at = now() - interval '4 days', payment_reminder_at = now() - interval '1 day'
          where id = $1`,
        [order.id],
      );
      await workOverdue(shop);
    },
  };
}

test('an order whose received money was refunded becomes `refunded` once its unpaid items are returned', async () => {
  const { pay, ship, refund, giveBack, details } = await givenOrder(2);
  await pay('14.90');
  await ship();
  await refund('14.90', { pieces: 1, shipping: '4.90' });
  expect(await details()).toMatchObject({ payment_status: 'pending', amount_due: '10.00', refundable: '0.00' });

  await giveBack(1);

  expect(await details()).toMatchObject({
    ...{ payment_status: 'refunded', amount_received: '14.90', refunded: '14.90' },
    ...{ amount_due: '0.00', refund_due: '0.00', refundable: '0.00' },
  });
  await pay('1.00');
  expect(await details()).toMatchObject({ payment_status: 'partially_refunded', refund_due: '1.00' });
});

test('an expired order is reinstated without the items of a confirmed withdrawal', async () => {
  const { shop, order, at, line_item_id, email, pay, details } = await givenOrder(3, 'bank_transfer');
  await moveToEu(shop);
  await withdraw(shop, { email, contract: order.order_number });
  const [withdrawal] = await matched(shop);
  await shop.dashboard.POST('/api/dashboard/withdrawals/{withdrawal_id}/confirm', {
    params: { path: { withdrawal_id: withdrawal?.id ?? '' } },
    body: { lines: [{ line_item_id, quantity: 1 }] },
  });
  await shop.owner.query('update commerce.orders set payment_due_at = now() where id = $1', [order.id]);
  await workOverdue(shop);
  await pay('24.89');
  const early = await shop.dashboard.POST(`${ORDER}/reinstate`, { ...at, body: {} });
  await pay('0.01');

  const { data } = await shop.dashboard.POST(`${ORDER}/reinstate`, { ...at, body: {} });

  expect(early.error).toMatchObject({ error: 'payment_incomplete', amount_due: '0.01' });
  expect(data).toMatchObject({ status: 'confirmed', payment_status: 'paid', amount_due: '0.00', refund_due: '0.00' });
  expect((await details())?.line_states).toMatchObject([{ removed: 1, to_fulfill: 2 }]);
});

test('sends no reminder of an overdue invoice if nothing is due any more', async () => {
  const whole = await givenOrder(2);
  await moveToEu(whole.shop);
  await whole.ship();
  await withdraw(whole.shop, { email: whole.email, contract: whole.order.order_number });
  await matched(whole.shop);
  const { data } = await whole.shop.dashboard.GET('/api/dashboard/returns');
  const [found] = data?.returns ?? [];
  await whole.shop.dashboard.POST(`${RETURN}/receive`, {
    params: { path: { return_id: found?.id ?? '' } },
    body: { lines: [{ id: found?.lines[0]?.id ?? '', quantity: 2, condition: 'resellable' }] },
  });
  const part = await givenOrder(2);
  await part.ship();
  await part.giveBack(2);
  expect(await whole.details()).toMatchObject({ payment_status: 'pending', amount_due: '0.00' });
  expect(await part.details()).toMatchObject({ payment_status: 'pending', amount_due: '4.90' });

  await whole.passDeadline();
  await part.passDeadline();

  const subjectsOf = async ({ shop, email }: typeof whole) =>
    (await mailsTo(shop, email)).map(({ subject }) => subject);
  expect((await subjectsOf(whole)).join()).not.toContain('overdue');
  expect((await subjectsOf(part)).join()).toContain('overdue');
});

test('a customer whose orders are all returned can be anonymised once nothing is due and no return is open', async () => {
  const { shop, pay, ship, giveBack, erase, details } = await givenOrder(2);
  await ship();
  const params = await giveBack(2);
  const owing = await erase();
  await pay('4.90');
  const open = await erase();
  await shop.dashboard.POST(`${RETURN}/close`, { params, body: { reason: 'Nothing was paid.' } });
  expect(await details()).toMatchObject({ status: 'processing', fulfillment_status: 'returned', amount_due: '0.00' });

  const { error } = await erase();

  expect(owing.error).toMatchObject({ error: 'customer_has_open_orders' });
  expect(open.error).toMatchObject({ error: 'customer_has_open_orders' });
  expect(error).toBeUndefined();
});

test('an amount that an edit adds to a paid order by invoice counts against the credit limit for other orders', async () => {
  const { shop, order, pay, resize, owes, buys, ofCustomer } = await givenOrder(2);
  await shop.dashboard.PATCH(CUSTOMER, { ...ofCustomer, body: { credit_limit: '100.00' } });
  await pay('24.90');
  await resize(8);
  expect(await owes()).toBe('60.00');

  await expect(buys(4)).rejects.toThrow('credit_limit_exceeded');
  await shop.dashboard.POST(`${ORDER}/cancel`, {
    params: { path: { order_id: order.id } },
    body: { reason: 'customer', refund: true },
  });
  expect(await owes()).toBe('0.00');
});

test.each(['refund first', 'payment first'])(
  'an overpayment stays due for refund when items are refunded (%s)',
  async (which) => {
    const { pay, ship, refund, details } = await givenOrder(3);
    await ship();
    await pay('24.90');
    const steps = [() => refund('10.00', { pieces: 1 }), () => pay('30.00')];
    for (const step of which === 'refund first' ? steps : steps.toReversed()) await step();

    // 54.90 were received. The two remaining pieces and the delivery cost 24.90.
    expect(await details()).toMatchObject({ amount_received: '54.90', refunded: '10.00', refund_due: '20.00' });
    await refund('20.00');
    expect(await details()).toMatchObject({ refunded: '30.00', refund_due: '0.00', amount_due: '0.00' });
  },
);

test('an overpayment stays due for refund when the refund of all items cancels the order', async () => {
  const { shop, at, line_item_id, pay, details } = await givenOrder(2);
  await pay('44.90');
  const line_items = [{ line_item_id, quantity: 2, shipped: false }];
  const { error } = await shop.dashboard.POST(`${ORDER}/refunds`, {
    ...at,
    body: { amount: '24.90', shipping: '4.90', reason: 'customer', line_items },
  });

  expect(error).toBeUndefined();
  expect(await details()).toMatchObject({ status: 'cancelled', amount_received: '44.90', refund_due: '20.00' });
});

test('an edit of an order with a refunded item uses an earlier overpayment before an amount becomes due', async () => {
  const { shop, at, line_item_id, pay, resize, details } = await givenOrder(3);
  await pay('44.90');
  const line_items = [{ line_item_id, quantity: 1, shipped: false }];
  await shop.dashboard.POST(`${ORDER}/refunds`, { ...at, body: { amount: '10.00', reason: 'customer', line_items } });
  expect(await details()).toMatchObject({ refund_due: '10.00' });

  await resize(4);
  expect(await details()).toMatchObject({ total: '44.90', amount_due: '0.00', refund_due: '0.00' });
  await resize(5);
  expect(await details()).toMatchObject({ total: '54.90', amount_due: '10.00', refund_due: '0.00' });
});

test('reinstating an order makes its overpayment due for refund, minus earlier refunds', async () => {
  const { shop, order, at, pay, refund, details } = await givenOrder(1, 'bank_transfer');
  await shop.owner.query('update commerce.orders set payment_due_at = now() where id = $1', [order.id]);
  await workOverdue(shop);
  await pay('10.00');
  await refund('5.00');
  await pay('11.90');

  await shop.dashboard.POST(`${ORDER}/reinstate`, { ...at, body: {} });

  expect(await details()).toMatchObject({ payment_status: 'partially_refunded', amount_received: '21.90' });
  expect(await details()).toMatchObject({ refunded: '5.00', refund_due: '2.00', amount_due: '0.00' });
});

test('an expired order from a draft is reinstated at the prices of the draft', async () => {
  const shop = await openShop();
  const { id: shipping_option_id } = await shop.givenTerms();
  const { variant_id } = await givenVariant(shop, { price: '10.00', inventory_quantity: 10 });
  const { email, shipping_address } = FILLED_IN;
  const lines = [{ variant_id, quantity: 2, price: '8.00' }];
  const made = await shop.dashboard.POST('/api/dashboard/draft-orders', {
    body: { email, lines, shipping_address, shipping_option_id, discount: { type: 'percentage', value: '10' } },
  });
  const completed = await shop.dashboard.POST('/api/dashboard/draft-orders/{draft_order_id}/complete', {
    params: { path: { draft_order_id: made.data?.id ?? '' } },
    body: { payment_method: 'bank_transfer' },
  });
  const at = { params: { path: { order_id: completed.data?.order_id ?? '' } } };
  await shop.owner.query('update commerce.orders set payment_due_at = now() where id = $1', [at.params.path.order_id]);
  await workOverdue(shop);
  await shop.dashboard.POST(`${ORDER}/payments`, { ...at, body: { amount: '19.30' } });

  const { data, error } = await shop.dashboard.POST(`${ORDER}/reinstate`, { ...at, body: {} });

  expect(error).toBeUndefined();
  expect(data).toMatchObject({ status: 'confirmed', payment_status: 'paid', total: '19.30', discount: '1.60' });
});

test('the mail about a payment names the received amount, not the total, if items were returned before', async () => {
  const { shop, email, pay, ship, giveBack } = await givenOrder(3);
  await ship();
  await giveBack(1);
  await pay('10.00');
  await pay('14.90');

  const mail = (await mailsTo(shop, email)).find(({ subject }) => /payment/i.test(subject));

  expect(mail?.html).toContain('We have received €24.90');
});
