import type { ShippingOptionInput } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const optionsPath = '/api/dashboard/shipping-options';
const optionPath = '/api/dashboard/shipping-options/{shipping_option_id}';
const choicesPath = '/api/storefront/cart/{cart_id}/shipping-options';
const unknown = '0192f3a0-9999-7000-8000-00000000dead';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

function at(shipping_option_id: string) {
  return { params: { path: { shipping_option_id } } };
}

async function orderIn({ dashboard }: OpenShop) {
  const { data } = await dashboard.GET(optionsPath);
  return data?.shipping_options.map(({ name, position }) => `${position} ${name}`);
}

async function choicesFor({ storefront }: OpenShop, cart_id: string, country = 'DE') {
  const { data, error } = await storefront.GET(choicesPath, { params: { path: { cart_id }, query: { country } } });
  if (!data) throw new Error(JSON.stringify(error));
  return data.shipping_options;
}

test('stores a shipping option as sent, and by default for all countries and carts', async () => {
  const { dashboard } = await openShop();
  const given = {
    name: 'Express',
    description: 'By noon',
    kind: 'pickup',
    price: '9.90',
    countries: ['DE', 'AT'],
    minimum_subtotal: '10.00',
    maximum_subtotal: '500.00',
    active: false,
  } as const satisfies ShippingOptionInput & { countries: string[] };

  const bare = await dashboard.POST(optionsPath, { body: { name: 'Parcel', price: '4.9' } });
  const full = await dashboard.POST(optionsPath, { body: given });

  expect(bare.response.status).toBe(201);
  expect(bare.data).toMatchObject({
    name: 'Parcel',
    description: null,
    kind: 'delivery',
    price: '4.90',
    currency: 'EUR',
    countries: [],
    minimum_subtotal: null,
    maximum_subtotal: null,
    active: true,
    position: 1,
  });
  expect(full.data).toMatchObject({ ...given, position: 2 });
  expect((await dashboard.GET(optionPath, at(full.data?.id ?? ''))).data).toEqual(full.data);
});

test.each([
  { input: { price: '4.999' }, loc: ['body', 'price'] },
  { input: { price: '-1' }, loc: ['body', 'price'] },
  { input: { name: ' \t' }, loc: ['body', 'name'] },
  { input: { minimum_subtotal: '20', maximum_subtotal: '19.99' }, loc: ['body', 'maximum_subtotal'] },
  { input: { countries: ['de'] }, loc: ['body', 'countries', 0] },
  { input: { position: 0 }, loc: ['body', 'position'] },
])('rejects a shipping option with $input, and names the field $loc (422)', async ({ input, loc }) => {
  const { dashboard } = await openShop();

  const { error, response } = await dashboard.POST(optionsPath, { body: { name: 'Parcel', price: '4.90', ...input } });

  expect(response.status).toBe(422);
  expect(error).toMatchObject({ detail: [{ loc }] });
});

test('a new shipping option is the last by default, and an option with a position moves the following options back', async () => {
  const shop = await openShop();
  const { id } = await shop.givenShippingOption({ name: 'A' });
  await shop.givenShippingOption({ name: 'B' });
  await shop.givenShippingOption({ name: 'C', position: 1 });
  const last = await shop.givenShippingOption({ name: 'D', position: 99 });
  expect(await orderIn(shop)).toEqual(['1 C', '2 A', '3 B', '4 D']);

  const moved = await shop.dashboard.PATCH(optionPath, { ...at(last.id), body: { position: 2 } });
  expect(moved.data?.position).toBe(2);
  expect(await orderIn(shop)).toEqual(['1 C', '2 D', '3 A', '4 B']);

  const deleted = await shop.dashboard.DELETE(optionPath, at(id));
  expect(deleted.data).toEqual({ id, deleted: true });
  expect(await orderIn(shop)).toEqual(['1 C', '2 D', '3 B']);
});

test('shipping options created and moved concurrently get distinct positions without gaps', async () => {
  const shop = await openShop();
  const all = await Promise.all(
    Array.from({ length: 8 }, (_, i) => shop.givenShippingOption({ name: `${i}`, position: 1 })),
  );

  await Promise.all(all.map(({ id }, i) => shop.dashboard.PATCH(optionPath, { ...at(id), body: { position: i + 1 } })));

  const positions = (await orderIn(shop))?.map((text) => Number.parseInt(text, 10));
  expect(positions).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('an update of a shipping option changes only the given fields, and is validated together with the other fields', async () => {
  const { dashboard, givenShippingOption } = await openShop();
  const before = await givenShippingOption({ description: 'Two days', minimum_subtotal: '20', countries: ['DE'] });
  const change = (body: object) => dashboard.PATCH(optionPath, { ...at(before.id), body });

  const { data } = await change({ price: '5', description: null });
  const crossed = await change({ maximum_subtotal: '19' });
  const empty = await change({});

  expect(data).toEqual({ ...before, price: '5.00', description: null, updated_at: expect.any(String) });
  expect(crossed.error).toMatchObject({ detail: [{ loc: ['body', 'maximum_subtotal'] }] });
  expect(empty.response.status).toBe(422);
});

test('limits a shop to 100 shipping options', async () => {
  const shop = await openShop();
  await shop.owner.query(
    `insert into commerce.shipping_options (site_id, id, name, kind, price, position)
      select $1, gen_random_uuid(), 'Old', 'delivery', 1.00, n from generate_series(1, 100) n`,
    [shop.site_id],
  );

  const { error } = await shop.dashboard.POST(optionsPath, { body: { name: 'Parcel', price: '4.90' } });

  expect(error).toMatchObject({ error: 'limit_reached', limit: 100 });
});

test('returns 404 for a shipping option of another shop', async () => {
  const { dashboard } = await openShop();
  const { id } = await (await openShop()).givenShippingOption();

  for (const one of [id, unknown]) {
    for (const { error, response } of [
      await dashboard.GET(optionPath, at(one)),
      await dashboard.PATCH(optionPath, { ...at(one), body: { active: false } }),
      await dashboard.DELETE(optionPath, at(one)),
    ]) {
      expect(response.status).toBe(404);
      expect(error).toMatchObject({ error: 'not_found', message: 'There is no such shipping option.' });
    }
  }
});

test('a cart offers the active shipping options for its country and its subtotal after the discount', async () => {
  const shop = await openShop();
  await shop.givenShippingOption({ name: 'Austria', countries: ['AT'] });
  await shop.givenShippingOption({ name: 'Off', active: false });
  await shop.givenShippingOption({ name: 'Parcel', countries: ['DE', 'AT'], description: 'Two days' });
  await shop.givenShippingOption({ name: 'Small', maximum_subtotal: '29.99' });
  await shop.givenShippingOption({ name: 'Large', minimum_subtotal: '30', price: '0' });
  await shop.givenShippingOption({ name: 'Fetch', kind: 'pickup', price: '0', position: 1 });
  await (await openShop()).givenShippingOption({ name: 'Theirs' });
  const cart = await shop.givenCart('40.00');
  await shop.givenDiscount();
  await shop.givenDiscount({ code: 'MORE', value: '10.01' });
  const apply = (code: string) =>
    shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', {
      params: { path: { cart_id: cart.id } },
      body: { code },
    });
  const names = async (country?: string) => (await choicesFor(shop, cart.id, country)).map(({ name }) => name);

  await apply('TEN');
  expect(await names()).toEqual(['Fetch', 'Parcel', 'Large']);
  expect(await names('AT')).toEqual(['Fetch', 'Austria', 'Parcel', 'Large']);
  expect(await names('FR')).toEqual(['Fetch', 'Large']);
  await apply('MORE');
  expect(await names()).toEqual(['Fetch', 'Parcel', 'Small']);
  const [fetch, parcel] = await choicesFor(shop, cart.id);
  expect(fetch).toMatchObject({ kind: 'pickup', price: '0.00' });
  expect(parcel).toMatchObject({ kind: 'delivery', price: '4.90', description: 'Two days' });
});

test('a free shipping code makes every shipping option free while the cart meets the conditions of the code', async () => {
  const shop = await openShop();
  await shop.givenShippingOption();
  await shop.givenDiscount({ kind: 'free_shipping', minimum_quantity: 2 });
  const { variants } = await shop.givenProduct();
  const cart = await shop.givenCart([{ variant_id: variants[0]?.id ?? '', quantity: 2 }]);
  const prices = async () => (await choicesFor(shop, cart.id)).map(({ price }) => price);

  await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', {
    params: { path: { cart_id: cart.id } },
    body: { code: 'TEN' },
  });
  expect(await prices()).toEqual(['0.00']);
  await shop.storefront.PATCH('/api/storefront/cart/{cart_id}/items/{line_item_id}', {
    params: { path: { cart_id: cart.id, line_item_id: cart.items[0]?.id ?? '' } },
    body: { quantity: 1 },
  });
  expect(await prices()).toEqual(['4.90']);
});

test('a cart without shipped goods has no shipping options', async () => {
  const shop = await openShop();
  await shop.givenShippingOption();
  const { variants } = await shop.givenProduct({ requires_shipping: false });
  const cart = await shop.givenCart([{ variant_id: variants[0]?.id ?? '', quantity: 1 }]);

  expect(await choicesFor(shop, cart.id)).toEqual([]);
  expect(await choicesFor(shop, (await shop.givenCart([])).id)).toEqual([]);
  const { response } = await shop.storefront.GET(choicesPath, {
    params: { path: { cart_id: cart.id }, query: { country: 'Germany' } },
  });
  expect(response.status).toBe(422);
});
