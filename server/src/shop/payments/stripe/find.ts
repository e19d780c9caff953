import type { Stripe } from 'stripe';
import type { HeldMoney, PaymentKey } from '../provider.ts';
import { fromStripe } from './amounts.ts';
import { SHOWN_IN_INTENT, SHOWN_IN_SESSION } from './outcomes.ts';

export type Found =
  | { kind: 'session'; session: Stripe.Checkout.Session }
  | { kind: 'intent'; intent: Stripe.PaymentIntent };

/**
 * If the response to a payment was lost, its Stripe object is searched among those created around the time in our
 * UUIDv7: from 5 minutes before to 45 minutes after.
 */
const EARLIER_SECONDS = 300;
const LATER_SECONDS = 2_700;
const AT_MOST = 10_000;

/** Reads the current Stripe object of our payment; undefined if Stripe has none. */
export async function findPayment(stripe: Stripe, { id, reference }: PaymentKey): Promise<Found | undefined> {
  if (reference?.startsWith('cs_')) return { kind: 'session', session: await readSession(stripe, reference) };
  if (reference?.startsWith('pi_')) {
    return { kind: 'intent', intent: await readIntent(stripe, reference) };
  }
  const began = Number.parseInt(id.replace('-', '').slice(0, 12), 16) / 1_000;
  const created = { gte: Math.floor(began) - EARLIER_SECONDS, lte: Math.ceil(began) + LATER_SECONDS };
  const pages = { created, limit: 100 };
  // Uses lists, because Stripe's search may lag by a minute.
  const session = await first(stripe.checkout.sessions.list(pages), (one) => one.metadata?.payment_id === id);
  if (session) return { kind: 'session', session: await readSession(stripe, session.id) };
  const intent = await first(stripe.paymentIntents.list(pages), (one) => one.metadata.payment_id === id);
  return intent && { kind: 'intent', intent: await readIntent(stripe, intent.id) };
}

/** Returns the PaymentIntent. A session has none until the shopper begins to pay. */
export function intentOf(found: Found): Stripe.PaymentIntent | undefined {
  if (found.kind === 'intent') return found.intent;
  const { payment_intent } = found.session;
  return payment_intent && typeof payment_intent !== 'string' ? payment_intent : undefined;
}

/** The payments of a site since a time that were charged and not refunded in full, or are authorized. */
export async function* moneySince(stripe: Stripe, site_id: string, since: Date): AsyncIterable<HeldMoney> {
  const created = { gte: Math.floor(since.getTime() / 1000) };
  const pages = { created, limit: 100, expand: ['data.latest_charge'] };
  for await (const {
    id,
    status,
    amount,
    amount_received,
    currency,
    metadata,
    latest_charge,
  } of stripe.paymentIntents.list(pages)) {
    const { payment_id } = metadata;
    const refunded = latest_charge && typeof latest_charge !== 'string' ? latest_charge.amount_refunded : 0;
    const held = status === 'requires_capture' ? amount : amount_received - refunded;
    if (!payment_id || metadata.site_id !== site_id || held <= 0) continue;
    yield { payment_id, reference: id, amount: fromStripe(held, currency), currency: currency.toUpperCase() };
  }
}

/** Finds our refund at Stripe, even if we never received the response. */
export function findRefund(stripe: Stripe, payment_intent: string, id: string): Promise<Stripe.Refund | undefined> {
  return first(stripe.refunds.list({ payment_intent, limit: 100 }), (one) => one.metadata?.refund_id === id);
}

function readSession(stripe: Stripe, id: string): Promise<Stripe.Checkout.Session> {
  return stripe.checkout.sessions.retrieve(id, { expand: SHOWN_IN_SESSION });
}

function readIntent(stripe: Stripe, id: string): Promise<Stripe.PaymentIntent> {
  return stripe.paymentIntents.retrieve(id, { expand: SHOWN_IN_INTENT });
}

async function first<One>(all: AsyncIterable<One>, isMeant: (one: One) => boolean): Promise<One | undefined> {
  let seen = 0;
  for await (const one of all) {
    if (isMeant(one)) return one;
    seen += 1;
    if (seen >= AT_MOST) return undefined;
  }
  return undefined;
}
