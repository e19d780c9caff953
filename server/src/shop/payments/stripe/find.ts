import type { Stripe } from 'stripe';
import type { PaymentKey } from '../provider.ts';
import { SHOWN_IN_INTENT, SHOWN_IN_SESSION } from './outcomes.ts';

/** Finds the Stripe objects of our payments. */

export type Found =
  | { kind: 'session'; session: Stripe.Checkout.Session }
  | { kind: 'intent'; intent: Stripe.PaymentIntent };

/**
 * If the response to a payment was lost, its Stripe objects are searched among those created around the time in its id.
 */
const EARLIER_SECONDS = 300;
const LATER_SECONDS = 2_700;
const AT_MOST = 10_000;

/** Reads the current Stripe objects of our payment; undefined if there are none. */
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

/** The PaymentIntent of the found objects. A session has one once the shopper has begun to pay. */
export function intentOf(found: Found): Stripe.PaymentIntent | undefined {
  if (found.kind === 'intent') return found.intent;
  const { payment_intent } = found.session;
  return payment_intent && typeof payment_intent !== 'string' ? payment_intent : undefined;
}

/** Our refund, if Stripe already has it, whether or not we received the response. */
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
