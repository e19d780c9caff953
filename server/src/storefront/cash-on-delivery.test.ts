import { expect, test } from 'vitest';
import { givenVariant, ordersOf } from '../../test/buying.ts';
import { documentsOf, givenSeller } from '../../test/invoices.ts';
import { PaperBrowser } from '../../test/paper-browser.ts';
import { openShop } from '../../test/shop.ts';

const optionsPath = '/api/dashboard/shipping-options';
const optionPath = '/api/dashboard/shipping-options/{shipping_option_id}';
const checkoutPath = '/api/storefront/checkout/{checkout_id}';
const orderPath = '/api/dashboard/orders/{order_id}';

const HOME = { last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' };

/** A shop with bank transfer, a parcel for 4.90 that can be paid on delivery for 3.50, and one that cannot. */
async function givenShop(settings: Parameters<Awaited<ReturnType<typeof openShop>>['givenTerms']>[0] = {}) {
  const shop = await openShop();
  const cod = await shop.givenShippingOption({ name: 'Parcel', price: '4.90', cash_on_delivery_fee: '3.5' });
  const plain = await shop.givenShippingOption({ name: 'Letter', price: '2.00' });
  await shop.givenTerms(settings);
  const { variant_id } = await givenVariant(shop, { price: '10.00', inventory_quantity: 50 });
  const begin = async () => {
    const cart = await shop.givenCart([{ variant_id, quantity: 2 }]);
    const { data } = await shop.storefront.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });
    const params = { path: { checkout_id: data?.id ?? '' } };
    return {
      ...{ cart, params, url: data?.checkout_url ?? '' },
      patch: (body: object) =>
        shop.storefront.PATCH(checkoutPath, {
          params,
          body: { email: 'june@example.com', shipping_address: HOME, ...body },
        }),
      complete: () => shop.storefront.POST(`${checkoutPath}/complete`, { params, body: {} }),
    };
  };
  return { shop, cod, plain, variant_id, begin };
}

test('the cash on delivery fee is part of the shipping cost, and the order is paid once it is delivered', async () => {
  const { shop, cod, begin } = await givenShop({ tax_rates: [{ country: 'DE', rate: '0.19' }] });
  await givenSeller(shop);
  const { cart, patch, complete } = await begin();
  const { data: choices } = await shop.storefront.GET('/api/storefront/cart/{cart_id}/shipping-options', {
    params: { path: { cart_id: cart.id }, query: { country: 'DE' } },
  });
  expect(choices?.shipping_options).toMatchObject([
    { name: 'Parcel', price: '4.90', cash_on_delivery_fee: '3.50' },
    { name: 'Letter', price: '2.00', cash_on_delivery_fee: null },
  ]);

  const open = await patch({ shipping_option_id: cod.id });
  expect(open.data).toMatchObject({ payment_methods: ['bank_transfer', 'card', 'manual'], payment_method: null });
  expect(open.data).toMatchObject({ shipping_cost: '4.90', total: '24.90' });
  const transfer = await patch({ shipping_option_id: cod.id, payment_method: 'bank_transfer' });
  expect(transfer.data).toMatchObject({ shipping_cost: '4.90', total: '24.90' });
  const chosen = await patch({ shipping_option_id: cod.id, payment_method: 'manual' });
  expect(chosen.data).toMatchObject({
    ...{ status: 'ready', payment_method: 'manual', shipping_cost: '8.40', total: '28.40' },
    shipping_option: { price: '4.90', cash_on_delivery_fee: '3.50' },
  });

  const { data } = await complete();
  expect(data?.order).toMatchObject({
    ...{ status: 'confirmed', payment_status: 'pending', payment_method: 'manual', shipping_kind: 'delivery' },
    ...{ shipping_cost: '8.40', total: '28.40' },
  });
  const params = { path: { order_id: data?.order.id ?? '' } };
  await shop.dashboard.POST(`${orderPath}/fulfillments`, { params, body: {} });
  expect((await ordersOf(shop))[0]).toMatchObject({ payment_status: 'pending' });
  const delivered = await shop.dashboard.POST(`${orderPath}/mark-delivered`, { params });
  expect(delivered.data).toMatchObject({ status: 'completed', payment_status: 'paid', total: '28.40' });
  expect(await documentsOf(shop, params.path.order_id)).toMatchObject([{ kind: 'invoice', total: '28.40' }]);
});

test('the cash on delivery fee is taxed like the rest of the shipping cost', async () => {
  const { cod, begin } = await givenShop({
    prices_include_tax: false,
    tax_rates: [{ country: 'DE', rate: '0.19' }],
  });
  const { patch } = await begin();
  const { data } = await patch({ shipping_option_id: cod.id, payment_method: 'manual' });
  // 19 % of 20.00 is 3.80, and 19 % of 8.40 is 1.60 (1.596).
  expect(data).toMatchObject({ shipping_cost: '8.40', tax: '5.40', total: '33.80' });
});

test('rejects payment on delivery for a shipping option without its fee, and removes it when the buyer switches to such an option', async () => {
  const { cod, plain, begin } = await givenShop();
  const { patch, complete } = await begin();
  const refused = await patch({ shipping_option_id: plain.id, payment_method: 'manual' });
  expect(refused.error).toMatchObject({
    error: 'payment_method_unavailable',
    payment_methods: ['bank_transfer', 'card'],
  });
  await patch({ shipping_option_id: cod.id, payment_method: 'manual' });
  const changed = await patch({ shipping_option_id: plain.id });
  expect(changed.data).toMatchObject({ payment_method: null, total: '22.00', missing: ['payment_method'] });
  expect((await complete()).error).toMatchObject({ error: 'checkout_incomplete' });
});

test('rejects an order if the cash on delivery fee has changed since the shopper saw it (409 price_changed)', async () => {
  const { shop, cod, begin } = await givenShop();
  const { patch, complete } = await begin();
  await patch({ shipping_option_id: cod.id, payment_method: 'manual' });
  const params = { path: { shipping_option_id: cod.id } };
  await shop.dashboard.PATCH(optionPath, { params, body: { cash_on_delivery_fee: '9.00' } });
  expect((await complete()).error).toMatchObject({ error: 'price_changed', total: '33.90', expected_total: '28.40' });
  await shop.dashboard.PATCH(optionPath, { params, body: { cash_on_delivery_fee: null } });
  expect((await complete()).error).toMatchObject({
    error: 'payment_method_unavailable',
    payment_methods: ['bank_transfer', 'card'],
  });
  expect(await ordersOf(shop)).toEqual([]);
});

test('a free shipping code covers the cash on delivery fee, and an order with a total of 0 has no fee', async () => {
  const { shop, cod, begin } = await givenShop();
  const code = async (body: object) => {
    const { error } = await shop.dashboard.POST('/api/dashboard/discounts', { body: body as never });
    expect(error).toBeUndefined();
  };
  await code({ code: 'FREESHIP', kind: 'free_shipping' });
  await code({ code: 'ALL', kind: 'percentage', value: '100' });
  const apply = (cart_id: string, name: string) =>
    shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', {
      params: { path: { cart_id } },
      body: { code: name },
    });
  const first = await begin();
  await apply(first.cart.id, 'FREESHIP');
  const chosen = await first.patch({ shipping_option_id: cod.id, payment_method: 'manual' });
  expect(chosen.data).toMatchObject({
    ...{ shipping_cost: '0.00', total: '20.00', payment_method: 'manual' },
    shipping_option: { price: '0.00', cash_on_delivery_fee: '0.00' },
  });

  await shop.dashboard.PATCH(optionPath, { params: { path: { shipping_option_id: cod.id } }, body: { price: '0.00' } });
  const second = await begin();
  await apply(second.cart.id, 'ALL');
  const free = await second.patch({ shipping_option_id: cod.id, payment_method: 'manual' });
  expect(free.data).toMatchObject({ payment_method: 'free', payment_methods: ['free'], total: '0.00' });
});

test("changing the shipping option of an order recalculates the total with that option's cash on delivery fee", async () => {
  const { shop, cod, begin } = await givenShop();
  const { patch, complete } = await begin();
  await patch({ shipping_option_id: cod.id, payment_method: 'manual' });
  const params = { path: { order_id: (await complete()).data?.order.id ?? '' } };
  const express = await shop.givenShippingOption({ name: 'Express', price: '9.00', cash_on_delivery_fee: '5.00' });
  const totalWith = async (shipping_option_id: string) => {
    const body = { shipping_option_id, dry_run: true };
    return (await shop.dashboard.POST(`${orderPath}/edit`, { params, body })).data?.expected_total;
  };
  expect([await totalWith(express.id), await totalWith(cod.id)]).toEqual(['34.00', '28.40']);
});

test('the hosted checkout offers payment on delivery with its fee, and charges the fee', async () => {
  const { shop, cod, begin } = await givenShop();
  const { url } = await begin();
  const browser = new PaperBrowser(shop.baseUrl);
  const form = await browser.open(url);
  const entered = {
    ...{ email: 'june@example.com', shipping_last_name: 'Okafor', shipping_address1: 'Lindenallee 7' },
    ...{ shipping_city: 'Berlin', shipping_postal_code: '10115', shipping_country: 'DE' },
  };
  expect(form.html).toMatch(/Cash on delivery is possible for a fee of [^<]*3\.50/);
  expect(form.html).toContain('value="manual"');
  // The page's script gets the total with the fee.
  const inPlace = await browser.open(`${url}?change=1&country=DE&option=${cod.id}&payment=manual`);
  expect(/id="fold-total"><data value="([^"]+)"/.exec(inPlace.html)?.[1]).toBe('28.40');
  expect(inPlace.html).toMatch(/name="payment_method" value="manual" checked/);
  const choices = { shipping_option_id: cod.id, payment_method: 'manual' };
  const review = await browser.press(form, 'save', { ...entered, ...choices });
  expect(review.html).toContain('28.40');
  await browser.press(review, 'place_order');
  expect(await ordersOf(shop)).toMatchObject([{ payment_method: 'manual', total: '28.40', shipping_cost: '8.40' }]);
});

test('the hosted checkout asks for another payment method if the shipping option excludes payment on delivery, and keeps the input', async () => {
  const { shop, plain, begin } = await givenShop();
  const { url } = await begin();
  const browser = new PaperBrowser(shop.baseUrl);
  const form = await browser.open(url);
  const entered = {
    ...{ email: 'june@example.com', shipping_last_name: 'Okafor', shipping_address1: 'Lindenallee 7' },
    ...{ shipping_city: 'Berlin', shipping_postal_code: '10115', shipping_country: 'DE' },
  };
  const choices = { shipping_option_id: plain.id, payment_method: 'manual' };
  const refused = await browser.press(form, 'save', { ...entered, ...choices });
  expect(refused.response.status).toBeLessThan(500);
  expect(refused.html).not.toContain('value="place_order"');
  expect(refused.html).toContain('Lindenallee 7');
  const review = await browser.press(refused, 'save', { payment_method: 'bank_transfer' });
  expect(review.html).toContain('value="place_order"');
  await browser.press(review, 'place_order');
  expect(await ordersOf(shop)).toMatchObject([{ payment_method: 'bank_transfer', total: '22.00' }]);
});

test('cash on delivery alone completes the payment step of the setup, and the checkout shows its form', async () => {
  const shop = await openShop();
  await shop.givenShippingOption({ name: 'Parcel', price: '4.90', cash_on_delivery_fee: '0' });
  const { variant_id } = await givenVariant(shop, { price: '10.00', inventory_quantity: 5 });
  const { data: setup } = await shop.dashboard.GET('/api/dashboard/setup');
  expect(setup?.items.find(({ code }) => code === 'payment')).toMatchObject({ done: true });
  const cart = await shop.givenCart([{ variant_id, quantity: 1 }]);
  const { data } = await shop.storefront.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });
  const page = await new PaperBrowser(shop.baseUrl).open(data?.checkout_url ?? '');
  expect(page.response.status).toBe(200);
  expect(page.html).toContain('name="email"');
});

test.each([
  ['a negative fee', { cash_on_delivery_fee: '-1.00' }],
  ['a fee with too many decimals', { cash_on_delivery_fee: '1.999' }],
  ['a fee that is too large', { cash_on_delivery_fee: '1000000000000.00' }],
  ['a fee for pickup', { cash_on_delivery_fee: '1.00', kind: 'pickup' as const }],
])('rejects %s (422)', async (_what, input) => {
  const { dashboard } = await openShop();
  const { error } = await dashboard.POST(optionsPath, { body: { name: 'Parcel', price: '1.00', ...input } });
  expect(error).toMatchObject({ error: 'validation_error', detail: [{ loc: ['body', 'cash_on_delivery_fee'] }] });
});

test('a shipping option with a cash on delivery fee can become a pickup only if the fee is removed', async () => {
  const { shop, cod } = await givenShop();
  const params = { path: { shipping_option_id: cod.id } };
  const refused = await shop.dashboard.PATCH(optionPath, { params, body: { kind: 'pickup' } });
  expect(refused.error).toMatchObject({ error: 'validation_error' });
  const changed = await shop.dashboard.PATCH(optionPath, {
    params,
    body: { kind: 'pickup', cash_on_delivery_fee: null },
  });
  expect(changed.data).toMatchObject({ kind: 'pickup', cash_on_delivery_fee: null });
});
