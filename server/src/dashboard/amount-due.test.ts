import { expect, test } from 'vitest';
import { mailsTo } from '../../test/mail.ts';
import { givenShippedOrder } from '../../test/returns.ts';
import { openShop } from '../../test/shop.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;

async function moneyOf({ dashboard }: Shop, order_id: string) {
  const { data } = await dashboard.GET('/api/dashboard/orders/{order_id}', { params: { path: { order_id } } });
  const { amount_due, refund_due, amount_received, refundable, line_states } = data ?? {};
  return { amount_due, refund_due, amount_received, refundable, line: line_states?.[0] };
}

test('the amount due is the total of an order, and 0.00 once the order is paid, cancelled or expired', async () => {
  const shop = await openShop();
  const [paid, cancelled, expired] = [await shop.givenOrder(), await shop.givenOrder(), await shop.givenOrder()];
  const due = { amount_due: '14.90', refund_due: '0.00', amount_received: '0.00' };
  expect(await moneyOf(shop, paid.id)).toMatchObject(due);
  const at = (order_id: string) => ({ params: { path: { order_id } } });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', at(paid.id));
  expect(await moneyOf(shop, paid.id)).toMatchObject({ amount_due: '0.00', amount_received: '14.90' });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    ...at(cancelled.id),
    body: { reason: 'customer' },
  });
  await shop.owner.query(`update commerce.orders set payment_due_at = now() where id = $1`, [expired.id]);
  for (const { id } of [cancelled, expired]) {
    expect(await moneyOf(shop, id)).toMatchObject({ amount_due: '0.00', refund_due: '0.00' });
  }
});

test('items returned before payment lower the amount due of the order by their price minus the return fee', async () => {
  const { shop, order, create, receive, refundReturn } = await givenShippedOrder(3, { paid: false });
  expect(await moneyOf(shop, order.id)).toMatchObject({ amount_due: '30.00' });
  const { data: back } = await create(2, { fee: '1.50' });
  const line = back?.lines[0]?.id ?? '';
  await receive(back?.id ?? '', line, 1);
  expect(await moneyOf(shop, order.id)).toMatchObject({ amount_due: '21.50', line: { refunded: 1, returned: 1 } });
  await receive(back?.id ?? '', line, 1, 'damaged');
  expect(await moneyOf(shop, order.id)).toMatchObject({ amount_due: '11.50', line: { refunded: 2, returned: 2 } });

  const at = { params: { path: { order_id: order.id } } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-delivered', at);
  const paid = { amount_due: '0.00', amount_received: '11.50', refund_due: '0.00', refundable: '11.50' };
  expect(await moneyOf(shop, order.id)).toMatchObject({ ...paid, line: { refundable_amount: '10.00' } });
  // The return has already lowered the amount due, so it cannot be refunded as well.
  expect((await refundReturn(back?.id ?? '')).error).toMatchObject({ error: 'conflict' });
  expect(await moneyOf(shop, order.id)).toMatchObject(paid);
});

test('missing items do not lower the amount due, and a return fee above the item price does not raise the amount due', async () => {
  const { shop, order, create, receive } = await givenShippedOrder(2, { paid: false });
  const { data: back } = await create(2, { fee: '50.00' });
  const line = back?.lines[0]?.id ?? '';
  await receive(back?.id ?? '', line, 1, 'missing');
  expect(await moneyOf(shop, order.id)).toMatchObject({ amount_due: '20.00', line: { refunded: 0 } });
  await receive(back?.id ?? '', line, 1);
  expect(await moneyOf(shop, order.id)).toMatchObject({ amount_due: '20.00', line: { refunded: 1 } });
});

test('mails staff about a return that a customer requests, but not about a return that staff create', async () => {
  const { shop, request, given } = await givenShippedOrder(2);
  const email = shop.credentials.staff.email;
  const subjects = async () =>
    (await mailsTo(shop, email)).map(({ subject }) => subject).filter((one) => /Return/.test(one));
  await given(1);
  expect(await subjects()).toEqual([]);
  const { data } = await request(1);
  expect(await subjects()).toEqual([`Return ${data?.number} was requested`]);
});
