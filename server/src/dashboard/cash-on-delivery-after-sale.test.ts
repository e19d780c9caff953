import { expect, test } from 'vitest';
import { givenVariant, stockOf } from '../../test/buying.ts';
import { documentsOf, givenSeller } from '../../test/invoices.ts';
import { POLICY } from '../../test/returns.ts';
import { openShop } from '../../test/shop.ts';
import { matched, moveToEu, withdraw } from '../../test/withdrawals.ts';

const checkoutPath = '/api/storefront/checkout/{checkout_id}';
const orderPath = '/api/dashboard/orders/{order_id}';
const returnPath = '/api/dashboard/returns/{return_id}';

const HOME = { last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' };

/** A customer's order: two pieces for 10.00 each, with 4.90 for the parcel and 3.50 for payment on delivery: 28.40. */
async function givenOrder({ invoices = true } = {}) {
  const shop = await openShop();
  await moveToEu(shop);
  const cod = await shop.givenShippingOption({ name: 'Parcel', price: '4.90', cash_on_delivery_fee: '3.50' });
  await shop.givenTerms({ tax_rates: [{ country: 'DE', rate: '0.19' }], return_policy: { ...POLICY, fee: '2.00' } });
  if (invoices) await givenSeller(shop);
  const { variant_id, product } = await givenVariant(shop, { price: '10.00', inventory_quantity: 50 });
  const customer = await shop.givenCustomer();
  const { data: cart } = await customer.client.POST('/api/storefront/cart', { body: {} });
  const cart_id = cart?.id ?? '';
  const body = { variant_id, quantity: 2 };
  await customer.client.POST('/api/storefront/cart/{cart_id}/items', { params: { path: { cart_id } }, body });
  const { data } = await customer.client.POST('/api/storefront/checkout', { body: { cart_id } });
  const params = { path: { checkout_id: data?.id ?? '' } };
  await customer.client.PATCH(checkoutPath, {
    params,
    body: { shipping_address: HOME, shipping_option_id: cod.id, payment_method: 'manual' },
  });
  const completed = await customer.client.POST(`${checkoutPath}/complete`, { params, body: {} });
  const order = completed.data?.order;
  if (!order) throw new Error(`There is no order: ${JSON.stringify(completed.error)}`);
  const at = { params: { path: { order_id: order.id } } };
  const line_item_id = order.line_items[0]?.id ?? '';
  return {
    ...{ shop, order, at, line_item_id, customer, product, variant_id },
    email: customer.email,
    ship: (quantity = 2) =>
      shop.dashboard.POST(`${orderPath}/fulfillments`, { ...at, body: { items: [{ line_item_id, quantity }] } }),
    deliver: () => shop.dashboard.POST(`${orderPath}/mark-delivered`, at),
    details: async () => (await shop.dashboard.GET(orderPath, at)).data,
    /** Creates a return and receives its pieces. */
    async receive(quantity: number) {
      const lines = [{ line_item_id, quantity, reason: 'changed_mind' as const }];
      const made = await shop.dashboard.POST('/api/dashboard/returns', { body: { order_id: order.id, lines } });
      const on = { params: { path: { return_id: made.data?.id ?? '' } } };
      const id = made.data?.lines[0]?.id ?? '';
      const received = await shop.dashboard.POST(`${returnPath}/receive`, {
        ...on,
        body: { lines: [{ id, quantity, condition: 'resellable' as const }] },
      });
      expect(received.error).toBeUndefined();
      return on;
    },
  };
}

test('nothing is due for a refused parcel after its return is received, and its customer can be anonymised', async () => {
  const { shop, ship, receive, details, customer, at } = await givenOrder();
  await ship();
  expect(await documentsOf(shop, at.params.path.order_id)).toMatchObject([{ kind: 'invoice', total: '28.40' }]);
  const on = await receive(2);
  expect(await details()).toMatchObject({ fulfillment_status: 'returned', amount_due: '0.00', refund_due: '0.00' });
  const closed = await shop.dashboard.POST(`${returnPath}/close`, { ...on, body: { reason: 'Refused at the door.' } });
  expect(closed.data).toMatchObject({ status: 'closed' });
  expect(await documentsOf(shop, at.params.path.order_id)).toMatchObject([
    { kind: 'invoice', total: '28.40' },
    { kind: 'credit_note', total: '28.40' },
  ]);
  const params = { path: { customer_id: customer.id } };
  const erased = await shop.dashboard.POST('/api/dashboard/customers/{customer_id}/anonymize', { params });
  expect(erased.error).toBeUndefined();
});

test('if one piece of a refused parcel was lost on the way back, nothing is due once the return is closed as lost', async () => {
  const { shop, ship, details, line_item_id, order, product } = await givenOrder();
  await ship();
  const lines = [{ line_item_id, quantity: 2, reason: 'changed_mind' as const }];
  const made = await shop.dashboard.POST('/api/dashboard/returns', { body: { order_id: order.id, lines } });
  const on = { params: { path: { return_id: made.data?.id ?? '' } } };
  const id = made.data?.lines[0]?.id ?? '';
  const close = (body: object) => shop.dashboard.POST(`${returnPath}/close`, { ...on, body });
  const receive = (quantity: number, condition: 'resellable' | 'missing') =>
    shop.dashboard.POST(`${returnPath}/receive`, { ...on, body: { lines: [{ id, quantity, condition }] } });
  expect((await close({ lost: true, reason: 'Lost.' })).error).toMatchObject({ error: 'invalid_transition' });
  expect(await documentsOf(shop, order.id)).toMatchObject([{ kind: 'invoice', total: '28.40' }]);
  await receive(1, 'resellable');
  await receive(1, 'missing');
  // The total of 28.40 minus the piece for 10.00 plus the kept fee of 2.00 is 20.40.
  expect(await details()).toMatchObject({ amount_due: '20.40', fulfillment_status: 'fulfilled' });
  expect((await close({ lost: true })).error).toMatchObject({ detail: [{ loc: ['body', 'reason'] }] });

  const closed = await close({ lost: true, reason: 'Lost by the carrier.' });

  expect(closed.data).toMatchObject({
    status: 'closed',
    close_reason: 'Lost by the carrier.',
    lines: [{ received_quantity: 2, condition: 'missing', restocked: 1 }],
  });
  expect(await details()).toMatchObject({ amount_due: '0.00', refund_due: '0.00', fulfillment_status: 'returned' });
  expect((await stockOf(shop, product.id)).on_hand).toBe(49);
  const credited = (await documentsOf(shop, order.id)).filter(({ kind }) => kind === 'credit_note');
  expect(credited.reduce((sum, { total }) => sum + Number(total), 0)).toBeCloseTo(28.4);
  expect((await close({ lost: true, reason: 'Lost.' })).error).toMatchObject({ error: 'invalid_transition' });
});

test('after a return is closed as lost, the amount due covers the kept piece and the delivery, but no lost piece and no return fee', async () => {
  const { shop, ship, deliver, details, line_item_id, order } = await givenOrder();
  await ship();
  const lines = [{ line_item_id, quantity: 1, reason: 'changed_mind' as const }];
  const made = await shop.dashboard.POST('/api/dashboard/returns', { body: { order_id: order.id, lines } });
  const on = { params: { path: { return_id: made.data?.id ?? '' } } };
  await shop.dashboard.POST(`${returnPath}/receive`, {
    ...on,
    body: { lines: [{ id: made.data?.lines[0]?.id ?? '', quantity: 1, condition: 'missing' }] },
  });
  await shop.dashboard.POST(`${returnPath}/close`, { ...on, body: { lost: true, reason: 'Lost by the carrier.' } });
  expect(await details()).toMatchObject({ amount_due: '18.40', fulfillment_status: 'fulfilled' });
  await deliver();
  expect(await details()).toMatchObject({ amount_received: '18.40', amount_due: '0.00', refund_due: '0.00' });
});

test('rejects closing a return as lost if the order is paid or all returned pieces have arrived (422)', async () => {
  const { shop, ship, deliver, line_item_id, order, details } = await givenOrder();
  await ship();
  const lines = [{ line_item_id, quantity: 1, reason: 'changed_mind' as const }];
  const given = async () => {
    const made = await shop.dashboard.POST('/api/dashboard/returns', { body: { order_id: order.id, lines } });
    const on = { params: { path: { return_id: made.data?.id ?? '' } } };
    const receive = (condition: 'resellable' | 'missing') =>
      shop.dashboard.POST(`${returnPath}/receive`, {
        ...on,
        body: { lines: [{ id: made.data?.lines[0]?.id ?? '', quantity: 1, condition }] },
      });
    const close = () => shop.dashboard.POST(`${returnPath}/close`, { ...on, body: { lost: true, reason: 'Lost.' } });
    return { receive, close };
  };
  const [whole, paid] = [await given(), await given()];
  await whole.receive('resellable');
  await paid.receive('missing');
  expect((await whole.close()).error).toMatchObject({ detail: [{ loc: ['body', 'lost'] }] });
  await deliver();
  expect((await paid.close()).error).toMatchObject({ detail: [{ loc: ['body', 'lost'] }] });
  expect(await details()).toMatchObject({ payment_status: 'paid', amount_received: '20.40' });
});

test('rejects an edit of an unpaid cash on delivery order to a shipping option without cash on delivery (422)', async () => {
  const { shop, at, details, ship, deliver } = await givenOrder({ invoices: false });
  const plain = await shop.givenShippingOption({ name: 'Post', price: '1.00' });
  const pickup = await shop.givenShippingOption({ name: 'Pickup', kind: 'pickup', price: '0.00' });
  const before = await details();
  const edit = (shipping_option_id: string, expected_total: string) =>
    shop.dashboard.POST(`${orderPath}/edit`, { ...at, body: { shipping_option_id, expected_total } });
  const dry = await shop.dashboard.POST(`${orderPath}/edit`, {
    ...at,
    body: { shipping_option_id: plain.id, dry_run: true },
  });
  for (const { error } of [dry, await edit(plain.id, '21.00')]) {
    expect(error).toMatchObject({
      error: 'validation_error',
      detail: [{ loc: ['body', 'shipping_option_id'], msg: expect.stringContaining('payment on delivery') }],
    });
  }
  expect(await details()).toEqual(before);
  expect((await edit(pickup.id, '20.00')).data?.order).toMatchObject({
    shipping_method: 'Pickup',
    amount_due: '20.00',
  });
  await ship();
  expect((await deliver()).data).toMatchObject({ payment_status: 'paid' });
});

test('nothing is due after both items of an order are returned in two separate returns', async () => {
  const { ship, receive, details } = await givenOrder();
  await ship();
  await receive(1);
  // 28.40 − 10.00 for the returned piece + 2.00 for the return fee.
  expect(await details()).toMatchObject({ fulfillment_status: 'fulfilled', amount_due: '20.40' });
  await receive(1);
  expect(await details()).toMatchObject({ fulfillment_status: 'returned', amount_due: '0.00', refund_due: '0.00' });
});

test('nothing is due after a refused item is returned and an edit removes the unshipped item', async () => {
  const { shop, at, line_item_id, customer, ship, receive, details } = await givenOrder({ invoices: false });
  await ship(1);
  const on = await receive(1);
  const body = { change: [{ line_item_id, quantity: 1 }], expected_total: '18.40' };
  expect((await shop.dashboard.POST(`${orderPath}/edit`, { ...at, body })).error).toBeUndefined();
  expect(await details()).toMatchObject({ fulfillment_status: 'returned', amount_due: '0.00', refund_due: '0.00' });
  const closed = await shop.dashboard.POST(`${returnPath}/close`, { ...on, body: { reason: 'Refused at the door.' } });
  expect(closed.error).toBeUndefined();
  const params = { path: { customer_id: customer.id } };
  const erased = await shop.dashboard.POST('/api/dashboard/customers/{customer_id}/anonymize', { params });
  expect(erased.error).toBeUndefined();
});

test('nothing is due after a refused item is returned and the customer withdraws from the unshipped item', async () => {
  const { shop, order, at, email, ship, receive, details } = await givenOrder();
  await ship(1);
  await receive(1);
  await withdraw(shop, { email, contract: order.order_number ?? '', note: '' });
  const params = { path: { withdrawal_id: (await matched(shop)).at(-1)?.id ?? '' } };
  const confirmPath = '/api/dashboard/withdrawals/{withdrawal_id}/confirm';
  expect((await shop.dashboard.POST(confirmPath, { params, body: {} })).error).toBeUndefined();
  expect(await details()).toMatchObject({ fulfillment_status: 'returned', amount_due: '0.00', refund_due: '0.00' });
  const documents = await documentsOf(shop, at.params.path.order_id);
  const credited = documents.filter(({ kind }) => kind === 'credit_note').map(({ total }) => Number(total));
  const invoiced = documents.filter(({ kind }) => kind === 'invoice').map(({ total }) => Number(total));
  expect(credited.reduce((sum, total) => sum + total, 0)).toBe(invoiced.reduce((sum, total) => sum + total, 0));
});

test('an item returned before the delivery lowers the amount paid on delivery, which still includes the cash on delivery fee', async () => {
  const { ship, receive, deliver, details } = await givenOrder();
  await ship();
  await receive(1);
  expect((await deliver()).data).toMatchObject({ payment_status: 'paid' });
  expect(await details()).toMatchObject({ amount_received: '20.40', amount_due: '0.00', refund_due: '0.00' });
});

test('a withdrawal from a whole delivered order refunds the shipping cost including the cash on delivery fee', async () => {
  const { shop, order, email, ship, deliver, details } = await givenOrder();
  await ship();
  await deliver();
  await withdraw(shop, { email, contract: order.order_number ?? '', note: '' });
  const withdrawal = (await matched(shop)).at(-1);
  const on = { params: { path: { return_id: withdrawal?.return_id ?? '' } } };
  const { data } = await shop.dashboard.GET(returnPath, on);
  const lines = [{ id: data?.lines[0]?.id ?? '', quantity: 2, condition: 'resellable' as const }];
  await shop.dashboard.POST(`${returnPath}/receive`, { ...on, body: { lines } });
  const refunded = await shop.dashboard.POST(`${returnPath}/refund`, { ...on, body: {} });
  expect(refunded.data?.refund).toMatchObject({ amount: '28.40' });
  expect(await details()).toMatchObject({ payment_status: 'refunded', refunded: '28.40' });
});

test('a suggested shipping refund can equal the shipping cost plus the cash on delivery fee, but cannot be higher', async () => {
  const { shop, at, ship, deliver } = await givenOrder();
  await ship();
  await deliver();
  const suggest = async (shipping: string) => {
    const body = { line_items: [], shipping };
    return shop.dashboard.POST(`${orderPath}/refunds/suggestion`, { ...at, body });
  };
  expect((await suggest('all')).data).toMatchObject({ amount: '8.40', shipping: '8.40' });
  expect((await suggest('8.41')).error).toMatchObject({ error: 'validation_error' });
});

test('an edit of items keeps the cash on delivery fee, and an exchange order has no such fee', async () => {
  const { shop, at, line_item_id, variant_id, ship, deliver, receive, details } = await givenOrder();
  const change = [{ line_item_id, quantity: 3 }];
  const dry = await shop.dashboard.POST(`${orderPath}/edit`, { ...at, body: { change, dry_run: true } });
  expect(dry.data?.expected_total).toBe('38.40');
  await shop.dashboard.POST(`${orderPath}/edit`, { ...at, body: { change, expected_total: '38.40' } });
  await ship(3);
  expect((await deliver()).data).toMatchObject({ payment_status: 'paid' });
  expect(await details()).toMatchObject({ amount_received: '38.40', shipping_cost: '8.40' });
  const on = await receive(1);
  const exchanged = await shop.dashboard.POST(`${returnPath}/exchange`, {
    ...on,
    body: { lines: [{ variant_id, quantity: 1 }] },
  });
  expect(exchanged.data?.order).toMatchObject({ shipping_cost: '0.00', total: '10.00' });
});

test('the amount paid on delivery excludes an unshipped item that a withdrawal has removed', async () => {
  const { shop, order, email, ship, deliver, details } = await givenOrder();
  await ship(1);
  await withdraw(shop, { email, contract: order.order_number ?? '', note: '' });
  const withdrawal = (await matched(shop)).at(-1);
  const params = { path: { withdrawal_id: withdrawal?.id ?? '' } };
  const confirmed = await shop.dashboard.POST('/api/dashboard/withdrawals/{withdrawal_id}/confirm', {
    params,
    body: {},
  });
  expect(confirmed.error).toBeUndefined();
  expect(await details()).toMatchObject({ fulfillment_status: 'fulfilled', amount_due: '18.40' });
  expect((await deliver()).data).toMatchObject({ payment_status: 'paid' });
  expect(await details()).toMatchObject({ amount_received: '18.40' });
});

test('the invoice of an unpaid cash on delivery order states that the total is payable on receipt of the goods', async () => {
  const { shop, at, ship } = await givenOrder();
  await ship();
  const [invoice] = await documentsOf(shop, at.params.path.order_id);
  const params = { path: { document_id: invoice?.id ?? '', format: 'xml' as const } };
  const { data } = await shop.dashboard.GET('/api/dashboard/documents/{document_id}/files/{format}', { params });
  const xml = Buffer.from(data?.content ?? '', 'base64').toString();
  expect(xml).toContain('Payable when you receive the goods: €28.40');
});
