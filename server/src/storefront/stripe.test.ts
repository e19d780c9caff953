import { afterAll, beforeEach, expect, test } from 'vitest';
import { openStripe, RETURN_URL, type StripeShop } from '../../test/stripe/shop.ts';

const stripe = await openStripe();
const { standIn, server } = stripe;
beforeEach(() => standIn.faults.clear());
afterAll(() => stripe.close());

/** Makes the payments of a shop older by some minutes. */
async function past(shop: StripeShop, minutes: number): Promise<void> {
  await server.owner.query(
    `update commerce.payments set created_at = created_at - $2 * interval '1 minute', updated_at = updated_at - $2 * interval '1 minute',
      expires_at = expires_at - $2 * interval '1 minute', unreachable_since = unreachable_since - $2 * interval '1 minute'
     where site_id = $1`,
    [shop.site_id, minutes],
  );
}

/** Returns the URL to which an error redirects the shopper. */
function urlOf(error: unknown): string {
  const { next_action } = error as { next_action?: { type: string; url: string } };
  if (next_action?.type !== 'redirect') throw new Error(`The error has no redirect: ${JSON.stringify(error)}`);
  return next_action.url;
}

test('the checkout page states that the card details are entered on the next page', async () => {
  const shop = await stripe.givenShop();
  const { id } = await shop.givenCheckout();
  const params = { path: { checkout_id: id } };
  const { data } = await shop.storefront.GET('/api/storefront/checkout/{checkout_id}', { params });
  const page = await fetch(shop.baseUrl + new URL(data?.checkout_url ?? '').pathname);
  const text = await page.text();
  expect(text).toContain('You enter your card details on the next page.');
  expect(text).not.toContain('charges the card');
});

test('a valid card creates the order, and a declined card leaves the checkout open for another card', async () => {
  const shop = await stripe.givenShop();
  const { id } = await shop.givenCheckout();
  const declined = await shop.complete(id, { confirmation_token: shop.givenToken('declined') });
  expect(declined.error).toMatchObject({ error: 'payment_failed', reason: 'card_declined' });
  const { data } = await shop.complete(id, { confirmation_token: shop.givenToken() });
  expect(data).toMatchObject({ order: { payment_status: 'paid', total: '14.90' }, payment: { method: 'card' } });
  expect(shop.keptAmount()).toBe(1_490);
});

test('an order paid at the provider without a card has the payment method `online`, and is refunded the same way', async () => {
  const shop = await stripe.givenShop();
  const { id } = await shop.givenCheckout();
  const { data } = await shop.complete(id, { confirmation_token: shop.givenToken('wallet') });
  expect(data?.order).toMatchObject({ payment_method: 'online', payment_status: 'paid' });

  const page = await shop.givenPage();
  await fetch(page.url, { method: 'POST', body: new URLSearchParams({ action: 'paypal' }), redirect: 'manual' });
  await shop.settlePayments();
  expect(await shop.orderOf(page.checkout_id)).toMatchObject({ payment_method: 'online', payment_status: 'paid' });

  const slow = await shop.givenCheckout();
  const { data: debit } = await shop.complete(slow.id, {
    confirmation_token: shop.givenToken('processing'),
    return_url: RETURN_URL,
  });
  expect(debit?.order).toMatchObject({ payment_method: 'online', payment_status: 'pending' });
  const card = await shop.givenPaidOrder();

  const { data: online } = await shop.dashboard.GET('/api/dashboard/orders', {
    params: { query: { payment_method: 'online' } },
  });
  expect(online?.total).toBe(3);
  expect(await shop.details(card.id)).toMatchObject({ payment_method: 'card' });

  const refund = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params: { path: { order_id: data?.order.id ?? '' } },
    body: { amount: '14.90', reason: 'customer' },
  });
  expect(refund.data).toMatchObject({ refund: { status: 'pending' } });
  await shop.finishMoves();
  expect(await shop.details(data?.order.id ?? '')).toMatchObject({ payment_status: 'refunded' });
});

test('after confirming 3-D Secure at the bank, the shopper returns and the order is created', async () => {
  const shop = await stripe.givenShop();
  const { id } = await shop.givenCheckout();
  const first = await shop.complete(id, {
    confirmation_token: shop.givenToken('three_d_secure'),
    return_url: RETURN_URL,
  });
  expect(first.response.status).toBe(409);
  const back = await standIn.press(urlOf(first.error), 'confirm');
  const { pathname, search } = new URL(back ?? '');
  const led = await fetch(shop.baseUrl + pathname + search, { redirect: 'manual' });
  expect(led.headers.get('Location')).toMatch(`${RETURN_URL}?order_id=`);
  expect((await shop.complete(id, {})).data).toMatchObject({ order: { payment_status: 'paid' } });
});

test('a payment fails if the bank rejects 3-D Secure, and an abandoned payment ends after its deadline', async () => {
  const shop = await stripe.givenShop();
  const [refused, abandoned] = [await shop.givenCheckout(), await shop.givenCheckout()];
  const begin = async (checkout_id: string) => {
    const begun = await shop.complete(checkout_id, {
      confirmation_token: shop.givenToken('three_d_secure'),
      return_url: RETURN_URL,
    });
    return urlOf(begun.error);
  };
  await standIn.press(await begin(refused.id), 'refuse');
  expect((await shop.complete(refused.id, {})).error).toMatchObject({ error: 'payment_failed' });
  await begin(abandoned.id);
  await past(shop, 32);
  await shop.settlePayments();
  const { data } = await shop.storefront.GET('/api/storefront/checkout/{checkout_id}', {
    params: { path: { checkout_id: abandoned.id } },
  });
  expect(data).toMatchObject({ status: 'ready', payment: null });
  expect(shop.keptAmount()).toBe(0);
});

test("a payment on Stripe's page creates an order even if the shopper does not return", async () => {
  const shop = await stripe.givenShop();
  const { checkout_id, url } = await shop.givenPage();
  await standIn.press(url, 'pay');
  await shop.settlePayments();
  expect(await shop.orderOf(checkout_id)).toMatchObject({ payment_status: 'paid' });
});

test('a Stripe page that the shopper abandons is closed, and can no longer be paid', async () => {
  const shop = await stripe.givenShop();
  const { checkout_id, url } = await shop.givenPage();
  const params = { path: { checkout_id } };
  const ended = await shop.storefront.POST('/api/storefront/checkout/{checkout_id}/payment/cancel', { params });
  expect(ended.response.status).toBe(200);
  await standIn.press(url, 'pay');
  expect(shop.keptAmount()).toBe(0);
});

test.each([{ by: 'the server' }, { by: "the merchant in Stripe's dashboard" }])(
  'a Stripe outage of an hour releases the stock, and the payment is refunded once by $by',
  async ({ by }) => {
    const shop = await stripe.givenShop();
    const { checkout_id, url } = await shop.givenPage();
    await standIn.press(url, 'pay');
    await standIn.down();
    await expect(shop.settlePayments()).rejects.toThrow();
    await past(shop, 61);
    await shop.settlePayments().catch(() => undefined);
    await standIn.up();
    const paid = [...standIn.ledger.intents.values()].find(({ account }) => account === shop.account);
    if (by !== 'the server') standIn.refund(paid?.id ?? '', 1_490);
    await shop.settlePayments();
    expect(await shop.orderOf(checkout_id)).toBeUndefined();
    expect(shop.keptAmount()).toBe(0);
    const { rows } = await server.owner.query('select status from commerce.payments where site_id = $1', [
      shop.site_id,
    ]);
    expect(rows).toEqual([{ status: 'refunded' }]);
  },
);

/** Creates a payment that succeeds after its checkout has been given up. */
async function givenKeptPayment(shop: StripeShop): Promise<string> {
  const { url } = await shop.givenPage();
  await standIn.press(url, 'pay');
  await server.owner.query('update commerce.payments set unreachable_since = now() where site_id = $1', [shop.site_id]);
  await past(shop, 61);
  standIn.faults.add('error_500', /GET/, 9);
  await shop.settlePayments().catch(() => undefined);
  standIn.faults.clear();
  const paid = [...standIn.ledger.intents.values()].find(({ account }) => account === shop.account);
  return paid?.id ?? '';
}

async function statusOf(shop: StripeShop): Promise<string> {
  const { rows } = await server.owner.query('select status from commerce.payments where site_id = $1', [shop.site_id]);
  return rows.map(({ status }) => status).join();
}

/** Makes the successful refunds fail as a bank does, and sends the webhooks. */
async function sendBack(shop: StripeShop): Promise<void> {
  for (const refund of standIn.ledger.refunds.values()) {
    if (refund.account === shop.account && refund.status === 'succeeded') standIn.ledger.changeRefund(refund, 'failed');
  }
  for (const event of shop.events()) if (event.type.startsWith('refund.')) expect(await shop.send(event)).toBe(200);
}

test("refunds the rest of a payment without an order after staff refunded part of it in Stripe's dashboard", async () => {
  const shop = await stripe.givenShop();
  const intent = await givenKeptPayment(shop);
  expect(await statusOf(shop)).toBe('abandoned');
  standIn.refund(intent, 490);
  await shop.settlePayments();
  expect(shop.keptAmount()).toBe(0);
  expect(await statusOf(shop)).toBe('refunded');
});

test('refunds a payment without an order again if the bank rejects the first refund, and notifies staff if it rejects the second', async () => {
  const shop = await stripe.givenShop();
  await givenKeptPayment(shop);
  await shop.settlePayments();
  expect(await statusOf(shop)).toBe('refunded');
  await sendBack(shop);
  expect([shop.keptAmount(), await statusOf(shop)]).toEqual([1_490, 'abandoned']);
  await shop.settlePayments();
  expect([shop.keptAmount(), await statusOf(shop)]).toEqual([0, 'refunded']);
  await sendBack(shop);
  await shop.settlePayments();
  expect([shop.keptAmount(), await statusOf(shop)]).toEqual([1_490, 'failed']);
  // The payment still records what was charged, so retention does not delete it.
  const { rows: payments } = await server.owner.query(
    'select captured_amount from commerce.payments where site_id = $1',
    [shop.site_id],
  );
  expect(payments).toEqual([{ captured_amount: '14.90' }]);
  const { rows } = await server.owner.query(
    `select from graphile_worker._private_jobs
      where payload ->> 'site_id' = $1 and payload ->> 'template' = 'payment_kept'`,
    [shop.site_id],
  );
  expect(rows).toHaveLength(1);
});

const CALLS = [/POST \/v1\/payment_intents$/, /GET \/v1\/payment_intents/, /POST \/v1\/payment_intents\/.*\/cancel/];

test.for(
  CALLS.flatMap((call) => (['cut_before', 'cut_after', 'error_500'] as const).map((kind) => [kind, call] as const)),
)('after the fault %s at %s, Stripe keeps no money without an order', async ([kind, call]) => {
  const shop = await stripe.givenShop();
  const { id } = await shop.givenCheckout();
  standIn.faults.add(kind, call, 3);
  await shop.complete(id, { confirmation_token: shop.givenToken() });
  standIn.faults.clear();
  await shop.settlePayments().catch(() => undefined);
  await past(shop, 45);
  await shop.settlePayments();
  await shop.settlePayments();
  const order = await shop.orderOf(id);
  expect(shop.keptAmount()).toBe(order ? 1_490 : 0);
  expect(order?.payment_status ?? 'paid').toBe('paid');
});
