import type { IncomingHttpHeaders } from 'node:http';
import type { Stripe } from 'stripe';
import { validate as isUuid } from 'uuid';
import { InvalidSignature, type ProviderEvent } from '../provider.ts';
import type { StripeAccount } from './client.ts';
import { type Found, find } from './find.ts';
import { outcomeOfRefund } from './outcomes.ts';
import { settled } from './settled.ts';

/**
 * Webhooks. Stripe may send them late, twice and in any order, so an event only says what to look at: how that stands is asked of
 * Stripe, and told with the event's id.
 */
export async function receive(
  stripe: Stripe,
  account: StripeAccount,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Promise<ProviderEvent | undefined> {
  const event = verify(stripe, account, headers, body);
  if ((event.account ?? null) !== account.connectedAccount) return undefined;
  const object = event.data.object as Partial<Subject>;
  const { payment_id, site_id, refund_id } = object.metadata ?? {};
  if (site_id !== account.site_id || !isUuid(payment_id) || payment_id === undefined) return undefined;
  if (object.object === 'refund' && object.id !== undefined && isUuid(refund_id) && refund_id !== undefined) {
    const refund = outcomeOfRefund(await stripe.refunds.retrieve(object.id));
    return { event_id: event.id, payment_id, refund_id, refund };
  }
  const found = await subjectOf(stripe, { payment_id, site_id, object });
  if (!found) return undefined;
  const outcome = await settled(stripe, found);
  // Whoever is to act knows it already.
  return outcome.status === 'requires_action' ? undefined : { event_id: event.id, payment_id, outcome };
}

interface Subject {
  object: string;
  id: string;
  metadata: Record<string, string> | null;
}

function verify(stripe: Stripe, { webhookSecret }: StripeAccount, headers: IncomingHttpHeaders, body: Buffer) {
  const signature = headers['stripe-signature'];
  if (webhookSecret === null || typeof signature !== 'string') throw new InvalidSignature('There is no signature.');
  try {
    return stripe.webhooks.constructEvent(body, signature, webhookSecret);
  } catch (error) {
    throw new InvalidSignature('The signature is not that of this account.', { cause: error });
  }
}

/** What an event is about, as it is now. */
async function subjectOf(
  stripe: Stripe,
  { payment_id: id, site_id, object }: { payment_id: string; site_id: string; object: Partial<Subject> },
): Promise<Found | undefined> {
  if (object.id === undefined) return undefined;
  if (object.object === 'checkout.session') return find(stripe, { id, site_id, reference: object.id });
  if (object.object !== 'payment_intent') return undefined;
  if (object.metadata?.kind !== 'page') return find(stripe, { id, site_id, reference: object.id });
  // On our side a payment on Stripe's page goes by its session.
  const { data } = await stripe.checkout.sessions.list({ payment_intent: object.id, limit: 1 });
  return data[0] && find(stripe, { id, site_id, reference: data[0].id });
}
