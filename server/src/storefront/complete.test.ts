import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { givenVariant, ordersOf, stockOf } from '../../test/buying.ts';
import { openShop } from '../../test/shop.ts';

const checkoutPath = '/api/storefront/checkout/{checkout_id}';
const completePath = '/api/storefront/checkout/{checkout_id}/complete';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

function at(checkout_id: string, key?: string) {
  return { params: { path: { checkout_id } }, ...(key && { headers: { 'Idempotency-Key': key } }) };
}

async function paymentsOf({ owner, site_id }: OpenShop) {
  const { rows } = await owner.query(
    'select status, order_id is not null as ordered from commerce.payments where site_id = $1 order by created_at',
    [site_id],
  );
  return rows;
}

test('completing a checkout creates an order that awaits its bank transfer, and deducts its items from the stock', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop, { sku: 'MUG' });
  const { id, cart_id, total } = await shop.givenCheckout({ content: [{ variant_id, quantity: 3 }] });

  const { data } = await shop.storefront.POST(completePath, { ...at(id), body: { expected_total: total } });
  const { data: checkout } = await shop.storefront.GET(checkoutPath, at(id));
  const { data: cart } = await shop.storefront.GET('/api/storefront/cart/{cart_id}', { params: { path: { cart_id } } });
  const { data: movements } = await shop.dashboard.GET('/api/dashboard/inventory/{variant_id}/movements', {
    params: { path: { variant_id } },
  });

  expect(data?.order).toMatchObject({
    order_number: '1001',
    status: 'pending',
    payment_status: 'awaiting_payment',
    fulfillment_status: 'unfulfilled',
    payment_method: 'bank_transfer',
    subtotal: '30.00',
    shipping_cost: '4.90',
    total: '34.90',
    shipping_method: 'Parcel',
    source: 'storefront',
    line_items: [
      { variant_id, product_id: product.id, name: 'Mug', sku: 'MUG', quantity: 3, price: '10.00', total: '30.00' },
    ],
  });
  expect(data?.payment).toMatchObject({
    method: 'bank_transfer',
    instructions: { iban: 'DE89370400440532013000', reference: '1001', amount: '34.90' },
  });
  expect(Date.parse(data?.payment.due_at ?? '') - Date.now()).toBeGreaterThan(167 * 3_600_000);
  expect(checkout).toMatchObject({ status: 'completed', order_number: '1001', checkout_url: null, total: '34.90' });
  expect(cart?.status).toBe('converted');
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 7, reserved: 0 });
  expect(movements?.movements.map(({ type, delta }) => [type, delta])).toEqual([
    ['sale', -3],
    ['reservation', -3],
    ['adjustment', 10],
  ]);
});

test('completing a checkout again after the transfer deadline returns its expired order, and releases the stock', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop);
  const { id, checkout_id } = await shop.givenOrder({ content: [{ variant_id, quantity: 1 }] });
  await shop.owner.query(`update commerce.orders set payment_due_at = now() - interval '1 hour' where id = $1`, [id]);

  const { data } = await shop.storefront.POST(completePath, { ...at(checkout_id), body: {} });

  expect(data).toMatchObject({
    order: { id, status: 'cancelled' },
    payment: { status: 'expired', instructions: null },
  });
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 0 });
  const { rows } = await shop.owner.query(
    `select actor_type from commerce.order_events where order_id = $1 and type = 'payment_expired'`,
    [id],
  );
  expect(rows).toEqual([{ actor_type: 'system' }]);
});

test("each shop's order numbers start at 1001", async () => {
  const [shop, other] = [await openShop(), await openShop()];

  const numbers = [
    (await shop.givenOrder()).order_number,
    (await shop.givenOrder()).order_number,
    (await other.givenOrder()).order_number,
  ];

  expect(numbers).toEqual(['1001', '1002', '1001']);
});

test('completing a checkout again with another Idempotency-Key returns the same order', async () => {
  const shop = await openShop();
  const { id } = await shop.givenCheckout();

  const { data: first } = await shop.storefront.POST(completePath, { ...at(id), body: {} });
  const { data: second } = await shop.storefront.POST(completePath, { ...at(id), body: {} });

  expect(second?.order).toEqual(first?.order);
  expect(await ordersOf(shop)).toHaveLength(1);
});

test('16 concurrent completions of one checkout create one order, with the same or different Idempotency-Keys', async () => {
  const shop = await openShop();
  const { id } = await shop.givenCheckout();
  const key = randomUUID();

  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, i) =>
      shop.storefront.POST(completePath, { ...at(id, i % 2 ? key : undefined), body: {} }),
    ),
  );

  const ids = answers.flatMap(({ data }) => data?.order.id ?? []);
  expect(new Set(ids).size).toBe(1);
  expect(answers.every(({ response }) => [200, 409, 503].includes(response.status))).toBe(true);
  expect(await ordersOf(shop)).toHaveLength(1);
});

test('twenty concurrent shoppers buy exactly the last five items', async () => {
  const shop = await openShop();
  await shop.givenTerms();
  const { product, variant_id } = await givenVariant(shop, { inventory_quantity: 5 });
  const carts = await Promise.all(Array.from({ length: 20 }, () => shop.givenCart([{ variant_id, quantity: 1 }])));

  const results = await Promise.allSettled(carts.map(({ id }) => shop.givenOrder({ cart_id: id })));

  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 0, reserved: 0 });
});

test('concurrent checkouts of the same variants in opposite order all complete', async () => {
  const shop = await openShop();
  await shop.givenTerms();
  const [a, b] = [
    await givenVariant(shop, { inventory_quantity: 50 }),
    await givenVariant(shop, { inventory_quantity: 50 }),
  ];
  const lines = [a, b].map(({ variant_id }) => ({ variant_id, quantity: 1 }));

  const orders = await Promise.all(
    Array.from({ length: 10 }, (_, i) => shop.givenOrder({ content: i % 2 ? lines : lines.toReversed() })),
  );

  expect(new Set(orders.map(({ order_number }) => order_number)).size).toBe(10);
  expect(await stockOf(shop, a.product.id)).toEqual({ on_hand: 40, reserved: 0 });
});

test('rejects the completion of a checkout with missing fields, and names them (409 checkout_incomplete)', async () => {
  const shop = await openShop();
  const { id } = await shop.givenCheckout({ email: null, payment_method: null });

  const { error, response } = await shop.storefront.POST(completePath, { ...at(id), body: {} });

  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'checkout_incomplete', missing: ['email', 'payment_method'] });
  expect(await ordersOf(shop)).toEqual([]);
});

test('charges a changed price only after the shopper accepts the new total', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop);
  const { id, items } = await shop.givenCheckout({ content: [{ variant_id, quantity: 2 }] });
  const params = { path: { product_id: product.id } };
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { price: '12.00' } });
  const complete = (expected_total?: string) =>
    shop.storefront.POST(completePath, { ...at(id), body: { expected_total } });

  const blind = await complete();
  const blindAgain = await complete();
  const old = await complete('24.90');
  const { data } = await complete('28.90');

  for (const { error, response } of [blind, blindAgain, old]) {
    expect(response.status).toBe(409);
    expect(error).toMatchObject({
      error: 'price_changed',
      expected_total: '24.90',
      total: '28.90',
      lines: [{ line_item_id: items[0]?.id, previous_price: '10.00', price: '12.00' }],
    });
  }
  expect(data?.order.total).toBe('28.90');
});

test('reports changed prices even if the total is the same, and accepts that total', async () => {
  const shop = await openShop();
  const [a, b] = [await givenVariant(shop), await givenVariant(shop)];
  const content = [a, b].map(({ variant_id }) => ({ variant_id, quantity: 1 }));
  const { id, total } = await shop.givenCheckout({ content });
  for (const [{ product }, price] of [[a, '9.00'] as const, [b, '11.00'] as const]) {
    const params = { path: { product_id: product.id } };
    await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { price } });
  }

  const first = await shop.storefront.POST(completePath, { ...at(id), body: { expected_total: total } });
  const second = await shop.storefront.POST(completePath, { ...at(id), body: { expected_total: total } });

  expect(first.error).toMatchObject({ error: 'price_changed', total, lines: [{ price: '9.00' }, { price: '11.00' }] });
  expect(second.data?.order.total).toBe(total);
});

test('completing a checkout reports an item no longer for sale, and omits it once the shopper accepts the smaller total', async () => {
  const shop = await openShop();
  const [kept, gone] = [await givenVariant(shop), await givenVariant(shop)];
  const content = [kept, gone].map(({ variant_id }) => ({ variant_id, quantity: 1 }));
  const { id, items } = await shop.givenCheckout({ content });
  const params = { path: { product_id: gone.product.id } };
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { status: 'draft' } });

  const { error } = await shop.storefront.POST(completePath, { ...at(id), body: {} });
  const { data } = await shop.storefront.POST(completePath, { ...at(id), body: { expected_total: '14.90' } });

  expect(error).toMatchObject({
    error: 'price_changed',
    total: '14.90',
    lines: [{ line_item_id: items[1]?.id, previous_price: '10.00', price: null }],
  });
  expect(data?.order.line_items).toMatchObject([{ variant_id: kept.variant_id }]);
  expect(await stockOf(shop, gone.product.id)).toEqual({ on_hand: 10, reserved: 0 });
});

test('rejects an order if its stock was sold after the reservation expired (409 insufficient_stock)', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop, { inventory_quantity: 1 });
  const { id } = await shop.givenCheckout({ content: [{ variant_id, quantity: 1 }] });
  await shop.owner.query(`update commerce.checkouts set reserved_until = now() - interval '1 s' where id = $1`, [id]);
  const cart = await shop.givenCart([]);
  await shop.owner.query(
    `insert into commerce.cart_items (site_id, id, cart_id, variant_id, product_id, name, quantity, price_seen)
      values ($1, gen_random_uuid(), $2, $3, $4, 'Mug', 1, 10)`,
    [shop.site_id, cart.id, variant_id, product.id],
  );
  await shop.givenOrder({ cart_id: cart.id });

  const { error, response } = await shop.storefront.POST(completePath, { ...at(id), body: {} });

  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'insufficient_stock', lines: [{ requested: 1, available: 0 }] });
});

test('sells goods whose stock tracking was switched off during the checkout, and releases their reservation', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop, { inventory_quantity: 5 });
  const { id } = await shop.givenCheckout({ content: [{ variant_id, quantity: 2 }] });
  const params = { path: { product_id: product.id } };
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { track_inventory: false } });

  const { response } = await shop.storefront.POST(completePath, { ...at(id), body: {} });

  expect(response.status).toBe(200);
  const { rows } = await shop.owner.query(
    'select v.on_hand, v.reserved, l.stock_taken from commerce.variants v join commerce.order_lines l on l.variant_id = v.id where v.id = $1',
    [variant_id],
  );
  expect(rows).toEqual([{ on_hand: 5, reserved: 0, stock_taken: false }]);
});

test('an order redeems its discount code, and has the exact discount', async () => {
  const shop = await openShop();
  await shop.givenDiscount();
  const cart = await shop.givenCart('30.01');
  const path = { cart_id: cart.id };
  await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', { params: { path }, body: { code: 'ten' } });

  const order = await shop.givenOrder({ cart_id: cart.id });

  expect(order).toMatchObject({ subtotal: '30.01', discount: '10.00', total: '24.91' });
  const { rows } = await shop.owner.query(
    'select status, order_id, email from commerce.discount_redemptions where site_id = $1',
    [shop.site_id],
  );
  expect(rows).toEqual([{ status: 'redeemed', order_id: order.id, email: 'june@example.com' }]);
});

test('a guest can use a discount code once per e-mail address, and a rejected order does not use it', async () => {
  const shop = await openShop();
  await shop.givenDiscount({ usage_limit_per_customer: 1 });
  const take = async () => {
    const { id: cart_id } = await shop.givenCart('30.00');
    const params = { path: { cart_id } };
    await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', { params, body: { code: 'TEN' } });
    return cart_id;
  };
  await shop.givenOrder({ cart_id: await take() });
  const { id } = await shop.givenCheckout({ cart_id: await take(), email: 'June@example.com' });

  const { error, response } = await shop.storefront.POST(completePath, { ...at(id), body: {} });

  expect(response.status).toBe(400);
  expect(error).toMatchObject({ error: 'discount_customer_limit_reached' });
  expect(await ordersOf(shop)).toHaveLength(1);
});

test('a guest and an account with the same e-mail address share the limit per customer of a discount code, even concurrently', async () => {
  for (const first of ['guest', 'account', 'both']) {
    const shop = await openShop();
    const { client, email } = await shop.givenCustomer();
    await shop.givenDiscount({ usage_limit_per_customer: 1 });
    const apply = (cart_id: string, from = shop.storefront) =>
      from.POST('/api/storefront/cart/{cart_id}/discounts', { params: { path: { cart_id } }, body: { code: 'TEN' } });
    const [guestCart, ownCart] = [await shop.givenCart('30.00'), await shop.givenCart('30.00', client)];
    await apply(guestCart.id);
    await apply(ownCart.id, client);
    const guest = await shop.givenCheckout({ cart_id: guestCart.id, email: email.toUpperCase() });
    const own = await shop.givenCheckout({ client, cart_id: ownCart.id, email: 'other@example.com' });
    const operations = [
      () => shop.storefront.POST(completePath, { ...at(guest.id), body: {} }),
      () => client.POST(completePath, { ...at(own.id), body: {} }),
    ];
    if (first === 'account') operations.reverse();

    const before = first === 'both' ? [] : [await operations.shift()?.()];
    const answers = [...before, ...(await Promise.all(operations.map((complete) => complete())))];

    expect(answers.map((answer) => answer?.response.status).toSorted()).toEqual([200, 400]);
    expect(answers.flatMap((answer) => answer?.error?.error ?? [])).toEqual(['discount_customer_limit_reached']);
    expect(await ordersOf(shop)).toHaveLength(1);
  }
});

test('an account cannot enter a discount code that a guest with its e-mail address has used up', async () => {
  const shop = await openShop();
  const { client, email } = await shop.givenCustomer();
  await shop.givenDiscount({ usage_limit_per_customer: 1 });
  const apply = (cart_id: string, from = shop.storefront) =>
    from.POST('/api/storefront/cart/{cart_id}/discounts', { params: { path: { cart_id } }, body: { code: 'TEN' } });
  const { id: cart_id } = await shop.givenCart('30.00');
  await apply(cart_id);
  await shop.givenOrder({ cart_id, email });

  const { error, response } = await apply((await shop.givenCart('30.00', client)).id, client);

  expect(response.status).toBe(400);
  expect(error).toMatchObject({ error: 'discount_customer_limit_reached' });
});

test('an order with a total of 0 is confirmed and paid, with the payment method `free`', async () => {
  const shop = await openShop();
  const { id: shipping_option_id } = await shop.givenShippingOption({ price: '0.00' });

  const order = await shop.givenOrder({ content: '0.00', shipping_option_id, payment_method: null });

  expect(order).toMatchObject({ total: '0.00', payment_method: 'free', status: 'confirmed', payment_status: 'paid' });
});

test('an order with payment on delivery is confirmed while its payment is pending', async () => {
  const shop = await openShop();
  const { id } = await shop.givenShippingOption({ kind: 'pickup', price: '0.00' });

  const order = await shop.givenOrder({ shipping_option_id: id, payment_method: 'manual' });

  expect(order).toMatchObject({ status: 'confirmed', payment_status: 'pending', payment_method: 'manual' });
  expect(order.payment).toMatchObject({ due_at: null, instructions: null });
});

test('the checkout of an order states whether the order is a pickup or a delivery', async () => {
  const shop = await openShop();
  const pickup = await shop.givenShippingOption({ name: 'Collect in the shop', kind: 'pickup', price: '0.00' });
  const delivery = await shop.givenShippingOption();
  const ordered = async (shipping_option_id: string) => {
    const { checkout_id } = await shop.givenOrder({ shipping_option_id });
    return (await shop.storefront.GET(checkoutPath, at(checkout_id))).data?.shipping_option;
  };

  expect(await ordered(pickup.id)).toMatchObject({ name: 'Collect in the shop', kind: 'pickup', price: '0.00' });
  expect(await ordered(delivery.id)).toMatchObject({ name: 'Parcel', kind: 'delivery', price: '4.90' });
});

test('a discount minimum ignores products no longer for sale, and the charged total equals the displayed one', async () => {
  const shop = await openShop();
  const [dear, cheap] = [await givenVariant(shop, { price: '100.00' }), await givenVariant(shop)];
  await shop.givenDiscount({ value: '5.00', minimum_subtotal: '50' });
  const cart = await shop.givenCart([dear, cheap].map(({ variant_id }) => ({ variant_id, quantity: 1 })));
  const path = { cart_id: cart.id };
  await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', { params: { path }, body: { code: 'TEN' } });
  const { id } = await shop.givenCheckout({ cart_id: cart.id });
  const params = { path: { product_id: dear.product.id } };
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { status: 'archived' } });

  const seen = await shop.storefront.GET(checkoutPath, at(id));
  const { data: kept } = await shop.storefront.GET('/api/storefront/cart/{cart_id}', { params: { path } });
  const told = await shop.storefront.POST(completePath, { ...at(id), body: {} });
  const { data } = await shop.storefront.POST(completePath, { ...at(id), body: { expected_total: '14.90' } });

  expect(seen.data).toMatchObject({ subtotal: '10.00', discount: '0.00', total: '14.90' });
  expect(kept).toMatchObject({ subtotal: '10.00', discount: '0.00', total: '10.00', discount_code: 'TEN' });
  expect(told.error).toMatchObject({ error: 'price_changed', total: '14.90' });
  expect(data?.order).toMatchObject({ subtotal: '10.00', discount: '0.00', total: '14.90' });
});

test('completing a checkout with a valid card creates a paid order', async () => {
  const shop = await openShop();

  const order = await shop.givenOrder({ payment_method: 'card', card_token: 'tok_success' });

  expect(order).toMatchObject({ status: 'confirmed', payment_status: 'paid', payment_method: 'card' });
  expect(await paymentsOf(shop)).toEqual([{ status: 'succeeded', ordered: true }]);
});

test('a declined card creates no order (409 payment_failed), and another card can be used', async () => {
  const shop = await openShop();
  const { id } = await shop.givenCheckout({ payment_method: 'card' });
  const pay = (card_token: string, key?: string) =>
    shop.storefront.POST(completePath, { ...at(id, key), body: { payment: { card_token } } });
  const key = randomUUID();

  const declined = await pay('tok_declined', key);
  const replayed = await pay('tok_declined', key);
  const { data } = await pay('tok_success');

  expect(declined.response.status).toBe(409);
  expect(declined.error).toMatchObject({ error: 'payment_failed', reason: 'card_declined' });
  expect(replayed.response.headers.get('Idempotency-Replayed')).toBe('true');
  expect(data?.order.payment_status).toBe('paid');
  expect(await paymentsOf(shop)).toEqual([
    { status: 'failed', ordered: false },
    { status: 'succeeded', ordered: true },
  ]);
});

test('eight concurrent completions of a checkout by card create one order and charge once', async () => {
  const shop = await openShop();
  const { id } = await shop.givenCheckout({ payment_method: 'card' });

  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      shop.storefront.POST(completePath, { ...at(id), body: { payment: { card_token: 'tok_success' } } }),
    ),
  );

  expect(new Set(answers.flatMap(({ data }) => data?.order.id ?? [])).size).toBe(1);
  expect(await ordersOf(shop)).toHaveLength(1);
  expect(await paymentsOf(shop)).toEqual([{ status: 'succeeded', ordered: true }]);
});

test('rejects a card payment without a card token (422), and reports a changed price before any charge', async () => {
  const shop = await openShop();
  const { id } = await shop.givenCheckout({ payment_method: 'card' });

  const without = await shop.storefront.POST(completePath, { ...at(id), body: {} });
  const changed = await shop.storefront.POST(completePath, {
    ...at(id),
    body: { expected_total: '1.00', payment: { card_token: 'tok_success' } },
  });

  expect(without.response.status).toBe(422);
  expect(without.error).toMatchObject({ detail: [{ loc: ['body', 'payment'], type: 'missing' }] });
  expect(changed.error).toMatchObject({ error: 'price_changed' });
  expect(await paymentsOf(shop)).toEqual([]);
});
