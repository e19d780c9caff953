import { unwrap } from '@commerce-backend/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { givenAgent, givenAgentCheckout } from '../../test/agents.ts';
import { workOverdue } from '../../test/jobs.ts';
import { openShop } from '../../test/shop.ts';

const listPath = '/api/dashboard/orders';
const orderPath = '/api/dashboard/orders/{order_id}';
const exportPath = '/api/dashboard/orders/export';
const customerListPath = '/api/dashboard/customers/{customer_id}/orders';
const overviewPath = '/api/dashboard/overview';
const completePath = '/api/storefront/checkout/{checkout_id}/complete';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

/** Creates an order prepared by a customer's agent, and an order of an integration. */
async function givenOrders() {
  const shop = await openShop();
  await shop.givenTerms();
  const customer = await shop.givenCustomer();
  const token = await givenAgent(shop, customer);
  const mug = await shop.givenProduct({ sku: 'MUG', price: '14.00' });
  const content = [{ variant_id: mug.variants[0]?.id ?? '', quantity: 2 }];
  const checkout = await givenAgentCheckout(shop, customer, token, content);
  const params = { path: { checkout_id: checkout.id } };
  const { order } = await unwrap(customer.client.POST(completePath, { params, body: {} }));
  const line = { name: 'Mug', sku: 'MUG', quantity: 1, price: '14.00', total: '14.00' };
  const reference = 'widget-1';
  const shipping_address = { country: 'DE' };
  const synced = await unwrap(
    shop.sync.POST('/api/sync/orders', {
      body: { reference, payment: 'bank_transfer', currency: 'EUR', line_items: [line], shipping_address },
    }),
  );
  return { shop, customer, agent: token.agent, order_id: order.id, sync_order_id: synced.id };
}

async function passDeadline({ owner, site_id }: OpenShop) {
  await owner.query(
    `update commerce.orders set payment_due_at = now() - interval '1 minute', updated_at = now() - interval '1 hour'
      where site_id = $1`,
    [site_id],
  );
}

/** Reads every response that contains these orders, and the version for editing them. */
async function readAll({ shop, customer, agent, order_id, sync_order_id }: Awaited<ReturnType<typeof givenOrders>>) {
  const { dashboard, sync } = shop;
  const params = { path: { order_id } };
  const customerParams = { path: { customer_id: customer.id } };
  const listed = (query: object) => unwrap(dashboard.GET(listPath, { params: { query } }));
  const details = await dashboard.GET(orderPath, { params });
  return {
    details: details.data,
    etag: details.response.headers.get('etag'),
    listed: await listed({}),
    cancelled: await listed({ status: 'cancelled' }),
    pending: await listed({ status: 'pending' }),
    expired: await listed({ payment_status: 'expired', sort: 'recently_updated' }),
    awaiting: await listed({ payment_status: 'awaiting_payment' }),
    waiting: await listed({ waiting_for: 'payment' }),
    exported: await unwrap(dashboard.GET(exportPath, { params: { query: { payment_status: 'expired' } } })),
    ofCustomer: await unwrap(dashboard.GET(customerListPath, { params: customerParams })),
    overview: await unwrap(dashboard.GET(overviewPath)),
    own: await unwrap(customer.client.GET('/api/storefront/customer/me/orders/{order_id}', { params })),
    ownList: await unwrap(customer.client.GET('/api/storefront/customer/me/orders')),
    agents: await unwrap(agent.GET('/api/agent/orders/{order_id}', { params })),
    agentsList: await unwrap(agent.GET('/api/agent/orders')),
    synced: await unwrap(sync.GET('/api/sync/orders/{sync_order_id}', { params: { path: { sync_order_id } } })),
    syncedList: await unwrap(sync.GET('/api/sync/orders')),
  };
}

test('every view shows an order past its deadline as expired, before and after the expiry job has recorded the expiry', async () => {
  const given = await givenOrders();
  const { shop, order_id } = given;
  const awaiting = await readAll(given);
  await passDeadline(shop);

  const computed = await readAll(given);
  const { rows: stored } = await shop.owner.query('select distinct status from commerce.orders where site_id = $1', [
    shop.site_id,
  ]);
  await workOverdue(shop);
  const recorded = await readAll(given);

  expect(stored).toEqual([{ status: 'pending' }]);
  const { rows } = await shop.owner.query('select distinct status from commerce.orders where site_id = $1', [
    shop.site_id,
  ]);
  expect(rows).toEqual([{ status: 'cancelled' }]);
  expect(awaiting.awaiting.total).toBe(2);
  expect(awaiting.overview).toMatchObject({ orders_count: 2, orders_to_pay_count: 2 });
  expect(computed.etag).not.toBe(awaiting.etag);
  const expired = { status: 'cancelled', payment_status: 'expired' };
  expect(computed.details).toMatchObject({ id: order_id, ...expired, cancel_reason: 'payment_expired' });
  expect(computed.details?.cancelled_at).toBe(computed.details?.updated_at);
  expect(computed.details?.payment).toMatchObject({ status: 'expired', due_at: null, instructions: null });
  expect(computed.details?.line_states).toMatchObject([{ to_fulfill: 0 }]);
  for (const page of ['listed', 'cancelled', 'expired'] as const) expect(computed[page].total, page).toBe(2);
  for (const page of ['pending', 'awaiting', 'waiting'] as const) expect(computed[page].total, page).toBe(0);
  expect(computed.exported.orders).toHaveLength(2);
  expect(computed.overview).toMatchObject({ orders_count: 0, orders_to_pay_count: 0 });
  for (const one of [computed.own, computed.agents, computed.synced.order]) expect(one).toMatchObject(expired);
  // Only the job returns the amount to the agent's budget.
  const { agents: _, ...overview } = recorded.overview;
  expect(computed).toMatchObject({ ...recorded, overview });
});

test('rejects a change based on a version from before the payment deadline (412 stale)', async () => {
  const { shop, order_id } = await givenOrders();
  const params = { path: { order_id } };
  const before = await shop.dashboard.GET(orderPath, { params });
  await passDeadline(shop);

  const edit = (etag: string | null) =>
    shop.dashboard.PATCH(orderPath, { params, headers: { 'If-Match': etag ?? '' }, body: { staff_note: 'Called.' } });
  const refused = await edit(before.response.headers.get('etag'));
  const read = await shop.dashboard.GET(orderPath, { params });
  await workOverdue(shop);
  const edited = await edit(read.response.headers.get('etag'));

  expect(refused.response.status).toBe(412);
  expect(refused.error).toMatchObject({ error: 'stale' });
  expect(edited.data).toMatchObject({ staff_note: 'Called.', status: 'cancelled' });
});

test('the events of an order changed after its payment deadline show the order as cancelled', async () => {
  const { shop, order_id } = await givenOrders();
  await unwrap(
    shop.dashboard.POST('/api/dashboard/webhooks', {
      body: { url: 'https://hooks.example.net/shop', events: ['order.*'] },
    }),
  );
  await passDeadline(shop);

  const params = { path: { order_id } };
  const edited = await unwrap(shop.dashboard.PATCH(orderPath, { params, body: { staff_note: 'Called.' } }));
  await workOverdue(shop);

  const { rows } = await shop.owner.query<{ type: string; status: string; updated_at: string }>(
    `select payload::jsonb ->> 'type' as type, payload::jsonb -> 'data' ->> 'status' as status,
        payload::jsonb -> 'data' ->> 'updated_at' as updated_at
      from commerce.events where site_id = $1 and payload::jsonb -> 'data' ->> 'id' = $2 order by type`,
    [shop.site_id, order_id],
  );
  expect(rows).toEqual([
    { type: 'order.payment_expired', status: 'cancelled', updated_at: edited.updated_at },
    { type: 'order.updated', status: 'cancelled', updated_at: edited.updated_at },
  ]);
  expect(edited).toMatchObject({ staff_note: 'Called.', status: 'cancelled', payment_status: 'expired' });
});

test('a failed expiry of one order does not prevent the expiry of later orders', async () => {
  const { shop, order_id } = await givenOrders();
  await passDeadline(shop);
  await shop.owner.query(
    `update commerce.orders set payment_due_at = payment_due_at - interval '1 hour' where id = '${order_id}';
      create function commerce.refuse_expiry() returns trigger language plpgsql as
        $$ begin raise 'The test refuses this order.'; end $$;
      create trigger refuse_expiry before update on commerce.orders
        for each row when (old.id = '${order_id}') execute function commerce.refuse_expiry()`,
  );
  onTestFinished(async () => {
    await shop.owner.query('drop function commerce.refuse_expiry cascade');
    await workOverdue(shop);
  });

  await workOverdue(shop).catch(() => undefined);

  const { rows } = await shop.owner.query<{ fails: boolean; payment_status: string }>(
    'select id = $2 as fails, payment_status from commerce.orders where site_id = $1 order by fails',
    [shop.site_id, order_id],
  );
  expect(rows).toEqual([
    { fails: false, payment_status: 'expired' },
    { fails: true, payment_status: 'awaiting_payment' },
  ]);
});
