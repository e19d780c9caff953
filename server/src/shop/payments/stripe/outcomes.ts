/** Maps Stripe's objects to payment results. */

import type { Stripe } from 'stripe';
import type { ReportedDispute } from '../../orders/reported-disputes.ts';
import type { MadeRefund, Outcome, RefundOutcome } from '../provider.ts';
import { fromStripe } from './amounts.ts';

const NOTHING = { reason: null, next_action: null, amount: null, currency: null };

/** Stripe returns the payment method only if it is expanded. Payment results contain it. */
export const SHOWN_IN_INTENT = ['payment_method'];
export const SHOWN_IN_SESSION = ['payment_intent.payment_method'];

/** A failed PaymentIntent can still be paid with another card until it is cancelled. */
export function outcomeOfIntent(intent: Stripe.PaymentIntent, reference = intent.id): Outcome {
  const known = { ...NOTHING, reference, ...paidBy(intent) };
  switch (intent.status) {
    case 'succeeded':
      return { ...known, ...moneyOf(intent, intent.amount_received), status: 'succeeded' };
    case 'requires_capture':
      return { ...known, ...moneyOf(intent, intent.amount_capturable), status: 'authorized' };
    case 'processing':
      return { ...known, ...moneyOf(intent, intent.amount), status: 'pending' };
    case 'requires_action':
      return { ...known, status: 'requires_action', next_action: nextActionOf(intent) };
    case 'requires_payment_method':
      return { ...known, status: 'failed', reason: failureOf(intent) };
    case 'canceled':
      return intent.last_payment_error
        ? { ...known, status: 'failed', reason: failureOf(intent) }
        : { ...known, status: 'cancelled' };
    default:
      return { ...known, status: 'pending' };
  }
}

/** The session's PaymentIntent must be expanded. */
export function outcomeOfSession(session: Stripe.Checkout.Session): Outcome {
  const known = { ...NOTHING, reference: session.id };
  if (session.status === 'expired') return { ...known, status: 'cancelled' };
  if (session.status === 'open') {
    return {
      ...known,
      status: 'requires_action',
      next_action: session.url ? { type: 'redirect', url: session.url } : null,
    };
  }
  const intent = session.payment_intent;
  if (!intent || typeof intent === 'string') return { ...known, status: 'pending' };
  return outcomeOfIntent(intent, session.id);
}

export function failureOf({ last_payment_error }: Pick<Stripe.PaymentIntent, 'last_payment_error'>): string {
  return last_payment_error?.code ?? 'payment_failed';
}

export function outcomeOfRefund({ id, status, failure_reason }: Stripe.Refund): RefundOutcome {
  if (status === 'succeeded') return { status: 'succeeded', reference: id, reason: null };
  if (status === 'failed' || status === 'canceled') {
    return { status: 'failed', reference: id, reason: failure_reason ?? 'refund_failed' };
  }
  return { status: 'pending', reference: id, reason: null };
}

export function madeRefund(refund: Stripe.Refund): MadeRefund {
  const { amount, currency, reason } = refund;
  return {
    amount: fromStripe(amount, currency),
    reason: reason === 'duplicate' ? 'duplicate' : reason === 'requested_by_customer' ? 'customer' : 'other',
    outcome: outcomeOfRefund(refund),
  };
}

/** Undefined for inquiries (`warning_…`) and prevented disputes, for which the bank takes no money. */
export function reportedDispute(
  dispute: Stripe.Dispute,
  { currency }: Stripe.PaymentIntent,
): ReportedDispute | undefined {
  const status = DISPUTE_STATUSES[dispute.status];
  if (!status) return undefined;
  const { due_by } = dispute.evidence_details;
  return {
    reference: dispute.id,
    status,
    amount: dispute.currency === currency ? Math.round(fromStripe(dispute.amount, currency)) : null,
    reason: dispute.reason,
    respond_by: due_by === null ? null : new Date(due_by * 1000),
  };
}

const DISPUTE_STATUSES: Partial<Record<string, ReportedDispute['status']>> = {
  needs_response: 'open',
  under_review: 'open',
  appeal_needs_response: 'open',
  appeal_under_review: 'open',
  won: 'won',
  lost: 'lost',
};

/** Wallets with a card count as cards. All other payment methods are `online`. */
function paidBy({ payment_method }: Pick<Stripe.PaymentIntent, 'payment_method'>): Pick<Outcome, 'paid_by'> {
  if (!payment_method || typeof payment_method === 'string') return {};
  return { paid_by: payment_method.type.startsWith('card') ? 'card' : 'online' };
}

function moneyOf({ currency }: Stripe.PaymentIntent, amount: number) {
  return { amount: fromStripe(amount, currency), currency: currency.toUpperCase() };
}

/** The shopper's next action: the URL of the bank's page, or a client secret for Stripe.js in the storefront. */
function nextActionOf({ next_action, client_secret }: Stripe.PaymentIntent): Outcome['next_action'] {
  const url = next_action?.redirect_to_url?.url;
  if (url) return { type: 'redirect', url };
  return client_secret ? { type: 'client_secret', client_secret } : null;
}
