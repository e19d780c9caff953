import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const SUGGESTION = '/api/dashboard/orders/{order_id}/refunds/suggestion';
const REFUNDS = '/api/dashboard/orders/{order_id}/refunds';

/** A paid order for three pieces of 10.00 plus 19 % tax, with 10.00 off and 4.90 for the parcel. */
async function givenPaidOrder(quantity = 3) {
  const shop = await openShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', {
    body: { prices_include_tax: false, tax_rates: [{ country: 'DE', rate: '0.19' }] },
  });
  await shop.givenDiscount();
  const product = await shop.givenProduct({ price: '10.00' });
  const cart = await shop.givenCart([{ variant_id: product.variants[0]?.id ?? '', quantity }]);
  await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', {
    params: { path: { cart_id: cart.id } },
    body: { code: 'TEN' },
  });
  const order = await shop.givenOrder({ cart_id: cart.id });
  const at = { params: { path: { order_id: order.id } } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', at);
  const line_item_id = order.line_items[0]?.id ?? '';
  return {
    shop,
    order,
    suggest: (pieces: number, more: object = {}) =>
      shop.dashboard.POST(SUGGESTION, { ...at, body: { line_items: [{ line_item_id, quantity: pieces }], ...more } }),
    refund: (amount: string, pieces: number, more: object = {}) =>
      shop.dashboard.POST(REFUNDS, {
        ...at,
        body: { amount, reason: 'customer', line_items: [{ line_item_id, quantity: pieces }], ...more },
      }),
  };
}

test('the suggested refunds of all items add up to the charged amount, including tax and discounts', async () => {
  const { order, suggest, refund } = await givenPaidOrder();
  // (30.00 − 10.00) × 1.19 = 23.80, and 4.90 × 1.19 = 5.83 for the parcel.
  expect(order.total).toBe('29.63');

  const amounts: string[] = [];
  for (let piece = 0; piece < 3; piece += 1) {
    const { data } = await suggest(1);
    amounts.push(`${data?.lines[0]?.amount} ${data?.lines[0]?.tax}`);
    expect(data).toMatchObject({ amount: data?.lines[0]?.amount, shipping: '0.00', fee: '0.00', currency: 'EUR' });
    await refund(data?.amount ?? '', 1);
  }

  expect(amounts).toEqual(['7.93 1.27', '7.94 1.26', '7.93 1.27']);
});

test('a suggested refund adds shipping, subtracts the fee, and never exceeds the refundable amount', async () => {
  const { order, suggest, refund } = await givenPaidOrder();

  const whole = await suggest(3, { shipping: 'all' });
  const part = await suggest(3, { shipping: '2.00', fee: '1.50' });
  await refund('20.00', 1);
  const rest = await suggest(2, { shipping: 'all' });

  expect(whole.data).toMatchObject({ amount: order.total, shipping: '5.83', refundable: order.total });
  expect(part.data).toMatchObject({ amount: '24.30', shipping: '2.00', fee: '1.50' });
  expect(rest.data).toMatchObject({ amount: '9.63', refundable: '9.63' });
});

test('the shipping amounts of all refunds together cannot exceed the shipping cost (422)', async () => {
  const { suggest, refund } = await givenPaidOrder();

  const first = await refund('9.93', 1, { shipping: '2.00' });
  const exceeding = await refund('12.00', 1, { shipping: '4.00' });
  const above = await refund('1.00', 1, { shipping: '2.00' });
  const answers = await Promise.all(Array.from({ length: 6 }, () => refund('2.00', 1, { shipping: '2.00' })));

  expect(first.data?.refund).toMatchObject({ amount: '9.93', shipping: '2.00', return_id: null });
  expect([exceeding, above].map(({ response }) => response.status)).toEqual([422, 422]);
  expect(answers.filter(({ data }) => data)).toHaveLength(1);
  expect((await suggest(1, { shipping: 'all' })).data).toMatchObject({ shipping: '1.83' });
  expect((await suggest(1, { shipping: '1.84' })).error).toMatchObject({ detail: [{ loc: ['body', 'shipping'] }] });
});

test('rejects a suggestion for more items than the line has (422), or for an unknown line or order (404)', async () => {
  const { shop, order, suggest } = await givenPaidOrder();
  const elsewhere = await openShop();
  const foreign = await elsewhere.givenOrder();

  const line = await shop.dashboard.POST(SUGGESTION, {
    params: { path: { order_id: order.id } },
    body: { line_items: [{ line_item_id: foreign.line_items[0]?.id ?? '', quantity: 1 }] },
  });
  const unknown = await shop.dashboard.POST(SUGGESTION, {
    params: { path: { order_id: foreign.id } },
    body: { line_items: [] },
  });

  expect((await suggest(4)).response.status).toBe(422);
  expect([line.response.status, unknown.response.status]).toEqual([404, 404]);
});
