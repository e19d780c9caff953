import { expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { openShop } from '../../test/shop.ts';

const path = '/api/storefront/customer/me/export';

test('a customer export contains the data of the customer, page by page, without secrets and data of others', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const other = await shop.givenCustomer();
  const { client } = customer;
  await client.PATCH('/api/storefront/customer/me', { body: { locale: 'de', marketing_opt_in: true } });
  await client.POST('/api/storefront/customer/me/addresses', {
    body: { last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' },
  });
  const orders = [await shop.givenOrder({ client }), await shop.givenOrder({ client })];
  await shop.givenOrder({ client: other.client });
  const elsewhere = await openShop();
  const namesake = await elsewhere.dashboard.POST('/api/dashboard/customers', { body: { email: customer.email } });
  const elsewhereToo = await elsewhere.givenOrder({ email: customer.email });
  await elsewhere.owner.query('update commerce.orders set customer_id = $2 where site_id = $1 and id = $3', [
    elsewhere.site_id,
    namesake.data?.id,
    elsewhereToo.id,
  ]);
  const staffOnly = 'known to staff alone';
  await shop.dashboard.PATCH('/api/dashboard/customers/{customer_id}', {
    params: { path: { customer_id: customer.id } },
    body: { note: staffOnly, metadata: { tier: staffOnly } },
  });
  const params = { path: { order_id: orders[0]?.id ?? '' } };
  await shop.dashboard.PATCH('/api/dashboard/orders/{order_id}', {
    params,
    body: { staff_note: staffOnly, metadata: { batch: staffOnly } },
  });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params, body: {} });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params,
    body: { amount: '1.00', reason: 'damaged', note: staffOnly },
  });
  await shop.givenCheckout({ client: other.client });
  const checkout = await shop.givenCheckout({ client, note: 'Please ring twice.' });
  const { agent, access_token } = await givenAgent(shop, customer);
  await agent.GET('/api/agent/customer/me');

  const all = await client.GET(path, { params: { query: { limit: 100 } } });
  expect(all.data).toMatchObject({
    customer: { id: customer.id, email: customer.email, marketing_opt_in: true },
    locale: 'de',
    addresses: [{ address1: 'Lindenallee 7' }],
    marketing_consents: [{ granted: true, source: 'account' }],
    agents: [{ agent_name: 'Shopping assistant' }],
    checkouts: [{ id: checkout.id, email: checkout.email, note: 'Please ring twice.', items: [{ quantity: 1 }] }],
    refunds: [{ order_id: orders[0]?.id, amount: '1.00', status: 'succeeded' }],
    next_cursor: null,
  });
  expect(all.data?.checkouts).toHaveLength(1);
  expect(all.data?.orders.map(({ id }) => id)).toEqual(orders.map(({ id }) => id).reverse());
  const actions = all.data?.audit_events.map(({ action }) => action) ?? [];
  for (const action of ['agent.getCustomer', 'storefront.updateCustomer', 'storefront.completeCheckout']) {
    expect(actions).toContain(action);
  }
  const text = JSON.stringify(all.data);
  for (const secret of [access_token, customer.access_token, other.email, 'argon2', staffOnly, elsewhereToo.id])
    expect(text).not.toContain(secret);

  const pages: unknown[] = [];
  let cursor: string | undefined;
  do {
    const { data } = await client.GET(path, { params: { query: { limit: 3, ...(cursor && { cursor }) } } });
    expect((data?.orders.length ?? 0) + (data?.audit_events.length ?? 0)).toBeLessThanOrEqual(3);
    pages.push(...(data?.orders ?? []), ...(data?.audit_events ?? []));
    cursor = data?.next_cursor ?? undefined;
  } while (cursor);
  const sorted = (list: unknown[]) => list.map((one) => JSON.stringify(one)).sort();
  expect(sorted(pages)).toEqual(sorted([...(all.data?.orders ?? []), ...(all.data?.audit_events ?? [])]));
  const { response } = await client.GET(path, { params: { query: { cursor: 'nonsense' } } });
  expect(response.status).toBe(422);
});
