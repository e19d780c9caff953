/** Refunds of returns, and refunds of orders with returns. */

import { expect, test } from 'vitest';
import { mailsTo } from '../../test/mail.ts';
import { givenShippedOrder } from '../../test/returns.ts';

test('a refunded return cannot be cancelled (409), and its items cannot be returned again', async () => {
  const { given, refundReturn, cancel, close, line } = await givenShippedOrder(2);
  const { id } = await given(2, { keep_goods: true });
  await refundReturn(id, { close: false });

  const cancelled = await cancel(id);

  expect([cancelled.response.status, cancelled.error]).toMatchObject([
    409,
    { error: 'invalid_transition', to: 'cancelled', allowed: ['in_transit', 'received', 'closed'] },
  ]);
  expect((await close(id)).data).toMatchObject({ status: 'closed' });
  expect(await line()).toMatchObject({ refunded: 2, returnable: 0 });
});

test('the mail about a closed return does not say that the refund is missing if the return was refunded', async () => {
  const { shop, customer, given, receive, refundReturn, close } = await givenShippedOrder(2);
  const { id, lines } = await given(2);
  await receive(id, lines[0]?.id ?? '', 1);
  await refundReturn(id, { close: false });

  await close(id, 'The second mug was lost.');

  const { html = '' } = (await mailsTo(shop, customer.email)).at(-1) ?? {};
  expect(html).toContain('Your return is complete.');
  expect(html).toContain('The second mug was lost.');
  expect(html).not.toContain('without a refund');
});

test('a full refund through a return does not mark items as returned that the customer still has', async () => {
  const kept = await givenShippedOrder(1);
  const { id } = await kept.given(1, { keep_goods: true });
  await kept.refundReturn(id, { shipping: 'all' });
  expect(await kept.details()).toMatchObject({ payment_status: 'refunded', fulfillment_status: 'fulfilled' });

  const part = await givenShippedOrder(2);
  const made = await part.given(1);
  await part.receive(made.id, made.lines[0]?.id ?? '', 1);
  await part.refundReturn(made.id, { amount: '24.90', shipping: '4.90' });
  expect(await part.details()).toMatchObject({ payment_status: 'refunded', fulfillment_status: 'fulfilled' });
});

test('items that were refunded during an open return cannot be returned again', async () => {
  const { given, create, refundOrder, cancel, line } = await givenShippedOrder(2);
  const { id } = await given(1);
  await refundOrder('20.00', 2);
  await cancel(id);

  expect(await line()).toMatchObject({ refunded: 2, returnable: 0 });
  expect((await create(1)).error).toMatchObject({
    error: 'return_quantity_exceeded',
    lines: [{ requested: 1, returnable: 0 }],
  });
});

test('items that were refunded with the reason `returned` cannot be returned again', async () => {
  const { shop, order, create, line, details } = await givenShippedOrder(2);
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params: { path: { order_id: order.id } },
    body: { amount: '24.90', reason: 'returned' },
  });

  expect(await details()).toMatchObject({ fulfillment_status: 'returned' });
  expect(await line()).toMatchObject({ returnable: 0 });
  expect((await create(1)).error).toMatchObject({ error: 'return_quantity_exceeded' });
});

test('the shipping part of a suggested refund never exceeds the amount of the refund', async () => {
  const { shop, order, line_item_id, given, receive, refundReturn } = await givenShippedOrder(2);
  const at = { params: { path: { order_id: order.id } } };
  const { id, lines } = await given(2, { fee: '22.00' });
  await receive(id, lines[0]?.id ?? '', 2);

  const suggested = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds/suggestion', {
    ...at,
    body: { line_items: [{ line_item_id, quantity: 2 }], shipping: 'all', fee: '22.00' },
  });
  expect(suggested.data).toMatchObject({ amount: '2.90', shipping: '2.90' });
  const { data } = await refundReturn(id, { shipping: 'all' });
  expect(data?.refund).toMatchObject({ amount: '2.90', shipping: '2.90' });

  const another = await givenShippedOrder(1);
  const made = await another.given(1, { fee: '12.00' });
  await another.receive(made.id, made.lines[0]?.id ?? '', 1);
  const typed = await another.refundReturn(made.id, { amount: '14.90', shipping: '4.90' });
  expect(typed.data?.refund).toMatchObject({ amount: '14.90', shipping: '4.90' });
});
