import type { IncomingHttpHeaders } from 'node:http';
import type { ReportedDispute } from '../orders/reported-disputes.ts';

/**
 * A payment provider is an external service. Its calls run outside of transactions, may be slow, and may end without a
 * known result, so each payment is stored before the call. `id` is our id of the payment. Sending the same id again
 * does not start a second payment.
 */
export interface PaymentProvider {
  readonly name: string;
  /**
   * Charges, authorizes or prepares a payment. Throws if the result is unknown; then send the same payment again, or
   * query it.
   */
  begin(payment: PaymentToBegin): Promise<Outcome>;
  /** Returns the state of a payment; undefined if the provider does not have it. */
  outcomeOf(payment: PaymentKey): Promise<Outcome | undefined>;
  /**
   * Captures all or part of an authorized payment and releases the rest. Sending the same capture id again captures
   * nothing.
   */
  capture(payment: PaymentKey, capture: MoneyMove): Promise<Outcome>;
  /**
   * Cancels an open payment or releases an authorization. Returns the new state: `cancelled` or `failed`, or
   * `succeeded` if it was too late; then call `giveBack`. Can be repeated.
   */
  cancel(payment: PaymentKey): Promise<Outcome>;
  /** Refunds all or part of a captured payment. Sending the same refund id again refunds nothing. */
  refund(payment: PaymentKey, refund: MoneyMove): Promise<RefundOutcome>;
  /**
   * Refunds the rest of a captured payment. Can be repeated. Returns `succeeded` if nothing is left, and `failed` if
   * the staff must handle it.
   */
  giveBack(payment: PaymentKey): Promise<RefundOutcome>;
  /**
   * All payments of the site that began after `since` and for which the provider holds money. Missing for the test
   * provider, whose records are in this database.
   */
  moneySince?(since: Date): AsyncIterable<HeldMoney>;
  /**
   * Verifies and parses a webhook. Returns undefined for an irrelevant event. Throws InvalidSignature or
   * UnknownToAccount.
   */
  receive(headers: IncomingHttpHeaders, body: Buffer): Promise<ProviderEvent | undefined>;
}

export interface PaymentKey {
  /** Our UUID of the payment. */
  id: string;
  site_id: string;
  /** The provider's id of the payment; null until it is known. */
  reference: string | null;
}

export interface PaymentToBegin {
  id: string;
  site_id: string;
  /** In minor units by ISO 4217. Stripe uses other units for some currencies. */
  amount: number;
  currency: string;
  /** Charges immediately, or authorizes until `capture`. */
  capture: 'automatic' | 'manual';
  means: PaymentMeans;
  /** The URL to which the provider's page returns the shopper. This server has created or checked it. */
  return_url: string | null;
  cancel_url: string | null;
  email: string | null;
  locale: string | null;
  description: string;
  /** The time when the provider ends an unfinished payment. */
  expires_at: Date;
}

export type PaymentMeans =
  | { kind: 'card_token'; token: string }
  | { kind: 'confirmation_token'; token: string }
  | { kind: 'page' };

export interface Outcome {
  status: 'requires_action' | 'pending' | 'authorized' | 'succeeded' | 'failed' | 'cancelled';
  reference: string;
  /** Reason code of a failed payment. */
  reason: string | null;
  /** The shopper's next action, for `requires_action`. */
  next_action: NextAction | null;
  /**
   * The charged or authorized amount in minor units, to compare with the requested one; null if the provider did not
   * report it.
   */
  amount: number | null;
  currency: string | null;
  /** The kind of payment method; missing if unknown. */
  paid_by?: 'card' | 'online';
}

export type NextAction = { type: 'redirect'; url: string } | { type: 'client_secret'; client_secret: string };

export interface MoneyMove {
  /** Our id of the capture or refund. Sending it again has no effect. */
  id: string;
  amount: number;
  currency: string;
}

/** A payment for which the provider holds money: charged, or authorized. */
export interface HeldMoney {
  /** Our id of the payment. */
  payment_id: string;
  reference: string;
  /** In minor units. */
  amount: number;
  currency: string;
}

export interface RefundOutcome {
  status: 'pending' | 'succeeded' | 'failed';
  reference: string;
  reason: string | null;
}

/** Failure reason of a refund whose payment account is no longer configured. */
export const NO_ACCOUNT = 'account_not_available';

/** A refund that staff made in the provider's dashboard. */
export interface MadeRefund {
  amount: number;
  reason: 'customer' | 'duplicate' | 'other';
  outcome: RefundOutcome;
}

/** A webhook about a payment, refund or dispute. A repeated webhook has the same `event_id`. */
export type ProviderEvent =
  | { event_id: string; payment_id: string; outcome: Outcome }
  | { event_id: string; payment_id: string; refund_id: string; refund: RefundOutcome }
  | { event_id: string; payment_id: string; made: MadeRefund }
  | { event_id: string; payment_id: string; dispute: ReportedDispute };

/**
 * A webhook about an object that the current account does not have, for example from the shop's previous account.
 * `payment_id` is our payment in the webhook, if there is one.
 */
export class UnknownToAccount extends Error {
  readonly payment_id: string | undefined;

  constructor(message: string, payment_id: string | undefined, options: ErrorOptions) {
    super(message, options);
    this.payment_id = payment_id;
  }
}

export class InvalidSignature extends Error {}
