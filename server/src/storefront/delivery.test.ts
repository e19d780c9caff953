import type { ShippingOptionInput } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

const HOME = {
  last_name: 'Okafor',
  address1: 'Lindenallee 7',
  city: 'Berlin',
  postal_code: '10115',
  country: 'DE',
};

async function givenShop(...shippingOptions: ShippingOptionInput[]): Promise<OpenShop> {
  const shop = await openShop();
  const bank_details = { account_holder: 'Alder', iban: 'DE89370400440532013000' };
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { bank_details } });
  for (const option of shippingOptions) await shop.dashboard.POST('/api/dashboard/shipping-options', { body: option });
  return shop;
}

async function givenCart(shop: OpenShop, weight = '0.5', quantity = 1) {
  const { variants } = await shop.givenProduct({ price: '10.00', weight, weight_unit: 'kg' });
  return shop.givenCart([{ variant_id: variants[0]?.id ?? '', quantity }]);
}

async function optionsFor({ storefront }: OpenShop, cart_id: string, query: object) {
  const { data } = await storefront.GET('/api/storefront/cart/{cart_id}/shipping-options', {
    params: { path: { cart_id }, query: { country: 'DE', ...query } },
  });
  return { names: data?.shipping_options.map(({ name }) => name), warnings: data?.warnings };
}

async function begin({ storefront }: OpenShop, cart_id: string) {
  const { data } = await storefront.POST('/api/storefront/checkout', { body: { cart_id } });
  const params = { path: { checkout_id: data?.id ?? '' } };
  return {
    patch: async (body: object) => {
      const answer = await storefront.PATCH('/api/storefront/checkout/{checkout_id}', { params, body });
      if (!answer.data) throw new Error(JSON.stringify(answer.error));
      return answer.data;
    },
    complete: async (expected_total?: string) =>
      storefront.POST('/api/storefront/checkout/{checkout_id}/complete', {
        params,
        body: expected_total === undefined ? {} : { expected_total },
      }),
  };
}

test('offers shipping options by state, postal code and weight, with their delivery days', async () => {
  const shop = await givenShop(
    { name: 'Courier', price: '9', countries: ['DE'], postcode_prefixes: ['10', '12 3'], estimated_days_max: 1 },
    { name: 'Letter', price: '2', maximum_weight_grams: 1_000, estimated_days_min: 2, estimated_days_max: 4 },
    { name: 'Pallet', price: '50', minimum_weight_grams: 20_000 },
    { name: 'Coast', price: '5', countries: ['US'], states: ['CA', 'Oregon'] },
  );
  const light = await givenCart(shop, '0.5');
  const heavy = await givenCart(shop, '10', 3);

  expect((await optionsFor(shop, light.id, {})).names).toEqual(['Letter']);
  expect((await optionsFor(shop, light.id, { postal_code: '10115' })).names).toEqual(['Courier', 'Letter']);
  expect((await optionsFor(shop, light.id, { postal_code: '123-45' })).names).toEqual(['Courier', 'Letter']);
  expect((await optionsFor(shop, light.id, { postal_code: '20095' })).names).toEqual(['Letter']);
  expect((await optionsFor(shop, heavy.id, {})).names).toEqual(['Pallet']);
  expect((await optionsFor(shop, light.id, { country: 'US', state: 'california' })).names).toEqual(['Letter', 'Coast']);
  expect((await optionsFor(shop, light.id, { country: 'US', state: 'OR' })).names).toEqual(['Letter', 'Coast']);
  expect((await optionsFor(shop, light.id, { country: 'US', state: 'Texas' })).names).toEqual(['Letter']);

  const { patch } = await begin(shop, light.id);
  const { data } = await shop.dashboard.GET('/api/dashboard/shipping-options');
  const letter = data?.shipping_options.find(({ name }) => name === 'Letter');
  const chosen = await patch({ shipping_address: HOME, shipping_option_id: letter?.id });
  expect(chosen.shipping_option).toMatchObject({ name: 'Letter', estimated_days_min: 2, estimated_days_max: 4 });
});

test('rejects a shipping option with a minimum above its maximum, or regions without a country (422)', async () => {
  const { dashboard } = await openShop();
  const refused = async (input: object) => {
    const body = { name: 'Parcel', price: '1', ...input };
    const { error } = await dashboard.POST('/api/dashboard/shipping-options', { body });
    return (error as { detail?: { loc: unknown[] }[] } | undefined)?.detail?.map(({ loc }) => loc.at(-1));
  };

  expect(await refused({ minimum_weight_grams: 2, maximum_weight_grams: 1 })).toEqual(['maximum_weight_grams']);
  expect(await refused({ estimated_days_min: 3, estimated_days_max: 2 })).toEqual(['estimated_days_max']);
  expect(await refused({ states: ['CA'], postcode_prefixes: ['1'] })).toEqual(['states', 'postcode_prefixes']);
});

test('reports an address without shipping options, and rejects the completion of its checkout', async () => {
  const shop = await givenShop({ name: 'Parcel', price: '4.90', countries: ['DE', 'AT'] });
  const cart = await givenCart(shop);
  const warning = { code: 'address_undeliverable', line_item_id: null, countries: ['AT', 'DE'] };

  expect(await optionsFor(shop, cart.id, { country: 'FR' })).toMatchObject({ names: [], warnings: [warning] });
  expect(await optionsFor(shop, cart.id, {})).toMatchObject({ names: ['Parcel'], warnings: [] });
  const { patch, complete } = await begin(shop, cart.id);
  const there = { ...HOME, postal_code: '75002', city: 'Paris', country: 'FR' };
  const told = await patch({ email: 'june@example.com', shipping_address: there, payment_method: 'bank_transfer' });
  expect(told.warnings).toMatchObject([warning]);
  const refused = await complete();
  expect([refused.response.status, refused.error]).toMatchObject([
    409,
    { error: 'checkout_incomplete', missing: ['shipping_option_id'] },
  ]);
});

test('warns about an address to which the shop does not deliver, until pickup is chosen', async () => {
  const shop = await givenShop({ name: 'Parcel', price: '4.90', countries: ['DE', 'AT'] });
  await shop.givenShippingOption({ name: 'Workshop', price: '0', kind: 'pickup', countries: [] });
  const cart = await givenCart(shop);
  const warning = { code: 'address_undeliverable', countries: ['AT', 'DE'] };
  const there = { ...HOME, postal_code: '75002', city: 'Paris', country: 'FR' };

  expect(await optionsFor(shop, cart.id, { country: 'FR' })).toMatchObject({
    names: ['Workshop'],
    warnings: [warning],
  });
  expect(await optionsFor(shop, cart.id, { country: 'DE' })).toMatchObject({ warnings: [] });
  const { patch } = await begin(shop, cart.id);
  expect((await patch({ shipping_address: there })).warnings).toMatchObject([warning]);
  const { data } = await shop.dashboard.GET('/api/dashboard/shipping-options');
  const pickup = data?.shipping_options.find(({ kind }) => kind === 'pickup');
  expect((await patch({ shipping_option_id: pickup?.id })).warnings).toEqual([]);
});

test('a checkout with an invalid postal code or phone number cannot be completed', async () => {
  const shop = await givenShop({ name: 'Parcel', price: '4.90' });
  const { patch, complete } = await begin(shop, (await givenCart(shop)).id);
  const { data } = await shop.dashboard.GET('/api/dashboard/shipping-options');
  const common = {
    email: 'june@example.com',
    shipping_option_id: data?.shipping_options[0]?.id,
    payment_method: 'bank_transfer',
  };

  const wrong = await patch({ ...common, phone: 'call me', shipping_address: { ...HOME, postal_code: 'ABCDE' } });
  expect(wrong.missing).toEqual(['phone', 'shipping_address.postal_code']);
  expect((await complete()).error).toMatchObject({ error: 'checkout_incomplete', missing: wrong.missing });
  const unreachable = await patch({ phone: null, shipping_address: { ...HOME, phone: 'call me' } });
  expect(unreachable).toMatchObject({ missing: ['shipping_address.phone'], status: 'open' });
  expect((await complete()).error).toMatchObject({ error: 'checkout_incomplete', missing: unreachable.missing });
  expect((await patch({ shipping_address: { ...HOME, phone: '+49 (30) 123-45.67 ext. 8' } })).missing).toEqual([]);
  const right = await patch({ phone: '030 1234567', shipping_address: HOME });
  expect(right).toMatchObject({ missing: [], status: 'ready' });
  expect((await complete(right.total)).response.status).toBe(200);
});

test('an invalid saved phone number does not block the checkout', async () => {
  const shop = await givenShop({ name: 'Parcel', price: '4.90' });
  const { client, id } = await shop.givenCustomer();
  const { client: other, id: otherId } = await shop.givenCustomer();
  for (const [customer_id, phone] of [
    [id, 'call me'],
    [otherId, '+49 30 1234567'],
  ] as const) {
    const params = { path: { customer_id } };
    await shop.dashboard.PATCH('/api/dashboard/customers/{customer_id}', { params, body: { phone } });
  }
  for (const [of, phone] of [
    [client, 'ask at the desk'],
    [other, '+49 30 7654321'],
  ] as const) {
    const body = { last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', country: 'DE', phone };
    await of.POST('/api/storefront/customer/me/addresses', { body });
  }
  const started = async (of: typeof client) => {
    const { id: cart_id } = await shop.givenCart('10.00', of);
    return (await of.POST('/api/storefront/checkout', { body: { cart_id } })).data;
  };
  const checkout = await started(client);
  expect(checkout).toMatchObject({ phone: null, shipping_address: { city: 'Berlin', phone: null } });
  expect(checkout?.missing.filter((name) => name.endsWith('phone'))).toEqual([]);
  expect(await started(other)).toMatchObject({
    phone: '+49 30 1234567',
    shipping_address: { phone: '+49 30 7654321' },
  });
});

test('a pickup order is paid on site unless the shopper chooses another method', async () => {
  const shop = await givenShop({ name: 'Fetch', price: '0', kind: 'pickup' });
  const { patch, complete } = await begin(shop, (await givenCart(shop)).id);
  const { data } = await shop.dashboard.GET('/api/dashboard/shipping-options');
  const body = { email: 'june@example.com', shipping_address: { country: 'DE' } };

  const chosen = await patch({ ...body, shipping_option_id: data?.shipping_options[0]?.id });
  expect(chosen).toMatchObject({ missing: [], payment_method: 'manual' });
  expect((await patch({ payment_method: 'bank_transfer' })).payment_method).toBe('bank_transfer');
  await patch({ payment_method: null });
  const completed = await complete(chosen.total);
  expect(completed.data?.order.payment_method).toBe('manual');
});

test('names an item that the shop stops selling during the checkout', async () => {
  const shop = await givenShop({ name: 'Parcel', price: '4.90' });
  const lamp = await shop.givenProduct({ name: 'Lamp', price: '30.00' });
  const mug = await shop.givenProduct({ name: 'Mug', price: '9.00' });
  const cart = await shop.givenCart(
    [lamp, mug].map(({ variants }) => ({ variant_id: variants[0]?.id ?? '', quantity: 1 })),
  );
  const { patch, complete } = await begin(shop, cart.id);
  const { data } = await shop.dashboard.GET('/api/dashboard/shipping-options');
  await patch({
    email: 'june@example.com',
    shipping_address: HOME,
    shipping_option_id: data?.shipping_options[0]?.id,
    payment_method: 'bank_transfer',
  });
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', {
    params: { path: { product_id: lamp.id } },
    body: { status: 'archived' },
  });

  expect((await complete()).error).toMatchObject({
    error: 'price_changed',
    message: 'Lamp is no longer for sale. The total is 13.90, no longer 43.90.',
  });
});
