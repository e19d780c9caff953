import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';
import { expireDue } from '../shop/carts/expiry.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';

const cartsPath = '/api/storefront/cart';
const cartPath = '/api/storefront/cart/{cart_id}';
const itemsPath = '/api/storefront/cart/{cart_id}/items';
const itemPath = '/api/storefront/cart/{cart_id}/items/{line_item_id}';
const optionsPath = '/api/storefront/cart/{cart_id}/shipping-options';
const unknown = '0192f3a0-9999-7000-8000-00000000dead';

type OpenShop = Awaited<ReturnType<typeof openShop>>;
type Cart = Awaited<ReturnType<OpenShop['givenCart']>>;

function at(cart_id: string) {
  return { params: { path: { cart_id } } };
}

function atLine(cart: Cart, line = 0) {
  return { params: { path: { cart_id: cart.id, line_item_id: cart.items[line]?.id ?? '' } } };
}

function add({ storefront }: OpenShop, cart_id: string, variant_id: string, quantity = 1) {
  return storefront.POST(itemsPath, { ...at(cart_id), body: { variant_id, quantity } });
}

async function givenVariant({ givenProduct }: OpenShop, ...input: Parameters<OpenShop['givenProduct']>) {
  const product = await givenProduct(...input);
  return { product_id: product.id, variant_id: product.variants[0]?.id ?? '' };
}

async function read({ storefront }: OpenShop, cart_id: string): Promise<Cart> {
  const { data, error } = await storefront.GET(cartPath, at(cart_id));
  if (!data) throw new Error(JSON.stringify(error));
  return data;
}

/** Moves the last change of a cart into the past. */
async function letPass({ owner }: OpenShop, cart_id: string, interval: string): Promise<void> {
  const statements = [
    'update commerce.carts set expires_at = expires_at - $2::interval, updated_at = updated_at - $2::interval where id = $1',
    'update commerce.discount_redemptions set expires_at = expires_at - $2::interval where cart_id = $1',
  ];
  for (const statement of statements) await owner.query(statement, [cart_id, interval]);
}

test('a new cart is empty, and lines stay in the order in which they were first added', async () => {
  const shop = await openShop();
  const mug = await givenVariant(shop, { name: 'Mug', price: '12.5', sku: 'MUG' });
  const plate = await givenVariant(shop, { name: 'Plate', price: '3' });
  const { data: empty, response } = await shop.storefront.POST(cartsPath);
  const id = empty?.id ?? '';

  await add(shop, id, mug.variant_id);
  await add(shop, id, plate.variant_id, 2);
  const { data } = await add(shop, id, mug.variant_id, 2);

  expect(response.status).toBe(201);
  expect(empty).toMatchObject({ status: 'active', customer_id: null, items: [], subtotal: '0.00', total: '0.00' });
  expect(data).toMatchObject({
    subtotal: '43.50',
    discount: '0.00',
    discount_code: null,
    total: '43.50',
    warnings: [],
  });
  expect(data?.items).toMatchObject([
    {
      ...mug,
      name: 'Mug',
      variant_name: null,
      sku: 'MUG',
      quantity: 3,
      price: '12.50',
      total: '37.50',
      available: true,
    },
    { ...plate, name: 'Plate', quantity: 2, price: '3.00', total: '6.00' },
  ]);
  expect(await read(shop, id)).toEqual(data);
});

test('variants of one product are separate lines with their options', async () => {
  const shop = await openShop();
  const { variants } = await shop.givenProduct({
    options: [
      { name: 'Size', values: ['S', 'M'] },
      { name: 'Colour', values: ['Red'] },
    ],
    variants: [
      { option1: 'S', option2: 'Red', inventory_quantity: 5, price: '7' },
      { option1: 'M', option2: 'Red', inventory_quantity: 5, price: '8', image_url: 'https://example.com/m.png' },
    ],
  });

  const cart = await shop.givenCart(variants.map(({ id }) => ({ variant_id: id, quantity: 1 })));

  expect(cart.items).toMatchObject([
    { variant_name: 'S / Red', price: '7.00', image_url: null },
    { variant_name: 'M / Red', price: '8.00', image_url: 'https://example.com/m.png' },
  ]);
});

test('a cart rejects products that are not for sale (404)', async () => {
  const shop = await openShop();
  const { id } = await shop.givenCart([]);
  const draft = await givenVariant(shop, { status: 'draft' });
  const archived = await givenVariant(shop, { status: 'archived' });
  const tomorrow = await givenVariant(shop, { published_at: new Date(Date.now() + 86_400_000).toISOString() });
  const foreign = await givenVariant(await openShop());

  for (const { variant_id } of [draft, archived, tomorrow, foreign, { variant_id: unknown }]) {
    const { error, response } = await add(shop, id, variant_id);
    expect(response.status).toBe(404);
    expect(error).toMatchObject({ error: 'not_found', message: 'There is no such variant.' });
  }
  expect((await read(shop, id)).items).toEqual([]);
});

test('limits a cart to the stock (409) unless the variant allows overselling or is untracked, and reserves nothing', async () => {
  const shop = await openShop();
  const { variant_id } = await givenVariant(shop, { name: 'Mug', inventory_quantity: 3 });
  const beyond = await givenVariant(shop, { inventory_quantity: 0, inventory_policy: 'continue' });
  const untracked = await givenVariant(shop, { inventory_quantity: 0, track_inventory: false });
  const cart = await shop.givenCart([{ variant_id, quantity: 2 }]);

  const added = await add(shop, cart.id, variant_id, 2);
  const set = await shop.storefront.PATCH(itemPath, { ...atLine(cart), body: { quantity: 4 } });

  const lines = [{ line_item_id: cart.items[0]?.id, variant_id, requested: 4, available: 3 }];
  for (const { error, response } of [added, set]) {
    expect(response.status).toBe(409);
    expect(error).toMatchObject({
      error: 'insufficient_stock',
      message: 'Not enough stock: Mug (3 available, 4 requested).',
      lines,
    });
  }
  expect((await read(shop, cart.id)).items).toMatchObject([{ quantity: 2 }]);
  expect((await add(shop, cart.id, beyond.variant_id, 5)).response.status).toBe(200);
  expect((await add(shop, cart.id, untracked.variant_id, 5)).response.status).toBe(200);
  const { rows } = await shop.owner.query('select reserved from commerce.variants where id = $1', [variant_id]);
  expect(rows).toEqual([{ reserved: 0 }]);
});

test('the quantity of a line can be changed, reduced despite insufficient stock, or set to 0 to remove the line', async () => {
  const shop = await openShop();
  const { variant_id } = await givenVariant(shop, { inventory_quantity: 5 });
  const cart = await shop.givenCart([{ variant_id, quantity: 5 }]);
  await shop.dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
    params: { path: { variant_id } },
    body: { delta: -4, reason: 'lost' },
  });
  const set = (quantity: number) => shop.storefront.PATCH(itemPath, { ...atLine(cart), body: { quantity } });

  expect((await set(4)).data?.items).toMatchObject([{ quantity: 4, available: false }]);
  expect((await set(5)).error).toMatchObject({ error: 'insufficient_stock' });
  expect((await set(1)).data?.items).toMatchObject([{ quantity: 1, available: true }]);
  expect((await set(0)).data?.items).toEqual([]);
  expect((await set(1)).error).toMatchObject({ error: 'not_found', message: 'There is no such line.' });
});

test('removing a line a second time answers 404', async () => {
  const shop = await openShop();
  const cart = await shop.givenCart('10.00');
  const other = await shop.givenCart('20.00');

  const wrong = await shop.storefront.DELETE(itemPath, {
    params: { path: { cart_id: other.id, line_item_id: cart.items[0]?.id ?? '' } },
  });
  const removed = await shop.storefront.DELETE(itemPath, atLine(cart));
  const again = await shop.storefront.DELETE(itemPath, atLine(cart));

  expect(wrong.response.status).toBe(404);
  expect(removed.data).toMatchObject({ items: [], total: '0.00' });
  expect(again.response.status).toBe(404);
});

test('a cart holds at most 100 lines and 999 of each variant (cart_limit)', async () => {
  const shop = await openShop();
  const { variants } = await shop.givenProduct({
    track_inventory: false,
    options: [{ name: 'Number', values: Array.from({ length: 101 }, (_, i) => `${i}`) }],
    variants: Array.from({ length: 101 }, (_, i) => ({ option1: `${i}` })),
  });
  const [last, ...hundred] = variants.map(({ id }) => id);
  const cart = await shop.givenCart(hundred.map((variant_id) => ({ variant_id, quantity: 1 })));

  const line = await add(shop, cart.id, last ?? '');
  const pieces = await add(shop, cart.id, hundred[0] ?? '', 999);

  expect(line.error).toMatchObject({ error: 'cart_limit', limit: 100 });
  expect(pieces.error).toMatchObject({ error: 'cart_limit', limit: 999 });
  expect((await add(shop, cart.id, hundred[0] ?? '', 998)).data?.items[0]?.quantity).toBe(999);
  expect((await read(shop, cart.id)).items).toHaveLength(100);
});

test('a cart shows current prices and stock, and a warning for each change', async () => {
  const shop = await openShop();
  const given = { inventory_quantity: 10, low_stock_threshold: 3, price: '10' };
  const dearer = await givenVariant(shop, { ...given, name: 'Dearer' });
  const scarce = await givenVariant(shop, { ...given, name: 'Scarce' });
  const short = await givenVariant(shop, { ...given, name: 'Short' });
  const hidden = await givenVariant(shop, { ...given, name: 'Hidden' });
  const deleted = await givenVariant(shop, { ...given, name: 'Deleted', sku: 'D' });
  const all = [dearer, scarce, short, hidden, deleted];
  const cart = await shop.givenCart(all.map(({ variant_id }) => ({ variant_id, quantity: 2 })));
  expect(cart.warnings).toEqual([]);

  const product = (product_id: string) => ({ params: { path: { product_id } } });
  const adjust = (variant_id: string, delta: number) =>
    shop.dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
      params: { path: { variant_id } },
      body: { delta, reason: 'lost' },
    });
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', {
    ...product(dearer.product_id),
    body: { price: '11.50' },
  });
  await adjust(scarce.variant_id, -7);
  await adjust(short.variant_id, -9);
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', {
    ...product(hidden.product_id),
    body: { status: 'archived' },
  });
  await shop.dashboard.DELETE('/api/dashboard/products/{product_id}', product(deleted.product_id));

  const now = await read(shop, cart.id);
  const [one, two, three, four, five] = now.items.map(({ id }) => id);
  const nothing = { previous_price: null, price: null, requested: null, available: null };
  expect(now.warnings).toEqual([
    {
      ...nothing,
      code: 'price_changed',
      line_item_id: one,
      message: 'Dearer now costs 11.50 instead of 10.00.',
      previous_price: '10.00',
      price: '11.50',
    },
    {
      ...nothing,
      code: 'low_stock',
      line_item_id: two,
      message: 'Only 3 of Scarce in stock.',
      requested: 2,
      available: 3,
    },
    {
      ...nothing,
      code: 'out_of_stock',
      line_item_id: three,
      message: 'Only 1 of Short in stock.',
      requested: 2,
      available: 1,
    },
    { ...nothing, code: 'unavailable', line_item_id: four, message: 'Hidden is no longer for sale.' },
    { ...nothing, code: 'unavailable', line_item_id: five, message: 'Deleted is no longer for sale.' },
  ]);
  expect(now.items.map(({ available }) => available)).toEqual([true, true, false, false, false]);
  expect(now.items[4]).toMatchObject({ ...deleted, name: 'Deleted', sku: null, price: '10.00', total: '20.00' });
  // As in the checkout, products that are no longer for sale do not count.
  expect(now).toMatchObject({ subtotal: '63.00', total: '63.00' });

  const line = atLine(now);
  const { data } = await shop.storefront.PATCH(itemPath, { ...line, body: { quantity: 1 } });
  expect(data?.warnings.map(({ code }) => code)).not.toContain('price_changed');
});

test('reading a cart does not extend its expiry, and changing it sets the expiry to 30 days from now', async () => {
  const shop = await openShop();
  const cart = await shop.givenCart('10.00');
  await letPass(shop, cart.id, '10 days');
  const before = await read(shop, cart.id);
  const after = await read(shop, cart.id);

  const changed = await add(shop, cart.id, cart.items[0]?.variant_id ?? '');

  expect(after).toEqual(before);
  const days = (Date.parse(changed.data?.expires_at ?? '') - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(29.9);
  expect(days).toBeLessThan(30.1);
});

test("a customer's cart expires after 90 days, and a guest's empty cart after 7", async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const daysOf = (expires_at = '') => Math.round((Date.parse(expires_at) - Date.now()) / 86_400_000);
  const own = await shop.givenCart('10.00', customer.client);
  const { data: begun } = await (await shop.givenCustomer()).client.POST('/api/storefront/cart');
  const { data: empty } = await shop.storefront.POST('/api/storefront/cart');
  expect([own, begun, empty].map((cart) => daysOf(cart?.expires_at))).toEqual([90, 90, 7]);
  await letPass(shop, own.id, '31 days');
  const { data } = await customer.client.GET(cartPath, at(own.id));
  expect(data?.status).toBe('active');
});

test('an expired cart answers 410 immediately, and the job later releases its discount code', async () => {
  const shop = await openShop();
  const cart = await shop.givenCart('40.00');
  const { id } = await shop.givenDiscount({ usage_limit: 1 });
  const code = { ...at(cart.id), body: { code: 'TEN' } };
  await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', code);
  await letPass(shop, cart.id, '31 days');
  const answers = [
    await shop.storefront.GET(cartPath, at(cart.id)),
    await add(shop, cart.id, cart.items[0]?.variant_id ?? ''),
    await shop.storefront.DELETE(itemPath, atLine(cart)),
    await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', code),
    await shop.storefront.GET(optionsPath, { params: { ...at(cart.id).params, query: { country: 'DE' } } }),
  ];
  const uses = async () =>
    (await shop.dashboard.GET('/api/dashboard/discounts/{discount_id}', { params: { path: { discount_id: id } } })).data
      ?.usage_count;
  expect(await uses()).toBe(1);

  const first = await inShopAsSystem(shop.db, shop.site_id, expireDue);
  const second = await inShopAsSystem(shop.db, shop.site_id, expireDue);

  for (const { error, response } of answers) {
    expect(response.status).toBe(410);
    expect(error).toMatchObject({ error: 'cart_expired' });
  }
  expect([first.carts, second.carts]).toEqual([1, 0]);
  expect(await uses()).toBe(0);
  expect((await shop.storefront.GET(cartPath, at(cart.id))).response.status).toBe(410);
});

test('cancelling a cart cancels its checkout, and releases stock and discount code', async () => {
  const shop = await openShop();
  const cart = await shop.givenCart('40.00');
  const { id } = await shop.givenDiscount({ usage_limit: 1 });
  const code = { ...at(cart.id), body: { code: 'TEN' } };
  await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', code);
  const { id: checkout_id } = await shop.givenCheckout({ cart_id: cart.id });
  const held = async () => {
    const { rows } = await shop.owner.query<{ reserved: number; usage_count: number; status: string }>(
      `select (select reserved from commerce.variants where id = $1), (select usage_count from commerce.discounts where id = $2),
        (select status from commerce.checkouts where id = $3)`,
      [cart.items[0]?.variant_id, id, checkout_id],
    );
    return rows[0];
  };
  expect(await held()).toMatchObject({ reserved: 1, usage_count: 1 });

  const { data } = await shop.storefront.POST('/api/storefront/cart/{cart_id}/cancel', at(cart.id));

  expect(data).toMatchObject({ id: cart.id, status: 'expired', items: [{ quantity: 1 }], discount_code: 'TEN' });
  expect(await held()).toEqual({ reserved: 0, usage_count: 0, status: 'cancelled' });
  const again = await shop.storefront.POST('/api/storefront/cart/{cart_id}/cancel', at(cart.id));
  expect(again.error).toMatchObject({ error: 'cart_expired' });
});

test('a cart releases its discount code after a day without changes, and stays active', async () => {
  const shop = await openShop();
  const [idle, busy] = [await shop.givenCart('40.00'), await shop.givenCart('40.00')];
  await shop.givenDiscount();
  for (const { id } of [idle, busy]) {
    await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', { ...at(id), body: { code: 'TEN' } });
    await letPass(shop, id, '25 hours');
  }
  await add(shop, busy.id, busy.items[0]?.variant_id ?? '');

  const { codes } = await inShopAsSystem(shop.db, shop.site_id, expireDue);

  expect(codes).toBe(1);
  expect(await read(shop, idle.id)).toMatchObject({ status: 'active', discount_code: null, total: '40.00' });
  expect(await read(shop, busy.id)).toMatchObject({ discount_code: 'TEN', total: '70.00' });
});

test('answers 404 for an unknown cart and a cart of another shop, and rejects a malformed id (422)', async () => {
  const shop = await openShop();
  const foreign = await (await openShop()).givenCart('10.00');
  const { variant_id } = await givenVariant(shop);

  for (const id of [foreign.id, unknown]) {
    const line = { params: { path: { cart_id: id, line_item_id: foreign.items[0]?.id ?? '' } } };
    for (const { error, response } of [
      await shop.storefront.GET(cartPath, at(id)),
      await add(shop, id, variant_id),
      await shop.storefront.PATCH(itemPath, { ...line, body: { quantity: 1 } }),
      await shop.storefront.DELETE(itemPath, line),
      await shop.storefront.GET(optionsPath, { params: { ...at(id).params, query: { country: 'DE' } } }),
    ]) {
      expect(response.status).toBe(404);
      expect(error).toMatchObject({ error: 'not_found', message: 'There is no such cart.' });
    }
  }
  expect((await shop.storefront.GET(cartPath, at('mine'))).response.status).toBe(422);
});

test('a merged cart is read-only (409 cart_not_active)', async () => {
  const shop = await openShop();
  const [cart, target] = [await shop.givenCart('10.00'), await shop.givenCart('10.00')];
  await shop.owner.query(`update commerce.carts set status = 'merged', merged_into = $2 where id = $1`, [
    cart.id,
    target.id,
  ]);

  const { error, response } = await add(shop, cart.id, cart.items[0]?.variant_id ?? '');

  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'cart_not_active', status: 'merged', cart_id: target.id });
  expect(await read(shop, cart.id)).toMatchObject({ status: 'merged', total: '10.00', warnings: [] });
});

test('a customer has one active cart, even under concurrent requests, and cannot see carts of others', async () => {
  const shop = await openShop();
  const [june, july] = [await shop.givenCustomer(), await shop.givenCustomer()];
  const { variant_id } = await givenVariant(shop);

  const made = await Promise.all(Array.from({ length: 8 }, () => june.client.POST(cartsPath)));
  const id = made[0]?.data?.id ?? '';
  await june.client.POST(itemsPath, { ...at(id), body: { variant_id, quantity: 1 } });
  const again = await june.client.POST(cartsPath);

  expect(new Set(made.map(({ data }) => data?.id)).size).toBe(1);
  expect(again.data).toMatchObject({ id, customer_id: june.id, items: [{ variant_id }] });
  for (const client of [shop.storefront, july.client]) {
    const line = { params: { path: { cart_id: id, line_item_id: again.data?.items[0]?.id ?? '' } } };
    for (const { response } of [
      await client.GET(cartPath, at(id)),
      await client.POST(itemsPath, { ...at(id), body: { variant_id, quantity: 1 } }),
      await client.PATCH(itemPath, { ...line, body: { quantity: 2 } }),
      await client.DELETE(itemPath, line),
      await client.POST('/api/storefront/cart/{cart_id}/discounts', { ...at(id), body: { code: 'TEN' } }),
      await client.DELETE('/api/storefront/cart/{cart_id}/discounts', at(id)),
      await client.GET(optionsPath, { params: { ...at(id).params, query: { country: 'DE' } } }),
    ]) {
      expect(response.status).toBe(404);
    }
  }
});

test('a customer whose cart has expired gets a new one', async () => {
  const shop = await openShop();
  const { client } = await shop.givenCustomer();
  const old = await shop.givenCart('10.00', client);
  await letPass(shop, old.id, '91 days');

  const { data } = await client.POST(cartsPath);

  expect(data).toMatchObject({ status: 'active', items: [] });
  expect(data?.id).not.toBe(old.id);
});

test("stock reserved by a cart's own checkout is available to that cart only", async () => {
  const shop = await openShop();
  const { variant_id } = await givenVariant(shop, { inventory_quantity: 5, low_stock_threshold: 0 });
  const [mine, theirs] = [await shop.givenCart([{ variant_id, quantity: 4 }]), await shop.givenCart([])];
  await shop.storefront.POST('/api/storefront/checkout', { body: { cart_id: mine.id } });

  expect(await read(shop, mine.id)).toMatchObject({ items: [{ available: true }], warnings: [] });
  expect((await add(shop, theirs.id, variant_id, 2)).error).toMatchObject({ lines: [{ requested: 2, available: 1 }] });
  expect((await add(shop, mine.id, variant_id, 1)).data?.items).toMatchObject([{ quantity: 5, available: true }]);
});

test("rejects an item if the cart's sum could no longer be calculated exactly (conflict)", async () => {
  const shop = await openShop();
  const { variant_id } = await givenVariant(shop, { price: '999999999999', track_inventory: false });
  const { id } = await shop.givenCart([]);

  expect((await add(shop, id, variant_id, 11)).error).toMatchObject({ error: 'conflict' });
  expect((await add(shop, id, variant_id, 10)).data).toMatchObject({ subtotal: '9999999999990.00' });
});

test('with a stock of 20, 20 of 30 concurrent requests to add one item succeed and 10 get 409', async () => {
  const shop = await openShop();
  const { variant_id } = await givenVariant(shop, { inventory_quantity: 20 });
  const { id } = await shop.givenCart([]);

  const answers = await Promise.all(Array.from({ length: 30 }, () => add(shop, id, variant_id)));

  const statuses = answers.map(({ response }) => response.status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  expect(statuses.filter((status) => status === 409)).toHaveLength(10);
  expect((await read(shop, id)).items).toMatchObject([{ quantity: 20 }]);
});

test.each([
  { body: { quantity: 1 }, loc: ['body', 'variant_id'] },
  { body: { variant_id: unknown, quantity: 0 }, loc: ['body', 'quantity'] },
  { body: { variant_id: unknown, quantity: -1 }, loc: ['body', 'quantity'] },
  { body: { variant_id: unknown, quantity: 1000 }, loc: ['body', 'quantity'] },
  { body: { variant_id: unknown, quantity: 1.5 }, loc: ['body', 'quantity'] },
  { body: { variant_id: unknown, quantity: 1, price: '0.01' }, loc: ['body', 'price'] },
])('rejects the cart item $body at the field $loc (422)', async ({ body, loc }) => {
  const shop = await openShop();
  const { id } = await shop.givenCart([]);

  const { error, response } = await shop.storefront.POST(itemsPath, { ...at(id), body: body as never });

  expect(response.status).toBe(422);
  expect(error).toMatchObject({ detail: [{ loc }] });
});
