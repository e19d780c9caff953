import type { IncomingHttpHeaders } from 'node:http';

/**
 * A payment provider: an external service that is called outside of transactions, may be slow, and may leave a result
 * unknown. Each attempt is recorded before it is made. Its `id` is ours and identifies the payment at the provider: the
 * same `id` means the same payment, however often it is sent.
 */
export interface PaymentProvider {
  readonly name: string;
  /**
   * Charges, authorizes or prepares a payment. Throws if the result is unknown: then send the same payment again, or
   * query it.
   */
  begin(payment: PaymentToBegin): Promise<Outcome>;
  /** The state of a payment; undefined if the provider has no payment with this id. */
  outcomeOf(payment: PaymentKey): Promise<Outcome | undefined>;
  /**
   * Captures an authorized payment in whole or in part and releases the rest. The same capture id means the same
   * capture.
   */
  capture(payment: PaymentKey, capture: MoneyMove): Promise<Outcome>;
  /**
   * Cancels an open payment or releases an authorization. Returns the resulting state: `cancelled` (or `failed`), or
   * `succeeded` if it was too late; `giveBack` then returns the money. Repeating it is harmless.
   */
  cancel(payment: PaymentKey): Promise<Outcome>;
  /** Refunds a captured payment in whole or in part. The same refund id means the same refund. */
  refund(payment: PaymentKey, refund: MoneyMove): Promise<RefundOutcome>;
  /**
   * Refunds everything that the provider still holds of a captured payment, however often it is called: `succeeded` if
   * nothing is left, `failed` if a person must handle it.
   */
  giveBack(payment: PaymentKey): Promise<RefundOutcome>;
  /** Verifies and parses a webhook; undefined for an irrelevant event. Throws InvalidSignature or UnknownToAccount. */
  receive(headers: IncomingHttpHeaders, body: Buffer): Promise<ProviderEvent | undefined>;
}

export interface PaymentKey {
  /** Our id of the payment, a UUID. */
  id: string;
  site_id: string;
  /** The provider's id of the payment, once known. */
  reference: string | null;
}

export interface PaymentToBegin {
  id: string;
  site_id: string;
  /** In minor units by ISO 4217. The provider applies its own exceptions. */
  amount: number;
  currency: string;
  /** Whether the money is charged at once, or authorized until `capture`. */
  capture: 'automatic' | 'manual';
  means: PaymentMeans;
  /**
   * URL to which the shopper returns from the provider's page: our own or a stored one, never one taken directly from a
   * request.
   */
  return_url: string | null;
  cancel_url: string | null;
  email: string | null;
  locale: string | null;
  description: string;
  /** The provider ends an unfinished payment at this time. */
  expires_at: Date;
}

/**
 * Means of payment: a token of the test provider, a confirmation token created in the browser, or the provider's own
 * page.
 */
export type PaymentMeans =
  | { kind: 'card_token'; token: string }
  | { kind: 'confirmation_token'; token: string }
  | { kind: 'page' };

export interface Outcome {
  status: 'requires_action' | 'pending' | 'authorized' | 'succeeded' | 'failed' | 'cancelled';
  /** The provider's id of the payment. */
  reference: string;
  /** Reason code for a failed payment. */
  reason: string | null;
  /** The shopper's next action, for `requires_action`. */
  next_action: NextAction | null;
  /**
   * The amount that the provider charged or authorized, in minor units, to compare with the requested one. Null if it
   * was not reported.
   */
  amount: number | null;
  currency: string | null;
  /** Kind of payment method; missing if unknown. */
  paid_by?: 'card' | 'online';
}

export type NextAction = { type: 'redirect'; url: string } | { type: 'client_secret'; client_secret: string };

/** An amount to capture or refund, in minor units. */
export interface MoneyMove {
  /** Our id of the move, so that it happens only once. */
  id: string;
  amount: number;
  currency: string;
}

export interface RefundOutcome {
  status: 'pending' | 'succeeded' | 'failed';
  reference: string;
  reason: string | null;
}

/** Failure reason of a refund whose account or provider is no longer configured. */
export const NO_ACCOUNT = 'account_not_available';

/** A refund that the shop's staff made at the provider itself. */
export interface MadeRefund {
  /** In minor units. */
  amount: number;
  reason: 'customer' | 'duplicate' | 'other';
  outcome: RefundOutcome;
}

/** The state of a payment or refund, reported by a webhook. A repeated event has the same `event_id`. */
export type ProviderEvent =
  | { event_id: string; payment_id: string; outcome: Outcome }
  | { event_id: string; payment_id: string; refund_id: string; refund: RefundOutcome }
  | { event_id: string; payment_id: string; made: MadeRefund };

/**
 * A webhook about an object that the configured account does not have: for example, events of the previous account that
 * still arrive after the shop changed its account. `payment_id` is the payment of this shop that the webhook names, if
 * any.
 */
export class UnknownToAccount extends Error {
  readonly payment_id: string | undefined;

  constructor(message: string, payment_id: string | undefined, options: ErrorOptions) {
    super(message, options);
    this.payment_id = payment_id;
  }
}

/** A webhook that was not sent by the provider. */
export class InvalidSignature extends Error {}
