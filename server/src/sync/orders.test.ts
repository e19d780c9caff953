import { createSyncClient, unwrap } from '@commerce-backend/sdk';
import type { SyncOrderInput } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { stockOf } from '../../test/buying.ts';
import { mailsTo } from '../../test/mail.ts';
import { openShop } from '../../test/shop.ts';

const orders = '/api/sync/orders';
const order = '/api/sync/orders/{sync_order_id}';

let count = 0;

/** Builds a bank transfer order, by default for one item. */
function orderFor(sku: string, price: string, more: Partial<SyncOrderInput> = {}): SyncOrderInput {
  count += 1;
  return {
    reference: `widget-${count}`,
    payment: 'bank_transfer',
    currency: 'EUR',
    line_items: [{ name: 'Mug', sku, quantity: 1, price, total: price }],
    shipping_address: { country: 'DE' },
    ...more,
  };
}

/** Opens a shop that accepts bank transfers, ships for 4.90, and has ten mugs at 14.00. */
async function givenShop() {
  const shop = await openShop();
  await shop.givenTerms();
  const mug = await shop.givenProduct({ name: 'Mug', sku: 'MUG', price: '14.00', inventory_quantity: 10 });
  return { ...shop, mug, variant_id: mug.variants[0]?.id ?? '' };
}

test('creates a bank transfer order that awaits payment, and deducts its items from the stock immediately', async () => {
  const shop = await givenShop();
  const { sync, mug, variant_id } = shop;
  const email = `june-${shop.site_id}@example.com`;
  const line = { name: 'A mug', variant_id, quantity: 2, price: '14.00', total: '28.00' };

  const made = await unwrap(
    sync.POST(orders, {
      body: orderFor('MUG', '14.00', { reference: 'w-1', line_items: [line], subtotal: '28', total: '32.90', email }),
    }),
  );

  expect(made).toMatchObject({
    reference: 'w-1',
    status: 'placed',
    payment: 'bank_transfer',
    checkout_url: null,
    checkout_expires_at: null,
    payment_instructions: { iban: 'DE89370400440532013000', reference: '1001', amount: '32.90' },
    order: {
      order_number: '1001',
      source: 'ai_widget',
      status: 'pending',
      payment_status: 'awaiting_payment',
      payment_method: 'bank_transfer',
      subtotal: '28.00',
      shipping_cost: '4.90',
      total: '32.90',
      shipping_method: 'Parcel',
      customer_id: null,
      email,
      line_items: [
        { name: 'Mug', variant_id, product_id: mug.id, sku: 'MUG', quantity: 2, price: '14.00', total: '28.00' },
      ],
    },
  });
  expect(await stockOf(shop, mug.id)).toEqual({ on_hand: 8, reserved: 0 });
  expect((await mailsTo(shop, email)).map(({ subject }) => subject)).toEqual([expect.stringContaining('1001')]);
  const { data } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}/timeline', {
    params: { path: { order_id: made.order?.id ?? '' } },
  });
  expect(data?.entries).toMatchObject([
    { type: 'created', actor_type: 'sync', message: 'Ordered with the AI widget.' },
  ]);
});

test('an order created with the sync API is found by id, by reference and in the list', async () => {
  const { sync, dashboard } = await givenShop();
  const first = await unwrap(sync.POST(orders, { body: orderFor('MUG', '14.00') }));
  const second = await unwrap(sync.POST(orders, { body: orderFor('MUG', '14.00', { reference: 'ä/1 2' }) }));

  const read = (sync_order_id: string) => unwrap(sync.GET(order, { params: { path: { sync_order_id } } }));
  expect(await read(first.id)).toEqual(first);
  const named = await unwrap(sync.GET(orders, { params: { query: { reference: 'ä/1 2' } } }));
  expect(named).toEqual({ orders: [second], next_cursor: null });
  const none = await unwrap(sync.GET(orders, { params: { query: { reference: 'none' } } }));
  expect(none).toEqual({ orders: [], next_cursor: null });
  const page = await unwrap(sync.GET(orders, { params: { query: { limit: 1 } } }));
  expect(page.orders).toEqual([second]);
  const rest = await unwrap(sync.GET(orders, { params: { query: { cursor: page.next_cursor ?? '' } } }));
  expect(rest).toEqual({ orders: [first], next_cursor: null });

  const params = { path: { order_id: first.order?.id ?? '' } };
  await unwrap(dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params }));
  expect(await read(first.id)).toMatchObject({ order: { payment_status: 'paid' }, payment_instructions: null });
});

test('shows the merchant the reference that an integration gave an order, and finds the order by it', async () => {
  const { sync, dashboard } = await givenShop();
  const made = await unwrap(sync.POST(orders, { body: orderFor('MUG', '14.00', { reference: 'Widget/77-a' }) }));
  const order_id = made.order?.id ?? '';
  const found = await unwrap(dashboard.GET('/api/dashboard/orders', { params: { query: { q: 'widget/77' } } }));
  expect(found.orders.map(({ id }) => id)).toEqual([order_id]);
  const read = await unwrap(dashboard.GET('/api/dashboard/orders/{order_id}', { params: { path: { order_id } } }));
  expect(read.external_reference).toBe('Widget/77-a');
});

test('reserves stock for a hosted checkout that a person can complete at its URL', async () => {
  const shop = await givenShop();
  const { sync, storefront, mug } = shop;
  const option = await shop.givenTerms();
  const body = orderFor('MUG', '14.00', { payment: 'hosted_checkout', email: 'june@example.com', subtotal: '14.00' });

  const handed = await unwrap(sync.POST(orders, { body }));

  expect(handed).toMatchObject({ status: 'awaiting_checkout', order: null, payment_instructions: null });
  expect(handed.checkout_url).toMatch(/\/checkout\/chk_\w{38}$/);
  expect(Date.parse(handed.checkout_expires_at ?? '')).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  expect(await stockOf(shop, mug.id)).toEqual({ on_hand: 10, reserved: 1 });
  expect((await fetch((handed.checkout_url ?? '').replace('http://localhost', shop.baseUrl))).status).toBe(200);

  const { rows } = await shop.owner.query(sql`select checkout_id from commerce.sync_orders where id = ${handed.id}`);
  const params = { path: { checkout_id: rows[0].checkout_id } };
  const address = {
    last_name: 'Okafor',
    address1: 'Lindenallee 7',
    city: 'Berlin',
    postal_code: '10115',
    country: 'DE',
  };
  await unwrap(
    storefront.PATCH('/api/storefront/checkout/{checkout_id}', {
      params,
      body: { shipping_address: address, shipping_option_id: option.id, payment_method: 'bank_transfer' },
    }),
  );
  await unwrap(storefront.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} }));

  const path = { sync_order_id: handed.id };
  const made = await unwrap(sync.GET(order, { params: { path } }));
  expect(made).toMatchObject({
    status: 'placed',
    checkout_url: null,
    order: { source: 'ai_widget', payment_status: 'awaiting_payment' },
  });
  expect(await stockOf(shop, mug.id)).toEqual({ on_hand: 9, reserved: 0 });
});

test.each([
  ['cancelled', { status: 'cancelled' }],
  ['expired', { status: 'expired' }],
])('reports an ended checkout as %s, without its URL', async (word, { status }) => {
  const { sync, owner } = await givenShop();
  const made = await unwrap(sync.POST(orders, { body: orderFor('MUG', '14.00', { payment: 'hosted_checkout' }) }));
  await owner.query(
    sql`with held as (
        delete from commerce.stock_reservations r using commerce.sync_orders s
        where s.id = ${made.id} and r.site_id = s.site_id and r.checkout_id = s.checkout_id
        returning r.site_id, r.variant_id, r.quantity
      ), released as (
        update commerce.variants v set reserved = v.reserved - h.quantity from held h
        where v.site_id = h.site_id and v.id = h.variant_id
      )
      update commerce.checkouts k set status = ${status}, reserved_until = null from commerce.sync_orders s
      where s.id = ${made.id} and k.site_id = s.site_id and k.id = s.checkout_id`,
  );

  const read = await unwrap(sync.GET(order, { params: { path: { sync_order_id: made.id } } }));
  expect(read).toMatchObject({ status: `checkout_${word}`, checkout_url: null, order: null });
});

const line = { name: 'Mug', quantity: 1, price: '14.00', total: '14.00' };

const CLAIMS: [string, Partial<SyncOrderInput>, (string | number)[], string][] = [
  ['a price', { line_items: [{ ...line, sku: 'MUG', price: '13.99' }] }, ['line_items', 0, 'price'], '14.00'],
  ['a total', { line_items: [{ ...line, sku: 'MUG', total: '1.00' }] }, ['line_items', 0, 'total'], '14.00'],
  ['a dearer price', { line_items: [{ ...line, sku: 'MUG', price: '14.01' }] }, ['line_items', 0, 'price'], '14.00'],
  ['the subtotal', { subtotal: '13.00' }, ['subtotal'], '14.00'],
  ['the total without shipping', { total: '14.00' }, ['total'], '18.90'],
  ['the total of a checkout', { total: '18.90', payment: 'hosted_checkout' }, ['total'], '14.00'],
  ['a price of a checkout', { subtotal: '1.00', payment: 'hosted_checkout' }, ['subtotal'], '14.00'],
];

test.each(CLAIMS)(
  'rejects an amount that differs from the catalogue and names its field (422 price_mismatch): %s',
  async (_what, claim, at, expected) => {
    const shop = await givenShop();

    const { error, response } = await shop.sync.POST(orders, { body: orderFor('MUG', '14.00', claim) });

    expect(response.status).toBe(422);
    expect(error).toMatchObject({ detail: [{ loc: ['body', ...at], type: 'price_mismatch', ctx: { expected } }] });
    expect(await stockOf(shop, shop.mug.id)).toEqual({ on_hand: 10, reserved: 0 });
  },
);

test('reports every difference from the catalogue in one response', async () => {
  const { sync } = await givenShop();
  const line_items = [
    { ...line, sku: 'MUG', price: '1.00', total: '1.00' },
    { ...line, sku: 'MUG', quantity: 2, total: '28.00' },
    { ...line, sku: 'MUG', quantity: 2, total: '14.00' },
  ];

  const { error } = await sync.POST(orders, { body: orderFor('MUG', '14.00', { line_items }) });

  const { detail } = error as { detail: { loc: unknown[] }[] };
  expect(detail.map(({ loc }) => loc.slice(2))).toEqual([
    [0, 'price'],
    [0, 'total'],
    [2, 'total'],
  ]);
});

test.each([
  ['another currency', { currency: 'USD' }, ['currency'], 'currency_mismatch'],
  ['no country', { shipping_address: { country: 'Atlantis' } }, ['shipping_address', 'country'], 'country_unknown'],
  ['an amount with three decimals', { subtotal: '14.001' }, ['subtotal'], 'decimal_max_places'],
  ['no lines', { line_items: [] }, ['line_items'], 'too_short'],
  [
    'too many of a variant',
    {
      line_items: [
        { ...line, sku: 'MUG', quantity: 500, total: '7000.00' },
        { ...line, sku: 'MUG', quantity: 500, total: '7000.00' },
      ],
    },
    ['line_items', 1, 'quantity'],
    'less_than_equal',
  ],
])('rejects an invalid order and names the path of the field: %s', async (_what, wrong, at, type) => {
  const { sync } = await givenShop();

  const { error } = await sync.POST(orders, { body: orderFor('MUG', '14.00', wrong) });

  expect(error).toMatchObject({ detail: [{ loc: ['body', ...at], type }] });
});

/** Ways to identify one variant of a mug: the blue one, with its own id, SKU and price. */
const NAMES: Record<string, (mug: { product_id: string; variant_id: string }) => object> = {
  'its id': ({ variant_id }) => ({ variant_id }),
  'its SKU': () => ({ sku: 'BLUE' }),
  'product id and option value': ({ product_id }) => ({ product_id, option1: 'Blue' }),
  'product name and option value': () => ({ option1: 'Blue' }),
  'all of it': ({ product_id, variant_id }) => ({ product_id, variant_id, sku: 'BLUE', option1: 'Blue' }),
  'its SKU, with the rest empty or null': () => ({ sku: 'BLUE', variant_id: null, option1: '', option2: null }),
};

test.each(Object.entries(NAMES))('identifies the variant of an order line by %s', async (_what, naming) => {
  const { sync, givenProduct, givenTerms } = await openShop();
  await givenTerms();
  const mug = await givenProduct({
    name: 'Two mugs',
    options: [{ name: 'Colour', values: ['Red', 'Blue'] }],
    variants: [
      { option1: 'Red', price: '14.00', inventory_quantity: 5 },
      { option1: 'Blue', sku: 'BLUE', price: '16.00', inventory_quantity: 5 },
    ],
  });
  const blue = mug.variants[1]?.id ?? '';
  const item = { name: 'Two mugs', quantity: 1, price: '16.00', total: '16.00' };
  const line_items = [{ ...item, ...naming({ product_id: mug.id, variant_id: blue }) }];

  const made = await unwrap(sync.POST(orders, { body: orderFor('', '', { line_items }) }));

  expect(made.order?.line_items).toMatchObject([{ variant_id: blue, variant_name: 'Blue', price: '16.00' }]);
});

test('accepts an order line with only the required fields and returns it', async () => {
  const { sync, variant_id } = await givenShop();

  const made = await unwrap(sync.POST(orders, { body: orderFor('', '', { line_items: [line] }) }));

  expect(made.order?.line_items).toMatchObject([{ name: 'Mug', variant_id, price: '14.00' }]);
});

test('rejects an order line that matches several variants (422 variant_ambiguous)', async () => {
  const { sync, givenProduct } = await openShop();
  const variants = ['Red', 'Blue'].map((option1) => ({ option1, price: '14.00' }));
  await givenProduct({ name: 'Mug', options: [{ name: 'Colour', values: ['Red', 'Blue'] }], variants });

  const { error } = await sync.POST(orders, { body: orderFor('', '', { line_items: [line] }) });

  expect(error).toMatchObject({ detail: [{ loc: ['body', 'line_items', 0], type: 'variant_ambiguous' }] });
});

test('answers 404 for an order line that matches no product, and names the line', async () => {
  const { sync, givenProduct, mug } = await givenShop();
  const other = await openShop();
  const theirs = await other.givenProduct({ name: 'Theirs', sku: 'THEIRS' });
  await givenProduct({ name: 'Draft', sku: 'DRAFT', status: 'draft' });
  const nowhere = [
    { variant_id: '0192f3a0-4444-7000-8000-000000000001' },
    { variant_id: theirs.variants[0]?.id ?? '' },
    { product_id: theirs.id },
    { sku: 'THEIRS' },
    { sku: 'DRAFT' },
    { name: 'Theirs' },
    { name: 'Draft' },
    { sku: 'MUG', product_id: theirs.id },
    { product_id: mug.id, option1: 'Blue' },
  ];

  const answers = [];
  for (const naming of nowhere) {
    const line_items = [
      { ...line, sku: 'MUG' },
      { ...line, ...naming },
    ];
    const { error, response } = await sync.POST(orders, { body: orderFor('', '', { line_items }) });
    answers.push({ ...error, status: response.status, request_id: undefined });
  }
  const [first] = answers;
  expect(first).toMatchObject({ status: 404, error: 'not_found', loc: ['body', 'line_items', 1] });
  for (const answer of answers) expect(answer).toEqual(first);
});

test('a second order with the same reference is rejected (409 reference_taken)', async () => {
  const shop = await givenShop();
  const body = orderFor('MUG', '14.00', { reference: 'once' });
  const made = await unwrap(shop.sync.POST(orders, { body }));

  const { error, response } = await shop.sync.POST(orders, { body: orderFor('MUG', '14.00', { reference: 'once' }) });

  expect(response.status).toBe(409);
  expect(error).toMatchObject({
    error: 'reference_taken',
    sync_order_id: made.id,
    order_id: made.order?.id,
    order_number: '1001',
  });
  const other = await givenShop();
  expect((await unwrap(other.sync.POST(orders, { body }))).reference).toBe('once');
  expect(await stockOf(shop, shop.mug.id)).toEqual({ on_hand: 9, reserved: 0 });
});

test('creates only one of 16 concurrent orders with the same reference, even if a rejected order had used the reference', async () => {
  const shop = await givenShop();
  const refused = await shop.sync.POST(orders, { body: orderFor('MUG', '1.00', { reference: 'raced' }) });
  expect(refused.response.status).toBe(422);

  const answers = await Promise.all(
    Array.from({ length: 16 }, () =>
      shop.sync.POST(orders, { body: orderFor('MUG', '14.00', { reference: 'raced' }) }),
    ),
  );

  const statuses = answers.map(({ response }) => response.status).sort();
  expect(statuses).toEqual([201, ...Array.from({ length: 15 }, () => 409)]);
  const made = answers.find(({ data }) => data)?.data;
  for (const { error } of answers) if (error) expect(error).toMatchObject({ sync_order_id: made?.id });
  expect(await stockOf(shop, shop.mug.id)).toEqual({ on_hand: 9, reserved: 0 });
});

test('creates 10 of 20 concurrent orders for the last 10 items', async () => {
  const shop = await givenShop();
  // On a busy machine, a request that waits more than two seconds for the stock must be retried.
  const { sync_secret: syncSecret } = shop.credentials;
  const patient = createSyncClient({ baseUrl: shop.baseUrl, siteId: shop.site_id, syncSecret, maxAttempts: 10 });

  const answers = await Promise.all(
    Array.from({ length: 20 }, () => patient.POST(orders, { body: orderFor('MUG', '14.00') })),
  );

  expect(answers.filter(({ data }) => data)).toHaveLength(10);
  for (const { error } of answers) {
    if (error) expect(error).toMatchObject({ error: 'insufficient_stock', lines: [{ requested: 1, available: 0 }] });
  }
  expect(await stockOf(shop, shop.mug.id)).toEqual({ on_hand: 0, reserved: 0 });
  const numbers = answers.flatMap(({ data }) => data?.order?.order_number ?? []).sort();
  expect(numbers).toEqual(Array.from({ length: 10 }, (_, index) => String(1001 + index)));
});

test('creates no order and reserves nothing if the stock of one line is insufficient', async () => {
  const shop = await givenShop();
  await shop.givenProduct({ name: 'Rare', sku: 'RARE', price: '5.00', inventory_quantity: 1 });
  const line_items = [
    { ...line, sku: 'MUG' },
    { name: 'Rare', sku: 'RARE', quantity: 2, price: '5.00', total: '10.00' },
  ];

  const { error } = await shop.sync.POST(orders, { body: orderFor('', '', { reference: 'whole', line_items }) });

  expect(error).toMatchObject({ error: 'insufficient_stock', lines: [{ requested: 2, available: 1 }] });
  expect(await stockOf(shop, shop.mug.id)).toEqual({ on_hand: 10, reserved: 0 });
  const { orders: none } = await unwrap(shop.sync.GET(orders));
  expect(none).toEqual([]);
});

test('creates one order for repeated calls with one Idempotency-Key', async () => {
  const shop = await givenShop();
  const params = { header: { 'Idempotency-Key': crypto.randomUUID() } };
  const body = orderFor('MUG', '14.00', { payment: 'hosted_checkout' });

  const [first, again] = [
    await shop.sync.POST(orders, { params, body }),
    await shop.sync.POST(orders, { params, body }),
  ];

  expect(again.data).toEqual(first.data);
  expect(again.response.headers.get('Idempotency-Replayed')).toBe('true');
});

test('uses the requested shipping option, otherwise the cheapest one for the address', async () => {
  const shop = await givenShop();
  const express = await shop.givenShippingOption({ name: 'Express', price: '12.00' });
  await shop.givenShippingOption({ name: 'Neighbours', price: '2.00', countries: ['AT'] });
  await shop.givenShippingOption({ name: 'Fetched', price: '0.00', kind: 'pickup' });
  const shippingOf = async (more: Partial<SyncOrderInput>) => {
    const { data, error } = await shop.sync.POST(orders, { body: orderFor('MUG', '14.00', more) });
    return data?.order?.shipping_method ?? (error as { error: string }).error;
  };

  expect(await shippingOf({})).toBe('Parcel');
  expect(await shippingOf({ shipping_address: { country: 'Austria' } })).toBe('Neighbours');
  expect(await shippingOf({ shipping_address: null })).toBe('Parcel');
  expect(await shippingOf({ shipping_option_id: express.id })).toBe('Express');
  const unknown = { shipping_option_id: '0192f3a0-4444-7000-8000-000000000001' };
  expect(await shippingOf(unknown)).toBe('shipping_option_unavailable');
});

test('rejects an order if the shop does not deliver to the address or accept bank transfers', async () => {
  const shop = await openShop();
  await shop.givenProduct({ sku: 'MUG', price: '14.00' });
  const ordered = () => shop.sync.POST(orders, { body: orderFor('MUG', '14.00') });

  expect((await ordered()).error).toMatchObject({ error: 'shipping_option_unavailable' });
  await shop.givenShippingOption();
  expect((await ordered()).error).toMatchObject({ error: 'payment_method_unavailable', payment_methods: ['card'] });
});

test('accepts an order with a minimal address, and stores the code of its country', async () => {
  const { sync } = await givenShop();
  const simple = { first_name: 'June', city: 'Berlin', country: 'germany' };

  const made = await unwrap(sync.POST(orders, { body: orderFor('MUG', '14.00', { shipping_address: simple }) }));

  expect(made.order).toMatchObject({
    shipping_address: { ...simple, country: 'DE' },
    billing_address: null,
    email: null,
  });
});

test('assigns an order to a customer only if the e-mail address is verified', async () => {
  const shop = await givenShop();
  const june = await shop.givenCustomer();
  const claimed = `claimed-${shop.site_id}@example.com`;
  await shop.owner.query(
    sql`insert into commerce.customers (site_id, id, email) values (${shop.site_id}, gen_random_uuid(), ${claimed})`,
  );
  const customerOf = async (email: string) =>
    (await unwrap(shop.sync.POST(orders, { body: orderFor('MUG', '14.00', { email }) }))).order?.customer_id;

  expect(await customerOf(june.email.toUpperCase())).toBe(june.id);
  expect(await customerOf(claimed)).toBeNull();
  const mine = await unwrap(june.client.GET('/api/storefront/customer/me/orders'));
  expect(mine.orders).toHaveLength(1);
});

test('a shop cannot read orders of another shop, even by reference', async () => {
  const [ours, theirs] = [await givenShop(), await givenShop()];
  const made = await unwrap(theirs.sync.POST(orders, { body: orderFor('MUG', '14.00', { reference: 'theirs' }) }));

  const { error, response } = await ours.sync.GET(order, { params: { path: { sync_order_id: made.id } } });

  expect(response.status).toBe(404);
  expect(error).toMatchObject({ error: 'not_found' });
  expect(await unwrap(ours.sync.GET(orders, { params: { query: { reference: 'theirs' } } }))).toMatchObject({
    orders: [],
  });
});

test('reads an order whose lines have only the required fields', async () => {
  const { sync, owner, site_id } = await givenShop();
  const made = await unwrap(sync.POST(orders, { body: orderFor('MUG', '14.00') }));
  await owner.query(
    sql`update commerce.order_lines set variant_id = null, product_id = null, sku = null, variant_name = null,
        image_url = null where site_id = ${site_id}`,
  );

  const read = await unwrap(sync.GET(order, { params: { path: { sync_order_id: made.id } } }));

  expect(read.order?.line_items).toMatchObject([
    { name: 'Mug', price: '14.00', total: '14.00', variant_id: null, sku: null },
  ]);
});

test('an order past its payment deadline is expired both in the order itself and in the list of orders', async () => {
  for (const listed of [false, true]) {
    const shop = await givenShop();
    const made = await unwrap(shop.sync.POST(orders, { body: orderFor('MUG', '14.00') }));
    await shop.owner.query(`update commerce.orders set payment_due_at = now() - interval '1 hour' where site_id = $1`, [
      shop.site_id,
    ]);

    const params = { path: { sync_order_id: made.id } };
    const read = listed
      ? (await unwrap(shop.sync.GET(orders))).orders[0]
      : await unwrap(shop.sync.GET(order, { params }));

    expect(read?.order).toMatchObject({ status: 'cancelled', payment_status: 'expired' });
    expect(read?.payment_instructions).toBeNull();
  }
});
