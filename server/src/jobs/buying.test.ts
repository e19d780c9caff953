import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { givenVariant, stockOf } from '../../test/buying.ts';
import { workOverdue } from '../../test/jobs.ts';
import { mailsTo } from '../../test/mail.ts';
import { openShop } from '../../test/shop.ts';
import type { Outcome, PaymentProvider } from '../shop/payments/provider.ts';
import { createTestProvider } from '../shop/payments/test-provider.ts';

const orderPath = '/api/dashboard/orders/{order_id}';
const checkoutPath = '/api/storefront/checkout/{checkout_id}';

const DECLINED: Outcome = {
  status: 'failed',
  reference: '',
  reason: 'card_declined',
  next_action: null,
  amount: null,
  currency: null,
};

type OpenShop = Awaited<ReturnType<typeof openShop>>;

function at(order_id: string) {
  return { params: { path: { order_id } } };
}

function testProvider({ db }: OpenShop): PaymentProvider {
  return createTestProvider({ db, baseUrl: 'http://localhost' });
}

async function paymentsOf({ owner, site_id }: OpenShop) {
  const { rows } = await owner.query('select status from commerce.payments where site_id = $1', [site_id]);
  return rows.map(({ status }) => status);
}

test('releases the stock of an expired reservation while the checkout stays open', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop);
  const { id } = await shop.givenCheckout({ content: [{ variant_id, quantity: 4 }] });
  await shop.owner.query('update commerce.checkouts set reserved_until = now() where id = $1', [id]);

  await Promise.all([workOverdue(shop), workOverdue(shop)]);

  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 0 });
  const { data } = await shop.storefront.PATCH(checkoutPath, {
    params: { path: { checkout_id: id } },
    body: { note: 'Still here' },
  });
  expect(data?.status).toBe('ready');
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 4 });
});

test('expires an abandoned checkout after its deadline and releases its stock', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop);
  const { id } = await shop.givenCheckout({ content: [{ variant_id, quantity: 4 }] });
  await shop.owner.query('update commerce.checkouts set expires_at = now() where id = $1', [id]);

  await workOverdue(shop);

  const { rows } = await shop.owner.query('select status, reserved_until from commerce.checkouts where id = $1', [id]);
  expect(rows).toEqual([{ status: 'expired', reserved_until: null }]);
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 0 });
});

test('expires an unpaid bank transfer order once, and restocks it once', async () => {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop);
  const { id } = await shop.givenOrder({ content: [{ variant_id, quantity: 4 }] });
  await shop.owner.query('update commerce.orders set payment_due_at = now() where id = $1', [id]);

  await Promise.all([workOverdue(shop), workOverdue(shop), workOverdue(shop)]);
  await workOverdue(shop);

  const { data } = await shop.dashboard.GET(orderPath, at(id));
  expect(data).toMatchObject({ status: 'cancelled', payment_status: 'expired', cancel_reason: 'payment_expired' });
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 0 });
});

test('sends a payment reminder only once when it is due', async () => {
  const shop = await openShop();
  const { id } = await shop.givenOrder();
  await shop.owner.query('update commerce.orders set payment_reminder_at = now() where id = $1', [id]);

  await Promise.all([workOverdue(shop), workOverdue(shop)]);

  const { data } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}/timeline', at(id));
  expect(data?.entries.map(({ type }) => type)).toEqual(['payment_reminded', 'created']);
  expect(data?.entries[0]).toMatchObject({ actor_type: 'system', actor_id: null });
});

test('the expiry job does not change an unpaid order before its payment deadline', async () => {
  const shop = await openShop();
  const { id } = await shop.givenOrder();

  await workOverdue(shop);

  const { data } = await shop.dashboard.GET(orderPath, at(id));
  expect(data).toMatchObject({ status: 'pending', payment_status: 'awaiting_payment' });
});

test('creates a pending order while its card payment is pending, and marks the order as paid when the payment succeeds', async () => {
  const shop = await openShop();
  const order = await shop.givenOrder({ payment_method: 'card', card_token: 'tok_late_success' });

  await Promise.all([workOverdue(shop), workOverdue(shop)]);

  const { data } = await shop.dashboard.GET(orderPath, at(order.id));
  expect(order).toMatchObject({ status: 'pending', payment_status: 'pending' });
  expect(data).toMatchObject({ status: 'confirmed', payment_status: 'paid' });
  const { data: timeline } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}/timeline', at(order.id));
  expect(timeline?.entries.map(({ type }) => type)).toEqual(['payment_confirmed', 'created']);
});

test('cancels and restocks an order whose pending card payment is declined, and notifies customer, staff and webhooks', async () => {
  const shop = await openShop();
  await shop.dashboard.POST('/api/dashboard/events/listeners', {
    body: { events: ['order.created', 'order.cancelled'] },
  });
  const email = `${randomUUID()}@example.com`;
  const { product, variant_id } = await givenVariant(shop);
  const content = [{ variant_id, quantity: 4 }];
  const { id } = await shop.givenOrder({ content, email, payment_method: 'card', card_token: 'tok_late_declined' });

  await Promise.all([workOverdue(shop), workOverdue(shop)]);

  const { data } = await shop.dashboard.GET(orderPath, at(id));
  expect(data).toMatchObject({
    status: 'cancelled',
    payment_status: 'failed',
    payment: { failure_reason: 'card_declined' },
  });
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 0 });
  const { data: timeline } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}/timeline', at(id));
  expect(timeline?.entries.map(({ type }) => type)).toEqual(['cancelled', 'payment_failed', 'created']);
  const events = await shop.owner.query('select type from commerce.events where site_id = $1 order by id', [
    shop.site_id,
  ]);
  expect(events.rows.map(({ type }) => type)).toEqual(['order.created', 'order.cancelled']);
  const letter = (await mailsTo(shop, email)).find(({ subject }) => subject.includes('cancelled'));
  expect(letter?.html).toContain('Your payment failed.');
});

test('polls an authorized payment until it is captured, and then marks its order as paid once', async () => {
  const shop = await openShop();
  const order = await shop.givenOrder({ payment_method: 'card', card_token: 'tok_authorized' });
  await workOverdue(shop, {
    ...testProvider(shop),
    outcomeOf: async () => ({ ...DECLINED, status: 'authorized', reference: 'r', reason: null }),
  });
  const { data: before } = await shop.dashboard.GET(orderPath, at(order.id));

  await Promise.all([workOverdue(shop), workOverdue(shop)]);
  await workOverdue(shop);

  expect(order).toMatchObject({ status: 'confirmed', payment_status: 'authorized' });
  // Compares the order's status, because the number that the job returns covers all shops.
  expect(before?.payment_status).toBe('authorized');
  const { data } = await shop.dashboard.GET(orderPath, at(order.id));
  expect(data).toMatchObject({ status: 'confirmed', payment_status: 'paid' });
  const { data: timeline } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}/timeline', at(order.id));
  expect(timeline?.entries.map(({ type }) => type)).toEqual(['payment_confirmed', 'payment_authorized', 'created']);
});

test('cancels an order whose authorized payment fails', async () => {
  const shop = await openShop();
  const { id } = await shop.givenOrder({ payment_method: 'card', card_token: 'tok_authorized' });

  await workOverdue(shop, {
    ...testProvider(shop),
    outcomeOf: async ({ reference }) => ({ ...DECLINED, reference: reference ?? '' }),
  });

  const { data } = await shop.dashboard.GET(orderPath, at(id));
  expect(data).toMatchObject({ status: 'cancelled', payment_status: 'failed' });
});

test('processes other payments and shops after one payment fails, and then fails the job', async () => {
  const shops = [await openShop(), await openShop()];
  const [broken, healthy] = [new Set<string>(), new Set<string>()];
  for (const shop of shops) {
    const pay = () => shop.givenOrder({ payment_method: 'card', card_token: 'tok_late_success' });
    const [first, second] = [await pay(), await pay()];
    const { rows } = await shop.owner.query('select id from commerce.payments where order_id = $1', [first.id]);
    broken.add(rows[0]?.id);
    healthy.add(second.id);
  }
  const provider = testProvider(shops[0] as OpenShop);
  const card: PaymentProvider = {
    ...provider,
    async outcomeOf(payment) {
      if (broken.has(payment.id)) throw new Error('The provider is out of order.');
      return provider.outcomeOf(payment);
    },
  };

  await expect(workOverdue(shops[0] as OpenShop, card)).rejects.toThrow(/failed in \d+ shops/);

  const paid = await shops[0]?.owner.query(
    `select id from commerce.orders where payment_status = 'paid' and id = any($1)`,
    [[...healthy]],
  );
  expect(paid?.rowCount).toBe(2);
  await workOverdue(shops[0] as OpenShop);
});

/** The test provider, which records the payments that it cancels. */
function listening(shop: OpenShop): PaymentProvider & { cancelled: string[] } {
  const cancelled: string[] = [];
  return {
    ...testProvider(shop),
    cancelled,
    outcomeOf: async (): Promise<Outcome | undefined> => undefined,
    cancel: async ({ id, reference }) => {
      cancelled.push(id);
      return { ...DECLINED, status: 'cancelled', reference: reference ?? '', reason: null };
    },
  };
}

test('cancels the pending payment of a cancelled order', async () => {
  const shop = await openShop();
  const { id } = await shop.givenOrder({ payment_method: 'card', card_token: 'tok_late_success' });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', { ...at(id), body: { reason: 'customer' } });
  const card = listening(shop);

  await workOverdue(shop, card);
  await workOverdue(shop, card);

  expect(card.cancelled).toHaveLength(1);
  expect(await paymentsOf(shop)).toEqual(['cancelled']);
  expect((await shop.dashboard.GET(orderPath, at(id))).data).toMatchObject({ payment_status: 'voided' });
});

test('cancels a successful payment whose order was never created', async () => {
  const shop = await openShop();
  const { id } = await shop.givenCheckout({ payment_method: 'card' });
  await shop.owner.query(
    `insert into commerce.payments (site_id, id, checkout_id, provider, status, amount, card_hash, reference, updated_at)
      values ($1, gen_random_uuid(), $2, 'test_card', 'succeeded', 14.90, '', 'r', now() - interval '10 minutes')`,
    [shop.site_id, id],
  );
  const card = listening(shop);

  await workOverdue(shop, card);

  expect(card.cancelled).toHaveLength(1);
  expect(await paymentsOf(shop)).toEqual(['cancelled']);
});

test("the sweeper's database role sees no orders, checkouts, carts or payments that are not due", async () => {
  const shop = await openShop();
  await shop.givenOrder();
  await shop.givenCheckout();
  const client = await shop.owner.connect();

  await client.query('begin');
  await client.query('set local role commerce_sweep');
  await client.query(`select set_config('app.site_id', '00000000-0000-0000-0000-000000000000', true)`);
  const seen = [];
  for (const table of ['orders', 'checkouts', 'carts', 'payments', 'discount_redemptions']) {
    seen.push(await client.query(`select from commerce.${table} where site_id = $1`, [shop.site_id]));
  }
  await client.query('rollback');
  client.release();

  expect(seen.map(({ rowCount }) => rowCount)).toEqual([0, 0, 0, 0, 0]);
});

test('the job adds each order to the best-seller counts once, without blocking buyers', async () => {
  const shop = await openShop();
  const [first, second] = [await givenVariant(shop), await givenVariant(shop)];
  const bestSeller = async () => {
    const { data } = await shop.storefront.GET('/api/storefront/products', {
      params: { query: { sort: 'best_selling', limit: 1 } },
    });
    return data?.products[0]?.id;
  };
  // Another transaction locks the product, as another order for it would.
  const other = await shop.owner.connect();
  try {
    await other.query('begin');
    await other.query('update commerce.products set updated_at = now() where id = $1', [second.product.id]);
    await shop.givenOrder({ content: [{ variant_id: second.variant_id, quantity: 2 }] });
  } finally {
    await other.query('rollback');
    other.release();
  }
  await shop.givenOrder({ content: [{ variant_id: first.variant_id, quantity: 1 }] });
  await workOverdue(shop);
  expect(await bestSeller()).toBe(second.product.id);

  await shop.givenOrder({ content: [{ variant_id: first.variant_id, quantity: 2 }] });
  await Promise.all([workOverdue(shop), workOverdue(shop)]);
  await workOverdue(shop);

  expect(await bestSeller()).toBe(first.product.id);
  const { rows } = await shop.owner.query(
    `select p.sales_count::int, (select count(*) from commerce.product_sales where site_id = $1)::int as left
      from commerce.products p where p.site_id = $1 order by sales_count desc`,
    [shop.site_id],
  );
  expect(rows).toEqual([
    { sales_count: 3, left: 0 },
    { sales_count: 2, left: 0 },
  ]);
});
