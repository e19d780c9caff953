import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { asOwner } from '../../test/as-owner.ts';
import { givenShippedOrder, POLICY } from '../../test/returns.ts';

const RETURNS = '/api/storefront/customer/me/returns';
const ONE = '/api/storefront/customer/me/returns/{return_id}';

test('a customer requests, reads, sends and cancels a return, without seeing the notes of the staff', async () => {
  const { customer, order, request, approve, shop } = await givenShippedOrder(3);
  const { client } = customer;

  const { data } = await request(2, { customer_note: 'Too small.' });
  const path = { return_id: data?.id ?? '' };
  await approve(path.return_id, { staff_note: 'Regular customer.' });
  const listed = await client.GET(RETURNS, { params: { query: { order_id: order.id } } });
  const sent = await client.POST(`${ONE}/tracking`, {
    params: { path },
    body: { carrier: 'DHL', tracking_number: '0034' },
  });
  const read = await client.GET(ONE, { params: { path } });
  const cancelled = await client.POST(`${ONE}/cancel`, { params: { path } });
  const again = await client.POST(`${ONE}/cancel`, { params: { path } });

  expect(data).toMatchObject({ status: 'requested', customer_note: 'Too small.', staff_note: null });
  expect(listed.data).toMatchObject({ total: 1, returns: [{ id: data?.id, status: 'approved', staff_note: null }] });
  expect(sent.data).toMatchObject({ status: 'in_transit', shipping: { carrier: 'DHL' }, staff_note: null });
  expect(read.data).toEqual(sent.data);
  expect(cancelled.data).toMatchObject({ status: 'cancelled', staff_note: null });
  expect([again.response.status, again.error]).toMatchObject([
    409,
    { from: 'cancelled', to: 'cancelled', allowed: [] },
  ]);
  const kept = await shop.dashboard.GET('/api/dashboard/returns/{return_id}', { params: { path } });
  expect(kept.data).toMatchObject({ staff_note: 'Regular customer.' });
  const exported = await client.GET('/api/storefront/customer/me/export');
  expect(exported.data?.returns).toEqual([cancelled.data]);
});

test('a customer cannot read or change returns of other customers (404)', async () => {
  const { shop, order, line_item_id, given } = await givenShippedOrder(2);
  const { id } = await given(1);
  const { client } = await shop.givenCustomer();
  const params = { path: { return_id: id } };

  const answers = [
    await client.POST(RETURNS, {
      body: { order_id: order.id, lines: [{ line_item_id, quantity: 1, reason: 'other' }] },
    }),
    await client.GET(ONE, { params }),
    await client.POST(`${ONE}/cancel`, { params }),
    await client.POST(`${ONE}/tracking`, { params, body: { tracking_number: '0034' } }),
  ];

  expect(answers.map(({ response }) => response.status)).toEqual([404, 404, 404, 404]);
  expect((await client.GET(RETURNS)).data).toMatchObject({ returns: [], total: 0 });
  const guest = await shop.storefront.POST(RETURNS, {
    body: { order_id: order.id, lines: [{ line_item_id, quantity: 1, reason: 'other' }] },
  });
  expect([401, 403]).toContain(guest.response.status);
});

test("the return period ends at the end of its last day in the shop's time zone", async () => {
  const { shop, request } = await givenShippedOrder(2);
  const time_zone = 'Pacific/Auckland';
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { time_zone } });
  const shipAtMidnight = (days: number) =>
    shop.owner.query(
      `update commerce.fulfillments set created_at =
          (date_trunc('day', now() at time zone $2) - make_interval(days => $3)) at time zone $2 where site_id = $1`,
      [shop.site_id, time_zone, days],
    );

  await shipAtMidnight(POLICY.window_days);
  expect((await request(1)).response.status).toBe(201);
  await shipAtMidnight(POLICY.window_days + 1);
  expect((await request(1)).error).toMatchObject({ error: 'return_window_closed' });
});

test('return requests are approved immediately with auto_approve, and rejected if returns are disabled (409 not_returnable)', async () => {
  const { shop, request } = await givenShippedOrder(3);
  const setPolicy = (policy: object) =>
    shop.dashboard.PATCH('/api/dashboard/settings', { body: { return_policy: { ...POLICY, ...policy } } });

  const { data } = await setPolicy({ auto_approve: true, fee: '2.5' });
  expect(data?.return_policy).toMatchObject({ enabled: true, window_days: 14, auto_approve: true, fee: '2.50' });
  expect((await request(1)).data).toMatchObject({ status: 'approved', fee: '2.50' });
  await setPolicy({ enabled: false });
  const refused = await request(1);
  expect([refused.response.status, refused.error]).toMatchObject([409, { error: 'not_returnable' }]);
});

test('rejects an invalid return policy (422)', async () => {
  const { shop } = await givenShippedOrder(1);
  const invalid = [{ window_days: 0 }, { fee: '1.234' }, { fee: '-1' }, { unknown: true }];
  for (const wrong of invalid) {
    const { response } = await shop.dashboard.PATCH('/api/dashboard/settings', {
      body: { return_policy: { ...POLICY, ...wrong } },
    });
    expect(response.status).toBe(422);
  }
});

test('returns keep no note of the customer after the customer is erased', async () => {
  const { shop, customer, order, request, decline, read } = await givenShippedOrder(1);
  const { data } = await request(1, { customer_note: 'My phone number is 0170 123.' });
  await decline(data?.id ?? '');
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-delivered', {
    params: { path: { order_id: order.id } },
  });

  const { response } = await shop.dashboard.POST('/api/dashboard/customers/{customer_id}/anonymize', {
    params: { path: { customer_id: customer.id } },
  });

  expect(response.status).toBe(200);
  expect(await read(data?.id ?? '')).toMatchObject({ customer_note: null });
});

test('a return request during the erasure of its customer waits, and is then rejected (401)', async () => {
  const { shop, customer, request } = await givenShippedOrder(1);
  await asOwner(async (owner) => {
    await owner.query(`select set_config('app.site_id', $1, false)`, [shop.site_id]);
    await owner.query('begin');
    await owner.query('select from commerce.customers where id = $1 for update', [customer.id]);
    await owner.query('update commerce.customers set anonymized_at = now() where id = $1', [customer.id]);
    const pending = request(1, { customer_note: 'My phone number is 0170 123.' });
    await setTimeout(500);
    await owner.query('commit');

    expect((await pending).response.status).toBe(401);
  });
  expect((await shop.dashboard.GET('/api/dashboard/returns')).data?.total).toBe(0);
});
