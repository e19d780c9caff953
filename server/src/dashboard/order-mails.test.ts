import { expect, test } from 'vitest';
import { mailsTo } from '../../test/mail.ts';
import { openShop } from '../../test/shop.ts';

test('sends a mail that fits the status of the order again, and records the sender in the timeline', async () => {
  const shop = await openShop();
  const { dashboard, site_id } = shop;
  const email = `june@s${site_id.slice(-8)}.example.com`;
  const { id: order_id, order_number } = await shop.givenOrder({ email });
  const params = { path: { order_id } };
  const send = (kind: 'placed' | 'payment_reminder' | 'payment_received' | 'shipped' | 'cancelled' | 'refunded') =>
    dashboard.POST('/api/dashboard/orders/{order_id}/mails', { params, body: { kind } });
  const before = (await mailsTo(shop, email)).length;

  const again = await send('placed');
  const unfit = await Promise.all((['payment_received', 'shipped', 'cancelled', 'refunded'] as const).map(send));
  await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params });
  await dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body: { tracking_number: '0034' } });
  await mailsTo(shop, email);
  const shipped = await send('shipped');
  const late = await send('payment_reminder');

  expect([again.response.status, again.data]).toEqual([202, { kind: 'placed', email }]);
  expect(unfit.map(({ response }) => response.status)).toEqual([409, 409, 409, 409]);
  expect([shipped.response.status, late.response.status]).toEqual([202, 409]);
  const mails = await mailsTo(shop, email);
  expect(mails).toHaveLength(before + 4);
  expect(mails.at(-1)?.html).toContain('0034');
  const { data } = await dashboard.GET('/api/dashboard/orders/{order_id}/timeline', { params });
  expect(data?.entries[0]).toMatchObject({ actor_type: 'api_key', context: { mail: 'shipped' } });
  const elsewhere = await openShop();
  const foreign = await elsewhere.dashboard.POST('/api/dashboard/orders/{order_id}/mails', {
    params,
    body: { kind: 'placed' },
  });
  expect(foreign.response.status).toBe(404);
  expect(order_number).toBe('1001');
});

test('the filter waiting_for lists the orders that the overview counts', async () => {
  const shop = await openShop();
  const { dashboard } = shop;
  const [waits, ships, parts] = [
    await shop.givenOrder(),
    await shop.givenOrder(),
    await shop.givenOrder({
      content: [{ variant_id: (await shop.givenProduct()).variants[0]?.id ?? '', quantity: 2 }],
    }),
  ];
  for (const { id: order_id } of [ships, parts]) {
    await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path: { order_id } } });
  }
  await dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
    params: { path: { order_id: parts.id } },
    body: { items: [{ line_item_id: parts.line_items[0]?.id ?? '', quantity: 1 }] },
  });
  const listed = async (waiting_for: 'payment' | 'shipping') => {
    const { data } = await dashboard.GET('/api/dashboard/orders', { params: { query: { waiting_for } } });
    return data?.orders.map(({ id }) => id).toSorted();
  };

  expect(await listed('payment')).toEqual([waits.id]);
  expect(await listed('shipping')).toEqual([ships.id, parts.id].toSorted());
  const { data } = await dashboard.GET('/api/dashboard/overview');
  expect(data).toMatchObject({ orders_to_pay_count: 1, orders_to_ship_count: 2 });
});
