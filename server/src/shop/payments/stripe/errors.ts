/** Errors are recognized by `type`, not by class, so that Stripe's SDK need not be loaded. */

import type { Stripe } from 'stripe';

type StripeError = InstanceType<typeof Stripe.errors.StripeError>;

const REFUSALS = ['StripeInvalidRequestError', 'StripeCardError', 'StripeIdempotencyError'];

/** Whether Stripe rejected the call, so that it had no effect. After any other error the result is unknown. */
export function isRefusal(error: unknown): error is StripeError {
  const { type, statusCode } = error as Partial<StripeError>;
  return REFUSALS.includes(type ?? '') && statusCode !== 409;
}

/** Whether Stripe repeats a server error that it stored for the idempotency key. */
export function isRepeatedFailure(error: unknown): boolean {
  const { statusCode = 0, headers } = error as Partial<StripeError>;
  return statusCode >= 500 && headers?.['idempotent-replayed'] === 'true';
}

export function codeOf({ code }: StripeError): string {
  return code ?? 'invalid_request';
}

/** Whether the payment belongs to another account, or the account has disconnected from the platform. */
export function isOfOtherAccount(error: unknown): boolean {
  return isUnknown(error) || (error as Partial<StripeError>).code === 'account_invalid';
}

/**
 * Ignores a rejection, because the state may have changed meanwhile; the caller reads it again. Rethrows errors after
 * which the result is unknown.
 */
export function ifRefused(error: unknown): undefined {
  if (isRefusal(error)) return undefined;
  throw error;
}

export function isUnknown(error: unknown): boolean {
  return (error as Partial<StripeError>).code === 'resource_missing';
}
