import type { DiscountInput } from '@commerce-backend/spec';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';
import * as carts from '../shop/carts/carts.ts';
import * as codeUses from '../shop/carts/redemptions.ts';
import { mergeAtLogin } from '../shop/checkout/cart-merge.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';

const discountsPath = '/api/storefront/cart/{cart_id}/discounts';
const cartPath = '/api/storefront/cart/{cart_id}';
const itemPath = '/api/storefront/cart/{cart_id}/items/{line_item_id}';
const discountPath = '/api/dashboard/discounts/{discount_id}';
const redemptionsPath = '/api/dashboard/discounts/{discount_id}/redemptions';
const unknown = '0192f3a0-9999-7000-8000-00000000dead';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

function at(cart_id: string) {
  return { params: { path: { cart_id } } };
}

function apply({ storefront }: OpenShop, cart_id: string, code = 'TEN') {
  return storefront.POST(discountsPath, { ...at(cart_id), body: { code } });
}

async function read({ storefront }: OpenShop, cart_id: string) {
  const { data, error } = await storefront.GET(cartPath, at(cart_id));
  if (!data) throw new Error(JSON.stringify(error));
  return data;
}

async function usesOf({ dashboard }: OpenShop, discount_id: string): Promise<number | undefined> {
  return (await dashboard.GET(discountPath, { params: { path: { discount_id } } })).data?.usage_count;
}

async function redemptionsOf({ dashboard }: OpenShop, discount_id: string) {
  const { data } = await dashboard.GET(redemptionsPath, {
    params: { path: { discount_id }, query: { limit: 100 } },
  });
  return data?.redemptions ?? [];
}

/** Creates a cart with one product for each price. */
async function givenLines(shop: OpenShop, ...prices: string[]) {
  const products = [];
  for (const price of prices) products.push(await shop.givenProduct({ price }));
  const lines = products.map(({ variants }) => ({ variant_id: variants[0]?.id ?? '', quantity: 1 }));
  return { cart: await shop.givenCart(lines), product_ids: products.map(({ id }) => id) };
}

/** Redeems the cart's discount code, as completing its checkout does. */
function redeem(shop: OpenShop, cart_id: string, buyer: Partial<codeUses.Buyer>): Promise<void> {
  return inShopAsSystem(shop.db, shop.site_id, async (inside) => {
    const cart = await carts.readForCustomer(inside, cart_id, buyer.customer_id ?? null, true);
    await codeUses.redeem(inside, cart, uuidv7(), { customer_id: null, email: null, ...buyer });
  });
}

async function givenCustomer({ owner, site_id }: OpenShop): Promise<string> {
  const id = uuidv7();
  await owner.query('insert into commerce.customers (site_id, id, email) values ($1, $2, $3)', [
    site_id,
    id,
    `${id}@example.com`,
  ]);
  return id;
}

test('a discount code reduces every line by its share, and leftover cents go to the largest remainders', async () => {
  const shop = await openShop();
  const { cart } = await givenLines(shop, '10.00', '10.00', '10.00');
  const { id } = await shop.givenDiscount({ code: 'Ten' });

  const { data, response } = await apply(shop, cart.id, ' tEN ');

  expect(response.status).toBe(200);
  expect(data).toEqual({
    code: 'Ten',
    kind: 'fixed_amount',
    amount_off: '10.00',
    currency: 'EUR',
    allocations: cart.items.map((item, i) => ({ line_item_id: item.id, amount_off: i === 0 ? '3.34' : '3.33' })),
  });
  expect(await read(shop, cart.id)).toMatchObject({
    subtotal: '30.00',
    discount: '10.00',
    discount_code: 'Ten',
    total: '20.00',
  });
  expect(await redemptionsOf(shop, id)).toMatchObject([
    { cart_id: cart.id, code: 'Ten', status: 'reserved', amount_off: '10.00', order_id: null, customer_id: null },
  ]);
  expect(await usesOf(shop, id)).toBe(1);
});

test.each([
  { code: { kind: 'percentage', value: '12.5' }, amount_off: '3.75' }, // 12.5 % of 29.99 is 3.74875.
  { code: { kind: 'percentage', value: '100' }, amount_off: '29.99' },
  { code: { kind: 'fixed_amount', value: '500' }, amount_off: '29.99' },
  { code: { kind: 'free_shipping' }, amount_off: '0.00' },
] as { code: Partial<DiscountInput>; amount_off: string }[])(
  'the discount code $code reduces 29.99 by $amount_off',
  async (given) => {
    const shop = await openShop();
    const { cart } = await givenLines(shop, '9.99', '20.00');
    await shop.givenDiscount(given.code);

    const { data } = await apply(shop, cart.id);

    expect(data).toMatchObject({ kind: given.code.kind, amount_off: given.amount_off });
  },
);

test('a checkout shows the discount of each line before and after it becomes an order', async () => {
  const shop = await openShop();
  const { cart } = await givenLines(shop, '10.00', '10.00', '10.00');
  await shop.givenDiscount({ code: 'Ten' });
  const applied = await apply(shop, cart.id, 'Ten');
  const { id } = await shop.givenCheckout({ cart_id: cart.id });
  const checkout = async () => {
    const params = { path: { checkout_id: id } };
    return (await shop.storefront.GET('/api/storefront/checkout/{checkout_id}', { params })).data;
  };
  expect((await checkout())?.discount_allocations).toEqual(applied.data?.allocations);
  await shop.storefront.POST('/api/storefront/checkout/{checkout_id}/complete', {
    params: { path: { checkout_id: id } },
    body: {},
  });
  expect(await checkout()).toMatchObject({ status: 'completed', discount: '10.00' });
  expect((await checkout())?.discount_allocations).toEqual(applied.data?.allocations);
});

test('a discount code for products or collections reduces only their prices, and only these items count toward its minimum', async () => {
  const shop = await openShop();
  const { cart, product_ids } = await givenLines(shop, '10.00', '20.00', '30.00');
  const [byId = '', byHand = ''] = product_ids;
  const manual = await shop.dashboard.POST('/api/dashboard/collections', {
    body: { title: 'By hand', product_ids: [byHand] },
  });
  const automatic = await shop.dashboard.POST('/api/dashboard/collections', {
    body: { title: 'By rule', rules: [{ field: 'price', operator: 'equals', value: '30' }] },
  });
  const half = { kind: 'percentage', value: '50' } as const;
  await shop.givenDiscount({ ...half, code: 'P', product_ids: [byId] });
  await shop.givenDiscount({
    ...half,
    code: 'C',
    product_ids: [byId],
    collection_ids: [manual.data?.id ?? '', automatic.data?.id ?? ''],
  });
  await shop.givenDiscount({ ...half, code: 'M', product_ids: [byId], minimum_subtotal: '10.01' });
  await shop.givenDiscount({ ...half, code: 'Q', product_ids: [byId], minimum_quantity: 2 });

  const [a, b, c] = cart.items.map(({ id }) => id);
  expect((await apply(shop, cart.id, 'P')).data?.allocations).toEqual([{ line_item_id: a, amount_off: '5.00' }]);
  expect((await apply(shop, cart.id, 'C')).data?.allocations).toEqual([
    { line_item_id: a, amount_off: '5.00' },
    { line_item_id: b, amount_off: '10.00' },
    { line_item_id: c, amount_off: '15.00' },
  ]);
  expect((await apply(shop, cart.id, 'M')).error).toMatchObject({
    error: 'discount_minimum_not_met',
    message: 'This code requires a subtotal of 10.01 of the products it applies to.',
    minimum_subtotal: '10.01',
    minimum_quantity: null,
  });
  expect((await apply(shop, cart.id, 'Q')).error).toMatchObject({ minimum_quantity: 2 });
});

test('a rejected discount code returns the reason (400), and the previous code remains', async () => {
  const shop = await openShop();
  const { cart } = await givenLines(shop, '40.00');
  const other = await shop.givenProduct();
  const [past, future] = ['2020-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z'];
  await shop.givenDiscount();
  await shop.givenDiscount({ code: 'OFF', active: false });
  await shop.givenDiscount({ code: 'SOON', starts_at: future });
  await shop.givenDiscount({ code: 'OVER', ends_at: past });
  await shop.givenDiscount({ code: 'MORE', minimum_subtotal: '40.01' });
  await shop.givenDiscount({ code: 'MANY', minimum_quantity: 2 });
  await shop.givenDiscount({ code: 'ELSE', product_ids: [other.id] });
  await (await openShop()).givenDiscount({ code: 'THEIRS' });
  const used = await shop.givenDiscount({ code: 'ONCE', usage_limit: 1 });
  await apply(shop, (await shop.givenCart('40.00')).id, 'ONCE');
  await apply(shop, cart.id, 'TEN');

  for (const [code, error, context] of [
    ['NONE', 'discount_not_found', {}],
    ['  ', 'discount_not_found', {}],
    ['THEIRS', 'discount_not_found', {}],
    ['OFF', 'discount_not_found', {}],
    ['SOON', 'discount_not_started', { starts_at: future }],
    ['OVER', 'discount_expired', { ends_at: past }],
    ['MORE', 'discount_minimum_not_met', { minimum_subtotal: '40.01' }],
    ['MANY', 'discount_minimum_not_met', { minimum_quantity: 2 }],
    ['ELSE', 'discount_not_applicable', {}],
    ['ONCE', 'discount_usage_limit_reached', {}],
  ] as const) {
    const answer = await apply(shop, cart.id, code);
    expect(answer.response.status).toBe(400);
    expect(answer.error).toMatchObject({ error, ...context });
  }
  expect(await read(shop, cart.id)).toMatchObject({ discount_code: 'TEN', total: '30.00' });
  expect(await usesOf(shop, used.id)).toBe(1);
});

test('applying a second discount code replaces the first and releases its use', async () => {
  const shop = await openShop();
  const { cart } = await givenLines(shop, '40.00');
  const ten = await shop.givenDiscount();
  const half = await shop.givenDiscount({ code: 'HALF', kind: 'percentage', value: '50' });

  await apply(shop, cart.id, 'TEN');
  await apply(shop, cart.id, 'HALF');

  expect(await read(shop, cart.id)).toMatchObject({ discount_code: 'HALF', discount: '20.00' });
  expect(await redemptionsOf(shop, ten.id)).toMatchObject([{ status: 'released' }]);
  expect(await redemptionsOf(shop, half.id)).toMatchObject([{ status: 'reserved' }]);
  expect([await usesOf(shop, ten.id), await usesOf(shop, half.id)]).toEqual([0, 1]);
});

test('applying the current discount code again counts it only once', async () => {
  const shop = await openShop();
  const { cart } = await givenLines(shop, '40.00');
  const { id } = await shop.givenDiscount({ usage_limit: 1, usage_limit_per_customer: 1 });

  const first = await apply(shop, cart.id);
  const again = await apply(shop, cart.id, 'ten');

  expect(again.data).toEqual(first.data);
  expect(await usesOf(shop, id)).toBe(1);
});

test('a discount code can be removed, and removing one from a cart without a code changes nothing', async () => {
  const shop = await openShop();
  const { cart } = await givenLines(shop, '40.00');
  const { id } = await shop.givenDiscount({ usage_limit: 1 });
  await apply(shop, cart.id);

  const removed = await shop.storefront.DELETE(discountsPath, at(cart.id));
  const again = await shop.storefront.DELETE(discountsPath, at(cart.id));

  expect(removed.data).toMatchObject({ discount_code: null, discount: '0.00', total: '40.00' });
  expect(again.data).toMatchObject({ discount_code: null, total: '40.00' });
  expect(await usesOf(shop, id)).toBe(0);
  expect((await apply(shop, cart.id)).response.status).toBe(200);
});

test('a cart loses its discount while a condition of the code is unmet, and regains it once the condition is met', async () => {
  const shop = await openShop();
  const { cart } = await givenLines(shop, '30.00');
  const { id } = await shop.givenDiscount({ kind: 'percentage', value: '10', minimum_subtotal: '60' });
  const set = (quantity: number) =>
    shop.storefront.PATCH(itemPath, {
      params: { path: { cart_id: cart.id, line_item_id: cart.items[0]?.id ?? '' } },
      body: { quantity },
    });
  await set(2);
  await apply(shop, cart.id);

  expect((await set(1)).data).toMatchObject({ discount_code: 'TEN', discount: '0.00', total: '30.00' });
  expect(await redemptionsOf(shop, id)).toMatchObject([{ status: 'reserved', amount_off: '0.00' }]);
  expect((await set(3)).data).toMatchObject({ discount_code: 'TEN', discount: '9.00', total: '81.00' });
  expect(await redemptionsOf(shop, id)).toMatchObject([{ status: 'reserved', amount_off: '9.00' }]);
});

test('a change of a discount code immediately applies to carts', async () => {
  const shop = await openShop();
  const { cart } = await givenLines(shop, '40.00');
  const { id: discount_id } = await shop.givenDiscount();
  await apply(shop, cart.id);
  const change = (body: object) => shop.dashboard.PATCH(discountPath, { params: { path: { discount_id } }, body });

  await change({ value: '15', code: 'FIFTEEN' });
  expect(await read(shop, cart.id)).toMatchObject({ discount_code: 'FIFTEEN', discount: '15.00' });
  await change({ active: false });
  expect(await read(shop, cart.id)).toMatchObject({ discount_code: 'FIFTEEN', discount: '0.00' });
});

test('at most ten carts can reserve a discount code with ten uses, even under concurrent requests', async () => {
  const shop = await openShop();
  const { id } = await shop.givenDiscount({ usage_limit: 10 });
  const { variants } = await shop.givenProduct({ track_inventory: false, price: '40' });
  const all = await Promise.all(
    Array.from({ length: 60 }, () => shop.givenCart([{ variant_id: variants[0]?.id ?? '', quantity: 1 }])),
  );

  const answers = await Promise.all(all.map((cart) => apply(shop, cart.id)));

  const statuses = answers.map(({ response }) => response.status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(10);
  expect(statuses.filter((status) => status === 400)).toHaveLength(50);
  expect(await usesOf(shop, id)).toBe(10);
  const redemptions = await redemptionsOf(shop, id);
  expect(redemptions.filter(({ status }) => status === 'reserved')).toHaveLength(10);
});

test('carts that swap two discount codes concurrently never deadlock, and the counts of uses stay correct', async () => {
  const shop = await openShop();
  const a = await shop.givenDiscount({ code: 'A' });
  const b = await shop.givenDiscount({ code: 'B' });
  const { variants } = await shop.givenProduct({ track_inventory: false, price: '40' });
  const lines = [{ variant_id: variants[0]?.id ?? '', quantity: 1 }];
  const some = await Promise.all(Array.from({ length: 8 }, () => shop.givenCart(lines)));
  await Promise.all(some.map(({ id }, i) => apply(shop, id, i % 2 === 0 ? 'A' : 'B')));

  const answers = await Promise.all(
    Array.from({ length: 48 }, (_, i) =>
      apply(shop, some[i % 8]?.id ?? '', (i + Math.floor(i / 8)) % 2 === 0 ? 'B' : 'A'),
    ),
  );

  expect(answers.map(({ response }) => response.status)).toEqual(Array(48).fill(200));
  expect((await usesOf(shop, a.id)) ?? 0).toBe((await redemptionsOf(shop, a.id)).filter(isLive).length);
  expect((await usesOf(shop, b.id)) ?? 0).toBe((await redemptionsOf(shop, b.id)).filter(isLive).length);
  expect(((await usesOf(shop, a.id)) ?? 0) + ((await usesOf(shop, b.id)) ?? 0)).toBe(8);
});

function isLive({ status }: { status: string }): boolean {
  return status !== 'released';
}

test('an order redeems the discount code of its cart, and releasing the code twice frees one use', async () => {
  const shop = await openShop();
  const { cart } = await givenLines(shop, '40.00');
  const { id } = await shop.givenDiscount({ usage_limit: 1 });
  await apply(shop, cart.id);

  await redeem(shop, cart.id, { email: 'June@example.com' });
  expect(await redemptionsOf(shop, id)).toMatchObject([
    { status: 'redeemed', amount_off: '10.00', email: 'June@example.com', order_id: expect.any(String) },
  ]);
  expect(await usesOf(shop, id)).toBe(1);

  await inShopAsSystem(shop.db, shop.site_id, (inside) => codeUses.release(inside, cart.id));
  await inShopAsSystem(shop.db, shop.site_id, (inside) => codeUses.release(inside, cart.id));
  expect(await redemptionsOf(shop, id)).toMatchObject([{ status: 'released' }]);
  expect(await usesOf(shop, id)).toBe(0);
});

test('redeeming releases a discount code whose conditions are no longer met', async () => {
  const shop = await openShop();
  const { cart } = await givenLines(shop, '40.00');
  const { id } = await shop.givenDiscount();
  await apply(shop, cart.id);
  await shop.dashboard.PATCH(discountPath, { params: { path: { discount_id: id } }, body: { active: false } });

  await redeem(shop, cart.id, { email: 'june@example.com' });

  expect(await redemptionsOf(shop, id)).toMatchObject([{ status: 'released', order_id: null }]);
  expect(await usesOf(shop, id)).toBe(0);
});

test("limits a guest's uses of a discount code per e-mail address, ignoring case, even concurrently", async () => {
  const shop = await openShop();
  const { id } = await shop.givenDiscount({ usage_limit_per_customer: 1 });
  const all = await Promise.all(Array.from({ length: 8 }, () => shop.givenCart('40.00')));
  for (const cart of all) expect((await apply(shop, cart.id)).response.status).toBe(200);

  const results = await Promise.allSettled(
    all.map((cart, i) => redeem(shop, cart.id, { email: i % 2 === 0 ? 'june@example.com' : 'JUNE@example.com' })),
  );
  await redeem(shop, (all.find((_, i) => results[i]?.status === 'rejected') ?? all[0])?.id ?? '', {
    email: 'other@example.com',
  });

  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused.map(({ code }) => code)).toEqual(Array(7).fill('discount_customer_limit_reached'));
  const redeemed = (await redemptionsOf(shop, id)).filter(({ status }) => status === 'redeemed');
  expect(redeemed).toHaveLength(2);
});

test('rejects a discount code that a customer has used up as soon as it is entered', async () => {
  const shop = await openShop();
  const customer_id = await givenCustomer(shop);
  await shop.givenDiscount({ usage_limit_per_customer: 1 });
  const [first, second] = [await shop.givenCart('40.00'), await shop.givenCart('40.00')];
  await apply(shop, first.id);
  await redeem(shop, first.id, { customer_id, email: 'june@example.com' });
  // Treats the first cart as ordered, so that the customer gets another.
  await shop.owner.query(`update commerce.carts set status = 'converted' where id = $1`, [first.id]);
  await inShopAsSystem(shop.db, shop.site_id, (inside) => mergeAtLogin(inside, second.id, customer_id));

  const merged = await shop.owner.query(`select id from commerce.carts where customer_id = $1 and status = 'active'`, [
    customer_id,
  ]);
  const cart = await inShopAsSystem(shop.db, shop.site_id, (inside) =>
    carts.readForCustomer(inside, merged.rows[0]?.id, customer_id, false),
  );
  const attempt = inShopAsSystem(shop.db, shop.site_id, async (inside) => {
    const code = await codeUses.lockCode(inside, 'TEN', null, []);
    if (code) await codeUses.reserve(inside, cart, code, uuidv7());
  });
  await expect(attempt).rejects.toMatchObject({ code: 'discount_customer_limit_reached' });
});

test("at login, the guest's quantities and discount code replace those of the customer's cart", async () => {
  const shop = await openShop();
  const customer_id = await givenCustomer(shop);
  const merge = (id: string) =>
    inShopAsSystem(shop.db, shop.site_id, (inside) => mergeAtLogin(inside, id, customer_id));
  const [mug, plate, bowl] = [await shop.givenProduct(), await shop.givenProduct(), await shop.givenProduct()].map(
    ({ variants }) => variants[0]?.id ?? '',
  ) as [string, string, string];
  const a = await shop.givenDiscount({ code: 'A', value: '1' });
  const b = await shop.givenDiscount({ code: 'B', value: '2' });
  const before = await shop.givenCart([
    { variant_id: mug, quantity: 5 },
    { variant_id: bowl, quantity: 1 },
  ]);
  const guest = await shop.givenCart([
    { variant_id: mug, quantity: 2 },
    { variant_id: plate, quantity: 3 },
  ]);
  await apply(shop, before.id, 'A');
  await apply(shop, guest.id, 'B');

  const target = (await merge(before.id)) ?? '';
  expect(await merge(guest.id)).toBe(target);

  const cart = await inShopAsSystem(shop.db, shop.site_id, (inside) =>
    carts.readForCustomer(inside, target, customer_id, false),
  );
  expect(cart.lines.map(({ variant_id, quantity }) => [variant_id, quantity])).toEqual([
    [mug, 2],
    [bowl, 1],
    [plate, 3],
  ]);
  expect(cart.discount?.code).toBe('B');
  expect([await usesOf(shop, a.id), await usesOf(shop, b.id)]).toEqual([0, 1]);
  expect(await redemptionsOf(shop, b.id)).toMatchObject([{ cart_id: target, customer_id, amount_off: '2.00' }]);
  expect(await read(shop, guest.id)).toMatchObject({ status: 'merged', discount_code: null });
  expect((await apply(shop, guest.id, 'A')).error).toMatchObject({ error: 'cart_not_active', cart_id: target });
  expect((await shop.storefront.GET(cartPath, at(target))).response.status).toBe(404); // The cart belongs to the customer.
});

test('a login changes no cart that was already merged, belongs to another customer or shop, or does not exist', async () => {
  const shop = await openShop();
  const [june, july] = [await givenCustomer(shop), await givenCustomer(shop)];
  const foreign = await (await openShop()).givenCart('10.00');
  const guest = await shop.givenCart('10.00');
  const merge = (id: string, customer_id: string) =>
    inShopAsSystem(shop.db, shop.site_id, (inside) => mergeAtLogin(inside, id, customer_id));
  const target = (await merge(guest.id, june)) ?? '';

  expect(await merge(guest.id, july)).toBeNull();
  expect(await merge(target, july)).toBeNull();
  expect(await merge(foreign.id, july)).toBeNull();
  expect(await merge(unknown, july)).toBeNull();
});

test('many concurrent logins with one guest cart merge it once', async () => {
  const shop = await openShop();
  const customer_id = await givenCustomer(shop);
  const { id } = await shop.givenCart('10.00');

  const targets = await Promise.all(
    Array.from({ length: 8 }, () =>
      inShopAsSystem(shop.db, shop.site_id, (inside) => mergeAtLogin(inside, id, customer_id)),
    ),
  );

  expect(targets.filter((target) => target !== null)).toHaveLength(1);
  const active = await shop.owner.query(`select id from commerce.carts where customer_id = $1`, [customer_id]);
  expect(active.rows).toHaveLength(1);
});

test("merging carts at login removes the customer's oldest lines above 100", async () => {
  const shop = await openShop();
  const customer_id = await givenCustomer(shop);
  const merge = (id: string) =>
    inShopAsSystem(shop.db, shop.site_id, (inside) => mergeAtLogin(inside, id, customer_id));
  const numbers = Array.from({ length: 110 }, (_, i) => `${i}`);
  const { variants } = await shop.givenProduct({
    track_inventory: false,
    options: [{ name: 'Number', values: numbers }],
    variants: numbers.map((option1) => ({ option1 })),
  });
  const line = ({ id }: { id: string }) => ({ variant_id: id, quantity: 1 });
  const [own, guests] = [variants.slice(0, 60), variants.slice(50)];
  await merge((await shop.givenCart(own.map(line))).id);

  const target = await merge((await shop.givenCart(guests.map(line))).id);

  const cart = await inShopAsSystem(shop.db, shop.site_id, (inside) =>
    carts.readForCustomer(inside, target ?? '', customer_id, false),
  );
  expect(cart.lines).toHaveLength(100);
  const kept = new Set(cart.lines.map(({ variant_id }) => variant_id));
  expect(own.slice(0, 10).some(({ id }) => kept.has(id))).toBe(false);
});

test('a discount code must have 1 to 64 characters (422)', async () => {
  const shop = await openShop();
  const { cart } = await givenLines(shop, '40.00');

  for (const code of ['', 'x'.repeat(65)]) {
    const { error, response } = await apply(shop, cart.id, code);
    expect(response.status).toBe(422);
    expect(error).toMatchObject({ detail: [{ loc: ['body', 'code'] }] });
  }
});

test('a cart below the minimum of its discount code keeps the code without a discount, and shows a warning', async () => {
  const shop = await openShop();
  const { cart } = await givenLines(shop, '10.00', '20.00');
  await shop.givenDiscount({ code: 'TEN', kind: 'fixed_amount', value: '10.00', minimum_subtotal: '25.00' });
  await apply(shop, cart.id);
  expect((await read(shop, cart.id)).warnings).toEqual([]);

  const [, dearer] = cart.items;
  await shop.storefront.DELETE(itemPath, {
    params: { path: { cart_id: cart.id, line_item_id: dearer?.id ?? '' } },
  });

  const warning = {
    code: 'discount_not_applied',
    line_item_id: null,
    reason: 'discount_minimum_not_met',
    message:
      'The code TEN is not applied at the moment. This code requires a subtotal of 25.00 of the products it applies to.',
  };
  const short = await read(shop, cart.id);
  expect(short).toMatchObject({ discount_code: 'TEN', discount: '0.00', warnings: [warning] });
  const checkout = await shop.storefront.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });
  expect(checkout.data?.warnings).toMatchObject([warning]);
});
