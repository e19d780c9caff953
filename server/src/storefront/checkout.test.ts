import { expect, test } from 'vitest';
import { givenVariant, stockOf } from '../../test/buying.ts';
import { openShop } from '../../test/shop.ts';

const cartPath = '/api/storefront/cart/{cart_id}';
const itemsPath = '/api/storefront/cart/{cart_id}/items';
const checkoutsPath = '/api/storefront/checkout';
const checkoutPath = '/api/storefront/checkout/{checkout_id}';
const completePath = '/api/storefront/checkout/{checkout_id}/complete';
const cancelPath = '/api/storefront/checkout/{checkout_id}/cancel';
const unknown = '0192f3a0-5555-7000-8000-00000000dead';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

function at(checkout_id: string) {
  return { params: { path: { checkout_id } } };
}

async function reprice({ dashboard }: OpenShop, product_id: string, price: string) {
  await dashboard.PATCH('/api/dashboard/products/{product_id}', { params: { path: { product_id } }, body: { price } });
}

test('a checkout reserves the stock of its cart and lists the missing fields', async () => {
  const shop = await openShop();
  await shop.givenTerms();
  const { product, variant_id } = await givenVariant(shop);
  const cart = await shop.givenCart([{ variant_id, quantity: 3 }]);

  const { data, response } = await shop.storefront.POST(checkoutsPath, { body: { cart_id: cart.id } });

  expect(response.status).toBe(201);
  expect(data).toMatchObject({
    cart_id: cart.id,
    status: 'open',
    checkout_url: expect.stringMatching(/^http:\/\/localhost\/checkout\/chk_[0-9A-Za-z]{38}$/),
    subtotal: '30.00',
    total: '30.00',
    payment_methods: ['bank_transfer', 'card'],
    missing: ['email', 'shipping_address', 'shipping_option_id', 'payment_method'],
    items: [{ quantity: 3, available: true }],
  });
  expect(Date.parse(data?.reserved_until ?? '') - Date.now()).toBeGreaterThan(14 * 60_000);
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 3 });
});

test("a cart has one checkout, and starting the checkout again updates it to the cart's current lines", async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop);
  const cart = await shop.givenCart([{ variant_id, quantity: 3 }]);
  const path = { cart_id: cart.id };

  const { data: first } = await shop.storefront.POST(checkoutsPath, { body: { cart_id: cart.id } });
  await shop.storefront.POST(itemsPath, { params: { path }, body: { variant_id, quantity: 2 } });
  const { data: second } = await shop.storefront.POST(checkoutsPath, { body: { cart_id: cart.id } });

  expect(second?.id).toBe(first?.id);
  expect(second?.checkout_url).toBe(first?.checkout_url);
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 5 });
});

test('rejects a checkout of an empty cart (409 cart_empty)', async () => {
  const { storefront } = await openShop();
  const { data: cart } = await storefront.POST('/api/storefront/cart');

  const { error, response } = await storefront.POST(checkoutsPath, { body: { cart_id: cart?.id ?? '' } });

  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'cart_empty' });
});

test('rejects a checkout with insufficient stock (409 insufficient_stock), names each such line, and reserves nothing', async () => {
  const shop = await openShop();
  const [few, many] = [await givenVariant(shop, { inventory_quantity: 2 }), await givenVariant(shop)];
  const cart = await shop.givenCart([
    { variant_id: few.variant_id, quantity: 2 },
    { variant_id: many.variant_id, quantity: 1 },
  ]);
  await shop.givenCheckout({ content: [{ variant_id: few.variant_id, quantity: 1 }] });

  const { error, response } = await shop.storefront.POST(checkoutsPath, { body: { cart_id: cart.id } });

  expect(response.status).toBe(409);
  expect(error).toMatchObject({
    error: 'insufficient_stock',
    lines: [{ line_item_id: cart.items[0]?.id, variant_id: few.variant_id, requested: 2, available: 1 }],
  });
  expect(await stockOf(shop, many.product.id)).toEqual({ on_hand: 10, reserved: 0 });
  expect(await stockOf(shop, few.product.id)).toEqual({ on_hand: 2, reserved: 1 });
});

test('rejects a checkout with a line that is no longer for sale (insufficient_stock)', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop);
  const cart = await shop.givenCart([{ variant_id, quantity: 1 }]);
  const params = { path: { product_id: product.id } };
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { status: 'archived' } });

  const { error } = await shop.storefront.POST(checkoutsPath, { body: { cart_id: cart.id } });

  expect(error).toMatchObject({ error: 'insufficient_stock', lines: [{ variant_id, requested: 1, available: 0 }] });
});

test('stock whose reservation has expired is available to other shoppers', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop, { inventory_quantity: 2 });
  const first = await shop.givenCheckout({ content: [{ variant_id, quantity: 2 }] });
  const cart = await shop.givenCart([]);
  await shop.owner.query(`update commerce.checkouts set reserved_until = now() - interval '1 s' where id = $1`, [
    first.id,
  ]);
  await shop.owner.query(
    `insert into commerce.cart_items (site_id, id, cart_id, variant_id, product_id, name, quantity, price_seen)
      values ($1, gen_random_uuid(), $2, $3, $4, 'Mug', 2, 10)`,
    [shop.site_id, cart.id, variant_id, product.id],
  );

  const { response } = await shop.storefront.POST(checkoutsPath, { body: { cart_id: cart.id } });
  const { error } = await shop.storefront.POST(completePath, { ...at(first.id), body: {} });

  expect(response.status).toBe(201);
  expect(error).toMatchObject({ error: 'insufficient_stock' });
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 2, reserved: 2 });
});

test('a checkout without missing fields is ready, and its total includes shipping and local tax', async () => {
  const shop = await openShop();
  await shop.givenTerms({ prices_include_tax: false, tax_rates: [{ country: 'DE', rate: '0.19' }] });

  const checkout = await shop.givenCheckout({ content: '20.00' });

  expect(checkout).toMatchObject({
    status: 'ready',
    missing: [],
    subtotal: '20.00',
    shipping_cost: '4.90',
    tax_included: false,
    shipping_option: { name: 'Parcel', price: '4.90', kind: 'delivery' },
    shipping_address: { city: 'Berlin' },
  });
  const amounts = [checkout.subtotal, checkout.shipping_cost, checkout.tax].map(Number);
  expect(Number(checkout.total)).toBeCloseTo(amounts.reduce((sum, amount) => sum + amount, 0));
});

test('changing a checkout keeps omitted fields, and null clears a field', async () => {
  const shop = await openShop();
  const { id } = await shop.givenCheckout();

  const { data } = await shop.storefront.PATCH(checkoutPath, { ...at(id), body: { email: null, note: 'Ring twice.' } });

  expect(data).toMatchObject({
    status: 'open',
    email: null,
    note: 'Ring twice.',
    missing: ['email'],
    payment_method: 'bank_transfer',
  });
});

test('a shipping address requires name, street, city, country and usually a postal code, but a pickup requires no address', async () => {
  const shop = await openShop();
  await shop.givenTerms();
  const pickup = await shop.givenShippingOption({ name: 'Pick up', price: '0.00', kind: 'pickup' });

  const { id, missing } = await shop.givenCheckout({ shipping_address: { last_name: 'Okafor', country: 'DE' } });
  const { data } = await shop.storefront.PATCH(checkoutPath, {
    ...at(id),
    body: { shipping_address: null, shipping_option_id: pickup.id, payment_method: 'manual' },
  });

  expect(missing).toEqual(['shipping_address.address1', 'shipping_address.city', 'shipping_address.postal_code']);
  expect(data).toMatchObject({
    status: 'ready',
    shipping_option: { kind: 'pickup' },
    payment_methods: ['bank_transfer', 'card', 'manual'],
  });
});

test('rejects a shipping option that is unavailable for the address (409), and removes it when the address changes', async () => {
  const shop = await openShop();
  await shop.givenTerms();
  const domestic = await shop.givenShippingOption({ name: 'Domestic', countries: ['DE'] });
  const { id } = await shop.givenCheckout({ shipping_option_id: domestic.id });

  const { data: moved } = await shop.storefront.PATCH(checkoutPath, {
    ...at(id),
    body: {
      shipping_address: { last_name: 'Okafor', address1: 'Rue 1', postal_code: '75002', city: 'Paris', country: 'FR' },
    },
  });
  const { error, response } = await shop.storefront.PATCH(checkoutPath, {
    ...at(id),
    body: { shipping_option_id: domestic.id },
  });

  expect(moved).toMatchObject({ status: 'open', shipping_option: null, missing: ['shipping_option_id'] });
  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'shipping_option_unavailable' });
});

test('rejects an unavailable payment method (409), and lists the available ones', async () => {
  const shop = await openShop();
  const { id } = await shop.givenCheckout();

  const { error, response } = await shop.storefront.PATCH(checkoutPath, {
    ...at(id),
    body: { payment_method: 'manual' },
  });

  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'payment_method_unavailable', payment_methods: ['bank_transfer', 'card'] });
});

test('cancelling a checkout releases its stock, and its cart can start a new one', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop);
  const { id, cart_id } = await shop.givenCheckout({ content: [{ variant_id, quantity: 3 }] });

  const { data } = await shop.storefront.POST(cancelPath, at(id));
  const again = await shop.storefront.POST(cancelPath, at(id));
  const { error } = await shop.storefront.POST(completePath, { ...at(id), body: {} });
  const stock = await stockOf(shop, product.id);
  const { data: another } = await shop.storefront.POST(checkoutsPath, { body: { cart_id } });

  expect(data).toMatchObject({ status: 'cancelled', checkout_url: null, reserved_until: null });
  expect(again.response.status).toBe(200);
  expect(error).toMatchObject({ error: 'checkout_not_open', status: 'cancelled' });
  expect(stock).toEqual({ on_hand: 10, reserved: 0 });
  expect(another?.id).not.toBe(id);
});

test('an expired checkout answers 410, and its cart can start a new one', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop);
  const { id, cart_id } = await shop.givenCheckout({ content: [{ variant_id, quantity: 3 }] });
  await shop.owner.query(`update commerce.checkouts set expires_at = now() where id = $1`, [id]);

  const read = await shop.storefront.GET(checkoutPath, at(id));
  const patched = await shop.storefront.PATCH(checkoutPath, { ...at(id), body: { note: 'Late' } });
  const completed = await shop.storefront.POST(completePath, { ...at(id), body: {} });
  const { data: another } = await shop.storefront.POST(checkoutsPath, { body: { cart_id } });

  for (const { response, error } of [read, patched, completed]) {
    expect(response.status).toBe(410);
    expect(error).toMatchObject({ error: 'checkout_expired', cart_id });
  }
  expect(another?.id).not.toBe(id);
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 3 });
});

test("a customer's checkout starts with their e-mail address, and nobody else can see or change it", async () => {
  const shop = await openShop();
  const [june, stranger, elsewhere] = [await shop.givenCustomer(), await shop.givenCustomer(), await openShop()];
  const cart = await shop.givenCart('10.00', june.client);
  const { data } = await june.client.POST(checkoutsPath, { body: { cart_id: cart.id } });
  const id = data?.id ?? '';

  const reads = await Promise.all(
    [june.client, stranger.client, shop.storefront, elsewhere.storefront].map((client) =>
      client.GET(checkoutPath, at(id)),
    ),
  );
  const writes = await Promise.all(
    [stranger.client, shop.storefront, elsewhere.storefront].flatMap((client) => [
      client.PATCH(checkoutPath, { ...at(id), body: { note: 'Mine' } }),
      client.POST(completePath, { ...at(id), body: {} }),
      client.POST(cancelPath, at(id)),
      client.POST(checkoutsPath, { body: { cart_id: cart.id } }),
    ]),
  );

  expect(data).toMatchObject({ customer_id: june.id, email: june.email });
  expect(reads.map(({ response }) => response.status)).toEqual([200, 404, 404, 404]);
  expect(writes.map(({ response }) => response.status)).toEqual(Array(12).fill(404));
});

test('answers 404 for unknown checkouts and carts', async () => {
  const { storefront } = await openShop();

  const answers = await Promise.all([
    storefront.GET(checkoutPath, at(unknown)),
    storefront.PATCH(checkoutPath, { ...at(unknown), body: { note: 'x' } }),
    storefront.POST(completePath, { ...at(unknown), body: {} }),
    storefront.POST(cancelPath, at(unknown)),
    storefront.POST(checkoutsPath, { body: { cart_id: unknown } }),
  ]);

  expect(answers.map(({ response }) => response.status)).toEqual([404, 404, 404, 404, 404]);
});

test('reading a checkout shows current prices and reserves nothing', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop);
  const { id } = await shop.givenCheckout({ content: [{ variant_id, quantity: 1 }] });
  await shop.owner.query(`update commerce.checkouts set reserved_until = now() where id = $1`, [id]);
  await reprice(shop, product.id, '12.00');

  const { data } = await shop.storefront.GET(checkoutPath, at(id));

  expect(data).toMatchObject({ subtotal: '12.00', reserved_until: null, warnings: [{ code: 'price_changed' }] });
});

test('a changed cart changes the subtotal of its checkout', async () => {
  const shop = await openShop();
  const { variant_id } = await givenVariant(shop);
  const { id, cart_id, items } = await shop.givenCheckout({ content: [{ variant_id, quantity: 1 }] });
  const path = { cart_id, line_item_id: items[0]?.id ?? '' };
  await shop.storefront.PATCH(`${cartPath}/items/{line_item_id}`, { params: { path }, body: { quantity: 4 } });

  const { data } = await shop.storefront.GET(checkoutPath, at(id));

  expect(data?.subtotal).toBe('40.00');
});

test('a cart whose total can no longer be calculated exactly cannot become an order (409 conflict)', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop, { track_inventory: false });
  const given = await shop.givenCheckout({ content: [{ variant_id, quantity: 999 }] });
  const cart = await shop.givenCart([{ variant_id, quantity: 999 }]);
  await reprice(shop, product.id, '999999999999.99');

  const begun = await shop.storefront.POST(checkoutsPath, { body: { cart_id: cart.id } });
  const changed = await shop.storefront.PATCH(checkoutPath, { ...at(given.id), body: { note: 'Dear me' } });
  const completed = await shop.storefront.POST(completePath, { ...at(given.id), body: {} });

  for (const { response, error } of [begun, changed, completed]) {
    expect(response.status).toBe(409);
    expect(error).toMatchObject({ error: 'conflict', message: expect.stringContaining('Split it into two orders') });
  }
});

test('reading a new cart, checkout or order returns the same as the call that created it', async () => {
  const shop = await openShop();
  const { id: shipping_option_id } = await shop.givenTerms();
  const { variant_id } = await givenVariant(shop, { sku: 'MUG' });
  const made = await shop.storefront.POST('/api/storefront/cart', { body: { locale: 'de' } });
  const id = made.data?.id ?? '';
  const readCart = await shop.storefront.GET(cartPath, { params: { path: { cart_id: id } } });
  await shop.storefront.POST(itemsPath, { params: { path: { cart_id: id } }, body: { variant_id, quantity: 2 } });

  const begun = await shop.storefront.POST(checkoutsPath, { body: { cart_id: id } });
  const checkout = at(begun.data?.id ?? '');
  const readBegun = await shop.storefront.GET(checkoutPath, checkout);
  const changed = await shop.storefront.PATCH(checkoutPath, {
    ...checkout,
    body: {
      email: 'june@example.com',
      shipping_address: {
        ...{ first_name: 'June', last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin' },
        ...{ postal_code: '10115', country: 'DE' },
      },
      shipping_option_id,
      payment_method: 'bank_transfer',
      note: 'Ring twice',
    },
  });
  const readChanged = await shop.storefront.GET(checkoutPath, checkout);
  const completed = await shop.storefront.POST(completePath, {
    ...checkout,
    body: { expected_total: changed.data?.total },
  });
  const again = await shop.storefront.POST(completePath, {
    ...checkout,
    body: { expected_total: changed.data?.total },
  });

  expect(readCart.data).toEqual(made.data);
  expect(begun.data?.status).toBe('open');
  expect(readBegun.data).toEqual(begun.data);
  expect(changed.data?.status).toBe('ready');
  expect(readChanged.data).toEqual(changed.data);
  expect(completed.response.status).toBe(200);
  expect(completed.data?.order.line_items).toHaveLength(1);
  expect(again.data).toEqual(completed.data);
  expect(again.response.headers.get('Idempotency-Replayed')).toBeNull();
});
