import { expect, test } from 'vitest';
import { stockOf } from '../../test/buying.ts';
import { mailsTo } from '../../test/mail.ts';
import { openShop } from '../../test/shop.ts';
import { matched, moveToEu, withdraw } from '../../test/withdrawals.ts';

const ORDER = '/api/dashboard/orders/{order_id}';
const ONE = '/api/dashboard/withdrawals/{withdrawal_id}';

/** An unpaid guest order of three pieces for 10.00 and delivery for 4.90, from which the guest has withdrawn. */
async function givenWithdrawn({ payment_method = 'bank_transfer' as 'bank_transfer' | 'manual', ship = 0 } = {}) {
  const shop = await openShop();
  const { dashboard } = shop;
  await moveToEu(shop);
  if (payment_method === 'manual') await shop.givenShippingOption({ name: 'Pickup', kind: 'pickup', price: '0.00' });
  const email = `jo-${crypto.randomUUID()}@example.com`;
  const product = await shop.givenProduct({ price: '10.00', inventory_quantity: 30 });
  const content = [{ variant_id: product.variants[0]?.id ?? '', quantity: 3 }];
  const order = await shop.givenOrder({ email, content, payment_method });
  const at = { params: { path: { order_id: order.id } } };
  const line_item_id = order.line_items[0]?.id ?? '';
  const shipPieces = (quantity: number) =>
    dashboard.POST(`${ORDER}/fulfillments`, { ...at, body: { items: [{ line_item_id, quantity }] } });
  if (ship > 0) await shipPieces(ship);
  await withdraw(shop, { email, contract: order.order_number });
  const withdrawal = (await matched(shop)).at(-1);
  const params = { path: { withdrawal_id: withdrawal?.id ?? '' } };
  return {
    ...{ shop, order, email, at, shipPieces, withdrawal },
    confirm: (quantity: number) =>
      dashboard.POST(`${ONE}/confirm`, { params, body: { lines: [{ line_item_id, quantity }] } }),
    details: async () => (await dashboard.GET(ORDER, at)).data,
    onHand: async () => (await stockOf(shop, product.id)).on_hand,
  };
}

test('confirming part of a withdrawal from an unpaid order removes these items, and lowers the amount due', async () => {
  const { confirm, details, order, onHand, shop, at } = await givenWithdrawn();
  const total = Number(order.total);

  const { data, error } = await confirm(1);

  expect([data?.status, error]).toEqual(['closed', undefined]);
  const after = await details();
  expect(after).toMatchObject({
    ...{ status: 'pending', payment_status: 'awaiting_payment', total: order.total, refunds: [], refund_due: '0.00' },
    amount_due: (total - 10).toFixed(2),
    line_states: [{ removed: 1, refunded: 1, to_fulfill: 2 }],
    payment: { instructions: { amount: (total - 10).toFixed(2) } },
  });
  expect(await onHand()).toBe(28);

  const off = await shop.dashboard.POST('/api/dashboard/orders/mark-paid', {
    body: { orders: [{ order_number: order.order_number, amount: order.total }] },
  });
  expect(off.data?.results).toMatchObject([{ status: 'failed', reason: 'amount_differs' }]);
  await shop.dashboard.POST(`${ORDER}/mark-paid`, at);
  expect(await details()).toMatchObject({
    ...{ payment_status: 'paid', amount_received: (total - 10).toFixed(2), amount_due: '0.00', refund_due: '0.00' },
    refundable: (total - 10).toFixed(2),
  });
});

test('the payment reminder states the amount due after a confirmed withdrawal', async () => {
  const { confirm, order, shop, email } = await givenWithdrawn();
  await confirm(2);
  const job = JSON.stringify({ site_id: shop.site_id, template: 'payment_reminder', about: { order_id: order.id } });
  await shop.owner.query(`select commerce.enqueue('send_mail', $1::json, now())`, [job]);

  const mail = (await mailsTo(shop, email)).at(-1);

  expect(mail?.html).toContain(`€${(Number(order.total) - 20).toFixed(2)}`);
});

test('confirming a withdrawal from a whole unpaid order cancels the order', async () => {
  const { confirm, details } = await givenWithdrawn();
  await confirm(3);
  expect(await details()).toMatchObject({ status: 'cancelled', amount_due: '0.00', refund_due: '0.00', refunds: [] });
});

test('after a withdrawal from the unshipped items of an order with manual payment, only the shipped item is due', async () => {
  const { confirm, details, shop, at } = await givenWithdrawn({ payment_method: 'manual', ship: 1 });

  expect((await confirm(2)).data).toMatchObject({ status: 'closed' });

  expect(await details()).toMatchObject({
    ...{ fulfillment_status: 'fulfilled', amount_due: '10.00' },
    line_states: [{ fulfilled: 1, removed: 2, to_fulfill: 0 }],
  });
  await shop.dashboard.POST(`${ORDER}/mark-delivered`, at);
  expect(await details()).toMatchObject({ payment_status: 'paid', amount_received: '10.00', refund_due: '0.00' });
});

test('nothing is due once the shipped items of an unpaid order are returned and the other items are withdrawn', async () => {
  const { confirm, details, shop, withdrawal } = await givenWithdrawn({ payment_method: 'manual', ship: 2 });
  const at = { params: { path: { return_id: withdrawal?.return_id ?? '' } } };
  const { data } = await shop.dashboard.GET('/api/dashboard/returns/{return_id}', at);
  await shop.dashboard.POST('/api/dashboard/returns/{return_id}/receive', {
    ...at,
    body: { lines: [{ id: data?.lines[0]?.id ?? '', quantity: 2, condition: 'resellable' }] },
  });

  await confirm(1);

  expect(await details()).toMatchObject({ fulfillment_status: 'returned', amount_due: '0.00', refund_due: '0.00' });
});

test('confirming a withdrawal while the order is marked as paid keeps received, refunded and due amounts consistent', async () => {
  const { confirm, details, shop, at, order } = await givenWithdrawn();

  await Promise.all([confirm(1), shop.dashboard.POST(`${ORDER}/mark-paid`, at)]);

  const after = await details();
  const kept = Number(after?.amount_received) - Number(after?.refunded) - Number(after?.refund_due);
  expect([after?.payment_status === 'awaiting_payment', kept]).toEqual([false, Number(order.total) - 10]);
});
