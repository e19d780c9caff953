import type { Stripe } from 'stripe';
import type { Outcome } from '../provider.ts';
import { ifRefused } from './errors.ts';
import { type Found, intentOf } from './find.ts';
import { outcomeOfIntent, outcomeOfSession, SHOWN_IN_INTENT } from './outcomes.ts';

/** Returns the result of a payment. Cancels a failed payment at Stripe, so that nobody can pay it with another card. */
export async function settled(stripe: Stripe, found: Found): Promise<Outcome> {
  const outcome = outcomeOf(found);
  const intent = intentOf(found);
  if (outcome.status !== 'failed' || intent?.status !== 'requires_payment_method') return outcome;
  const ended = await stripe.paymentIntents.cancel(intent.id).catch(ifRefused);
  if (ended) return outcome;
  const now = await stripe.paymentIntents.retrieve(intent.id, { expand: SHOWN_IN_INTENT });
  return outcomeOfIntent(now, outcome.reference);
}

export function outcomeOf(found: Found): Outcome {
  return found.kind === 'session' ? outcomeOfSession(found.session) : outcomeOfIntent(found.intent);
}
