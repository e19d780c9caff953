import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { FaultKind } from '../../../../test/stripe/faults.ts';
import { StripeStandIn } from '../../../../test/stripe/stand-in.ts';
import { post, signed } from '../../../../test/stripe/webhooks.ts';
import { InvalidSignature, type PaymentMeans, type PaymentToBegin } from '../provider.ts';
import { stripeProvider } from './stripe.ts';

const SITE = uuidv7();
const SECRET = 'whsec_of_alder';
const standIn = await new StripeStandIn().listen();
const account = {
  site_id: SITE,
  secretKey: 'sk_test_alder',
  connectedAccount: null,
  webhookSecret: SECRET,
  apiUrl: standIn.url,
};
const stripe = stripeProvider(account);
const PAGE: PaymentMeans = { kind: 'page' };

beforeEach(() => standIn.faults.clear());
afterAll(() => standIn.down());

const MINUTE = 60_000;

function payment(means: PaymentMeans, given: Partial<PaymentToBegin> = {}): PaymentToBegin {
  return {
    ...{ id: uuidv7(), site_id: SITE, amount: 3_600, currency: 'EUR', capture: 'automatic', means },
    ...{ return_url: 'https://shop.example/back', cancel_url: 'https://shop.example/cart' },
    ...{ email: 'june@example.com', locale: 'de', description: 'Alder & Finch' },
    expires_at: new Date(Date.now() + 31 * MINUTE),
    ...given,
  };
}

function card(behaviour: Parameters<StripeStandIn['confirmationToken']>[0], given: Partial<PaymentToBegin> = {}) {
  return payment({ kind: 'confirmation_token', token: standIn.confirmationToken(behaviour) }, given);
}

const keyOf = ({ id, site_id }: PaymentToBegin, reference: string | null = null) => ({ id, site_id, reference });
const PAID = { status: 'succeeded', amount: 3_600, currency: 'EUR' };

async function opened(given: Partial<PaymentToBegin> = {}) {
  const wanted = payment(PAGE, given);
  const begun = await stripe.begin(wanted);
  if (begun.next_action?.type !== 'redirect') throw new Error('The outcome has no page.');
  return { key: keyOf(wanted, begun.reference), url: begun.next_action.url, begun, wanted };
}

async function paid() {
  const wanted = card('success');
  const { reference } = await stripe.begin(wanted);
  return keyOf(wanted, reference);
}

test('charges a valid card once when the payment is sent twice', async () => {
  const wanted = card('success');
  const [once, twice] = [await stripe.begin(wanted), await stripe.begin(wanted)];
  expect(once).toMatchObject(PAID);
  expect(twice).toEqual(once);
  expect([...standIn.ledger.intents.values()].filter(({ metadata }) => metadata.payment_id === wanted.id)).toHaveLength(
    1,
  );
});

test('a declined card fails the payment with a reason, and cancels its payment intent', async () => {
  const wanted = card('declined');
  const outcome = await stripe.begin(wanted);
  expect(outcome).toMatchObject({ status: 'failed', reason: 'card_declined' });
  expect(standIn.ledger.intent(outcome.reference).status).toBe('canceled');
  expect(await stripe.outcomeOf(keyOf(wanted, outcome.reference))).toMatchObject({ status: 'failed' });
});

test('redirects the shopper to the bank for 3-D Secure, and the payment succeeds after confirmation', async () => {
  const wanted = card('three_d_secure');
  const { reference, next_action, status } = await stripe.begin(wanted);
  expect({ status, next_action }).toMatchObject({ status: 'requires_action', next_action: { type: 'redirect' } });
  const url = next_action?.type === 'redirect' ? next_action.url : '';
  expect(await standIn.press(url, 'confirm')).toContain('https://shop.example/back?payment_intent=');
  expect(await stripe.outcomeOf(keyOf(wanted, reference))).toMatchObject(PAID);
});

test('returns a client secret for 3-D Secure if there is no return URL', async () => {
  const { next_action } = await stripe.begin(card('three_d_secure', { return_url: null }));
  expect(next_action).toMatchObject({ type: 'client_secret', client_secret: expect.stringContaining('_secret_') });
});

test('a rejected 3-D Secure confirmation fails the payment, and an abandoned payment can be cancelled', async () => {
  const [refused, abandoned] = [card('three_d_secure'), card('three_d_secure')];
  const { reference, next_action } = await stripe.begin(refused);
  await standIn.press(next_action?.type === 'redirect' ? next_action.url : '', 'refuse');
  expect(await stripe.outcomeOf(keyOf(refused, reference))).toMatchObject({
    status: 'failed',
    reason: 'payment_intent_authentication_failure',
  });
  const begun = await stripe.begin(abandoned);
  expect(await stripe.cancel(keyOf(abandoned, begun.reference))).toMatchObject({ status: 'cancelled' });
});

test("opens Stripe's page with the amount and the shopper's language, and returns to the shop after payment", async () => {
  const { key, url } = await opened();
  const session = standIn.ledger.session(key.reference ?? '');
  expect(session).toMatchObject({
    amount_total: 3_600,
    currency: 'eur',
    locale: 'de',
    customer_email: 'june@example.com',
  });
  expect(await stripe.outcomeOf(key)).toMatchObject({ status: 'requires_action', next_action: { url } });
  expect(await standIn.press(url, 'decline')).toBeNull();
  expect(await stripe.outcomeOf(key)).toMatchObject({ status: 'requires_action' });
  const bank = await standIn.press(url, 'three_d_secure');
  expect(await standIn.press(bank ?? '', 'confirm')).toBe('https://shop.example/back');
  expect(await stripe.outcomeOf(key)).toMatchObject(PAID);
});

test('cancelling a Stripe page returns cancelled, even twice, and cancelling a paid page returns the payment', async () => {
  const [ended, late] = [await opened(), await opened()];
  expect(await stripe.cancel(ended.key)).toMatchObject({ status: 'cancelled' });
  expect(await stripe.cancel(ended.key)).toMatchObject({ status: 'cancelled' });
  await standIn.press(late.url, 'pay');
  expect(await stripe.cancel(late.key)).toMatchObject(PAID);
});

test('captures part of an authorized amount once', async () => {
  const wanted = card('success', { capture: 'manual' });
  const begun = await stripe.begin(wanted);
  expect(begun).toMatchObject({ status: 'authorized', amount: 3_600, currency: 'EUR' });
  const key = keyOf(wanted, begun.reference);
  const move = { id: uuidv7(), amount: 3_000, currency: 'EUR' };
  expect(await stripe.capture(key, move)).toMatchObject({ status: 'succeeded', amount: 3_000 });
  expect(await stripe.capture(key, move)).toMatchObject({ status: 'succeeded', amount: 3_000 });
});

test("an authorization made on Stripe's page ends when it is cancelled, or after a week", async () => {
  const [released, lapsed] = [await opened({ capture: 'manual' }), await opened({ capture: 'manual' })];
  await standIn.press(released.url, 'pay');
  await standIn.press(lapsed.url, 'pay');
  expect(await stripe.outcomeOf(released.key)).toMatchObject({ status: 'authorized', amount: 3_600 });
  expect(await stripe.cancel(released.key)).toMatchObject({ status: 'cancelled' });
  const WEEK = 7 * 86_400;
  standIn.ledger.advance(WEEK);
  expect(await stripe.outcomeOf(lapsed.key)).toMatchObject({ status: 'cancelled' });
  standIn.ledger.advance(-WEEK);
});

test('makes a refund once, even if Stripe has forgotten the idempotency key, and never above the captured amount', async () => {
  const key = await paid();
  const move = { id: uuidv7(), amount: 1_400, currency: 'EUR' };
  const made = await stripe.refund(key, move);
  expect(made).toMatchObject({ status: 'succeeded' });
  standIn.keys.forget();
  expect(await stripe.refund(key, move)).toEqual(made);
  expect(await stripe.refund(key, { ...move, id: uuidv7(), amount: 2_201 })).toMatchObject({ status: 'failed' });
  expect(await stripe.refund(key, { ...move, id: uuidv7(), amount: 2_200 })).toMatchObject({ status: 'succeeded' });
  expect(await stripe.refund(key, { ...move, id: uuidv7(), amount: 1 })).toMatchObject({
    status: 'failed',
    reason: 'charge_already_refunded',
  });
});

test('a retry after a failure of Stripe succeeds', async () => {
  const manual = card('success', { capture: 'manual' });
  const reserved = keyOf(manual, (await stripe.begin(manual)).reference);
  // The second call gets the stored error for key 1, and a new error for key 2.
  const taken = { id: uuidv7(), amount: 3_600, currency: 'EUR' };
  standIn.faults.add('error_500', /\/capture$/, 3);
  for (let n = 0; n < 2; n += 1) await expect(stripe.capture(reserved, taken)).rejects.toThrow('An error occurred.');
  expect(await stripe.capture(reserved, taken)).toMatchObject(PAID);

  const part = { id: uuidv7(), amount: 400, currency: 'EUR' };
  standIn.faults.add('error_500', /POST \/v1\/refunds$/, 3);
  for (let n = 0; n < 2; n += 1) await expect(stripe.refund(reserved, part)).rejects.toThrow('An error occurred.');
  expect(await stripe.refund(reserved, part)).toMatchObject({ status: 'succeeded' });

  standIn.faults.add('error_500', /POST \/v1\/refunds$/);
  await expect(stripe.giveBack(reserved)).rejects.toThrow('An error occurred.');
  expect(await stripe.giveBack(reserved)).toMatchObject({ status: 'succeeded' });
  const made = [...standIn.ledger.refunds.values()].filter(
    ({ payment_intent }) => payment_intent === reserved.reference,
  );
  expect(made.map(({ amount }) => amount)).toEqual([400, 3_200]);
});

const LOST: FaultKind[] = ['cut_before', 'cut_after', 'error_500', 'error_429'];

test.for(LOST)(
  'after the fault %s, beginning a payment throws, and querying or cancelling it returns the actual status',
  async (kind) => {
    const wanted = card('success');
    // Stripe's client retries once on its own after a broken connection.
    standIn.faults.add(kind, /POST \/v1\/payment_intents$/, 2);
    await expect(stripe.begin(wanted)).rejects.toThrow();
    standIn.faults.clear();
    const known = await stripe.outcomeOf(keyOf(wanted));
    expect(known?.status).toBe(kind === 'cut_after' ? 'succeeded' : undefined);
    const ended = await stripe.cancel(keyOf(wanted));
    expect(ended.status).toBe(kind === 'cut_after' ? 'succeeded' : 'cancelled');
  },
);

test('charges nothing if a payment reaches Stripe after it was cancelled', async () => {
  const late = card('success');
  expect(await stripe.cancel(keyOf(late))).toMatchObject({ status: 'cancelled' });
  expect(await stripe.begin(late)).toMatchObject({ status: 'cancelled' });
  expect(
    [...standIn.ledger.intents.values()].some((one) => one.metadata.payment_id === late.id && one.amount_received > 0),
  ).toBe(false);
});

test('reports a payment that Stripe rejects as failed, not as unknown', async () => {
  const means = { kind: 'confirmation_token', token: 'ctoken_unknown' } as const;
  expect(await stripe.begin(payment(means))).toMatchObject({ status: 'failed', reason: 'resource_missing' });
  expect(await stripe.begin(card('success', { amount: 1_234, currency: 'KWD' }))).toMatchObject({
    status: 'failed',
    reason: 'amount_not_representable',
  });
});

test.for([
  ['JPY', 500, 500],
  ['ISK', 500, 50_000],
  ['HUF', 500, 50_000],
  ['KWD', 1_230, 1_230],
] as const)("converts an amount in %s to Stripe's units", async ([currency, ours, theirs]) => {
  const outcome = await stripe.begin(card('success', { currency, amount: ours }));
  expect(outcome).toMatchObject({ status: 'succeeded', amount: ours, currency });
  expect(standIn.ledger.intent(outcome.reference).amount).toBe(theirs);
});

/** The last event of a type, signed as Stripe signs it. */
function lastEvent(type: string, secret = SECRET, signedAt = Date.now()) {
  const event = standIn.ledger.events.findLast((one) => one.type === type);
  if (!event) throw new Error(`There is no event ${type}.`);
  const { body, signature } = signed(event, { url: '', secret, account: 'acct_alder' }, signedAt);
  return { headers: { 'stripe-signature': signature }, body: Buffer.from(body), event };
}

test('an outdated payment webhook returns the current state of the payment', async () => {
  const { key, url } = await opened();
  await standIn.press(url, 'decline');
  const early = lastEvent('payment_intent.payment_failed');
  expect(await stripe.receive(early.headers, early.body)).toBeUndefined();
  await standIn.press(url, 'pay');
  const outcome = { ...PAID, reference: key.reference };
  const told = { event_id: early.event.id, payment_id: key.id, outcome };
  expect(await stripe.receive(early.headers, early.body)).toMatchObject(told);
  const completed = lastEvent('checkout.session.completed');
  expect(await stripe.receive(completed.headers, completed.body)).toMatchObject({ payment_id: key.id, outcome });
});

test('a refund webhook contains the id of its refund', async () => {
  const key = await paid();
  const id = uuidv7();
  await stripe.refund(key, { id, amount: 100, currency: 'EUR' });
  const { headers, body } = lastEvent('refund.created');
  expect(await stripe.receive(headers, body)).toMatchObject({
    payment_id: key.id,
    refund_id: id,
    refund: { status: 'succeeded' },
  });
});

test('rejects forged, old and unsigned webhooks, and ignores webhooks of other shops', async () => {
  await paid();
  const forged = lastEvent('payment_intent.succeeded', 'whsec_of_somebody_else');
  const old = lastEvent('payment_intent.succeeded', SECRET, Date.now() - 10 * MINUTE);
  const good = lastEvent('payment_intent.succeeded');
  await expect(stripe.receive(forged.headers, forged.body)).rejects.toThrow(InvalidSignature);
  await expect(stripe.receive(old.headers, old.body)).rejects.toThrow(InvalidSignature);
  await expect(stripe.receive({}, good.body)).rejects.toThrow(InvalidSignature);
  await expect(stripe.receive(good.headers, Buffer.from(`${good.body} `))).rejects.toThrow(InvalidSignature);
  const neighbour = stripeProvider({ ...account, site_id: uuidv7() });
  expect(await neighbour.receive(good.headers, good.body)).toBeUndefined();
});

test('makes payments in a connected account, and accepts only webhooks of that account', async () => {
  const connected = stripeProvider({ ...account, connectedAccount: 'acct_finch' });
  const wanted = card('success');
  const { reference } = await connected.begin(wanted);
  expect(standIn.ledger.intent(reference).account).toBe('acct_finch');
  expect(await stripe.outcomeOf(keyOf(wanted))).toBeUndefined();
  const { headers, body } = lastEvent('payment_intent.succeeded');
  expect(await connected.receive(headers, body)).toBeUndefined();
});

test('throws while Stripe is unreachable, and returns the result of the payment afterwards', async () => {
  const key = await paid();
  await standIn.down();
  await expect(stripe.outcomeOf(key)).rejects.toThrow();
  await expect(stripe.refund(key, { id: uuidv7(), amount: 1, currency: 'EUR' })).rejects.toThrow();
  await standIn.up();
  expect(await stripe.outcomeOf(key)).toMatchObject(PAID);
  expect(await post('http://127.0.0.1:1/', '')).toBe(0);
});
