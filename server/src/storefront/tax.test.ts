import type { ProductInput, SettingsPatch } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

const GERMANY = {
  first_name: 'June',
  last_name: 'Okafor',
  address1: 'Lindenallee 7',
  city: 'Berlin',
  postal_code: '10115',
};

const RATES: SettingsPatch = {
  prices_include_tax: false,
  default_tax_rate: '0.25',
  tax_rates: [
    { country: 'DE', rate: '0.19' },
    { country: 'DE', class: 'reduced', rate: '0.07' },
    { country: 'US', rate: '0.01' },
    { country: 'US', class: 'reduced', rate: '0.02' },
    { country: 'US', state: 'CA', rate: '0.0725' },
    { country: 'US', state: 'California', class: 'reduced', rate: '0.03' },
  ],
};

async function givenShop(prices_include_tax = false): Promise<OpenShop> {
  const shop = await openShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', {
    body: {
      ...RATES,
      prices_include_tax,
      bank_details: { account_holder: 'Alder', iban: 'DE89370400440532013000' },
    },
  });
  await shop.givenShippingOption({ name: 'Parcel', price: '4.90' });
  return shop;
}

/** Creates a checkout with one product of each tax class. */
async function givenCheckout(shop: OpenShop, classes: (string | undefined)[], price = '10.00'): Promise<string> {
  const lines = [];
  for (const tax_class of classes) {
    const input: ProductInput = { name: `A ${tax_class ?? 'plain'} thing`, price, ...(tax_class && { tax_class }) };
    const product = await shop.givenProduct(input);
    lines.push({ variant_id: product.variants[0]?.id ?? '', quantity: 1 });
  }
  const cart = await shop.givenCart(lines);
  const { data } = await shop.storefront.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });
  return data?.id ?? '';
}

async function fillIn({ storefront }: OpenShop, checkout_id: string, address: { country: string; state?: string }) {
  const { data: before } = await storefront.GET('/api/storefront/checkout/{checkout_id}', {
    params: { path: { checkout_id } },
  });
  const shipping_address = { ...GERMANY, ...address };
  const options = await storefront.GET('/api/storefront/cart/{cart_id}/shipping-options', {
    params: { path: { cart_id: before?.cart_id ?? '' }, query: { country: address.country } },
  });
  const { data, error } = await storefront.PATCH('/api/storefront/checkout/{checkout_id}', {
    params: { path: { checkout_id } },
    body: {
      email: 'june@example.com',
      shipping_address,
      shipping_option_id: options.data?.shipping_options[0]?.id ?? null,
      payment_method: 'bank_transfer',
    },
  });
  if (!data) throw new Error(JSON.stringify(error));
  return data;
}

test("taxes each line at the most specific rate for the product's tax class and the address", async () => {
  const shop = await givenShop();
  const checkout_id = await givenCheckout(shop, [undefined, 'reduced', 'zero', 'of-our-own'], '100.00');
  const taxAt = async (address: { country: string; state?: string }) => (await fillIn(shop, checkout_id, address)).tax;

  // The goods are taxed at the standard, the reduced and the zero rate, and a class without a rate at the standard
  // rate. The shipping cost is taxed at these rates by the share of each.
  expect(await taxAt({ country: 'DE' })).toBe('45.56');
  expect(await taxAt({ country: 'FR' })).toBe('75.92');
  expect(await taxAt({ country: 'US', state: 'TX' })).toBe('4.04');
  for (const state of ['CA', ' california ', 'CALIFORNIA']) {
    expect(await taxAt({ country: 'US', state })).toBe('17.72');
  }
});

test("an order lists its tax for each rate, and the amounts add up to the order's tax", async () => {
  for (const included of [false, true]) {
    const shop = await givenShop(included);
    await shop.givenDiscount({ code: 'TEN', kind: 'percentage', value: '10' });
    const checkout_id = await givenCheckout(shop, [undefined, 'reduced', 'reduced', 'zero'], '9.99');
    const { cart_id } = await fillIn(shop, checkout_id, { country: 'DE' });
    const params = { path: { cart_id } };
    await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', { params, body: { code: 'TEN' } });
    const { total } = await fillIn(shop, checkout_id, { country: 'DE' });
    const completed = await shop.storefront.POST('/api/storefront/checkout/{checkout_id}/complete', {
      params: { path: { checkout_id } },
      body: { expected_total: total },
    });
    const order_id = completed.data?.order.id ?? '';
    // A later change of the tax rates does not change the order.
    await shop.dashboard.PATCH('/api/dashboard/settings', { body: { default_tax_rate: '0', tax_rates: [] } });

    const { data: order } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}', {
      params: { path: { order_id } },
    });
    const cents = (amounts: (string | undefined)[]) =>
      amounts.reduce((sum, amount) => sum + Math.round(Number(amount) * 100), 0);
    const lines = order?.tax_lines ?? [];
    expect(lines.map(({ tax_class, rate, parts }) => [tax_class, rate, parts.length])).toEqual([
      ['standard', '0.19', 2],
      ['reduced', '0.07', 3],
      ['zero', '0', 2],
    ]);
    expect(lines[0]?.parts.map(({ line_item_id }) => line_item_id)).toEqual([order?.line_items[0]?.id, null]);
    expect(cents(lines.map(({ tax }) => tax))).toBe(cents([order?.tax]));
    expect(cents(lines.flatMap(({ parts }) => parts.map(({ tax }) => tax)))).toBe(cents([order?.tax]));
    const taxable = cents(lines.map(({ taxable_amount }) => taxable_amount));
    expect(taxable).toBe(cents([order?.subtotal, order?.shipping_cost]) - cents([order?.discount]));
    for (const { rate, parts } of lines) {
      for (const { taxable_amount, tax } of parts) {
        const [amount, share] = [cents([taxable_amount]), Number(rate)];
        expect(Math.abs(cents([tax]) - (amount * share) / (included ? 1 + share : 1))).toBeLessThanOrEqual(0.5);
      }
    }
  }
});

test('taxes shipping at the rate of a book, or at the standard rate if the shop has chosen that', async () => {
  const shop = await givenShop(true);
  const checkout_id = await givenCheckout(shop, ['reduced'], '21.40');
  // Tax included in 21.40 and 4.90: 7 % is 1.40 and 0.32, 19 % of the shipping is 0.78.
  expect(await fillIn(shop, checkout_id, { country: 'DE' })).toMatchObject({ tax: '1.72', total: '26.30' });

  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { shipping_tax: 'class' } });
  const { tax, total: expected_total } = await fillIn(shop, checkout_id, { country: 'DE' });
  expect(tax).toBe('2.18');
  const params = { path: { checkout_id } };
  const { data } = await shop.storefront.POST('/api/storefront/checkout/{checkout_id}/complete', {
    params,
    body: { expected_total },
  });
  const order = await shop.dashboard.GET('/api/dashboard/orders/{order_id}', {
    params: { path: { order_id: data?.order.id ?? '' } },
  });
  expect(order.data?.tax_lines.map(({ tax_class, rate, tax, parts }) => [tax_class, rate, tax, parts.length])).toEqual([
    ['reduced', '0.07', '1.40', 1],
    ['standard', '0.19', '0.78', 1],
  ]);
});

test('rejects tax rates with the same country, state and class, even if the state is spelled differently (422)', async () => {
  const { dashboard } = await openShop();
  const { error } = await dashboard.PATCH('/api/dashboard/settings', {
    body: {
      tax_rates: [
        { country: 'US', state: 'CA', rate: '0.0725' },
        { country: 'US', state: 'NV', rate: '0.0685' },
        { country: 'US', state: 'california', class: 'standard', rate: '0.08' },
      ],
    },
  });

  expect(error).toMatchObject({ detail: [{ loc: ['body', 'tax_rates', 2, 'country'], type: 'value_error' }] });
});

test('the tax class of a product can be read, changed, imported and exported, and integrations see changes', async () => {
  const { dashboard, storefront, sync, givenProduct } = await openShop();
  const book = await givenProduct({ name: 'Book', tax_class: 'reduced' });
  expect(book.tax_class).toBe('reduced');
  const { resume_cursor } = (await sync.GET('/api/sync/products')).data ?? {};

  const params = { path: { product_id: book.id } };
  await dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { tax_class: 'zero' } });
  const shown = await storefront.GET('/api/storefront/products/{id_or_slug}', {
    params: { path: { id_or_slug: 'book' } },
  });
  expect(shown.data?.tax_class).toBe('zero');
  // A change is reported only after all earlier transactions have ended.
  const told = async () => {
    const { data } = await sync.GET('/api/sync/products', { params: { query: { cursor: resume_cursor ?? '' } } });
    return data?.changes.at(-1)?.product?.tax_class;
  };
  await expect.poll(told, { timeout: 20_000 }).toBe('zero');

  const row = { name: 'Book', slug: 'book', price: '10.00' };
  const again = async (more: object) => {
    await dashboard.POST('/api/dashboard/products/import', { body: { products: [{ ...row, ...more }] } });
    const { data } = await dashboard.GET('/api/dashboard/products/{product_id}', { params });
    return data?.tax_class;
  };
  expect(await again({})).toBe('zero');
  expect(await again({ tax_class: 'reduced' })).toBe('reduced');
  const refused = await dashboard.PATCH('/api/dashboard/products/{product_id}', {
    params,
    body: { tax_class: 'No Tax' },
  });
  expect(refused.error).toMatchObject({ detail: [{ loc: ['body', 'tax_class'], type: 'string_pattern_mismatch' }] });
});
