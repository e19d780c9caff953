import { expect, test } from 'vitest';
import { givenAgent, givenAgentCheckout } from '../../test/agents.ts';
import { openShop } from '../../test/shop.ts';

const today = (time_zone: string) => new Intl.DateTimeFormat('en-CA', { timeZone: time_zone }).format(new Date());

test("daily figures use the shop's time zone and exclude cancelled orders", async () => {
  const shop = await openShop();
  const read = async () => {
    const { data, error } = await shop.dashboard.GET('/api/dashboard/overview');
    if (!data) throw new Error(`The overview failed: ${JSON.stringify(error)}`);
    return data;
  };
  const empty = await read();
  expect(empty).toMatchObject({
    currency: 'EUR',
    time_zone: 'UTC',
    orders_count: 0,
    sales: '0.00',
    agents: { active_count: 0, orders_count: 0, sales: '0.00', open_confirmations_count: 0, budget_cents: 0 },
    setup: { can_sell: false },
  });
  expect(empty.days).toHaveLength(30);
  expect(empty.days.every(({ orders_count, sales }) => orders_count === 0 && sales === '0.00')).toBe(true);

  const time_zone = 'Pacific/Kiritimati';
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { time_zone } });
  const waiting = await shop.givenOrder();
  const paid = await shop.givenOrder();
  const cancelled = await shop.givenOrder();
  const old = await shop.givenOrder();
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path: { order_id: paid.id } } });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    params: { path: { order_id: cancelled.id } },
    body: { reason: 'customer' },
  });
  await shop.owner.query(
    `update commerce.orders set created_at = now() - interval '29 days 20 hours 31 minutes' where site_id = $1 and id = $2`,
    [shop.site_id, old.id],
  );
  await shop.givenProduct({ inventory_quantity: 2 });
  await shop.givenProduct({ inventory_quantity: 0 });
  const other = await openShop();
  await other.givenOrder();

  const told = await read();
  const inDays = new Set(told.days.map(({ date }) => date));
  expect(inDays.size).toBe(30);
  expect(told.days.map(({ date }) => date)).toEqual([...inDays].sort());
  const last = told.days.at(-1);
  expect(last).toEqual({ date: today(time_zone), orders_count: 2, sales: waiting.total });
  // Depending on the time of day, the old order belongs to the first day of the overview or to the day before.
  const counted = told.days.reduce((sum, { orders_count }) => sum + orders_count, 0);
  expect(told.orders_count).toBe(counted);
  expect(told.sales).toBe(waiting.total);
  expect(told).toMatchObject({
    orders_to_pay_count: 2,
    orders_to_ship_count: 1,
    low_stock_count: 1,
    out_of_stock_count: 1,
  });
  expect(told.setup.open_count).toBeGreaterThan(0);
});

test('the sales figure is the sum of payments minus the sum of refunds', async () => {
  const shop = await openShop();
  const read = async () => (await shop.dashboard.GET('/api/dashboard/overview')).data;
  const [{ id, total }] = [await shop.givenOrder(), await shop.givenOrder()];
  expect(await read()).toMatchObject({ orders_count: 2, sales: '0.00' });

  const params = { path: { order_id: id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params });
  expect(await read()).toMatchObject({ orders_count: 2, sales: total });

  const refund = (amount: string) =>
    shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', { params, body: { amount, reason: 'damaged' } });
  expect((await refund('5.00')).response.status).toBe(201);
  const left = (Number(total) - 5).toFixed(2);
  const after = await read();
  expect(after).toMatchObject({ orders_count: 2, sales: left });
  expect(after?.days.at(-1)).toMatchObject({ orders_count: 2, sales: left });

  // Ships the order, because a full refund of an unshipped order cancels it, and cancelled orders are not counted.
  const fulfillment = { params, body: { tracking_number: 'X1' } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', fulfillment);
  expect((await refund(left)).response.status).toBe(201);
  expect(await read()).toMatchObject({ orders_count: 2, sales: '0.00' });
});

test('the overview counts orders by agents, and agent checkouts that customers have not confirmed yet', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const agent = await givenAgent(shop, customer);
  const { variants } = await shop.givenProduct();
  const variant_id = variants[0]?.id ?? '';
  const checkout = await givenAgentCheckout(shop, customer, agent, [{ variant_id, quantity: 1 }]);
  const read = async () => (await shop.dashboard.GET('/api/dashboard/overview')).data?.agents;
  expect(await read()).toMatchObject({ active_count: 1, open_confirmations_count: 1, orders_count: 0 });

  const params = { path: { checkout_id: checkout.id } };
  const done = await customer.client.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} });
  const order_id = done.data?.order.id ?? '';
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path: { order_id } } });
  const after = await read();
  expect(after).toMatchObject({
    active_count: 1,
    open_confirmations_count: 0,
    budget_pending_cents: 0,
    orders_count: 1,
  });
  expect(after?.budget_used_cents).toBe(Math.round(Number(after?.sales) * 100));

  await shop.dashboard.DELETE('/api/dashboard/agent-tokens/{agent_token_id}', {
    params: { path: { agent_token_id: agent.token_id } },
  });
  expect(await read()).toMatchObject({ active_count: 0, budget_cents: 0, budget_used_cents: 0, orders_count: 1 });
});
