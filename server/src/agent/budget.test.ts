import { randomUUID } from 'node:crypto';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { givenAgent, givenAgentCheckout } from '../../test/agents.ts';
import { workOverdue } from '../../test/jobs.ts';
import { openShop } from '../../test/shop.ts';

const complete = '/api/storefront/checkout/{checkout_id}/complete';

type OpenShop = Awaited<ReturnType<typeof openShop>>;
type Customer = Awaited<ReturnType<OpenShop['givenCustomer']>>;

async function openShopThatShipsFree(): Promise<OpenShop> {
  const shop = await openShop();
  await shop.givenShippingOption({ price: '0.00' });
  return shop;
}

/** Returns one unit of a new product for 10.00. */
async function givenLine(shop: OpenShop, input: Parameters<OpenShop['givenProduct']>[0] = {}) {
  const { variants } = await shop.givenProduct({ inventory_quantity: 500, ...input });
  return { variant_id: variants[0]?.id ?? '', quantity: 1 };
}

function confirm({ client }: Pick<Customer, 'client'>, checkout_id: string, body = {}) {
  return client.POST(complete, { params: { path: { checkout_id } }, body });
}

async function budgetOf({ client }: Customer) {
  const { data } = await client.GET('/api/storefront/customer/me/agents');
  const { budget_used_cents, budget_pending_cents, budget_remaining_cents } = data?.agent_tokens[0] ?? {};
  return [budget_used_cents, budget_pending_cents, budget_remaining_cents];
}

test('only the customer can confirm a checkout that an agent prepared (403 human_confirmation_required)', async () => {
  const shop = await openShopThatShipsFree();
  const [customer, stranger] = [await shop.givenCustomer(), await shop.givenCustomer()];
  const token = await givenAgent(shop, customer);
  const checkout = await givenAgentCheckout(shop, customer, token, [await givenLine(shop)]);
  expect(checkout).toMatchObject({ status: 'requires_escalation', customer_id: customer.id, total: '10.00' });
  const withAgent = await fetch(`${shop.baseUrl}/api/storefront/checkout/${checkout.id}/complete`, {
    method: 'POST',
    headers: {
      'X-Site-ID': shop.site_id,
      'X-Service-Token': shop.credentials.storefront_token,
      Authorization: `Bearer ${token.access_token}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
    },
    body: '{}',
  });

  const guest = await confirm({ client: shop.storefront as Customer['client'] }, checkout.id);
  const other = await confirm(stranger, checkout.id);
  const own = await confirm(customer, checkout.id);

  expect([withAgent.status, await withAgent.json()]).toMatchObject([403, { error: 'human_confirmation_required' }]);
  expect([guest.response.status, guest.error]).toMatchObject([403, { error: 'human_confirmation_required' }]);
  expect(other.response.status).toBe(404);
  expect(own.data?.order).toMatchObject({ source: 'agent', customer_id: customer.id, total: '10.00' });
  const agentOf = async (order_id = '') => {
    const params = { path: { order_id } };
    return (await shop.dashboard.GET('/api/dashboard/orders/{order_id}', { params })).data?.agent_token_id;
  };
  expect(await agentOf(own.data?.order.id)).toBe(token.token_id);
  expect(await agentOf((await shop.givenOrder()).id)).toBeNull();
});

test("an agent's budget counts an open checkout as pending and its order as spent", async () => {
  const shop = await openShopThatShipsFree();
  const customer = await shop.givenCustomer();
  const token = await givenAgent(shop, customer, { budget_cents: 3000 });
  const line = await givenLine(shop);
  const checkout = await givenAgentCheckout(shop, customer, token, [{ ...line, quantity: 2 }]);
  expect(await budgetOf(customer)).toEqual([0, 2000, 3000]);

  await confirm(customer, checkout.id);

  expect(await budgetOf(customer)).toEqual([2000, 0, 1000]);
});

test('an order beyond the budget is rejected (402 budget_exceeded) and changes nothing', async () => {
  const shop = await openShopThatShipsFree();
  const customer = await shop.givenCustomer();
  const token = await givenAgent(shop, customer, { budget_cents: 1999 });
  const checkout = await givenAgentCheckout(shop, customer, token, [{ ...(await givenLine(shop)), quantity: 2 }]);

  const { response, error } = await confirm(customer, checkout.id);

  expect([response.status, error]).toMatchObject([
    402,
    { error: 'budget_exceeded', budget_cents: 1999, budget_used_cents: 0, required_cents: 2000 },
  ]);
  expect((await budgetOf(customer))[0]).toBe(0);
  const { data: orders } = await customer.client.GET('/api/storefront/customer/me/orders');
  expect(orders?.total).toBe(0);
});

test('a card is not charged for an order beyond the budget (402)', async () => {
  const shop = await openShopThatShipsFree();
  const customer = await shop.givenCustomer();
  const token = await givenAgent(shop, customer, { budget_cents: 100 });
  const checkout = await givenAgentCheckout(shop, customer, token, [await givenLine(shop)]);
  const params = { path: { checkout_id: checkout.id } };
  await customer.client.PATCH('/api/storefront/checkout/{checkout_id}', { params, body: { payment_method: 'card' } });

  const { response } = await confirm(customer, checkout.id, { payment: { card_token: 'tok_success' } });

  expect(response.status).toBe(402);
  const { rows } = await shop.owner.query(sql`select from commerce.payments where checkout_id = ${checkout.id}`);
  expect(rows).toEqual([]);
});

test('exactly as many of 24 concurrent confirmations succeed as the budget covers', async () => {
  const shop = await openShopThatShipsFree();
  const customer = await shop.givenCustomer();
  const token = await givenAgent(shop, customer, { budget_cents: 7500 });
  const line = await givenLine(shop);
  const checkouts = await Promise.all(
    Array.from({ length: 24 }, () => givenAgentCheckout(shop, customer, token, [line])),
  );

  const answers = await Promise.all(checkouts.map(({ id }) => confirm(customer, id)));

  expect(answers.filter(({ data }) => data)).toHaveLength(7);
  expect(answers.filter(({ response }) => response.status === 402)).toHaveLength(17);
  expect((await budgetOf(customer))[0]).toBe(7000);
});

test('cancelling an unpaid order returns its total to the budget once, and cancelling a paid order does not', async () => {
  const shop = await openShopThatShipsFree();
  const customer = await shop.givenCustomer();
  const token = await givenAgent(shop, customer);
  const line = await givenLine(shop);
  const order = async () => {
    const checkout = await givenAgentCheckout(shop, customer, token, [line]);
    const { data } = await confirm(customer, checkout.id);
    return data?.order.id ?? '';
  };
  const [unpaid, paid] = [await order(), await order()];
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path: { order_id: paid } } });
  const cancel = (order_id: string) =>
    shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
      params: { path: { order_id } },
      body: { reason: 'customer' },
    });

  const cancelled = await Promise.all([cancel(unpaid), cancel(unpaid), cancel(unpaid)]);
  await cancel(paid);

  expect(cancelled.filter(({ data }) => data)).toHaveLength(1);
  expect((await budgetOf(customer))[0]).toBe(1000);
});

test('an order whose payment is overdue returns its total to the budget', async () => {
  const shop = await openShopThatShipsFree();
  const customer = await shop.givenCustomer();
  const token = await givenAgent(shop, customer);
  const checkout = await givenAgentCheckout(shop, customer, token, [await givenLine(shop)]);
  const { data } = await confirm(customer, checkout.id);
  expect((await budgetOf(customer))[0]).toBe(1000);
  await shop.owner.query(sql`update commerce.orders set payment_due_at = now() where id = ${data?.order.id}`);

  await workOverdue(shop);

  expect((await budgetOf(customer))[0]).toBe(0);
});

test("an agent's order cannot contain products outside its categories, even if the customer added them", async () => {
  const shop = await openShopThatShipsFree();
  const customer = await shop.givenCustomer();
  const token = await givenAgent(shop, customer, { categories: ['kitchen', 'summer-sale'] });
  const [mug, spade, hat] = [
    await shop.givenProduct({ product_type: 'Kitchen' }),
    await shop.givenProduct({ product_type: 'Garden' }),
    await shop.givenProduct({ product_type: 'Wear' }),
  ];
  await shop.dashboard.POST('/api/dashboard/collections', {
    body: { title: 'Summer', handle: 'summer-sale', product_ids: [hat.id], published: true },
  });
  const lines = [mug, hat].map(({ variants }) => ({ variant_id: variants[0]?.id ?? '', quantity: 1 }));
  const [kept, changed] = [
    await givenAgentCheckout(shop, customer, token, lines),
    await givenAgentCheckout(shop, customer, token, lines.slice(0, 1)),
  ];
  const body = { variant_id: spade.variants[0]?.id ?? '', quantity: 1 };
  const path = { cart_id: changed.cart_id };
  await customer.client.POST('/api/storefront/cart/{cart_id}/items', { params: { path }, body });
  const params = { path: { checkout_id: changed.id } };
  const { data: shown } = await customer.client.PATCH('/api/storefront/checkout/{checkout_id}', {
    params,
    body: { note: 'Read once more' },
  });

  const allowed = await confirm(customer, kept.id);
  const refused = await confirm(customer, changed.id, { expected_total: shown?.total });

  expect(allowed.data?.order.line_items).toHaveLength(2);
  expect([refused.response.status, refused.error]).toMatchObject([
    403,
    { error: 'category_not_allowed', categories: ['kitchen', 'summer-sale'] },
  ]);
  expect((await budgetOf(customer))[0]).toBe(2000);
});

test("an agent's cart and its customer's cart are separate", async () => {
  const shop = await openShopThatShipsFree();
  const customer = await shop.givenCustomer();
  const token = await givenAgent(shop, customer);
  const line = await givenLine(shop);
  const own = await shop.givenCart([line], customer.client);
  const checkout = await givenAgentCheckout(shop, customer, token, [line]);

  const { data: again } = await customer.client.POST('/api/storefront/cart');

  expect(again?.id).toBe(own.id);
  expect(checkout.cart_id).not.toBe(own.id);
});
