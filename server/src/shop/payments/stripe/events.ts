import type { IncomingHttpHeaders } from 'node:http';
import type { Stripe } from 'stripe';
import { validate as isUuid } from 'uuid';
import { InvalidSignature, type ProviderEvent, UnknownToAccount } from '../provider.ts';
import type { StripeAccount } from './client.ts';
import { isUnknown } from './errors.ts';
import { type Found, findPayment } from './find.ts';
import { madeRefund, outcomeOfRefund, reportedDispute } from './outcomes.ts';
import { settled } from './settled.ts';

/**
 * Handles a webhook of Stripe. Webhooks can arrive late, twice and in any order, so each one only triggers a read of
 * the current state.
 */
export async function receive(
  stripe: Stripe,
  account: StripeAccount,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Promise<ProviderEvent | undefined> {
  const event: Partial<Stripe.Event> | null = verify(stripe, account, headers, body);
  if (typeof event?.id !== 'string' || (event.account ?? null) !== account.connectedAccount) return undefined;
  const object = subjectIn(event);
  if (!object) return undefined;
  return read(stripe, account, event.id, object).catch((error: unknown) => {
    throw isUnknown(error) ? unknownToAccount(account, object, error) : error;
  });
}

function unknownToAccount(account: StripeAccount, object: Subject, cause: unknown): UnknownToAccount {
  const { payment_id } = ofOurs(account, object) ?? {};
  return new UnknownToAccount(`The Stripe account has no ${object.object} ${object.id}.`, payment_id, { cause });
}

async function read(
  stripe: Stripe,
  account: StripeAccount,
  event_id: string,
  object: Subject,
): Promise<ProviderEvent | undefined> {
  if (object.object === 'refund') return refundEvent(stripe, account, event_id, object.id);
  if (object.object === 'dispute') return disputeEvent(stripe, account, event_id, object.id);
  const of = ofOurs(account, object);
  const found = of && (await subjectOf(stripe, { ...of, object }));
  if (!found) return undefined;
  const outcome = await settled(stripe, found);
  // The shopper already knows the next action.
  return outcome.status === 'requires_action' ? undefined : { event_id, payment_id: of.payment_id, outcome };
}

/** Reads the type, id and metadata of the event's object. The rest of the event may be outdated and is not used. */
function subjectIn({ data }: Partial<Stripe.Event>): Subject | undefined {
  const { object, id, metadata = null } = (data?.object ?? {}) as Partial<Subject>;
  return typeof object === 'string' && typeof id === 'string' ? { object, id, metadata } : undefined;
}

/** Returns our payment of a Stripe object, if this shop began it. */
function ofOurs({ site_id: own }: StripeAccount, { metadata }: Pick<Subject, 'metadata'>) {
  const { payment_id, site_id } = metadata ?? {};
  return site_id === own && payment_id !== undefined && isUuid(payment_id) ? { payment_id, site_id } : undefined;
}

/** Reads the refund of a webhook. A refund made in Stripe's dashboard is found by its PaymentIntent. */
async function refundEvent(
  stripe: Stripe,
  account: StripeAccount,
  event_id: string,
  id: string,
): Promise<ProviderEvent | undefined> {
  const refund = await stripe.refunds.retrieve(id);
  const refund_id = refund.metadata?.refund_id;
  const own = ofOurs(account, refund);
  if (own && refund_id !== undefined && isUuid(refund_id)) {
    return { event_id, payment_id: own.payment_id, refund_id, refund: outcomeOfRefund(refund) };
  }
  if (refund_id !== undefined || typeof refund.payment_intent !== 'string') return undefined;
  const of = ofOurs(account, await stripe.paymentIntents.retrieve(refund.payment_intent));
  return of && { event_id, payment_id: of.payment_id, made: madeRefund(refund) };
}

/** Reads the dispute of a webhook. Finds our payment by the PaymentIntent of the dispute. */
async function disputeEvent(
  stripe: Stripe,
  account: StripeAccount,
  event_id: string,
  id: string,
): Promise<ProviderEvent | undefined> {
  const found = await stripe.disputes.retrieve(id);
  if (typeof found.payment_intent !== 'string') return undefined;
  const intent = await stripe.paymentIntents.retrieve(found.payment_intent);
  const of = ofOurs(account, intent);
  const dispute = reportedDispute(found, intent);
  return of && dispute && { event_id, payment_id: of.payment_id, dispute };
}

interface Subject {
  object: string;
  id: string;
  metadata: Record<string, string> | null;
}

function verify(stripe: Stripe, { webhookSecret }: StripeAccount, headers: IncomingHttpHeaders, body: Buffer) {
  const signature = headers['stripe-signature'];
  if (webhookSecret === null || typeof signature !== 'string') throw new InvalidSignature('The signature is missing.');
  try {
    return stripe.webhooks.constructEvent(body, signature, webhookSecret);
  } catch (error) {
    throw new InvalidSignature('The signature does not belong to this account.', { cause: error });
  }
}

/** Reads the current state of a webhook's object. */
async function subjectOf(
  stripe: Stripe,
  { payment_id: id, site_id, object }: { payment_id: string; site_id: string; object: Subject },
): Promise<Found | undefined> {
  if (object.object === 'checkout.session') return findPayment(stripe, { id, site_id, reference: object.id });
  if (object.object !== 'payment_intent') return undefined;
  if (object.metadata?.kind !== 'page') return findPayment(stripe, { id, site_id, reference: object.id });
  // A payment on Stripe's page is stored with its session as reference.
  const { data } = await stripe.checkout.sessions.list({ payment_intent: object.id, limit: 1 });
  return data[0] && findPayment(stripe, { id, site_id, reference: data[0].id });
}
