import { afterAll, expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { givenVariant } from '../../test/buying.ts';
import { POLICY } from '../../test/returns.ts';
import { openShop } from '../../test/shop.ts';
import { publishProfile, ucpClient } from '../../test/ucp.ts';

const profile = await publishProfile();
afterAll(profile.close);

const HOME = {
  ...{ last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin' },
  ...{ postal_code: '10115', country: 'DE' },
};
const DESTINATION = {
  ...{ last_name: 'Okafor', street_address: 'Lindenallee 7', address_locality: 'Berlin' },
  ...{ postal_code: '10115', address_country: 'DE' },
};

/**
 * A shop with a parcel for 4.90 that can be paid on delivery for 3.50, a letter that cannot, and a product for 10.00.
 */
async function givenShop() {
  const shop = await openShop();
  const cod = await shop.givenShippingOption({
    ...{ name: 'Parcel', description: 'By parcel service.', price: '4.90', cash_on_delivery_fee: '3.50' },
  });
  await shop.givenShippingOption({ name: 'Letter', price: '5.50' });
  await shop.givenTerms();
  const { variant_id } = await givenVariant(shop, { price: '10.00', inventory_quantity: 50 });
  return { shop, cod, variant_id };
}

type Agent = Awaited<ReturnType<typeof givenAgent>>['agent'];

async function cartOf(agent: Agent, variant_id: string): Promise<string> {
  const { data } = await agent.POST('/api/agent/carts', { body: {} });
  const cart_id = data?.cart.id ?? '';
  const body = { variant_id, quantity: 2 };
  await agent.POST('/api/agent/carts/{cart_id}/items', { params: { path: { cart_id } }, body });
  return cart_id;
}

test('an agent reads the cash on delivery fee of each shipping option', async () => {
  const { shop, variant_id } = await givenShop();
  const { agent } = await givenAgent(shop, await shop.givenCustomer());
  const cart_id = await cartOf(agent, variant_id);
  const { data } = await agent.GET('/api/agent/carts/{cart_id}/shipping-options', {
    params: { path: { cart_id }, query: { country: 'DE' } },
  });
  expect(data?.shipping_options).toMatchObject([
    { price: '4.90', cash_on_delivery_fee: '3.50', content: { name: 'Parcel', description: 'By parcel service.' } },
    { price: '5.50', cash_on_delivery_fee: null, content: { name: 'Letter' } },
  ]);
  expect(Object.keys(data?.shipping_options[0] ?? {})).not.toContain('name');
});

test('a UCP agent reads the cash on delivery fee in the description of a shipping option', async () => {
  const { shop, variant_id } = await givenShop();
  const issuer = `${shop.baseUrl}/sites/${shop.site_id}`;
  const { access_token } = await givenAgent(shop, await shop.givenCustomer());
  const { call } = ucpClient({ issuer, profile: profile.url, token: access_token });
  const shown = await call('create_checkout', '', {
    body: {
      line_items: [{ item: { id: variant_id }, quantity: 2 }],
      fulfillment: { methods: [{ type: 'shipping', destinations: [DESTINATION] }] },
    },
  });
  const options = [
    {
      title: 'Parcel',
      description: { plain: 'By parcel service. Payment on delivery costs 3.50 EUR more.' },
      totals: [{ type: 'total', amount: 490 }],
    },
    { title: 'Letter' },
  ];
  expect(shown.fulfillment).toMatchObject({ methods: [{ groups: [{ options }] }] });
  const { methods } = shown.fulfillment as { methods: { groups: { options: object[] }[] }[] };
  expect(methods[0]?.groups[0]?.options[1]).not.toHaveProperty('description');
});

test("the cash on delivery fee counts toward the agent's budget (402 budget_exceeded)", async () => {
  const { shop, cod, variant_id } = await givenShop();
  const customer = await shop.givenCustomer();
  // The order costs 24.90 without the fee and 28.40 with it.
  const { agent } = await givenAgent(shop, customer, { budget_cents: 2_700 });
  const cart_id = await cartOf(agent, variant_id);
  const { data: made } = await agent.POST('/api/agent/checkouts', {
    body: { cart_id, shipping_address: HOME, shipping_option_id: cod.id },
  });
  const params = { path: { checkout_id: made?.checkout.id ?? '' } };
  const choose = (payment_method: 'manual' | 'bank_transfer') =>
    customer.client.PATCH('/api/storefront/checkout/{checkout_id}', {
      params,
      body: { email: 'june@example.com', payment_method },
    });
  const complete = () => customer.client.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} });
  expect((await choose('manual')).data).toMatchObject({ shipping_cost: '8.40', total: '28.40' });
  expect((await complete()).error).toMatchObject({ error: 'budget_exceeded' });
  await choose('bank_transfer');
  expect((await complete()).data?.order).toMatchObject({ shipping_cost: '4.90', total: '24.90' });
});

test("the total of an unpaid parcel returns to the agent's budget once all its items are returned", async () => {
  const { shop, cod, variant_id } = await givenShop();
  await shop.givenTerms({ return_policy: POLICY });
  const customer = await shop.givenCustomer();
  const { agent } = await givenAgent(shop, customer, { budget_cents: 3_000 });
  const cart_id = await cartOf(agent, variant_id);
  const { data: made } = await agent.POST('/api/agent/checkouts', {
    body: { cart_id, shipping_address: HOME, shipping_option_id: cod.id },
  });
  const params = { path: { checkout_id: made?.checkout.id ?? '' } };
  const body = { email: 'june@example.com', payment_method: 'manual' as const };
  await customer.client.PATCH('/api/storefront/checkout/{checkout_id}', { params, body });
  const completePath = '/api/storefront/checkout/{checkout_id}/complete';
  const { data } = await customer.client.POST(completePath, { params, body: {} });
  const order = data?.order;
  const at = { params: { path: { order_id: order?.id ?? '' } } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { ...at, body: {} });
  const used = async () => (await agent.GET('/api/agent/token')).data?.budget_used_cents;
  const receiveOne = async () => {
    const line = { line_item_id: order?.line_items[0]?.id ?? '', quantity: 1, reason: 'changed_mind' as const };
    const asked = { order_id: order?.id ?? '', lines: [line] };
    const { data: back } = await shop.dashboard.POST('/api/dashboard/returns', { body: asked });
    const lines = [{ id: back?.lines[0]?.id ?? '', quantity: 1, condition: 'resellable' as const }];
    const on = { params: { path: { return_id: back?.id ?? '' } } };
    const received = await shop.dashboard.POST('/api/dashboard/returns/{return_id}/receive', {
      ...on,
      body: { lines },
    });
    expect(received.error).toBeUndefined();
  };
  await receiveOne();
  expect(await used()).toBe(2_840);
  await receiveOne();
  expect(await used()).toBe(0);
});
