/** Stripe's objects, with the fields that the tests and the server use. */

export interface Intent {
  id: string;
  object: 'payment_intent';
  account: string;
  amount: number;
  amount_capturable: number;
  amount_received: number;
  currency: string;
  status: 'requires_payment_method' | 'requires_action' | 'processing' | 'requires_capture' | 'succeeded' | 'canceled';
  capture_method: 'automatic' | 'manual';
  client_secret: string;
  created: number;
  description: string | null;
  last_payment_error: { type: 'card_error'; code: string; message: string } | null;
  metadata: Record<string, string>;
  /** Sent only as its id, unless it is expanded. */
  payment_method: { id: string; object: 'payment_method'; type: string } | null;
  next_action: { type: 'redirect_to_url'; redirect_to_url: { url: string } } | { type: 'use_stripe_sdk' } | null;
  return_url: string | null;
}

export interface Session {
  id: string;
  object: 'checkout.session';
  account: string;
  amount_total: number;
  currency: string;
  status: 'open' | 'complete' | 'expired';
  payment_status: 'unpaid' | 'paid';
  payment_intent: string | null;
  payment_intent_data: {
    capture_method: 'automatic' | 'manual';
    description: string;
    metadata: Record<string, string>;
  };
  client_reference_id: string | null;
  customer_email: string | null;
  locale: string | null;
  metadata: Record<string, string>;
  created: number;
  expires_at: number;
  success_url: string;
  cancel_url: string | null;
  url: string | null;
}

export interface Refund {
  id: string;
  object: 'refund';
  account: string;
  amount: number;
  currency: string;
  payment_intent: string;
  status: 'pending' | 'succeeded' | 'failed';
  failure_reason: string | null;
  reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | null;
  metadata: Record<string, string>;
  created: number;
}

export interface Dispute {
  id: string;
  object: 'dispute';
  account: string;
  amount: number;
  currency: string;
  payment_intent: string;
  status: 'warning_needs_response' | 'warning_closed' | 'needs_response' | 'under_review' | 'won' | 'lost';
  reason: string;
  evidence_details: { due_by: number | null };
  created: number;
}

export interface StripeEvent {
  id: string;
  object: 'event';
  /** The account of the object. Only events for connected accounts contain it. */
  owner: string;
  type: string;
  created: number;
  data: { object: object };
}

/** An error in Stripe's format. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: { error: object };

  constructor(status: number, error: { type: string; code?: string; message: string; [more: string]: unknown }) {
    super(error.message);
    this.status = status;
    this.body = { error };
  }
}

export function invalid(message: string, code?: string, more: object = {}): Refusal {
  return new Refusal(code === 'resource_missing' ? 404 : 400, {
    type: 'invalid_request_error',
    ...(code && { code }),
    message,
    ...more,
  });
}
