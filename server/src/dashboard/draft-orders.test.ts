import { createDashboardClient } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { givenVariant, ordersOf, stockOf } from '../../test/buying.ts';
import { mailsTo } from '../../test/mail.ts';
import { PaperBrowser } from '../../test/paper-browser.ts';
import { logIn } from '../../test/session.ts';
import { openShop } from '../../test/shop.ts';

const draftsPath = '/api/dashboard/draft-orders';
const draftPath = '/api/dashboard/draft-orders/{draft_order_id}';
const sendPath = '/api/dashboard/draft-orders/{draft_order_id}/send';
const cancelPath = '/api/dashboard/draft-orders/{draft_order_id}/cancel';
const donePath = '/api/dashboard/draft-orders/{draft_order_id}/complete';
const completePath = '/api/storefront/checkout/{checkout_id}/complete';
const checkoutPath = '/api/storefront/checkout/{checkout_id}';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

const ADDRESS = {
  ...{ first_name: 'June', last_name: 'Okafor', address1: 'Lindenallee 7' },
  ...{ city: 'Berlin', postal_code: '10115', country: 'DE' },
};

let count = 0;

/**
 * Opens a shop with one product (price 10.00, stock 10) and delivery for 4.90. Returns functions that create, change
 * and complete drafts.
 */
async function givenShop() {
  const shop = await openShop();
  const option = await shop.givenTerms();
  const { product, variant_id } = await givenVariant(shop, { price: '10.00', inventory_quantity: 10 });
  count += 1;
  const email = `cafe-${process.pid}-${count}@example.com`;
  const on = (id: string) => ({ params: { path: { draft_order_id: id } } });
  const create = async (input: object = {}) => {
    const lines = [{ variant_id, quantity: 2, price: '8.00' }];
    const whole = { shipping_address: ADDRESS, shipping_option_id: option.id };
    const { data, error } = await shop.dashboard.POST(draftsPath, { body: { email, lines, ...whole, ...input } });
    if (!data) throw new Error(`The draft was refused: ${JSON.stringify(error)}`);
    return data;
  };
  return {
    ...{ shop, option, product, variant_id, email, create },
    get: async (id: string) => (await shop.dashboard.GET(draftPath, on(id))).data,
    patch: (id: string, body: object) => shop.dashboard.PATCH(draftPath, { ...on(id), body }),
    send: (id: string) => shop.dashboard.POST(sendPath, on(id)),
    cancel: (id: string) => shop.dashboard.POST(cancelPath, on(id)),
    complete: (id: string, payment_method: 'bank_transfer' | 'manual' | 'invoice') =>
      shop.dashboard.POST(donePath, { ...on(id), body: { payment_method } }),
  };
}

/** Reads the ids of the draft's checkout and cart. */
async function checkoutOf({ owner }: OpenShop, draft_id: string) {
  const { rows } = await owner.query<{ checkout_id: string; cart_id: string }>(
    'select checkout_id, cart_id from commerce.draft_orders where id = $1',
    [draft_id],
  );
  return rows[0] ?? { checkout_id: '', cart_id: '' };
}

/** Accepts the draft over the API, as its link allows. */
async function accept(shop: OpenShop, draft_id: string) {
  const { checkout_id } = await checkoutOf(shop, draft_id);
  const params = { path: { checkout_id } };
  const chosen = await shop.storefront.PATCH(checkoutPath, { params, body: { payment_method: 'bank_transfer' } });
  if (chosen.error) return chosen;
  return shop.storefront.POST(completePath, { params, body: {} });
}

test("a draft keeps its own prices and discount until the customer accepts it, even if a product's price changes", async () => {
  const { shop, variant_id, create, send, get } = await givenShop();
  const discount = { type: 'percentage' as const, value: '10', reason: 'First order' };
  const draft = await create({ discount, note: 'To the back door' });

  expect(draft).toMatchObject({
    ...{ status: 'open', subtotal: '16.00', discount_amount: '1.60', shipping_cost: '4.90', total: '19.30' },
    ...{ checkout_url: null, discount: { type: 'percentage', value: '10.00', reason: 'First order' } },
    ...{
      missing: ['payment_method'],
      lines: [{ variant_id, quantity: 2, price: '8.00', has_own_price: true, total: '16.00' }],
    },
  });
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', {
    params: { path: { product_id: draft.lines[0]?.product_id ?? '' } },
    body: { price: '99.00' },
  });
  const sent = await send(draft.id);
  expect(sent.data).toMatchObject({
    status: 'sent',
    total: '19.30',
    checkout_url: expect.stringContaining('/checkout/chk_'),
  });

  const accepted = await accept(shop, draft.id);
  expect(accepted.response.status).toBe(200);
  const [order] = await ordersOf(shop);
  expect(order).toMatchObject({
    ...{ source: 'dashboard', subtotal: '16.00', discount: '1.60', total: '19.30', note: 'To the back door' },
    line_items: [{ price: '8.00', quantity: 2, total: '16.00' }],
  });
  expect(await get(draft.id)).toMatchObject({
    status: 'completed',
    order_id: order?.id,
    order_number: order?.order_number,
    total: '19.30',
    checkout_url: null,
  });
});

test('sending a draft mails a link to the hosted checkout, where the customer accepts the draft', async () => {
  const { shop, email, create, send } = await givenShop();
  const draft = await create({ note: 'To the back door' });
  await send(draft.id);
  const [mail] = await mailsTo(shop, email);

  expect(mail?.subject).toContain('quote');
  expect(mail?.html).toContain('To the back door');
  const browser = new PaperBrowser(shop.baseUrl);
  const [token] = /chk_[0-9A-Za-z]{38}/.exec(mail?.html ?? '') ?? [];
  const form = await browser.open(`${shop.baseUrl}/checkout/${token}`);
  expect(form.response.status).toBe(200);
  expect(form.html).toContain('16.00');
  const review = await browser.press(form, 'save', { payment_method: 'bank_transfer' });
  const done = await browser.press(review, 'place_order');
  expect(done.response.status).toBe(200);
  expect(await ordersOf(shop)).toMatchObject([{ total: '20.90', email }]);
});

test('a customer with payment terms can pay drafts by invoice up to the credit limit', async () => {
  const { shop, create, send, complete, get } = await givenShop();
  const buyer = await shop.givenCustomer();
  const params = { path: { customer_id: buyer.id } };
  await shop.dashboard.PATCH('/api/dashboard/customers/{customer_id}', {
    params,
    body: { payment_terms_days: 30, credit_limit: '45.00' },
  });
  const [first, second] = [await create({ customer_id: buyer.id }), await create({ customer_id: buyer.id })];
  await send(first.id);
  const { checkout_id } = await checkoutOf(shop, first.id);
  await buyer.client.PATCH(checkoutPath, { params: { path: { checkout_id } }, body: { payment_method: 'invoice' } });
  const { data } = await buyer.client.POST(completePath, { params: { path: { checkout_id } }, body: {} });
  expect(data?.order).toMatchObject({ customer_id: buyer.id, payment_status: 'pending', payment_method: 'manual' });

  // The first draft makes 20.90 due, and the second another 20.90, which stays within the limit of 45.00. A third draft
  // would exceed it.
  expect((await complete(second.id, 'invoice')).data).toMatchObject({ status: 'completed' });
  const third = await create({ customer_id: buyer.id });
  const beyond = await complete(third.id, 'invoice');
  expect(beyond.response.status).toBe(409);
  expect(beyond.error).toMatchObject({ error: 'credit_limit_exceeded', amount_due: '41.80', total: '20.90' });
  expect(await get(third.id)).toMatchObject({ status: 'open', order_id: null });
});

test('sending a draft with `reserve` reserves its stock until the draft is cancelled, and other drafts reserve nothing', async () => {
  const { shop, product, create, send, cancel } = await givenShop();
  const [held, loose] = [await create({ reserve: true }), await create()];
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 0 });
  await send(held.id);
  await send(loose.id);
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 2 });

  const cancelled = await cancel(held.id);
  expect(cancelled.data).toMatchObject({ status: 'cancelled', checkout_url: null });
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 0 });
  expect((await send(held.id)).error).toMatchObject({
    error: 'invalid_transition',
    from: 'cancelled',
    to: 'sent',
    allowed: [],
  });
  expect((await accept(shop, held.id)).error).toMatchObject({ error: 'checkout_not_open' });
});

test('accepting a draft without enough stock is rejected (409 insufficient_stock), and creates no order', async () => {
  const { shop, variant_id, product, create, send, get } = await givenShop();
  const [draft, reserved] = [await create(), await create({ reserve: true })];
  await send(draft.id);
  await shop.givenOrder({ content: [{ variant_id, quantity: 9 }] });
  const before = await stockOf(shop, product.id);
  const page = await new PaperBrowser(shop.baseUrl).open((await get(draft.id))?.checkout_url ?? '');

  expect(page.html).toContain('contact the shop. The quote itself cannot be changed here.');
  const accepted = await accept(shop, draft.id);
  expect(accepted.response.status).toBe(409);
  expect(accepted.error).toMatchObject({
    error: 'insufficient_stock',
    lines: [{ variant_id, requested: 2, available: 1 }],
  });
  expect(await get(draft.id)).toMatchObject({ status: 'sent', order_id: null, lines: [{ available: false }] });
  expect(await ordersOf(shop)).toHaveLength(1);
  expect((await send(reserved.id)).error).toMatchObject({ error: 'insufficient_stock' });
  expect(await get(reserved.id)).toMatchObject({ status: 'open', sent_at: null });
  expect(await stockOf(shop, product.id)).toEqual(before);
});

test('shoppers cannot change the cart of a draft, apply discount codes to it, or claim it by a login', async () => {
  const { shop, variant_id, create, send } = await givenShop();
  await shop.givenDiscount();
  const draft = await create();
  await send(draft.id);
  const { cart_id } = await checkoutOf(shop, draft.id);
  const params = { path: { cart_id } };
  const inactive = { error: 'cart_not_active' };

  const { storefront } = shop;
  const added = await storefront.POST('/api/storefront/cart/{cart_id}/items', {
    params,
    body: { variant_id, quantity: 5 },
  });
  expect(added.error).toMatchObject(inactive);
  const line_item_id = draft.lines[0]?.id ?? '';
  const more = await storefront.PATCH('/api/storefront/cart/{cart_id}/items/{line_item_id}', {
    params: { path: { cart_id, line_item_id } },
    body: { quantity: 9 },
  });
  expect(more.error).toMatchObject(inactive);
  const coded = await storefront.POST('/api/storefront/cart/{cart_id}/discounts', { params, body: { code: 'TEN' } });
  expect(coded.error).toMatchObject(inactive);
  const buyer = await shop.givenCustomer();
  await storefront.POST('/api/storefront/customer/login', {
    body: { email: buyer.email, password: buyer.password, cart_id },
  });
  expect((await accept(shop, draft.id)).response.status).toBe(200);
});

test('the cart of a cancelled or expired draft cannot start another checkout', async () => {
  const { shop, create, send, cancel, get } = await givenShop();
  const [cancelled, expired] = [await create(), await create()];
  await send(cancelled.id);
  await send(expired.id);
  await cancel(cancelled.id);
  const { cart_id, checkout_id } = await checkoutOf(shop, expired.id);
  await shop.owner.query(`update commerce.checkouts set expires_at = now() where id = $1`, [checkout_id]);
  await shop.owner.query(`update commerce.carts set expires_at = now() where id = $1`, [cart_id]);

  expect(await get(expired.id)).toMatchObject({ status: 'expired', checkout_url: null });
  expect((await accept(shop, expired.id)).error).toMatchObject({ error: 'checkout_expired' });
  const again = await checkoutOf(shop, cancelled.id);
  const { error } = await shop.storefront.POST('/api/storefront/checkout', { body: { cart_id: again.cart_id } });
  expect(error).toMatchObject({ error: 'cart_not_active' });
  expect((await cancel(expired.id)).error).toMatchObject({ error: 'invalid_transition', from: 'expired' });
});

test('of several concurrent completions and cancellations of a draft, exactly one takes effect', async () => {
  const { shop, product, create, send, cancel, complete, get } = await givenShop();
  for (let round = 0; round < 4; round += 1) {
    const draft = await create({ reserve: true, lines: [{ variant_id: product.variants[0]?.id ?? '', quantity: 1 }] });
    await send(draft.id);
    await Promise.all([
      accept(shop, draft.id),
      cancel(draft.id),
      complete(draft.id, 'bank_transfer'),
      accept(shop, draft.id),
    ]);
    const after = await get(draft.id);
    const orders = (await ordersOf(shop)).filter(({ id }) => id === after?.order_id);
    expect([after?.status, orders.length]).toEqual(after?.order_id ? ['completed', 1] : ['cancelled', 0]);
  }
  const made = await ordersOf(shop);
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10 - made.length, reserved: 0 });
});

test('an open draft can be changed, and a change of a sent draft is rejected (invalid_transition)', async () => {
  const { variant_id, create, patch, send } = await givenShop();
  const draft = await create();
  const changed = await patch(draft.id, {
    lines: [{ variant_id, quantity: 3 }],
    discount: { type: 'fixed_amount', value: '5.00' },
    note: 'Ring twice',
    email: 'Other@Example.com',
  });
  expect(changed.data).toMatchObject({
    ...{ subtotal: '30.00', discount_amount: '5.00', total: '29.90', note: 'Ring twice', email: 'Other@example.com' },
    lines: [{ quantity: 3, price: '10.00', has_own_price: false }],
  });
  expect((await patch(draft.id, { discount: null })).data).toMatchObject({ discount: null, total: '34.90' });
  await send(draft.id);
  expect((await patch(draft.id, { note: null })).error).toMatchObject({ error: 'invalid_transition', from: 'sent' });
});

test('lists drafts newest first, and filters them by status', async () => {
  const { shop, create, send, email } = await givenShop();
  const [first, second] = [await create(), await create()];
  await send(first.id);
  const list = (status?: 'sent') => shop.dashboard.GET(draftsPath, { params: { query: status ? { status } : {} } });
  expect((await list()).data?.draft_orders.map(({ id }) => id)).toEqual([second.id, first.id]);
  expect((await list('sent')).data).toMatchObject({
    total: 1,
    draft_orders: [{ id: first.id, status: 'sent', total: '20.90', email }],
  });
});

test('setting prices or discounts and completing a draft need the scope orders:payments (403 insufficient_scope)', async () => {
  const { shop, variant_id, create } = await givenShop();
  const { data } = await (await logIn(shop)).staff.POST('/api/dashboard/api-keys', {
    body: { description: 'Plain', scopes: ['write'] },
  });
  const plain = createDashboardClient({ baseUrl: shop.baseUrl, apiKey: data?.secret ?? '', maxAttempts: 1 });
  const denied = { error: 'insufficient_scope', scope: 'orders:payments' };
  const lines = [{ variant_id, quantity: 1 }];

  const priced = await plain.POST(draftsPath, { body: { lines: [{ variant_id, quantity: 1, price: '1.00' }] } });
  expect(priced.error).toMatchObject(denied);
  const reduced = await plain.POST(draftsPath, { body: { lines, discount: { type: 'percentage', value: '50' } } });
  expect(reduced.error).toMatchObject(denied);
  expect((await plain.POST(draftsPath, { body: { lines } })).response.status).toBe(201);
  const { id } = await create();
  const params = { path: { draft_order_id: id } };
  expect((await plain.POST(donePath, { params, body: { payment_method: 'bank_transfer' } })).error).toMatchObject(
    denied,
  );
});

test.each([
  ['a percentage above 100', { discount: { type: 'percentage', value: '100.01' } }, ['body', 'discount', 'value']],
  ['a discount of 0', { discount: { type: 'fixed_amount', value: '0.00' } }, ['body', 'discount', 'value']],
  ['an expiry in the past', { expires_at: '2020-01-01T00:00:00Z' }, ['body', 'expires_at']],
  ['an expiry more than a year from now', { expires_at: '2100-01-01T00:00:00Z' }, ['body', 'expires_at']],
])('rejects a draft with %s (422)', async (_what, input, loc) => {
  const { shop, variant_id } = await givenShop();
  const body = { lines: [{ variant_id, quantity: 1 }], ...input } as never;
  const { error } = await shop.dashboard.POST(draftsPath, { body });
  expect(error).toMatchObject({ error: 'validation_error', detail: [{ loc }] });
});

test('rejects a draft with invalid lines, an unknown customer or an unavailable shipping option, and writes nothing', async () => {
  const { shop, variant_id } = await givenShop();
  const line = { variant_id, quantity: 1 };
  const twice = await shop.dashboard.POST(draftsPath, { body: { lines: [line, line] } });
  expect(twice.error).toMatchObject({
    error: 'validation_error',
    detail: [{ loc: ['body', 'lines', 1, 'variant_id'] }],
  });
  const nowhere = '0192f3a0-5555-7000-8000-00000000dead';
  const unknown = await shop.dashboard.POST(draftsPath, { body: { lines: [{ ...line, variant_id: nowhere }] } });
  expect(unknown.response.status).toBe(404);
  const nobody = await shop.dashboard.POST(draftsPath, { body: { customer_id: nowhere, lines: [line] } });
  expect(nobody.response.status).toBe(404);
  const nowhereTo = await shop.dashboard.POST(draftsPath, { body: { shipping_option_id: nowhere, lines: [line] } });
  expect(nowhereTo.response.status).toBe(404);
  const { id: shipping_option_id } = await shop.givenShippingOption({ name: 'Vienna', countries: ['AT'] });
  const elsewhere = await shop.dashboard.POST(draftsPath, {
    body: { shipping_option_id, shipping_address: ADDRESS, lines: [line] },
  });
  expect(elsewhere.error).toMatchObject({ error: 'shipping_option_unavailable' });
  const dear = await shop.dashboard.POST(draftsPath, {
    body: { lines: [{ ...line, price: '999999999999.99', quantity: 999 }] },
  });
  expect(dear.error).toMatchObject({ error: 'conflict' });
  const { data } = await shop.dashboard.GET(draftsPath);
  expect(data?.total).toBe(0);
});

test('sending a draft needs an e-mail address, and completing it reports all missing fields', async () => {
  const { create, send, complete, get } = await givenShop();
  const draft = await create({ email: null, shipping_option_id: null });
  expect((await send(draft.id)).error).toMatchObject({ error: 'checkout_incomplete', missing: ['email'] });
  const done = await complete(draft.id, 'bank_transfer');
  expect(done.error).toMatchObject({ error: 'checkout_incomplete', missing: ['email', 'shipping_option_id'] });
  expect(await get(draft.id)).toMatchObject({ status: 'open' });
});

test('a declined card does not release the reserved stock of a draft', async () => {
  const { shop, product, create, send } = await givenShop();
  const draft = await create({ reserve: true });
  await send(draft.id);
  const { checkout_id } = await checkoutOf(shop, draft.id);
  const params = { path: { checkout_id } };
  await shop.storefront.PATCH(checkoutPath, { params, body: { payment_method: 'card' } });
  const body = { payment: { card_token: 'tok_declined' } };
  const declined = await shop.storefront.POST(completePath, { params, body });
  expect(declined.error).toMatchObject({ error: 'payment_failed' });
  const { data } = await shop.storefront.GET(checkoutPath, { params });
  expect(data?.reserved_until).toBe(data?.expires_at);
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 2 });
});

test('the checkout does not warn about a changed price if the draft sets that price', async () => {
  const { shop, create, send } = await givenShop();
  const draft = await create();
  await send(draft.id);
  const { checkout_id } = await checkoutOf(shop, draft.id);
  const { data } = await shop.storefront.GET(checkoutPath, { params: { path: { checkout_id } } });
  expect(data).toMatchObject({ items: [{ price: '8.00' }], warnings: [] });
});

test('completing a free draft with another payment method creates a paid order with the method `free`', async () => {
  const { shop, create, complete } = await givenShop();
  await shop.owner.query('update commerce.shipping_options set price = 0 where site_id = $1', [shop.site_id]);
  const draft = await create({ discount: { type: 'percentage', value: '100', reason: 'Replacement' } });

  expect((await complete(draft.id, 'manual')).data).toMatchObject({ status: 'completed', total: '0.00' });
  expect(await ordersOf(shop)).toMatchObject([{ total: '0.00', payment_status: 'paid', payment_method: 'free' }]);
});

test('a sent draft keeps its mailed prices when the price of a product changes', async () => {
  const { shop, product, variant_id, create, send, get } = await givenShop();
  const draft = await create({ lines: [{ variant_id, quantity: 2 }] });
  await send(draft.id);
  const params = { path: { product_id: product.id } };
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { price: '99.00' } });

  expect(await get(draft.id)).toMatchObject({ total: '24.90', lines: [{ price: '10.00', has_own_price: true }] });
  expect((await accept(shop, draft.id)).data?.order).toMatchObject({ total: '24.90' });
});

test('the mailed link of a draft offers payment by invoice only after its customer has logged in', async () => {
  const { shop, create, send } = await givenShop();
  const buyer = await shop.givenCustomer();
  await shop.dashboard.PATCH('/api/dashboard/customers/{customer_id}', {
    params: { path: { customer_id: buyer.id } },
    body: { payment_terms_days: 30 },
  });
  const draft = await create({ customer_id: buyer.id });
  const link = (await send(draft.id)).data?.checkout_url ?? '';
  const browser = new PaperBrowser(shop.baseUrl);
  const form = await browser.open(link);
  expect(form.html.includes('value="invoice"')).toBe(false);
  const hint = `<a href="/account?site_id=${shop.site_id}">Log in to your account first</a>`;
  expect(form.html).toContain(hint);
  expect(form.html).toContain('Note on the quote');
  const forced = await browser.press(form, 'save', { payment_method: 'invoice' });
  expect(forced.html.includes('value="place_order"')).toBe(false);
  expect(await ordersOf(shop)).toEqual([]);

  const login = await browser.open(`/account?site_id=${shop.site_id}`);
  await browser.press(login, 'log_in', { email: buyer.email, password: buyer.password });
  const known = await browser.open(link);
  expect(known.html).not.toContain(hint);
  const review = await browser.press(known, 'save', { payment_method: 'invoice' });
  await browser.press(review, 'place_order');
  expect(await ordersOf(shop)).toMatchObject([{ customer_id: buyer.id, payment_status: 'pending' }]);
});

test("rejects erasing a customer while the payment of a draft is in progress, and otherwise cancels the customer's drafts", async () => {
  const { shop, product, create, send, get } = await givenShop();
  const [paying, waiting] = [await shop.givenCustomer(), await shop.givenCustomer()];
  const erase = (customer_id: string) =>
    shop.dashboard.POST('/api/dashboard/customers/{customer_id}/anonymize', { params: { path: { customer_id } } });
  const [paid, idle] = [
    await create({ customer_id: paying.id, reserve: true }),
    await create({ customer_id: waiting.id, reserve: true }),
  ];
  await send(paid.id);
  await send(idle.id);
  const { checkout_id } = await checkoutOf(shop, paid.id);
  const params = { path: { checkout_id } };
  await paying.client.PATCH(checkoutPath, { params, body: { payment_method: 'card' } });
  await paying.client.POST(completePath, { params, body: { payment: { card_token: 'tok_3ds' } } });

  expect((await erase(paying.id)).error).toMatchObject({ error: 'payment_in_progress' });
  expect((await erase(waiting.id)).response.status).toBe(200);
  expect(await get(idle.id)).toMatchObject({ status: 'cancelled', customer_id: null, email: null });
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 2 });
});
