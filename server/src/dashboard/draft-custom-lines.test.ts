import { createDashboardClient } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { givenVariant, ordersOf, stockOf } from '../../test/buying.ts';
import { documentsOf, givenSeller } from '../../test/invoices.ts';
import { mailsTo } from '../../test/mail.ts';
import { PaperBrowser } from '../../test/paper-browser.ts';
import { logIn } from '../../test/session.ts';
import { openShop } from '../../test/shop.ts';

const draftsPath = '/api/dashboard/draft-orders';
const draftPath = '/api/dashboard/draft-orders/{draft_order_id}';
const orderPath = '/api/dashboard/orders/{order_id}';
const checkoutPath = '/api/storefront/checkout/{checkout_id}';
const completePath = '/api/storefront/checkout/{checkout_id}/complete';

const ADDRESS = {
  ...{ first_name: 'June', last_name: 'Okafor', address1: 'Lindenallee 7' },
  ...{ city: 'Berlin', postal_code: '10115', country: 'DE' },
};
const WORKSHOP = { name: 'Workshop for two', quantity: 2, price: '50.00', tax_class: 'reduced' };

let count = 0;

/**
 * A shop with free delivery, prices that exclude tax (19 % and 7 % in Germany), and a product for 10.00 with ten in
 * stock.
 */
async function givenShop() {
  const shop = await openShop();
  const option = await shop.givenShippingOption({ name: 'Parcel', price: '0.00' });
  await shop.givenTerms({
    prices_include_tax: false,
    tax_rates: [
      { country: 'DE', rate: '0.19' },
      { country: 'DE', class: 'reduced', rate: '0.07' },
    ],
  });
  const { product, variant_id } = await givenVariant(shop, { price: '10.00', inventory_quantity: 10 });
  count += 1;
  const email = `custom-${process.pid}-${count}@example.com`;
  const create = async (lines: object[], input: object = {}) => {
    const body = { email, lines, shipping_address: ADDRESS, shipping_option_id: option.id, ...input } as never;
    const { data, error } = await shop.dashboard.POST(draftsPath, { body });
    if (!data) throw new Error(`The draft was refused: ${JSON.stringify(error)}`);
    return data;
  };
  const on = (draft_order_id: string) => ({ params: { path: { draft_order_id } } });
  const checkoutOf = async (draft_order_id: string) => {
    const { rows } = await shop.owner.query<{ checkout_id: string }>(
      'select checkout_id from commerce.draft_orders where id = $1',
      [draft_order_id],
    );
    return { path: { checkout_id: rows[0]?.checkout_id ?? '' } };
  };
  return {
    ...{ shop, product, variant_id, email, create, checkoutOf },
    send: (id: string) => shop.dashboard.POST(`${draftPath}/send`, on(id)),
    complete: (id: string) =>
      shop.dashboard.POST(`${draftPath}/complete`, { ...on(id), body: { payment_method: 'bank_transfer' } }),
    patch: (id: string, body: object) => shop.dashboard.PATCH(draftPath, { ...on(id), body }),
  };
}

async function detailsOf({ shop }: Awaited<ReturnType<typeof givenShop>>) {
  const [order] = await ordersOf(shop);
  const { data } = await shop.dashboard.GET(orderPath, { params: { path: { order_id: order?.id ?? '' } } });
  if (!data) throw new Error('There is no order.');
  return data;
}

test('a custom line is sold at its own price and tax class next to a product, and reserves no stock', async () => {
  const given = await givenShop();
  const { shop, product, variant_id, create, send, checkoutOf } = given;
  const draft = await create([{ variant_id, quantity: 1 }, WORKSHOP], { reserve: true });

  // The product costs 10.00 plus 19 % tax, and the custom line 100.00 plus 7 % tax.
  expect(draft).toMatchObject({
    ...{ subtotal: '110.00', tax: '8.90', total: '118.90', missing: ['payment_method'] },
    lines: [
      { variant_id, product_id: product.id, tax_class: 'standard', requires_shipping: true, has_own_price: false },
      {
        ...{ variant_id: null, product_id: null, name: 'Workshop for two', variant_name: null, sku: null },
        ...{ quantity: 2, price: '50.00', total: '100.00', tax_class: 'reduced', requires_shipping: true },
        ...{ has_own_price: true, available: true, image_url: null },
      },
    ],
  });
  expect((await send(draft.id)).data).toMatchObject({ status: 'sent', total: '118.90' });
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 1 });

  const params = await checkoutOf(draft.id);
  const chosen = await shop.storefront.PATCH(checkoutPath, { params, body: { payment_method: 'bank_transfer' } });
  const line_id = draft.lines[1]?.id;
  const items = [{ variant_id }, { id: line_id, variant_id: line_id, product_id: line_id, price: '50.00' }];
  expect(chosen.data).toMatchObject({ items, warnings: [], total: '118.90' });
  const { data } = await shop.storefront.POST(completePath, { params, body: {} });
  expect(data?.order.line_items).toMatchObject([{ variant_id }, { id: line_id, variant_id: null, product_id: null }]);

  const order = await detailsOf(given);
  expect(order).toMatchObject({
    ...{ total: '118.90', tax: '8.90' },
    line_items: [
      { variant_id, quantity: 1 },
      { id: line_id, variant_id: null, product_id: null, name: 'Workshop for two', price: '50.00', total: '100.00' },
    ],
    tax_lines: expect.arrayContaining([
      expect.objectContaining({ tax_class: 'reduced', rate: '0.07', taxable_amount: '100.00', tax: '7.00' }),
      expect.objectContaining({ tax_class: 'standard', rate: '0.19', taxable_amount: '10.00', tax: '1.90' }),
    ]),
  });
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 9, reserved: 0 });
  const after = await shop.storefront.GET(checkoutPath, { params });
  expect(after.data).toMatchObject({ status: 'completed', items });
});

test('the mail and the hosted checkout of a draft show a custom line, and the customer can accept the draft', async () => {
  const { shop, email, create, send } = await givenShop();
  const draft = await create([WORKSHOP]);
  const link = (await send(draft.id)).data?.checkout_url ?? '';
  const [mail] = await mailsTo(shop, email);
  expect(mail?.html).toContain('Workshop for two');

  const browser = new PaperBrowser(shop.baseUrl);
  const form = await browser.open(link);
  expect(form.html).toContain('Workshop for two');
  expect(form.html).toContain('107.00');
  const review = await browser.press(form, 'save', { payment_method: 'bank_transfer' });
  await browser.press(review, 'place_order');
  expect(await ordersOf(shop)).toMatchObject([{ total: '107.00', line_items: [{ variant_id: null, quantity: 2 }] }]);
});

test('an order of custom lines can be paid by card, invoiced with tax, shipped and refunded', async () => {
  const given = await givenShop();
  const { shop, create, send, checkoutOf } = given;
  await givenSeller(shop);
  const draft = await create([WORKSHOP]);
  await send(draft.id);
  const params = await checkoutOf(draft.id);
  await shop.storefront.PATCH(checkoutPath, { params, body: { payment_method: 'card' } });
  const payment = { card_token: 'tok_success' };
  const paid = await shop.storefront.POST(completePath, { params, body: { payment } });
  expect(paid.data?.order).toMatchObject({ payment_status: 'paid', total: '107.00' });

  const { id, line_items } = await detailsOf(given);
  const at = { params: { path: { order_id: id } } };
  const shipped = await shop.dashboard.POST(`${orderPath}/fulfillments`, { ...at, body: {} });
  expect(shipped.error).toBeUndefined();
  expect(await documentsOf(shop, id)).toMatchObject([{ kind: 'invoice', total: '107.00' }]);
  const line = { line_item_id: line_items[0]?.id ?? '', quantity: 1, restock: true };
  const refunded = await shop.dashboard.POST(`${orderPath}/refunds`, {
    ...at,
    body: { amount: '53.50', reason: 'other', line_items: [line] },
  });
  expect(refunded.error).toBeUndefined();
  expect((await detailsOf(given)).line_states).toMatchObject([
    { fulfilled: 2, refunded: 1, refundable_amount: '53.50' },
  ]);
});

test('custom lines without shipping need no delivery address, and their order is fulfilled once it is paid', async () => {
  const given = await givenShop();
  const { shop, create, complete } = given;
  const draft = await create([{ ...WORKSHOP, requires_shipping: false }], {
    ...{ shipping_address: null, billing_address: ADDRESS, shipping_option_id: null },
  });
  expect(draft).toMatchObject({ missing: ['payment_method'], lines: [{ requires_shipping: false }] });
  expect((await complete(draft.id)).data).toMatchObject({ status: 'completed', total: '107.00' });
  const { id } = await detailsOf(given);
  await shop.dashboard.POST(`${orderPath}/mark-paid`, { params: { path: { order_id: id } } });
  expect(await detailsOf(given)).toMatchObject({ payment_status: 'paid', fulfillment_status: 'fulfilled' });
});

test('several custom lines can have the same name, share the discount of the draft, and are replaced by an update', async () => {
  const { create, patch } = await givenShop();
  const engraving = { name: 'Engraving', quantity: 1, price: '10.00' };
  const discount = { type: 'percentage', value: '10' };
  const draft = await create([engraving, engraving], { discount });
  // 20.00 − 2.00 discount = 18.00, plus 19 % tax.
  expect(draft).toMatchObject({ subtotal: '20.00', discount_amount: '2.00', tax: '3.42', total: '21.42' });

  const changed = await patch(draft.id, { lines: [{ ...engraving, quantity: 3, tax_class: 'zero' }] });
  expect(changed.data).toMatchObject({
    ...{ subtotal: '30.00', tax: '0.00', total: '27.00' },
    lines: [{ quantity: 3, tax_class: 'zero' }],
  });
});

const VARIANT = '0192f3a0-5555-7000-8000-00000000dead';

test.each([
  ['a line without a variant and a name', { quantity: 1, price: '1.00' }, [['name']]],
  ['a custom line without a price', { name: 'Engraving', quantity: 1 }, [['price']]],
  ['an empty line', { quantity: 1 }, [['name'], ['price']]],
  ['a variant line with a name', { variant_id: VARIANT, name: 'Engraving', quantity: 1 }, [['name']]],
  ['a variant line with a tax class', { variant_id: VARIANT, tax_class: 'reduced', quantity: 1 }, [['tax_class']]],
  [
    'a variant line with requires_shipping',
    { variant_id: VARIANT, requires_shipping: false, quantity: 1 },
    [['requires_shipping']],
  ],
  ['an invalid tax class', { ...WORKSHOP, tax_class: 'Reduced rate' }, [['tax_class']]],
  ['a price with too many decimals', { ...WORKSHOP, price: '1.999' }, [['price']]],
  ['a negative price', { ...WORKSHOP, price: '-1.00' }, [['price']]],
  ['a blank name', { ...WORKSHOP, name: '   ' }, [['name']]],
])('rejects %s (422)', async (_what, line, fields) => {
  const { shop } = await givenShop();
  const { error } = await shop.dashboard.POST(draftsPath, { body: { lines: [line] } as never });
  expect(error).toMatchObject({
    error: 'validation_error',
    detail: fields.map((field) => ({ loc: ['body', 'lines', 0, ...field] })),
  });
  const { data } = await shop.dashboard.GET(draftsPath);
  expect(data?.total).toBe(0);
});

test('creating a custom line needs the scope orders:payments (403 insufficient_scope)', async () => {
  const { shop } = await givenShop();
  const { data } = await (await logIn(shop)).staff.POST('/api/dashboard/api-keys', {
    body: { description: 'Plain', scopes: ['write'] },
  });
  const plain = createDashboardClient({ baseUrl: shop.baseUrl, apiKey: data?.secret ?? '', maxAttempts: 1 });
  const { error } = await plain.POST(draftsPath, { body: { lines: [WORKSHOP] } });
  expect(error).toMatchObject({ error: 'insufficient_scope', scope: 'orders:payments' });
});
