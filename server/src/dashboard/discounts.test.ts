import type { DiscountInput } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const discountsPath = '/api/dashboard/discounts';
const discountPath = '/api/dashboard/discounts/{discount_id}';
const redemptionsPath = '/api/dashboard/discounts/{discount_id}/redemptions';
const applyPath = '/api/storefront/cart/{cart_id}/discounts';
const unknown = '0192f3a0-9999-7000-8000-00000000dead';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

function at(discount_id: string) {
  return { params: { path: { discount_id } } };
}

async function givenUse({ givenCart, storefront }: OpenShop, code: string) {
  const cart = await givenCart('40.00');
  await storefront.POST(applyPath, { params: { path: { cart_id: cart.id } }, body: { code } });
  return cart;
}

test('stores a discount code as written, without conditions by default', async () => {
  const { dashboard, givenProduct } = await openShop();
  const { id } = await givenProduct();
  const given = {
    code: 'Summer',
    kind: 'percentage',
    value: '12.5',
    description: 'Until autumn',
    starts_at: '2026-01-01T00:00:00.000Z',
    ends_at: '2999-01-01T00:00:00.000Z',
    minimum_subtotal: '20',
    minimum_quantity: 2,
    product_ids: [id],
    usage_limit: 100,
    usage_limit_per_customer: 1,
  } as const satisfies DiscountInput;

  const full = await dashboard.POST(discountsPath, { body: { ...given, code: ' Summer ' } });
  const bare = await dashboard.POST(discountsPath, { body: { code: 'SHIP', kind: 'free_shipping' } });

  expect(full.response.status).toBe(201);
  expect(full.data).toMatchObject({
    ...given,
    value: '12.50',
    minimum_subtotal: '20.00',
    collection_ids: [],
    currency: 'EUR',
    status: 'active',
    active: true,
    usage_count: 0,
  });
  expect(bare.data).toMatchObject({
    kind: 'free_shipping',
    starts_at: null,
    ends_at: null,
    minimum_subtotal: null,
    minimum_quantity: null,
    product_ids: [],
    usage_limit: null,
    usage_limit_per_customer: null,
  });
  expect((await dashboard.GET(discountPath, at(full.data?.id ?? ''))).data).toEqual(full.data);
});

test.each([
  { input: { code: '  ' }, loc: ['body', 'code'] },
  { input: { value: undefined }, loc: ['body', 'value'] },
  { input: { value: '0' }, loc: ['body', 'value'] },
  { input: { value: '0.00' }, loc: ['body', 'value'] },
  { input: { value: '1.234' }, loc: ['body', 'value'] },
  { input: { kind: 'percentage', value: '100.01' }, loc: ['body', 'value'] },
  { input: { kind: 'percentage', value: '1.234' }, loc: ['body', 'value'] },
  { input: { kind: 'free_shipping', value: '1' }, loc: ['body', 'value'] },
  { input: { minimum_subtotal: '1.234' }, loc: ['body', 'minimum_subtotal'] },
  { input: { usage_limit: 0 }, loc: ['body', 'usage_limit'] },
  { input: { starts_at: '2026-02-01T00:00:00Z', ends_at: '2026-02-01T00:00:00Z' }, loc: ['body', 'ends_at'] },
] as { input: Partial<DiscountInput>; loc: string[] }[])(
  'rejects a discount code with $input, and names the field $loc (422)',
  async ({ input, loc }) => {
    const { dashboard } = await openShop();

    const { error, response } = await dashboard.POST(discountsPath, {
      body: { code: 'TEN', kind: 'fixed_amount', value: '10', ...input },
    });

    expect(response.status).toBe(422);
    expect(error).toMatchObject({ detail: [{ loc }] });
  },
);

test("a fixed discount has the decimals of the shop's currency, which cannot change while discount codes exist", async () => {
  const { dashboard, givenDiscount } = await openShop({ currency: 'JPY' });
  const { value } = await givenDiscount({ value: '500' });
  const percent = await givenDiscount({ code: 'P', kind: 'percentage', value: '12.5' });

  const cents = await dashboard.POST(discountsPath, { body: { code: 'C', kind: 'fixed_amount', value: '1.5' } });
  const moved = await dashboard.PATCH('/api/dashboard/settings', { body: { currency: 'EUR' } });

  expect([value, percent.value]).toEqual(['500', '12.50']);
  expect(cents.response.status).toBe(422);
  expect(moved.error).toMatchObject({ error: 'currency_in_use' });
});

test('a discount code is unique in its shop regardless of case', async () => {
  const { dashboard, givenDiscount } = await openShop();
  await givenDiscount({ code: 'Straße' });
  const other = await givenDiscount({ code: 'OTHER' });
  await (await openShop()).givenDiscount({ code: 'STRASSE' });

  const made = await dashboard.POST(discountsPath, { body: { code: 'sTRAßE', kind: 'free_shipping' } });
  const renamed = await dashboard.PATCH(discountPath, { ...at(other.id), body: { code: 'STRAßE' } });
  const kept = await dashboard.PATCH(discountPath, { ...at(other.id), body: { code: 'other' } });

  for (const { error, response } of [made, renamed]) {
    expect(response.status).toBe(409);
    expect(error).toMatchObject({ error: 'discount_code_taken' });
  }
  expect(kept.data?.code).toBe('other');
});

test('an update of a discount code changes only the given fields', async () => {
  const { dashboard, givenDiscount } = await openShop();
  const before = await givenDiscount({ description: 'For friends', usage_limit: 5, minimum_quantity: 2 });

  const { data } = await dashboard.PATCH(discountPath, {
    ...at(before.id),
    body: { value: '12', usage_limit: null, description: null },
  });

  expect(data).toEqual({
    ...before,
    value: '12.00',
    usage_limit: null,
    description: null,
    updated_at: expect.any(String),
  });
});

test('validates a change of a discount code together with its unchanged fields', async () => {
  const shop = await openShop();
  const { dashboard, givenDiscount } = shop;
  const timed = await givenDiscount({ starts_at: '2026-02-01T00:00:00Z' });
  const free = await givenDiscount({ code: 'FREE', kind: 'free_shipping' });
  const share = await givenDiscount({ code: 'SHARE', kind: 'percentage', value: '5' });
  const used = await givenDiscount({ code: 'USED', usage_limit: 5 });
  await givenUse(shop, 'USED');
  await givenUse(shop, 'USED');
  const change = (id: string, body: object) => dashboard.PATCH(discountPath, { ...at(id), body });

  expect((await change(timed.id, { ends_at: '2026-01-01T00:00:00Z' })).error).toMatchObject({
    detail: [{ loc: ['body', 'ends_at'] }],
  });
  expect((await change(free.id, { value: '1' })).error).toMatchObject({ detail: [{ loc: ['body', 'value'] }] });
  expect((await change(share.id, { value: '101' })).error).toMatchObject({ detail: [{ loc: ['body', 'value'] }] });
  expect((await change(used.id, { usage_limit: 1 })).error).toMatchObject({ error: 'conflict', usage_count: 2 });
  expect((await change(used.id, { usage_limit: 2 })).data).toMatchObject({ status: 'exhausted', usage_count: 2 });
});

test('a discount code cannot be limited to a product of another shop or an unknown collection (404)', async () => {
  const shop = await openShop();
  const foreign = await (await openShop()).givenProduct();
  const { id } = await shop.givenDiscount();

  for (const body of [{ product_ids: [foreign.id] }, { collection_ids: [unknown] }]) {
    const made = await shop.dashboard.POST(discountsPath, { body: { code: 'X', kind: 'free_shipping', ...body } });
    const changed = await shop.dashboard.PATCH(discountPath, { ...at(id), body });
    expect([made.response.status, changed.response.status]).toEqual([404, 404]);
  }
});

test('lists discount codes newest first, filtered by code and status', async () => {
  const shop = await openShop();
  await shop.givenDiscount({ code: 'ON' });
  await shop.givenDiscount({ code: 'OFF', active: false });
  await shop.givenDiscount({ code: 'OVER', ends_at: '2020-01-01T00:00:00Z' });
  await shop.givenDiscount({ code: 'SOON', starts_at: '2999-01-01T00:00:00Z' });
  await shop.givenDiscount({ code: 'GONE', usage_limit: 1 });
  await givenUse(shop, 'GONE');
  const codes = async (query: object) =>
    (await shop.dashboard.GET(discountsPath, { params: { query } })).data?.discounts.map(({ code }) => code);

  expect(await codes({})).toEqual(['GONE', 'SOON', 'OVER', 'OFF', 'ON']);
  expect(await codes({ q: 'o', limit: 2, page: 2 })).toEqual(['OVER', 'OFF']);
  expect(await codes({ q: '%' })).toEqual([]);
  for (const [status, code] of Object.entries({
    active: 'ON',
    disabled: 'OFF',
    expired: 'OVER',
    scheduled: 'SOON',
    exhausted: 'GONE',
  })) {
    expect(await codes({ status })).toEqual([code]);
  }
});

test('deletes a discount code only while no cart has reserved a use, and the same code can then be created again', async () => {
  const shop = await openShop();
  const { id } = await shop.givenDiscount();
  const cart = await givenUse(shop, 'TEN');
  const inUse = await shop.dashboard.DELETE(discountPath, at(id));
  await shop.storefront.DELETE(applyPath, { params: { path: { cart_id: cart.id } } });

  const deleted = await shop.dashboard.DELETE(discountPath, at(id));

  expect(inUse.response.status).toBe(409);
  expect(inUse.error).toMatchObject({ error: 'discount_in_use' });
  expect(deleted.data).toEqual({ id, deleted: true });
  expect((await shop.dashboard.GET(discountPath, at(id))).response.status).toBe(404);
  await shop.givenDiscount();
});

test('lists redemptions of a discount code newest first, with a cursor and a status filter', async () => {
  const shop = await openShop();
  const { id } = await shop.givenDiscount();
  const all = [];
  for (let i = 0; i < 3; i += 1) all.push((await givenUse(shop, 'TEN')).id);
  await shop.storefront.DELETE(applyPath, { params: { path: { cart_id: all[0] ?? '' } } });
  const page = (query: object) => shop.dashboard.GET(redemptionsPath, { params: { path: { discount_id: id }, query } });

  const first = await page({ limit: 2 });
  const second = await page({ limit: 2, cursor: first.data?.next_cursor });

  expect(first.data?.redemptions.map(({ cart_id }) => cart_id)).toEqual([all[2], all[1]]);
  expect(second.data).toMatchObject({
    redemptions: [
      { cart_id: all[0], discount_id: id, code: 'TEN', status: 'released', amount_off: '10.00', currency: 'EUR' },
    ],
    next_cursor: null,
  });
  expect((await page({ status: 'reserved' })).data?.redemptions).toHaveLength(2);
  expect((await page({ cursor: 'x' })).response.status).toBe(422);
});

test('returns 404 for a discount code of another shop', async () => {
  const { dashboard } = await openShop();
  const { id } = await (await openShop()).givenDiscount();

  for (const one of [id, unknown]) {
    const answers = [
      await dashboard.GET(discountPath, at(one)),
      await dashboard.PATCH(discountPath, { ...at(one), body: { active: false } }),
      await dashboard.DELETE(discountPath, at(one)),
      await dashboard.GET(redemptionsPath, at(one)),
    ];
    for (const { error, response } of answers) {
      expect(response.status).toBe(404);
      expect(error).toMatchObject({ error: 'not_found', message: 'There is no such discount.' });
    }
  }
});
