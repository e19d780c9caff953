import type { OrderEditInput } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { givenVariant, stockOf } from '../../test/buying.ts';
import { mailsTo } from '../../test/mail.ts';
import { givenShippedOrder } from '../../test/returns.ts';
import { openShop } from '../../test/shop.ts';

const ORDER = '/api/dashboard/orders/{order_id}';

type OpenShop = Awaited<ReturnType<typeof openShop>>;
type Given = Parameters<OpenShop['givenOrder']>[0] & { card_token?: string };

/** Places an order of mugs (10.00, 30 in stock) with parcel delivery for 4.90, and creates lids (12.50, 5 in stock). */
async function givenOrder({
  quantity = 3,
  paid = true,
  shop,
  ...given
}: Given & { quantity?: number; paid?: boolean; shop?: OpenShop } = {}) {
  const opened = shop ?? (await openShop());
  const mug = await givenVariant(opened, { price: '10.00', inventory_quantity: 30 });
  const lid = await givenVariant(opened, { name: 'Lid', price: '12.50', inventory_quantity: 5 });
  const order = await opened.givenOrder({ content: [{ variant_id: mug.variant_id, quantity }], ...given });
  const at = { params: { path: { order_id: order.id } } };
  if (paid) await opened.dashboard.POST(`${ORDER}/mark-paid`, at);
  const line_item_id = order.line_items[0]?.id ?? '';
  const send = (body: OrderEditInput) => opened.dashboard.POST(`${ORDER}/edit`, { ...at, body });
  return {
    shop: opened,
    order,
    mug,
    lid,
    line_item_id,
    send,
    /** Sends the dry run, then the edit with its total. */
    edit: async (body: OrderEditInput) => {
      const { data, error } = await send({ ...body, dry_run: true });
      if (!data) throw new Error(`The dry run was refused: ${JSON.stringify(error)}`);
      return send({ ...body, expected_total: data.expected_total });
    },
    ship: (pieces: number) =>
      opened.dashboard.POST(`${ORDER}/fulfillments`, { ...at, body: { items: [{ line_item_id, quantity: pieces }] } }),
    refund: (amount: string) => opened.dashboard.POST(`${ORDER}/refunds`, { ...at, body: { amount, reason: 'other' } }),
    refundPieces: (amount: string, pieces: number) =>
      opened.dashboard.POST(`${ORDER}/refunds`, {
        ...at,
        body: { amount, reason: 'customer', line_items: [{ line_item_id, quantity: pieces }] },
      }),
    record: (amount: string) => opened.dashboard.POST(`${ORDER}/payments`, { ...at, body: { amount, method: 'cash' } }),
    details: async () => (await opened.dashboard.GET(ORDER, at)).data,
    onHand: async () => [
      (await stockOf(opened, mug.product.id)).on_hand,
      (await stockOf(opened, lid.product.id)).on_hand,
    ],
  };
}

test('a dry run of an edit returns the edited order and changes nothing', async () => {
  const { send, line_item_id, lid, details, onHand, order } = await givenOrder();
  const before = await details();

  const { data } = await send({
    change: [{ line_item_id, quantity: 1 }],
    add: [{ variant_id: lid.variant_id, quantity: 2 }],
    dry_run: true,
  });

  expect(data).toMatchObject({ dry_run: true, expected_total: '39.90' });
  expect(data?.order).toMatchObject({ total: '39.90', subtotal: '35.00', amount_due: '5.00' });
  expect(data?.order.line_items.map(({ name, quantity }) => [name, quantity])).toEqual([
    ['Mug', 1],
    ['Lid', 2],
  ]);
  expect(await details()).toEqual(before);
  expect(before?.total).toBe(order.total);
  expect(await onHand()).toEqual([27, 5]);
});

test('an edit changes lines, total and stock, keeps the previous version, and makes the difference due', async () => {
  const { edit, line_item_id, lid, onHand, shop, order } = await givenOrder();

  const { data } = await edit({
    change: [{ line_item_id, quantity: 1 }],
    add: [{ variant_id: lid.variant_id, quantity: 2 }],
  });

  expect(data?.order).toMatchObject({
    total: '39.90',
    payment_status: 'paid',
    amount_received: '34.90',
    amount_due: '5.00',
    refund_due: '0.00',
    line_items: [
      { name: 'Mug', quantity: 1, total: '10.00' },
      { name: 'Lid', quantity: 2, price: '12.50', total: '25.00' },
    ],
    versions: [{ version: 1, total: '34.90', line_items: [{ id: line_item_id, quantity: 3, total: '30.00' }] }],
  });
  expect(await onHand()).toEqual([29, 3]);
  const at = { params: { path: { order_id: order.id } } };
  const { data: timeline } = await shop.dashboard.GET(`${ORDER}/timeline`, at);
  expect(timeline?.entries[0]).toMatchObject({
    type: 'updated',
    message: 'The order was edited. The total is 39.90, it was 34.90 EUR.',
    context: { total: { from: '34.90', to: '39.90' } },
  });
});

test('rejects an edit without expected_total (422), or with an outdated one (409 price_changed, with the current total)', async () => {
  const { send, line_item_id, details } = await givenOrder();
  const change = [{ line_item_id, quantity: 2 }];

  const missing = await send({ change });
  const other = await send({ change, expected_total: '20.00' });

  expect(missing.response.status).toBe(422);
  expect(missing.error?.detail).toMatchObject([{ loc: ['body', 'expected_total'], type: 'missing' }]);
  expect(other.response.status).toBe(409);
  expect(other.error).toMatchObject({ error: 'price_changed', expected_total: '20.00', total: '24.90' });
  expect((await details())?.total).toBe('34.90');
});

test('an edit cannot remove shipped items (409 edit_exceeds_remaining), but can remove the unshipped ones', async () => {
  const { send, edit, ship, line_item_id, onHand } = await givenOrder();
  await ship(2);

  const refused = await send({ change: [{ line_item_id, quantity: 1 }], dry_run: true });
  const { data } = await edit({ change: [{ line_item_id, quantity: 2 }] });

  expect(refused.response.status).toBe(409);
  expect(refused.error).toMatchObject({
    error: 'edit_exceeds_remaining',
    lines: [{ line_item_id, requested: 1, minimum: 2 }],
  });
  expect(data?.order).toMatchObject({ total: '24.90', refund_due: '10.00', fulfillment_status: 'fulfilled' });
  expect(await onHand()).toEqual([28, 5]);
  const over = await send({ change: [{ line_item_id, quantity: 3 }], dry_run: true });
  expect(over.error).toMatchObject({ error: 'order_not_editable', fulfillment_status: 'fulfilled' });
});

test('an order whose shipped items were all returned becomes `returned` when an edit removes the other items', async () => {
  const { shop, order, line_item_id, given, receive, details } = await givenShippedOrder(3, { ship: 2 });
  const back = await given(2);
  await receive(back.id, back.lines[0]?.id ?? '', 2);

  const at = { params: { path: { order_id: order.id } } };
  const body = { change: [{ line_item_id, quantity: 2 }], expected_total: '24.90' };
  const { data } = await shop.dashboard.POST(`${ORDER}/edit`, { ...at, body });

  expect(data?.order).toMatchObject({ fulfillment_status: 'returned' });
  expect(await details()).toMatchObject({ fulfillment_status: 'returned' });
});

test('an edit to a lower total makes the difference due for refund until that amount is refunded', async () => {
  const { edit, refund, line_item_id, lid, details } = await givenOrder();

  await edit({ change: [{ line_item_id, quantity: 1 }] });
  expect(await details()).toMatchObject({ refund_due: '20.00', amount_due: '0.00' });
  await refund('20.00');
  expect(await details()).toMatchObject({
    refund_due: '0.00',
    amount_due: '0.00',
    payment_status: 'partially_refunded',
  });
  await edit({ add: [{ variant_id: lid.variant_id, quantity: 1 }] });
  // The refund returned an overpayment, which no longer counts toward lines that are added later.
  expect(await details()).toMatchObject({ refund_due: '0.00', amount_due: '12.50', total: '27.40' });
});

test('after an edit, only the part of a refund above the price of its items reduces the amount due for refund', async () => {
  const { edit, refundPieces, line_item_id, details } = await givenOrder();
  await edit({ change: [{ line_item_id, quantity: 2 }] });
  expect(await details()).toMatchObject({ refund_due: '10.00' });

  await refundPieces('10.00', 1);
  expect(await details()).toMatchObject({ refund_due: '10.00', refunded: '10.00' });
  // The part of the refund above the price of its pieces reduces the refund due. The shop may keep the delivery cost of
  // 4.90.
  await refundPieces('14.00', 1);
  expect(await details()).toMatchObject({ refund_due: '6.00', refunded: '24.00', status: 'cancelled' });
});

test('an amount due for refund after an edit stays due when the refund of the last items cancels the order', async () => {
  const { edit, refund, refundPieces, line_item_id, details } = await givenOrder();
  await edit({ change: [{ line_item_id, quantity: 1 }] });

  await refundPieces('10.00', 1);
  expect(await details()).toMatchObject({ status: 'cancelled', refunded: '10.00', refund_due: '20.00' });
  await refund('20.00');
  expect(await details()).toMatchObject({ refunded: '30.00', refund_due: '0.00' });
});

test('an amount that was refunded before an edit is not due again after the edit', async () => {
  const { edit, refund, lid, details } = await givenOrder();

  await refund('4.00');
  await edit({ add: [{ variant_id: lid.variant_id, quantity: 1 }] });

  expect(await details()).toMatchObject({
    total: '47.40',
    amount_received: '34.90',
    amount_due: '12.50',
    refund_due: '0.00',
  });
});

test('records payments of the amount due after an edit, and makes an overpayment due for refund', async () => {
  const { edit, record, lid, details } = await givenOrder();
  expect((await record('1.00')).error).toMatchObject({ error: 'order_not_expired' });
  await edit({ add: [{ variant_id: lid.variant_id, quantity: 2 }] });

  const { data } = await record('20.00');
  expect(data?.order).toMatchObject({ amount_due: '5.00', amount_received: '54.90', payment_status: 'paid' });
  await record('6.00');
  expect(await details()).toMatchObject({ amount_due: '0.00', refund_due: '1.00', refundable: '60.90' });
  expect((await record('1.00')).error).toMatchObject({ error: 'order_not_expired' });
});

test('an edit keeps the discount and tax rate of the remaining items, and gives added items no discount', async () => {
  const shop = await openShop();
  const settings = { tax_rates: [{ country: 'DE', rate: '0.19' }], prices_include_tax: true };
  await shop.givenTerms(settings);
  const mug = await givenVariant(shop, { price: '10.00', inventory_quantity: 30 });
  await shop.givenDiscount({ code: 'SIX', value: '6.00' });
  const cart = await shop.givenCart([{ variant_id: mug.variant_id, quantity: 3 }]);
  await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', {
    params: { path: { cart_id: cart.id } },
    body: { code: 'SIX' },
  });
  const order = await shop.givenOrder({ cart_id: cart.id });
  const at = { params: { path: { order_id: order.id } } };
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { tax_rates: [{ country: 'DE', rate: '0.07' }] } });
  const send = (body: OrderEditInput) => shop.dashboard.POST(`${ORDER}/edit`, { ...at, body });
  const line_item_id = order.line_items[0]?.id ?? '';

  const fewer = await send({ change: [{ line_item_id, quantity: 2 }], dry_run: true });
  const more = await send({ change: [{ line_item_id, quantity: 4 }], dry_run: true });

  // 20.00 − 4.00 + 4.90 = 20.90. The tax at 19 % is 2.55 for the goods and 0.78 for shipping.
  expect(fewer.data?.order).toMatchObject({ subtotal: '20.00', discount: '4.00', total: '20.90', tax: '3.33' });
  // 40.00 − 6.00 + 4.90. The fourth mug is a separate line, so the taxes are 3.83, 1.60 and 0.78.
  expect(more.data?.order).toMatchObject({ subtotal: '40.00', discount: '6.00', total: '38.90', tax: '6.21' });
  expect(more.data?.order.line_items.map(({ quantity }) => quantity)).toEqual([3, 1]);
});

test('an edit to quantity 0 removes the line from line_items, and an edit that would remove every item is rejected (422)', async () => {
  const { edit, send, line_item_id, lid, details } = await givenOrder();

  const empty = await send({ change: [{ line_item_id, quantity: 0 }], dry_run: true });
  expect(empty.response.status).toBe(422);
  expect(empty.error?.detail).toMatchObject([
    { loc: ['body', 'change'], msg: 'No piece would be left. Cancel the order instead.' },
  ]);

  await edit({ change: [{ line_item_id, quantity: 0 }], add: [{ variant_id: lid.variant_id, quantity: 1 }] });
  const after = await details();
  expect(after?.line_items.map(({ name }) => name)).toEqual(['Lid']);
  expect(after?.line_states).toHaveLength(1);
  const again = await send({ change: [{ line_item_id, quantity: 1 }], dry_run: true });
  expect(again.response.status).toBe(404);
});

test('an edit to another shipping option changes the shipping cost and method', async () => {
  const { shop, edit } = await givenOrder();
  const express = await shop.givenShippingOption({ name: 'Express', price: '9.90' });

  const { data } = await edit({ shipping_option_id: express.id });

  expect(data?.order).toMatchObject({
    shipping_cost: '9.90',
    shipping_method: 'Express',
    total: '39.90',
    amount_due: '5.00',
  });
  const unknown = await edit({ shipping_option_id: shop.site_id }).catch((error: unknown) => String(error));
  expect(unknown).toContain('shipping_option_unavailable');
});

test('an unpaid edited order can be reinstated even if the price of a removed product has changed', async () => {
  const { shop, order, edit, line_item_id, mug, lid, record, details, onHand } = await givenOrder({ paid: false });
  const add = [{ variant_id: lid.variant_id, quantity: 1 }];
  await edit({ change: [{ line_item_id, quantity: 0 }], add });
  await shop.owner.query(
    `update commerce.orders set payment_due_at = now() - interval '1 hour' where site_id = $1 and id = $2`,
    [shop.site_id, order.id],
  );
  await record('17.40');
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}/variants/{variant_id}', {
    params: { path: { product_id: mug.product.id, variant_id: mug.variant_id } },
    body: { price: '19.00' },
  });

  const at = { params: { path: { order_id: order.id } } };
  const { response } = await shop.dashboard.POST(`${ORDER}/reinstate`, { ...at, body: {} });

  expect(response.status).toBe(200);
  expect(await details()).toMatchObject({ status: 'confirmed', payment_status: 'paid', amount_due: '0.00' });
  expect(await onHand()).toEqual([30, 4]);
});

test('marking an unpaid edited order as paid records the edited total', async () => {
  const { shop, order, edit, line_item_id, details } = await givenOrder({ paid: false });
  const at = { params: { path: { order_id: order.id } } };

  await edit({ change: [{ line_item_id, quantity: 2 }] });
  expect(await details()).toMatchObject({ amount_due: '24.90', payment: { instructions: { amount: '24.90' } } });
  await shop.dashboard.POST(`${ORDER}/mark-paid`, at);
  expect(await details()).toMatchObject({ amount_due: '0.00', amount_received: '24.90', payment_status: 'paid' });
});

test('rejects an edit of a cancelled order (409 order_not_editable)', async () => {
  const { shop, send, order, line_item_id } = await givenOrder();
  const at = { params: { path: { order_id: order.id } } };
  await shop.dashboard.POST(`${ORDER}/cancel`, { ...at, body: { reason: 'customer' } });

  const { error, response } = await send({ change: [{ line_item_id, quantity: 1 }], dry_run: true });

  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'order_not_editable', status: 'cancelled', payment_status: 'paid' });
});

test.each([true, false])(
  'rejects an edit of an imported order without the tax of each line (409 order_not_editable, tax_included: %s)',
  async (tax_included) => {
    const { dashboard } = await openShop();
    const imported = {
      order_number: '1042',
      currency: 'EUR',
      created_at: '2024-11-05T09:28:00.000Z',
      paid_at: '2024-11-05T09:28:30.000Z',
      line_items: [{ name: 'Stoneware mug', quantity: 3, price: '10.00' }],
      tax: '5.70',
      tax_included,
      total: tax_included ? '30.00' : '35.70',
      payment_status: 'paid' as const,
      fulfillment_status: 'unfulfilled' as const,
    };
    const { data } = await dashboard.POST('/api/dashboard/orders/import', { body: { orders: [imported] } });
    const at = { params: { path: { order_id: data?.results[0]?.order_id ?? '' } } };
    const { data: order } = await dashboard.GET(ORDER, at);
    const change = [{ line_item_id: order?.line_items[0]?.id ?? '', quantity: 1 }];

    const { error, response } = await dashboard.POST(`${ORDER}/edit`, { ...at, body: { change, dry_run: true } });

    expect(response.status).toBe(409);
    expect(error).toMatchObject({ error: 'order_not_editable', status: 'confirmed' });
  },
);

test('a refund above the card payment refunds the card payment in full, and records the rest as refunded manually', async () => {
  const { edit, record, refund, lid, details } = await givenOrder({
    paid: false,
    payment_method: 'card',
    card_token: 'tok_success',
  });
  await edit({ add: [{ variant_id: lid.variant_id, quantity: 1 }] });
  await record('12.50');

  const { data } = await refund('47.40');

  expect(data?.refund).toMatchObject({ amount: '34.90', status: 'pending' });
  expect((await details())?.refunds.map(({ amount, status }) => [amount, status])).toEqual([
    ['34.90', 'pending'],
    ['12.50', 'succeeded'],
  ]);
});

test('rejects an edit that needs more stock than is available (409 insufficient_stock), and changes nothing', async () => {
  const { send, edit, lid, line_item_id, onHand, details } = await givenOrder();

  const { error } = await send({
    change: [{ line_item_id, quantity: 1 }],
    add: [{ variant_id: lid.variant_id, quantity: 6 }],
    dry_run: true,
  });

  expect(error).toMatchObject({
    error: 'insufficient_stock',
    lines: [{ variant_id: lid.variant_id, requested: 6, available: 5 }],
  });
  expect(await onHand()).toEqual([27, 5]);
  await edit({ add: [{ variant_id: lid.variant_id, quantity: 5 }] });
  expect(await onHand()).toEqual([27, 0]);
  expect((await details())?.versions).toHaveLength(1);
});

test('parallel edits and shipments keep the quantities, the total and the stock of an order consistent', async () => {
  const { send, ship, line_item_id, details, onHand } = await givenOrder({ quantity: 6 });

  // Each edit sets another quantity with its matching total. A total that no longer matches is rejected.
  const totals = [5, 4, 3, 2, 1].map((quantity) => ({ quantity, expected_total: `${quantity * 10 + 4}.90` }));
  const results = await Promise.all([
    ...totals.map(({ quantity, expected_total }) => send({ change: [{ line_item_id, quantity }], expected_total })),
    ...Array.from({ length: 6 }, () => ship(1)),
  ]);

  expect(results.filter(({ response }) => response.status >= 500)).toEqual([]);
  const after = await details();
  const [state] = after?.line_states ?? [];
  const [line] = after?.line_items ?? [];
  expect((state?.fulfilled ?? 0) + (state?.to_fulfill ?? 0)).toBe(line?.quantity);
  expect(after?.total).toBe(`${(line?.quantity ?? 0) * 10 + 4}.90`);
  expect((await onHand())[0]).toBe(30 - (line?.quantity ?? 0));
});

test('parallel edits that add the last items in stock sell each item once', async () => {
  const { send, lid, onHand, details } = await givenOrder();
  const add = [{ variant_id: lid.variant_id, quantity: 1 }];

  // Each edit expects the total after a certain number of added lids, so an edit that runs out of turn is rejected.
  const results = await Promise.all(
    Array.from({ length: 12 }, (_, i) => send({ add, expected_total: (34.9 + 12.5 * (1 + (i % 6))).toFixed(2) })),
  );

  const applied = results.filter(({ response }) => response.status === 200).length;
  expect(applied).toBeGreaterThan(0);
  const after = await details();
  expect(after?.versions).toHaveLength(applied);
  expect((await onHand())[1]).toBe(5 - applied);
  expect(after?.total).toBe((34.9 + 12.5 * applied).toFixed(2));
});

test('reports each mistake in an edit at its field (422)', async () => {
  const { send, shop, lid, line_item_id } = await givenOrder();
  const { error } = await send({
    add: [
      { variant_id: shop.site_id, quantity: 1 },
      { variant_id: lid.variant_id, quantity: 1 },
      { variant_id: lid.variant_id, quantity: 1 },
    ],
    change: [
      { line_item_id, quantity: 1 },
      { line_item_id, quantity: 2 },
    ],
    dry_run: true,
  });
  expect(error?.detail).toMatchObject([
    { loc: ['body', 'change', 1, 'line_item_id'], msg: 'This line is listed twice.' },
    { loc: ['body', 'add', 0, 'variant_id'], msg: 'There is no such variant.' },
    { loc: ['body', 'add', 2, 'variant_id'], msg: 'This variant is listed twice.' },
  ]);
  const nothing = await send({ dry_run: true });
  expect(nothing.response.status).toBe(422);
});

test('an edit that changes nothing writes no version and sends no mail', async () => {
  const email = `jo-${crypto.randomUUID()}@example.com`;
  const { shop, edit, send, line_item_id, details, lid } = await givenOrder({ email });
  const { data } = await shop.dashboard.GET('/api/dashboard/shipping-options');
  const shipping_option_id = data?.shipping_options[0]?.id ?? '';
  const before = { order: await details(), mails: (await mailsTo(shop, email)).length };

  for (const body of [
    { change: [{ line_item_id, quantity: 3 }] },
    { shipping_option_id },
    { change: [{ line_item_id, quantity: 3 }], shipping_option_id },
  ]) {
    const { data } = await edit(body);
    expect(data).toEqual({ dry_run: false, expected_total: '34.90', order: before.order });
  }
  const wrong = await send({ change: [{ line_item_id, quantity: 3 }], expected_total: '1.00' });

  expect(wrong.error).toMatchObject({ error: 'price_changed' });
  expect(await details()).toEqual(before.order);
  expect(await mailsTo(shop, email)).toHaveLength(before.mails);

  await shop.dashboard.PATCH('/api/dashboard/shipping-options/{shipping_option_id}', {
    params: { path: { shipping_option_id } },
    body: { price: '5.90' },
  });
  expect((await edit({ shipping_option_id })).data).toMatchObject({ expected_total: '35.90' });
  expect((await edit({ add: [{ variant_id: lid.variant_id, quantity: 1 }] })).data?.order.total).toBe('48.40');
  expect(await mailsTo(shop, email)).toHaveLength(before.mails + 2);
});
