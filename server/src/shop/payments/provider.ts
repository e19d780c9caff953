import type { IncomingHttpHeaders } from 'node:http';

/**
 * Who takes money for the shop. A provider is an external service: it is called outside every transaction, may be slow, and may
 * answer neither yes nor no. Each attempt is recorded before it is made, and its `id`, which is ours, is what the provider
 * knows it by: the same `id` is the same payment however often it is sent.
 */
export interface PaymentProvider {
  /** The provider's name in the records. */
  readonly name: string;
  /** Takes, reserves or prepares the money. Throws when the outcome is unknown: send the same again, or ask. */
  begin(payment: PaymentToBegin): Promise<Outcome>;
  /** How a payment stands; undefined when the provider has none with this id. */
  outcomeOf(payment: PaymentKey): Promise<Outcome | undefined>;
  /** Takes a part or all of what was authorized; the rest is released. The same capture id is the same capture. */
  capture(payment: PaymentKey, capture: MoneyMove): Promise<Outcome>;
  /**
   * Ends what is open, or releases what is reserved. Returns how the payment stands then: `cancelled` (or `failed`), or
   * `succeeded` when it came too late; that money is returned by `giveBack`. Calling it twice is harmless.
   */
  cancel(payment: PaymentKey): Promise<Outcome>;
  /** Gives back a part or all of what was captured. The same refund id is the same refund. */
  refund(payment: PaymentKey, refund: MoneyMove): Promise<RefundOutcome>;
  /**
   * Gives back all that the provider still holds of a captured payment, however often it is called: `succeeded` when nothing is
   * left, `failed` when a person must deal with it.
   */
  giveBack(payment: PaymentKey): Promise<RefundOutcome>;
  /** Verifies and reads a webhook; undefined for an event that is of no interest. Throws InvalidSignature and UnknownToAccount. */
  receive(headers: IncomingHttpHeaders, body: Buffer): Promise<ProviderEvent | undefined>;
}

export interface PaymentKey {
  /** Ours, a UUID. */
  id: string;
  site_id: string;
  /** What the provider calls the payment, as soon as it has said so. */
  reference: string | null;
}

export interface PaymentToBegin {
  id: string;
  site_id: string;
  /** Minor units by ISO 4217; the provider applies its own exceptions. */
  amount: number;
  currency: string;
  /** Whether the money is taken at once, or reserved until `capture`. */
  capture: 'automatic' | 'manual';
  means: PaymentMeans;
  /** Where the provider sends the human back to. Our own address, or a stored one; never taken straight from a request. */
  return_url: string | null;
  cancel_url: string | null;
  email: string | null;
  locale: string | null;
  description: string;
  /** The provider ends the payment then, if the human has not acted. */
  expires_at: Date;
}

/** How the human pays: a token of the test provider, a confirmation token made in the browser, or the provider's own page. */
export type PaymentMeans =
  | { kind: 'card_token'; token: string }
  | { kind: 'confirmation_token'; token: string }
  | { kind: 'page' };

export interface Outcome {
  status: 'requires_action' | 'pending' | 'authorized' | 'succeeded' | 'failed' | 'cancelled';
  /** What the provider calls the payment. */
  reference: string;
  /** For a failed one: why, in a word. */
  reason: string | null;
  /** For `requires_action`: what the human must do. */
  next_action: NextAction | null;
  /** What the provider says it took or reserved, in minor units; compared with what was to be paid. Null when it says nothing. */
  amount: number | null;
  currency: string | null;
  /** By what it is paid; absent where that is not known. */
  paid_by?: 'card' | 'online';
}

export type NextAction = { type: 'redirect'; url: string } | { type: 'client_secret'; client_secret: string };

/** An amount to take or to give back, in minor units. */
export interface MoneyMove {
  /** Ours: it makes the move happen once. */
  id: string;
  amount: number;
  currency: string;
}

export interface RefundOutcome {
  status: 'pending' | 'succeeded' | 'failed';
  reference: string;
  reason: string | null;
}

/** Why a refund fails if the account or provider that took the payment is no longer configured. */
export const NO_ACCOUNT = 'account_not_available';

/** A refund that was made at the provider itself, by somebody of the shop. */
export interface MadeRefund {
  /** Minor units. */
  amount: number;
  reason: 'customer' | 'duplicate' | 'other';
  outcome: RefundOutcome;
}

/** What a webhook reports: how a payment stands, or how a refund does. An event that is sent twice has the same `event_id`. */
export type ProviderEvent =
  | { event_id: string; payment_id: string; outcome: Outcome }
  | { event_id: string; payment_id: string; refund_id: string; refund: RefundOutcome }
  | { event_id: string; payment_id: string; made: MadeRefund };

/**
 * A webhook is about something that the configured account does not have: as after the shop was given another account, while the
 * events of the first still come. `payment_id` is the payment that it names, if it names one of this shop.
 */
export class UnknownToAccount extends Error {
  readonly payment_id: string | undefined;

  constructor(message: string, payment_id: string | undefined, options: ErrorOptions) {
    super(message, options);
    this.payment_id = payment_id;
  }
}

/** A webhook that does not come from the provider. */
export class InvalidSignature extends Error {}
