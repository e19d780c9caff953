import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createStorefrontClient } from '@commerce-backend/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { givenAgent, givenAgentCheckout } from '../../test/agents.ts';
import { ordersOf, stockOf } from '../../test/buying.ts';
import { workOverdue } from '../../test/jobs.ts';
import { SECRET_KEY, startServer, stopServer } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { finishMoves } from '../shop/checkout/moving.ts';
import { findTenant } from '../shop/in-shop.ts';
import type { PaymentProvider } from '../shop/payments/provider.ts';
import { createTestProvider } from '../shop/payments/test-provider.ts';

const checkoutPath = '/api/storefront/checkout/{checkout_id}';
const completePath = '/api/storefront/checkout/{checkout_id}/complete';
const cancelPath = '/api/storefront/checkout/{checkout_id}/payment/cancel';
const itemsPath = '/api/storefront/cart/{cart_id}/items';
const BY_3DS = { payment: { card_token: 'tok_3ds' } };

type OpenShop = Awaited<ReturnType<typeof openShop>>;

function at(checkout_id: string, key?: string) {
  return { params: { path: { checkout_id } }, ...(key && { headers: { 'Idempotency-Key': key } }) };
}

/** Creates a checkout for two items of a product, to be paid by card. */
async function givenPayable(shop: OpenShop, input: Parameters<OpenShop['givenProduct']>[0] = {}) {
  const product = await shop.givenProduct(input);
  const variant_id = product.variants[0]?.id ?? '';
  const checkout = await shop.givenCheckout({ content: [{ variant_id, quantity: 2 }], payment_method: 'card' });
  return { product, variant_id, checkout };
}

/** Like `givenPayable`, with a payment that waits for the shopper at the provider. */
async function givenPaying(shop: OpenShop, input: Parameters<OpenShop['givenProduct']>[0] = {}) {
  const payable = await givenPayable(shop, input);
  const { error } = await shop.storefront.POST(completePath, { ...at(payable.checkout.id), body: BY_3DS });
  expect(error).toMatchObject({ error: 'payment_action_required' });
  return payable;
}

/** Stores the shopper's decision on the page of the test provider. */
async function decide({ owner, site_id }: OpenShop, status: 'succeeded' | 'failed') {
  await owner.query(
    `update commerce.test_payments set status = $2, captured = case when $2 = 'succeeded' then amount else 0 end
      where site_id = $1 and status in ('requires_action', 'cancelled')`,
    [site_id, status],
  );
}

async function paymentsOf({ owner, site_id }: OpenShop) {
  const { rows } = await owner.query('select status from commerce.payments where site_id = $1 order by created_at', [
    site_id,
  ]);
  return rows.map(({ status }) => status);
}

/** The amount in minor units that the provider has received for the shop and not refunded. */
async function moneyOf({ owner, site_id }: OpenShop): Promise<number> {
  const { rows } = await owner.query(
    `select coalesce(sum(captured - (select coalesce(sum(value::int), 0) from jsonb_each_text(refunds))), 0)::int as money
      from commerce.test_payments where site_id = $1`,
    [site_id],
  );
  return rows[0]?.money;
}

test('completing a checkout returns 409 if the payment requires an action, and creates the order after the action', async () => {
  const shop = await openShop();
  const { product, checkout } = await givenPayable(shop);

  const asked = await shop.storefront.POST(completePath, { ...at(checkout.id), body: BY_3DS });
  const again = await shop.storefront.POST(completePath, { ...at(checkout.id), body: {} });
  const { data: paying } = await shop.storefront.GET(checkoutPath, at(checkout.id));
  await decide(shop, 'succeeded');
  const { data } = await shop.storefront.POST(completePath, { ...at(checkout.id), body: {} });

  expect(asked.response.status).toBe(409);
  expect(asked.error).toMatchObject({
    error: 'payment_action_required',
    retryable: false,
    next_action: { type: 'redirect', url: expect.stringContaining('/test-payment/') },
  });
  expect(again.error).toMatchObject({ error: 'payment_action_required' });
  expect(paying?.payment).toMatchObject({ provider: 'test_card', kind: 'card_token', status: 'requires_action' });
  expect(paying?.payment?.next_action?.url).toContain('/test-payment/');
  const left = Date.parse(paying?.payment?.expires_at ?? '') - Date.now();
  expect([left > 30 * 60_000, left <= 31 * 60_000]).toEqual([true, true]);
  expect(data?.order).toMatchObject({ status: 'confirmed', payment_status: 'paid', total: checkout.total });
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 8, reserved: 0 });
  expect((await shop.storefront.GET(checkoutPath, at(checkout.id))).data).toMatchObject({
    status: 'completed',
    payment: null,
  });
});

test('after a change of SECRET_KEY, completing a checkout again returns the next action of its payment', async () => {
  const shop = await openShop();
  const { checkout } = await givenPaying(shop);
  const server = await startServer(databaseUrl(), { secretKey: 'the key that replaced it, as long as the other one' });
  onTestFinished(() => stopServer(server));
  const { site_id: siteId, credentials, baseUrl } = shop;
  const storefrontToken = credentials.storefront_token;
  const moved = createStorefrontClient({ baseUrl: server.baseUrl, siteId, storefrontToken, maxAttempts: 1 });
  expect(server.baseUrl).not.toBe(baseUrl);

  const unread = await moved.GET(checkoutPath, at(checkout.id));
  const again = await moved.POST(completePath, { ...at(checkout.id), body: {} });
  const read = await moved.GET(checkoutPath, at(checkout.id));

  expect(unread.data?.payment).toMatchObject({ status: 'requires_action', next_action: null });
  expect(again.error).toMatchObject({
    error: 'payment_action_required',
    next_action: { url: expect.stringContaining('/test-payment/') },
  });
  expect(read.data?.payment?.next_action?.url).toContain('/test-payment/');
});

test("a payment with only a return_url uses the provider's page, and rejects a URL of another origin (422)", async () => {
  const shop = await openShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { allowed_origins: ['https://shop.example.com'] } });
  const { checkout } = await givenPayable(shop);
  const complete = (return_url: string) =>
    shop.storefront.POST(completePath, { ...at(checkout.id), body: { payment: { return_url } } });

  for (const foreign of [
    'https://evil.example.com/',
    'https://shop.example.com.evil.example.com/',
    'https://shop.example.com@evil.example.com/',
    'https://user:pass@shop.example.com/',
    'http://shop.example.com/',
    'https://shop.example.com:444/',
  ]) {
    const { error, response } = await complete(foreign);
    expect([foreign, response.status]).toEqual([foreign, 422]);
    expect(error).toMatchObject({ detail: [{ loc: ['body', 'payment', 'return_url'] }] });
  }
  const { error } = await complete('https://shop.example.com/thanks?x=1');

  expect(error).toMatchObject({ error: 'payment_action_required', next_action: { type: 'redirect' } });
  const { rows } = await shop.owner.query('select id, return_url from commerce.test_payments where site_id = $1', [
    shop.site_id,
  ]);
  expect(rows).toEqual([{ id: rows[0].id, return_url: `${checkout.checkout_url}/return?payment=${rows[0].id}` }]);
  const comeBack = async () => {
    const { pathname, search } = new URL(rows[0].return_url);
    return (await fetch(shop.baseUrl + pathname + search, { redirect: 'manual' })).headers.get('Location');
  };
  expect(await comeBack()).toBe('https://shop.example.com/thanks?x=1');
  await decide(shop, 'succeeded');
  const paid = await comeBack();
  const { data } = await shop.dashboard.GET('/api/dashboard/orders');
  expect(paid).toBe(`https://shop.example.com/thanks?x=1&order_id=${data?.orders[0]?.id}`);

  // The shop has removed the URL from its settings meanwhile.
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { allowed_origins: [] } });
  expect(await comeBack()).toBe(new URL(checkout.checkout_url ?? '').pathname);
});

test('a declined payment creates no order, and the checkout can be changed and then paid with another card', async () => {
  const shop = await openShop();
  const { checkout, product } = await givenPaying(shop);
  await decide(shop, 'failed');

  const declined = await shop.storefront.POST(completePath, { ...at(checkout.id), body: {} });
  const changed = await shop.storefront.PATCH(checkoutPath, { ...at(checkout.id), body: { note: 'Ring twice' } });
  const { data } = await shop.storefront.POST(completePath, {
    ...at(checkout.id),
    body: { payment: { card_token: 'tok_success' } },
  });

  expect(declined.error).toMatchObject({ error: 'payment_failed', reason: 'card_declined' });
  expect(changed.data?.payment).toBeNull();
  expect(data?.order.payment_status).toBe('paid');
  expect(await paymentsOf(shop)).toEqual(['failed', 'succeeded']);
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 8, reserved: 0 });
});

test('the cart and checkout of an open payment cannot be changed until the payment is cancelled', async () => {
  const shop = await openShop();
  await shop.givenDiscount();
  const { checkout, variant_id } = await givenPaying(shop);
  const { storefront } = shop;
  const cart = { params: { path: { cart_id: checkout.cart_id } } };
  const line = { params: { path: { cart_id: checkout.cart_id, line_item_id: checkout.items[0]?.id ?? '' } } };
  const linePath = '/api/storefront/cart/{cart_id}/items/{line_item_id}';

  const changes = [
    await storefront.POST(itemsPath, { ...cart, body: { variant_id, quantity: 1 } }),
    await storefront.PATCH(linePath as never, { ...line, body: { quantity: 1 } } as never),
    await storefront.DELETE(linePath as never, line as never),
    await storefront.POST('/api/storefront/cart/{cart_id}/discounts', { ...cart, body: { code: 'TEN' } }),
    await storefront.POST('/api/storefront/checkout', { body: { cart_id: checkout.cart_id } }),
    await storefront.PATCH(checkoutPath, { ...at(checkout.id), body: { note: 'x' } }),
    await storefront.POST('/api/storefront/checkout/{checkout_id}/cancel', at(checkout.id)),
    await storefront.POST(completePath, { ...at(checkout.id), body: { payment: { card_token: 'tok_success' } } }),
  ] as { error?: unknown; response: Response }[];
  const { data: cancelled } = await storefront.POST(cancelPath, at(checkout.id));
  const twice = await storefront.POST(cancelPath, at(checkout.id));
  const { data: after } = await storefront.POST(itemsPath, { ...cart, body: { variant_id, quantity: 1 } });

  for (const { error, response } of changes) {
    expect([response.status, error]).toMatchObject([409, { error: 'payment_in_progress', retryable: true }]);
  }
  expect(cancelled).toMatchObject({ status: 'ready', payment: null, reserved_until: expect.any(String) });
  expect(twice.response.status).toBe(200);
  expect(after?.items[0]?.quantity).toBe(3);
  expect(await paymentsOf(shop)).toEqual(['cancelled']);
});

test('cancelling a payment that has just succeeded creates its order', async () => {
  const shop = await openShop();
  const { checkout } = await givenPaying(shop);
  await decide(shop, 'succeeded');

  const { data } = await shop.storefront.POST(cancelPath, at(checkout.id));

  expect(data).toMatchObject({ status: 'completed', order_number: '1001', payment: null });
  expect((await ordersOf(shop))[0]).toMatchObject({ payment_status: 'paid' });
});

test('an order has the items and prices from the start of its payment, even if the shopper does not return', async () => {
  const shop = await openShop();
  const discount = await shop.givenDiscount({ value: '5.00', minimum_subtotal: '15' });
  const product = await shop.givenProduct();
  const cart = await shop.givenCart([{ variant_id: product.variants[0]?.id ?? '', quantity: 2 }]);
  const path = { cart_id: cart.id };
  await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', { params: { path }, body: { code: 'TEN' } });
  const checkout = await shop.givenCheckout({ cart_id: cart.id, payment_method: 'card' });
  await shop.storefront.POST(completePath, { ...at(checkout.id), body: BY_3DS });
  const params = { path: { product_id: product.id } };
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', {
    params,
    body: { price: '99.00', status: 'draft' },
  });
  await shop.dashboard.PATCH('/api/dashboard/discounts/{discount_id}', {
    params: { path: { discount_id: discount.id } },
    body: { ends_at: '2020-01-01T00:00:00Z' },
  });
  await shop.owner.query(
    `update commerce.checkouts set expires_at = now() - interval '1 s', reserved_until = now() - interval '1 s' where id = $1`,
    [checkout.id],
  );
  await shop.owner.query(`update commerce.carts set expires_at = now() - interval '1 s' where id = $1`, [cart.id]);
  await decide(shop, 'succeeded');

  await workOverdue(shop);

  const [order] = await ordersOf(shop);
  expect(order).toMatchObject({ total: checkout.total, discount: '5.00', payment_status: 'paid', status: 'confirmed' });
  expect(order?.line_items).toMatchObject([{ price: '10.00', quantity: 2 }]);
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 8, reserved: 0 });
  expect(await moneyOf(shop)).toBe(1990);
});

test('an unfinished payment is cancelled after its deadline, and the checkout becomes ready again', async () => {
  const shop = await openShop();
  const { checkout, product } = await givenPaying(shop);
  await shop.owner.query(`update commerce.payments set expires_at = now() - interval '1 s' where site_id = $1`, [
    shop.site_id,
  ]);

  await workOverdue(shop);

  const { data } = await shop.storefront.GET(checkoutPath, at(checkout.id));
  expect(data).toMatchObject({ status: 'ready', payment: null });
  expect(await paymentsOf(shop)).toEqual(['cancelled']);
  expect(await stockOf(shop, product.id)).toEqual({ on_hand: 10, reserved: 2 });
});

test('keeps stock reserved for an hour while the provider does not respond, and refunds a later success', async () => {
  const shop = await openShop();
  const { checkout, product } = await givenPaying(shop);
  const down = async () => {
    throw new Error('The provider cannot be reached.');
  };
  const provider = createTestProvider({ db: shop.db, baseUrl: 'http://localhost' });
  const unreachable = { ...provider, outcomeOf: down, cancel: down };
  await shop.owner.query(`update commerce.payments set expires_at = now() - interval '1 s' where site_id = $1`, [
    shop.site_id,
  ]);
  const runWhileDown = () => workOverdue(shop, unreachable).catch(() => undefined);

  await runWhileDown();
  const kept = await stockOf(shop, product.id);
  await shop.owner.query(
    `update commerce.payments set unreachable_since = now() - interval '61 minutes' where site_id = $1`,
    [shop.site_id],
  );
  await runWhileDown();
  const released = await stockOf(shop, product.id);
  await decide(shop, 'succeeded');
  await workOverdue(shop);
  await workOverdue(shop);

  expect(kept).toEqual({ on_hand: 10, reserved: 2 });
  expect(released).toEqual({ on_hand: 10, reserved: 0 });
  expect(await ordersOf(shop)).toEqual([]);
  expect(await paymentsOf(shop)).toEqual(['refunded']);
  expect(await moneyOf(shop)).toBe(0);
  expect((await shop.storefront.GET(checkoutPath, at(checkout.id))).data).toMatchObject({ payment: null });
});

test('the server calls the payment provider only after the payment is recorded, and outside of a transaction', async () => {
  const shop = await openShop();
  const provider = createTestProvider({ db: shop.db, baseUrl: 'http://localhost' });
  const calls: [string, number, string[]][] = [];
  /** Idle transactions, with the time of their last statement. */
  const resting = async () => {
    const { rows } = await shop.owner.query<{ since: string }>(
      `select concat(pid, ' ', state_change) as since from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%'`,
    );
    return rows.map(({ since }) => since);
  };
  // Transactions of other payments may continue meanwhile.
  const look = async (call: string, id: string) => {
    const { rowCount } = await shop.owner.query('select from commerce.payments where id = $1', [id]);
    const before = await resting();
    await pause(200);
    const after = await resting();
    calls.push([call, rowCount ?? 0, before.filter((since) => after.includes(since))]);
  };
  const watched: PaymentProvider = {
    ...provider,
    begin: async (payment) => look('begin', payment.id).then(() => provider.begin(payment)),
    outcomeOf: async (payment) => look('outcomeOf', payment.id).then(() => provider.outcomeOf(payment)),
    capture: async (payment, move) => look('capture', payment.id).then(() => provider.capture(payment, move)),
    cancel: async (payment) => look('cancel', payment.id).then(() => provider.cancel(payment)),
    refund: async (payment, move) => look('refund', payment.id).then(() => provider.refund(payment, move)),
    giveBack: async (payment) => look('giveBack', payment.id).then(() => provider.giveBack(payment)),
  };
  const server = await startServer(databaseUrl(), { card: watched });
  onTestFinished(() => stopServer(server));
  const { site_id: siteId, credentials } = shop;
  const storefrontToken = credentials.storefront_token;
  const { POST } = createStorefrontClient({ baseUrl: server.baseUrl, siteId, storefrontToken, maxAttempts: 1 });
  const tenant = await findTenant(shop.db, siteId);
  if (!tenant) throw new Error('The shop is gone.');
  const move = () => finishMoves(shop.db, tenant, { card: watched, secretKey: SECRET_KEY });

  const { checkout } = await givenPayable(shop);
  await POST(completePath, { ...at(checkout.id), body: BY_3DS });
  await POST(completePath, { ...at(checkout.id), body: {} });
  await POST(cancelPath, at(checkout.id));
  const card_token = 'tok_authorized';
  const { data } = await POST(completePath, { ...at(checkout.id), body: { payment: { card_token } } });
  const params = { path: { order_id: data?.order.id ?? '' } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/capture', { params, body: {} });
  await move();
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params,
    body: { amount: '1.00', reason: 'other' },
  });
  await move();
  const other = await givenPaying(shop);
  await shop.owner.query(
    `update commerce.test_payments set amount = amount + 1 where site_id = $1 and status = 'requires_action'`,
    [siteId],
  );
  await decide(shop, 'succeeded');
  await POST(completePath, { ...at(other.checkout.id), body: {} });
  await workOverdue(shop, watched);

  expect([...new Set(calls.map(([call]) => call))].sort()).toEqual([
    'begin',
    'cancel',
    'capture',
    'giveBack',
    'outcomeOf',
    'refund',
  ]);
  for (const call of calls) expect(call).toEqual([expect.any(String), 1, []]);
});

test('a payment reported as successful several times concurrently creates one order', async () => {
  const shop = await openShop();
  const { checkout } = await givenPaying(shop);
  await decide(shop, 'succeeded');

  const answers = await Promise.all([
    ...Array.from({ length: 6 }, () => shop.storefront.POST(completePath, { ...at(checkout.id), body: {} })),
    shop.storefront.POST(cancelPath, at(checkout.id)),
    workOverdue(shop),
    workOverdue(shop),
  ]);

  expect(answers.length).toBe(9);
  expect(await ordersOf(shop)).toHaveLength(1);
  expect(await paymentsOf(shop)).toEqual(['succeeded']);
  expect(await moneyOf(shop)).toBe(2490);
});

test('a payment in another currency or amount is refunded, and creates no order', async () => {
  for (const change of ['amount = amount + 1', `currency = 'USD'`]) {
    const shop = await openShop();
    const { checkout } = await givenPaying(shop);
    await shop.owner.query(`update commerce.test_payments set ${change} where site_id = $1`, [shop.site_id]);
    await decide(shop, 'succeeded');

    const { error } = await shop.storefront.POST(completePath, { ...at(checkout.id), body: {} });
    await workOverdue(shop);

    expect(error).toMatchObject({ error: 'payment_failed', reason: 'amount_differs' });
    expect(await ordersOf(shop)).toEqual([]);
    expect(await paymentsOf(shop)).toEqual(['refunded']);
    expect(await moneyOf(shop)).toBe(0);
  }
});

test('stores a response with a next action encrypted, and replays it for the same Idempotency-Key', async () => {
  const client_secret = `pi_${randomUUID()}_secret_${randomUUID()}`;
  const shop = await openShop();
  const card: PaymentProvider = {
    ...createTestProvider({ db: shop.db, baseUrl: 'http://localhost' }),
    begin: async ({ id }) => ({
      status: 'requires_action',
      reference: `r_${id}`,
      reason: null,
      next_action: { type: 'client_secret', client_secret },
      amount: null,
      currency: null,
    }),
  };
  const server = await startServer(databaseUrl(), { card });
  try {
    const { checkout } = await givenPayable(shop);
    const key = randomUUID();
    const complete = async () => {
      const response = await fetch(`${server.baseUrl}/api/storefront/checkout/${checkout.id}/complete`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Site-ID': shop.site_id,
          'X-Service-Token': shop.credentials.storefront_token,
          'Idempotency-Key': key,
        },
        body: JSON.stringify({ payment: { confirmation_token: 'ctoken_123' } }),
      });
      return { response, text: await response.text() };
    };

    const first = await complete();
    const second = await complete();

    expect(first.response.status).toBe(409);
    expect(JSON.parse(first.text)).toMatchObject({ next_action: { type: 'client_secret', client_secret } });
    expect(second.response.headers.get('Idempotency-Replayed')).toBe('true');
    expect(second.text).toBe(first.text);
    for (const table of ['idempotency_keys', 'payments', 'audit_events', 'checkouts']) {
      const { rows } = await shop.owner.query(`select t::text as row from commerce.${table} t where site_id = $1`, [
        shop.site_id,
      ]);
      const hex = Buffer.from(client_secret).toString('hex');
      expect(rows.filter(({ row }) => row.includes(client_secret) || row.includes(hex))).toEqual([]);
      expect(rows.length).toBeGreaterThan(0);
    }
  } finally {
    await stopServer(server);
  }
});

test("a payment reserves its total in the agent's budget until it ends, even if the agent is revoked meanwhile", async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const agent = await givenAgent(shop, customer, { budget_cents: 4_000 });
  const [dear, cheap] = [await shop.givenProduct({ price: '30.00' }), await shop.givenProduct({ price: '5.00' })];
  const made = async ({ variants }: typeof dear) => {
    const lines = [{ variant_id: variants[0]?.id ?? '', quantity: 1 }];
    return givenAgentCheckout(shop, customer, { ...agent, categories: [] }, lines);
  };
  const [first, second, third] = [await made(dear), await made(cheap), await made(dear)];
  const { client } = customer;
  await client.PATCH(checkoutPath, { ...at(first.id), body: { payment_method: 'card' } });
  const held = async () => {
    const { rows } = await shop.owner.query(
      'select budget_used_cents::int as used, budget_held_cents::int as held from commerce.agent_tokens where id = $1',
      [agent.token_id],
    );
    return rows[0];
  };

  const begun = await client.POST(completePath, { ...at(first.id), body: BY_3DS });
  const duringPayment = await held();
  const within = await client.POST(completePath, { ...at(second.id), body: {} });
  await client.DELETE('/api/storefront/customer/me/agents/{agent_token_id}', {
    params: { path: { agent_token_id: agent.token_id } },
  });
  await decide(shop, 'succeeded');
  const { data } = await client.POST(completePath, { ...at(first.id), body: {} });
  const afterwards = await held();
  const beyond = await client.POST(completePath, { ...at(third.id), body: {} });

  expect(begun.error).toMatchObject({ error: 'payment_action_required' });
  expect(duringPayment).toEqual({ used: 0, held: 3_490 });
  expect([within.response.status, within.error]).toMatchObject([
    409,
    { error: 'payment_in_progress', retryable: true },
  ]);
  expect(data?.order).toMatchObject({ source: 'agent', payment_status: 'paid' });
  expect(afterwards).toEqual({ used: 3_490, held: 0 });
  expect([beyond.response.status, beyond.error]).toMatchObject([402, { error: 'budget_exceeded' }]);
});
