import { expect, test } from 'vitest';
import { ordersOf, stockOf } from '../../test/buying.ts';
import { documentsOf, givenSeller } from '../../test/invoices.ts';
import { openShop } from '../../test/shop.ts';
import { matched, moveToEu, withdraw } from '../../test/withdrawals.ts';

const draftsPath = '/api/dashboard/draft-orders';
const orderPath = '/api/dashboard/orders/{order_id}';

const ADDRESS = {
  ...{ first_name: 'June', last_name: 'Okafor', address1: 'Lindenallee 7' },
  ...{ city: 'Berlin', postal_code: '10115', country: 'DE' },
};
const ENGRAVING = { name: 'Engraving', quantity: 2, price: '50.00', tax_class: 'reduced' };

/**
 * A shop in Germany with free delivery, and a draft of these lines. Prices exclude tax: 19 %, or 7 % for the class
 * `reduced`.
 */
async function givenDraft(lines: object[], input: object = {}) {
  const shop = await openShop();
  await moveToEu(shop);
  const option = await shop.givenShippingOption({ name: 'Parcel', price: '0.00' });
  const tax_rates = [
    { country: 'DE', rate: '0.19' },
    { country: 'DE', class: 'reduced', rate: '0.07' },
  ];
  await shop.givenTerms({ prices_include_tax: false, tax_rates });
  const email = `custom-${crypto.randomUUID()}@example.com`;
  const body = { email, lines, shipping_address: ADDRESS, shipping_option_id: option.id, ...input } as never;
  const { data: draft, error } = await shop.dashboard.POST(draftsPath, { body });
  if (!draft) throw new Error(`The draft was refused: ${JSON.stringify(error)}`);
  return { shop, draft, email };
}

/** The order of a completed draft, paid by bank transfer. */
async function givenOrder(lines: object[], input: object = {}) {
  const { shop, draft, email } = await givenDraft(lines, input);
  const params = { path: { draft_order_id: draft.id } };
  await shop.dashboard.POST(`${draftsPath}/{draft_order_id}/complete`, {
    params,
    body: { payment_method: 'bank_transfer' },
  });
  const [order] = await ordersOf(shop);
  if (!order) throw new Error('There is no order.');
  const at = { params: { path: { order_id: order.id } } };
  await shop.dashboard.POST(`${orderPath}/mark-paid`, at);
  const edit = async (line_item_id: string | null | undefined, quantity: number) => {
    const change = [{ line_item_id: line_item_id ?? '', quantity }];
    const dry = await shop.dashboard.POST(`${orderPath}/edit`, { ...at, body: { change, dry_run: true } });
    const expected_total = dry.data?.expected_total;
    if (expected_total === undefined) return dry;
    return shop.dashboard.POST(`${orderPath}/edit`, { ...at, body: { change, expected_total } });
  };
  return { shop, order, email, at, edit };
}

test('an edit can increase and reduce the quantity of a custom line, at its price and tax rate', async () => {
  const { order, edit } = await givenOrder([ENGRAVING]);
  const [line] = order.line_items;
  // Three pieces cost 150.00 plus 7 % tax.
  const more = await edit(line?.id, 3);
  expect(more.data?.order).toMatchObject({
    ...{ total: '160.50', tax: '10.50', amount_due: '53.50' },
    line_items: [{ id: line?.id, variant_id: null, quantity: 3, total: '150.00' }],
  });
  const less = await edit(line?.id, 1);
  expect(less.data?.order).toMatchObject({ total: '53.50', refund_due: '53.50', line_items: [{ quantity: 1 }] });
});

test('an edit that adds items to a discounted custom line adds a line without the discount, whose quantity can grow too', async () => {
  const discount = { type: 'percentage', value: '10' };
  const { shop, order, at, edit } = await givenOrder([{ ...ENGRAVING, withdrawal_exempt: 'custom_made' }], {
    discount,
  });
  await givenSeller(shop);
  expect(order.total).toBe('96.30');
  const { data } = await edit(order.line_items[0]?.id, 3);
  // 100.00 − 10.00 discount + 50.00 for the added piece = 140.00, plus 7 % tax.
  expect(data?.order).toMatchObject({
    total: '149.80',
    line_items: [{ quantity: 2 }, { quantity: 1, name: 'Engraving', variant_id: null, product_id: null }],
  });
  const grown = await edit(data?.order.line_items[1]?.id, 2);
  expect(grown.data?.order).toMatchObject({ total: '203.30', line_items: [{ quantity: 2 }, { quantity: 2 }] });
  await shop.dashboard.POST(`${orderPath}/fulfillments`, { ...at, body: {} });
  expect(await documentsOf(shop, order.id)).toMatchObject([{ kind: 'invoice', total: '203.30', tax: '13.30' }]);
});

test('a custom line keeps its withdrawal exemption after an edit, and a withdrawal shows the exemption', async () => {
  const lines = [
    { ...ENGRAVING, withdrawal_exempt: 'custom_made' },
    { ...ENGRAVING, name: 'Gift box' },
  ];
  const { shop, order, email, edit } = await givenOrder(lines);
  const { data: drafts } = await shop.dashboard.GET(draftsPath);
  const { data: draft } = await shop.dashboard.GET(`${draftsPath}/{draft_order_id}`, {
    params: { path: { draft_order_id: drafts?.draft_orders[0]?.id ?? '' } },
  });
  expect(draft?.lines).toMatchObject([{ withdrawal_exempt: 'custom_made' }, { withdrawal_exempt: 'none' }]);
  await edit(order.line_items[0]?.id, 3);

  await withdraw(shop, { email, contract: order.order_number ?? '', note: '' });
  expect((await matched(shop)).at(-1)).toMatchObject({
    lines: [
      { name: 'Engraving', quantity: 3, exempt: 'custom_made' },
      { name: 'Gift box', quantity: 2, exempt: 'none' },
    ],
  });
});

test('without the consent to digital delivery, the right of withdrawal includes a digital custom line', async () => {
  const pattern = { ...ENGRAVING, name: 'Pattern on a USB stick', withdrawal_exempt: 'digital' };
  const { shop, order, email } = await givenOrder([pattern]);
  const { rows } = await shop.owner.query<{ checkout_id: string }>(
    'select checkout_id from commerce.draft_orders where site_id = $1',
    [shop.site_id],
  );
  const params = { path: { checkout_id: rows[0]?.checkout_id ?? '' } };
  const { data } = await shop.storefront.GET('/api/storefront/checkout/{checkout_id}', { params });
  expect(data).toMatchObject({ status: 'completed', has_digital_goods: true });
  await withdraw(shop, { email, contract: order.order_number ?? '', note: '' });
  expect((await matched(shop)).at(-1)).toMatchObject({ lines: [{ exempt: 'none' }] });
});

test("has_digital_goods of a draft's checkout is true for a digital custom line and false for a custom-made one", async () => {
  for (const [withdrawal_exempt, has_digital_goods] of [
    ['digital', true],
    ['custom_made', false],
  ] as const) {
    const { shop, draft } = await givenDraft([{ ...ENGRAVING, withdrawal_exempt }]);
    await shop.dashboard.POST(`${draftsPath}/{draft_order_id}/send`, {
      params: { path: { draft_order_id: draft.id } },
    });
    const { rows } = await shop.owner.query<{ checkout_id: string }>(
      'select checkout_id from commerce.draft_orders where id = $1',
      [draft.id],
    );
    const params = { path: { checkout_id: rows[0]?.checkout_id ?? '' } };
    const { data } = await shop.storefront.GET('/api/storefront/checkout/{checkout_id}', { params });
    expect(data).toMatchObject({ has_digital_goods });
  }
});

test('the withdrawal period of a service sold as a custom line begins with the order, so a withdrawal after 20 days is late', async () => {
  const service = { ...ENGRAVING, name: 'Workshop', requires_shipping: false };
  const input = { shipping_address: null, billing_address: ADDRESS, shipping_option_id: null };
  const { shop, order, email } = await givenOrder([service], input);
  await shop.owner.query(`update commerce.orders set created_at = created_at - interval '20 days' where id = $1`, [
    order.id,
  ]);
  await withdraw(shop, { email, contract: order.order_number ?? '', note: '' });
  expect((await matched(shop)).at(-1)).toMatchObject({ order_id: order.id, late: true });
});

test('without proof of delivery, the withdrawal period of a custom line with shipping does not begin', async () => {
  const { shop, order, email } = await givenOrder([ENGRAVING]);
  await shop.owner.query(`update commerce.orders set created_at = created_at - interval '20 days' where id = $1`, [
    order.id,
  ]);
  await withdraw(shop, { email, contract: order.order_number ?? '', note: '' });
  expect((await matched(shop)).at(-1)).toMatchObject({ order_id: order.id, late: false });
});

test('rejects withdrawal_exempt for a line with a variant (422)', async () => {
  const shop = await openShop();
  const product = await shop.givenProduct({ price: '10.00' });
  const line = { variant_id: product.variants[0]?.id ?? '', quantity: 1, withdrawal_exempt: 'custom_made' as const };
  const { error } = await shop.dashboard.POST(draftsPath, { body: { lines: [line] } });
  expect(error).toMatchObject({
    error: 'validation_error',
    detail: [
      { loc: ['body', 'lines', 0, 'withdrawal_exempt'], msg: 'Only for a custom line. Remove it or variant_id.' },
    ],
  });
});

test('a shipped custom line can be returned and refunded, and is not restocked', async () => {
  const { shop, order, at } = await givenOrder([ENGRAVING]);
  await shop.dashboard.POST(`${orderPath}/fulfillments`, { ...at, body: {} });
  const line_item_id = order.line_items[0]?.id ?? '';
  const { data: made } = await shop.dashboard.POST('/api/dashboard/returns', {
    body: { order_id: order.id, lines: [{ line_item_id, quantity: 1, reason: 'damaged' }] },
  });
  const params = { path: { return_id: made?.id ?? '' } };
  const received = await shop.dashboard.POST('/api/dashboard/returns/{return_id}/receive', {
    params,
    body: { lines: [{ id: made?.lines[0]?.id ?? '', quantity: 1, condition: 'resellable' }] },
  });
  expect(received.data?.lines).toMatchObject([{ received_quantity: 1, restocked: 0 }]);
  const refunded = await shop.dashboard.POST('/api/dashboard/returns/{return_id}/refund', { params, body: {} });
  expect(refunded.data?.refund).toMatchObject({ amount: '53.50' });
});

test('an expired order with a custom line can be reinstated after its payment has been recorded', async () => {
  const { shop, draft } = await givenDraft([ENGRAVING]);
  const params = { path: { draft_order_id: draft.id } };
  await shop.dashboard.POST(`${draftsPath}/{draft_order_id}/complete`, {
    params,
    body: { payment_method: 'bank_transfer' },
  });
  const [order] = await ordersOf(shop);
  const at = { params: { path: { order_id: order?.id ?? '' } } };
  await shop.owner.query(`update commerce.orders set payment_due_at = now() - interval '40 days' where id = $1`, [
    order?.id,
  ]);
  const paid = await shop.dashboard.POST(`${orderPath}/payments`, { ...at, body: { amount: '107.00' } });
  expect(paid.data?.order).toMatchObject({ payment_status: 'expired' });
  const { data } = await shop.dashboard.POST(`${orderPath}/reinstate`, { ...at, body: {} });
  expect(data).toMatchObject({ status: 'confirmed', payment_status: 'paid' });
});

test('cancelling an order with a custom line and a product restocks only the product', async () => {
  const shop = await openShop();
  const option = await shop.givenShippingOption({ name: 'Parcel', price: '0.00' });
  await shop.givenTerms();
  const product = await shop.givenProduct({ price: '10.00', inventory_quantity: 10 });
  const lines = [{ variant_id: product.variants[0]?.id ?? '', quantity: 3 }, ENGRAVING];
  const { data: draft } = await shop.dashboard.POST(draftsPath, {
    body: { email: 'june@example.com', lines, shipping_address: ADDRESS, shipping_option_id: option.id },
  });
  const params = { path: { draft_order_id: draft?.id ?? '' } };
  await shop.dashboard.POST(`${draftsPath}/{draft_order_id}/complete`, {
    params,
    body: { payment_method: 'bank_transfer' },
  });
  expect(await stockOf(shop, product.id)).toMatchObject({ on_hand: 7 });
  const [order] = await ordersOf(shop);
  const cancelled = await shop.dashboard.POST(`${orderPath}/cancel`, {
    params: { path: { order_id: order?.id ?? '' } },
    body: { reason: 'customer' },
  });
  expect(cancelled.error).toBeUndefined();
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 0 });
});

test('eight parallel edits of a custom line to the same quantity apply once', async () => {
  const { shop, order, at } = await givenOrder([ENGRAVING]);
  const change = [{ line_item_id: order.line_items[0]?.id ?? '', quantity: 3 }];
  const body = { change, expected_total: '160.50' };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => shop.dashboard.POST(`${orderPath}/edit`, { ...at, body })),
  );
  expect(answers.every(({ data }) => data?.expected_total === '160.50')).toBe(true);
  const { data } = await shop.dashboard.GET(orderPath, at);
  expect(data).toMatchObject({ total: '160.50', amount_due: '53.50', line_items: [{ quantity: 3 }] });
});
