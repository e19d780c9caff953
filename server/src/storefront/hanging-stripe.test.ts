/** Stripe accepts requests but does not answer, whether or not it executes them. */

import { afterAll, expect, test } from 'vitest';
import { openStripe, RETURN_URL, type StripeShop } from '../../test/stripe/shop.ts';
import { DEADLINES } from '../http/pipeline/deadline.ts';
import { PROVIDER_DEADLINES } from '../shop/payments/provider-deadlines.ts';

/** Long enough for requests that do get a response, even on a busy machine. The tests wait for it at the same time. */
const PROVIDER_MS = 2_000;
const stripe = await openStripe({ deadlines: { request: PROVIDER_MS, returning: PROVIDER_MS, job: PROVIDER_MS } });
const { standIn } = stripe;
afterAll(() => stripe.close());

type Silence = 'silent_before' | 'silent_after';

/**
 * Runs `work` while Stripe hangs: the shop's next matching request gets no response, and takes effect only with
 * `silent_after`.
 */
async function whileItHangs<T>({ account }: StripeShop, kind: Silence, calls: RegExp, work: () => Promise<T>) {
  standIn.faults.add(kind, calls, 1, { account });
  const begun = performance.now();
  const came = await work();
  expect(performance.now() - begun).toBeGreaterThanOrEqual(PROVIDER_MS - 5);
  standIn.faults.clear(account);
  return came;
}

const NO_ANSWER = { error: 'unavailable', retryable: true };

test('calls to a payment provider time out before the request does', () => {
  expect(PROVIDER_DEADLINES.request).toBeLessThanOrEqual(DEADLINES.request * 1_000 - 10_000);
  expect(PROVIDER_DEADLINES.returning).toBeLessThan(PROVIDER_DEADLINES.request);
});

test.concurrent.each(['silent_before', 'silent_after'] as const)(
  'starting a payment answers 503 before the deadline and charges once, even if Stripe hangs (%s)',
  async (kind) => {
    const shop = await stripe.givenShop();
    const { id } = await shop.givenCheckout();
    const payment = { confirmation_token: shop.givenToken() };
    const first = await whileItHangs(shop, kind, /POST \/v1\/payment_intents$/, () => shop.complete(id, payment));
    expect(first.response.status).toBe(503);
    expect(first.error).toMatchObject(NO_ANSWER);
    expect((await shop.complete(id, payment)).data).toMatchObject({ order: { payment_status: 'paid' } });
    expect(shop.keptAmount()).toBe(1_490);
  },
);

test.concurrent.each(['silent_before', 'silent_after'] as const)(
  "opening, querying and ending Stripe's page answer before the deadline, even if Stripe hangs (%s)",
  async (kind) => {
    const shop = await stripe.givenShop();
    const { id } = await shop.givenCheckout();
    const page = { return_url: RETURN_URL };
    const begun = await whileItHangs(shop, kind, /POST \/v1\/checkout\/sessions$/, () => shop.complete(id, page));
    expect(begun.error).toMatchObject(NO_ANSWER);
    const { error } = await shop.complete(id, page);
    const { next_action } = error as { next_action?: { url: string } };

    const params = { path: { checkout_id: id } };
    const end = () => shop.storefront.POST('/api/storefront/checkout/{checkout_id}/payment/cancel', { params });
    expect((await whileItHangs(shop, kind, /POST .*\/expire$/, end)).error).toMatchObject(NO_ANSWER);
    const outcome = await whileItHangs(shop, kind, /GET \/v1\/checkout\/sessions\//, () => shop.complete(id, {}));
    expect(outcome.error).toMatchObject(NO_ANSWER);
    expect((await end()).data).toMatchObject({ status: 'ready', payment: null });
    await standIn.press(next_action?.url ?? '', 'pay');
    expect(shop.keptAmount()).toBe(0);
  },
);

test.concurrent('a shopper who returns while Stripe is slow sees the checkout first, and the order on the next visit', async () => {
  const shop = await stripe.givenShop();
  const { checkout_id, url } = await shop.givenPage();
  await standIn.press(url, 'pay');
  const params = { path: { checkout_id } };
  const { data } = await shop.storefront.GET('/api/storefront/checkout/{checkout_id}', { params });
  const path = new URL(data?.checkout_url ?? '').pathname;
  const back = () => fetch(`${shop.baseUrl}${path}/return`, { redirect: 'manual' });
  const first = await whileItHangs(shop, 'silent_after', /GET \/v1\/checkout\/sessions\//, back);
  expect(first.headers.get('Location')).toBe(path);
  expect(await shop.orderOf(checkout_id)).toBeUndefined();
  await back();
  expect(await shop.orderOf(checkout_id)).toMatchObject({ payment_status: 'paid' });
});

test.concurrent.each(['silent_before', 'silent_after'] as const)(
  'captures and refunds that fail while Stripe hangs are retried and made once (%s)',
  async (kind) => {
    const shop = await stripe.givenShop({ capture: 'manual' });
    const { id: order_id } = await shop.givenPaidOrder();
    const params = { path: { order_id } };
    const failing = () => shop.finishMoves().catch((error: unknown) => error);
    await shop.dashboard.POST('/api/dashboard/orders/{order_id}/capture', { params, body: {} });
    expect(await whileItHangs(shop, kind, /POST .*\/capture$/, failing)).toBeInstanceOf(AggregateError);
    await shop.finishMoves();
    expect(await shop.details(order_id)).toMatchObject({ payment_status: 'paid' });

    const body = { amount: '4.90', reason: 'damaged' as const };
    await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', { params, body });
    expect(await whileItHangs(shop, kind, /POST \/v1\/refunds$/, failing)).toBeInstanceOf(AggregateError);
    await shop.finishMoves();
    expect(await shop.details(order_id)).toMatchObject({ refunded: '4.90', refunds: [{ status: 'succeeded' }] });
    expect(shop.keptAmount()).toBe(1_000);
  },
);
