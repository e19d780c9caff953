import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { documentsOf, givenSeller, issueAll, SELLER } from '../../test/invoices.ts';
import { openShop } from '../../test/shop.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';
import { issueDue } from '../shop/invoices/issue.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;

const GERMAN = {
  tax_rates: [
    { country: 'DE', rate: '0.19' },
    { country: 'DE', class: 'reduced', rate: '0.07' },
  ],
};

async function openTaxedShop(settings: Parameters<typeof givenSeller>[1] = {}, currency = 'EUR'): Promise<Shop> {
  const shop = await openShop({ currency });
  await shop.givenShippingOption({ price: currency === 'JPY' ? '490' : '4.90' });
  await shop.givenTerms(GERMAN);
  await givenSeller(shop, settings);
  return shop;
}

/** An order of two mugs, paid and shipped. */
async function givenShipped(shop: Shop, given: Parameters<Shop['givenOrder']>[0] = {}) {
  const order = await shop.givenOrder(given);
  const params = { path: { order_id: order.id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params });
  const { error } = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body: {} });
  expect(error).toBeUndefined();
  return order;
}

async function refund(
  shop: Shop,
  order_id: string,
  body: { amount: string; line_items?: { line_item_id: string; quantity: number }[] },
) {
  const { error } = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params: { path: { order_id } },
    body: { reason: 'other', ...body },
  });
  expect(error).toBeUndefined();
}

test('issues exactly one invoice for an order, once the whole order has shipped', async () => {
  const shop = await openTaxedShop();
  const order = await shop.givenOrder();
  const params = { path: { order_id: order.id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params });
  expect(await documentsOf(shop, order.id)).toEqual([]);

  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body: {} });
  const [invoice, ...others] = await documentsOf(shop, order.id);

  const year = new Date().getUTCFullYear();
  expect(invoice).toMatchObject({ kind: 'invoice', number: `INV-${year}-1`, total: order.total, invoice_number: null });
  expect(others).toEqual([]);
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-delivered', { params });
  expect(await documentsOf(shop, order.id)).toEqual([invoice]);
  const again = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/documents', { params });
  expect(again.data?.documents).toEqual([invoice]);
  expect(await documentsOf(shop, order.id)).toEqual([invoice]);
});

test('an invoice of an edited order charges the edited total, and the invoiced order cannot be edited (409)', async () => {
  const shop = await openTaxedShop();
  const mug = await shop.givenProduct({ price: '10.00', inventory_quantity: 10 });
  const path = { product_id: mug.id };
  const { data: product } = await shop.dashboard.GET('/api/dashboard/products/{product_id}', { params: { path } });
  const order = await shop.givenOrder({ content: [{ variant_id: product?.variants[0]?.id ?? '', quantity: 3 }] });
  const params = { path: { order_id: order.id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params });
  const change = [{ line_item_id: order.line_items[0]?.id ?? '', quantity: 2 }];
  const edit = (body: object) =>
    shop.dashboard.POST('/api/dashboard/orders/{order_id}/edit', { params, body: { change, ...body } });
  expect((await edit({ expected_total: '24.90' })).error).toBeUndefined();
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body: {} });

  expect(await documentsOf(shop, order.id)).toMatchObject([{ kind: 'invoice', total: '24.90' }]);
  await refund(shop, order.id, { amount: '10.00' });
  expect(await documentsOf(shop, order.id)).toMatchObject([{ kind: 'invoice', total: '24.90' }]);

  const early = await shop.givenOrder({ content: [{ variant_id: product?.variants[0]?.id ?? '', quantity: 3 }] });
  const at = { params: { path: { order_id: early.id } } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/documents', at);
  expect(await documentsOf(shop, early.id)).toHaveLength(1);
  const { error } = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/edit', {
    ...at,
    body: { change: [{ line_item_id: early.line_items[0]?.id ?? '', quantity: 1 }], dry_run: true },
  });
  expect(error).toMatchObject({ error: 'order_not_editable' });
});

test('issues no document if the seller is incomplete, and lists the missing fields (409 invoice_seller_missing)', async () => {
  const shop = await openShop();
  await shop.givenTerms(GERMAN);
  await shop.dashboard.PATCH('/api/dashboard/settings', {
    body: { invoicing: { ...SELLER, city: null, vat_id: null } },
  });
  const order = await givenShipped(shop);

  const { error } = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/documents', {
    params: { path: { order_id: order.id } },
  });

  expect(error).toMatchObject({ error: 'invoice_seller_missing', missing: ['city', 'vat_id'] });
  const { data } = await shop.dashboard.GET('/api/dashboard/settings');
  expect(data?.invoicing_missing).toEqual(['city', 'vat_id']);
  expect(await documentsOf(shop, order.id)).toEqual([]);
});

test('issues no invoice for an order without known tax rates (409 invoice_not_possible)', async () => {
  const shop = await openTaxedShop();
  const order = await shop.givenOrder();
  await shop.owner.query(sql`update commerce.order_lines set tax_rate = null where order_id = ${order.id}`);

  const { error } = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/documents', {
    params: { path: { order_id: order.id } },
  });

  expect(error).toMatchObject({ error: 'invoice_not_possible', reason: 'tax_unknown' });
  await inShopAsSystem(shop.db, shop.site_id, (inside) => issueDue(inside, order.id, { by_hand: true }));
  expect(await documentsOf(shop, order.id)).toEqual([]);
});

test('rejects a seller with an unknown country, a malformed VAT number, blank texts or a prefix with spaces (422)', async () => {
  const shop = await openShop();
  const blank = [{ legal_name: '  ' }, { city: '\u00a0' }, { tax_number: ' ' }, { small_business_note: ' ' }];
  for (const invoicing of [{ country: 'XX' }, { vat_id: '123456' }, { prefix: 'RE 1' }, ...blank]) {
    const { error } = await shop.dashboard.PATCH('/api/dashboard/settings', { body: { invoicing } });
    expect(error).toMatchObject({ detail: [{ loc: ['body', 'invoicing', Object.keys(invoicing)[0]] }] });
  }
});

test('rejects VAT in another currency without its rate, an unknown currency, and a rate of 0 (422)', async () => {
  const shop = await openShop();
  const whole = { vat_currency: 'CHF', vat_exchange_rate: '0.93', vat_exchange_rate_source: 'National bank' };
  for (const [field, value] of [
    ['vat_currency', null],
    ['vat_currency', 'XXQ'],
    ['vat_exchange_rate', null],
    ['vat_exchange_rate', '0.00'],
    ['vat_exchange_rate', '0,93'],
    ['vat_exchange_rate_source', null],
    ['vat_exchange_rate_source', ' '],
  ] as const) {
    const { error } = await shop.dashboard.PATCH('/api/dashboard/settings', {
      body: { invoicing: { ...whole, [field]: value } },
    });
    expect(error, `${field} ${value}`).toMatchObject({ detail: [{ loc: ['body', 'invoicing', field] }] });
  }
});

test('dates and numbers an invoice in the time zone of the shop', async () => {
  const shop = await openTaxedShop({ issue: 'by_hand' });
  // These two time zones never have the same date.
  for (const time_zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    await shop.dashboard.PATCH('/api/dashboard/settings', { body: { time_zone } });
    const order = await shop.givenOrder();
    await shop.dashboard.POST('/api/dashboard/orders/{order_id}/documents', {
      params: { path: { order_id: order.id } },
    });
    const [invoice] = await documentsOf(shop, order.id);
    const day = new Intl.DateTimeFormat('sv', { timeZone: time_zone }).format(new Date(invoice?.issued_at ?? ''));
    expect(invoice?.issued_on).toBe(day);
    expect(invoice?.number).toMatch(`INV-${day.slice(0, 4)}-`);
  }
});

test('numbers 16 invoices that are issued concurrently without a gap', async () => {
  const shop = await openTaxedShop({ issue: 'by_hand', prefix: 'R' });
  const { id: product_id } = await shop.givenProduct({ price: '10.00', inventory_quantity: 100 });
  const { data: product } = await shop.dashboard.GET('/api/dashboard/products/{product_id}', {
    params: { path: { product_id } },
  });
  const content = [{ variant_id: product?.variants[0]?.id ?? '', quantity: 1 }];
  const orders: string[] = [];
  for (let count = 0; count < 16; count += 1) orders.push((await shop.givenOrder({ content })).id);

  const issue = (id: string) =>
    inShopAsSystem(shop.db, shop.site_id, (inside) => issueDue(inside, id, { by_hand: true }));
  // Requests the invoice of each order twice, so that two calls compete for one invoice.
  await Promise.all([...orders, ...orders].map(issue));

  const { rows } = await shop.owner.query<{ number: string }>(
    sql`select number from commerce.documents where site_id = ${shop.site_id}`,
  );
  const year = new Date().getUTCFullYear();
  const expected = Array.from({ length: 16 }, (_, i) => `R${year}-${i + 1}`);
  expect(rows.map(({ number }) => number).toSorted()).toEqual(expected.toSorted());
}, 60_000);

test('a job that fails after assigning a document number leaves no gap in the numbers and no partial document', async () => {
  const shop = await openTaxedShop({ issue: 'by_hand' });
  const [first, second] = [await shop.givenOrder(), await shop.givenOrder()];
  const failing = inShopAsSystem(shop.db, shop.site_id, async (inside) => {
    await issueDue(inside, first.id, { by_hand: true });
    throw new Error('The process ended here.');
  });
  await expect(failing).rejects.toThrow('The process ended here.');

  expect(await documentsOf(shop, first.id)).toEqual([]);
  await inShopAsSystem(shop.db, shop.site_id, (inside) => issueDue(inside, second.id, { by_hand: true }));
  await inShopAsSystem(shop.db, shop.site_id, (inside) => issueDue(inside, first.id, { by_hand: true }));

  const year = new Date().getUTCFullYear();
  expect((await documentsOf(shop, second.id)).map(({ number }) => number)).toEqual([`INV-${year}-1`]);
  expect((await documentsOf(shop, first.id)).map(({ number }) => number)).toEqual([`INV-${year}-2`]);
});

test('credits refunded goods once at their tax rate, and all credit notes add up to the invoice to the cent', async () => {
  const shop = await openTaxedShop();
  const mug = await shop.givenProduct({ name: 'Mug', price: '10.00' });
  const book = await shop.givenProduct({ name: 'Book', price: '7.00', tax_class: 'reduced' });
  const order = await givenShipped(shop, {
    content: [
      { variant_id: mug.variants[0]?.id ?? '', quantity: 2 },
      { variant_id: book.variants[0]?.id ?? '', quantity: 1 },
    ],
  });
  const [invoice] = await documentsOf(shop, order.id);
  const line = order.line_items.find(({ name }) => name === 'Book');

  await refund(shop, order.id, { amount: '7.00', line_items: [{ line_item_id: line?.id ?? '', quantity: 1 }] });
  const [, credit, ...none] = await documentsOf(shop, order.id);

  // A gross amount of 7.00 at 7 % contains 0.46 of tax.
  expect(credit).toMatchObject({ kind: 'credit_note', total: '7.00', tax: '0.46', invoice_number: invoice?.number });
  expect(credit?.taxes).toEqual([{ rate: '0.07', net: '6.54', tax: '0.46' }]);
  expect(none).toEqual([]);
  await inShopAsSystem(shop.db, shop.site_id, (inside) => issueDue(inside, order.id));
  expect(await documentsOf(shop, order.id)).toHaveLength(2);
  const rest = (Number(order.total) - 7).toFixed(2);
  await refund(shop, order.id, { amount: rest });
  const all = await documentsOf(shop, order.id);
  const cents = (kind: string, field: 'net' | 'tax' | 'total') =>
    all.filter((one) => one.kind === kind).reduce((sum, one) => sum + Math.round(Number(one[field]) * 100), 0);
  for (const field of ['net', 'tax', 'total'] as const)
    expect(cents('credit_note', field)).toBe(cents('invoice', field));
});

test('issues no credit note for a refund before the invoice, which then charges the total minus the refund', async () => {
  const shop = await openTaxedShop();
  const order = await shop.givenOrder();
  const params = { path: { order_id: order.id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params });
  await refund(shop, order.id, { amount: '2.00' });
  expect(await documentsOf(shop, order.id)).toEqual([]);

  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body: {} });

  const documents = await documentsOf(shop, order.id);
  expect(documents.map(({ kind, total }) => [kind, total])).toEqual([
    ['invoice', (Number(order.total) - 2).toFixed(2)],
  ]);
});

test('issues a credit note for an invoiced order that is cancelled before it is paid', async () => {
  const shop = await openTaxedShop({ issue: 'by_hand' });
  const order = await shop.givenOrder();
  const params = { path: { order_id: order.id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/documents', { params });
  await issueAll(shop);

  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', { params, body: { reason: 'customer' } });

  const documents = await documentsOf(shop, order.id);
  expect(documents.map(({ kind, total }) => [kind, total])).toEqual([
    ['invoice', order.total],
    ['credit_note', order.total],
  ]);
});

test('issues no document when an invoiced order is paid or disputed', async () => {
  const shop = await openTaxedShop({ issue: 'by_hand' });
  const order = await shop.givenOrder();
  const params = { path: { order_id: order.id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/documents', { params });
  const [invoice] = await documentsOf(shop, order.id);

  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params });
  await shop.owner.query(sql`update commerce.orders set disputed = total, updated_at = now() where id = ${order.id}`);

  expect(await documentsOf(shop, order.id)).toEqual([invoice]);
  await shop.owner.query(sql`update commerce.orders set disputed = 0 where id = ${order.id}`);
});

test.each([
  { currency: 'EUR', price: '9.99', included: true },
  { currency: 'EUR', price: '9.99', included: false },
  { currency: 'JPY', price: '999', included: true },
  { currency: 'JPY', price: '999', included: false },
  { currency: 'KWD', price: '9.999', included: true },
  { currency: 'KWD', price: '9.999', included: false },
])(
  'the amounts of a document add up by tax rate with discount and shipping in $currency (tax included: $included)',
  async ({ currency, price, included }) => {
    const shop = await openTaxedShop({ issue: 'by_hand' }, currency);
    await shop.dashboard.PATCH('/api/dashboard/settings', { body: { prices_include_tax: included } });
    await shop.givenDiscount({ code: 'TEN' });
    const products = [
      await shop.givenProduct({ price, inventory_quantity: 10 }),
      await shop.givenProduct({ price, tax_class: 'reduced', inventory_quantity: 10 }),
    ];
    const cart = await shop.givenCart(
      products.map(({ variants }) => ({ variant_id: variants[0]?.id ?? '', quantity: 3 })),
    );
    const params = { path: { cart_id: cart.id } };
    const { error } = await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', {
      params,
      body: { code: 'TEN' },
    });
    expect(error).toBeUndefined();
    const order = await shop.givenOrder({ cart_id: cart.id });
    await shop.dashboard.POST('/api/dashboard/orders/{order_id}/documents', {
      params: { path: { order_id: order.id } },
    });

    const [invoice] = await documentsOf(shop, order.id);

    const digits = { EUR: 2, JPY: 0, KWD: 3 }[currency] ?? 2;
    const minor = (amount: string) => Math.round(Number(amount) * 10 ** digits);
    const sum = (field: 'net' | 'tax') => (invoice?.taxes ?? []).reduce((all, tax) => all + minor(tax[field]), 0);
    expect(invoice).toMatchObject({ total: order.total, tax: order.tax, currency });
    expect(invoice?.taxes).toHaveLength(2);
    expect(sum('net')).toBe(minor(order.total) - minor(order.tax));
    expect(sum('tax')).toBe(minor(order.tax));
    expect(invoice?.formats).toEqual(digits > 2 ? ['pdf'] : ['pdf', 'xml']);
  },
);

test('the database role of the server cannot change or delete a document', async () => {
  const shop = await openTaxedShop({ issue: 'by_hand' });
  const order = await shop.givenOrder();
  await inShopAsSystem(shop.db, shop.site_id, (inside) => issueDue(inside, order.id, { by_hand: true }));
  for (const change of [
    sql`update documents set number = 'X' where order_id = ${order.id}`,
    sql`delete from documents where order_id = ${order.id}`,
  ]) {
    const attempt = inShopAsSystem(shop.db, shop.site_id, (inside) => inside.run(change));
    await expect(attempt).rejects.toThrow('permission denied');
  }
});

test('anonymising a customer keeps their documents, and returns the number of kept documents', async () => {
  const shop = await openTaxedShop({ issue: 'by_hand' });
  const customer = await shop.givenCustomer();
  const order = await givenShipped(shop, { email: customer.email, client: customer.client });
  const params = { path: { order_id: order.id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/documents', { params });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-delivered', { params });
  const before = await documentsOf(shop, order.id);

  const { data, error } = await shop.dashboard.POST('/api/dashboard/customers/{customer_id}/anonymize', {
    params: { path: { customer_id: customer.id } },
  });

  expect(error).toBeUndefined();
  expect(data).toMatchObject({ documents_kept: 1 });
  expect(await documentsOf(shop, order.id)).toEqual(before);
  expect(before).toMatchObject([{ buyer_name: 'June Okafor' }]);
});
