import type { Stripe } from 'stripe';

/** Stripe's errors by their `type`, because the package with their classes may not be loaded. */
type StripeError = InstanceType<typeof Stripe.errors.StripeError>;

const REFUSALS = ['StripeInvalidRequestError', 'StripeCardError', 'StripeIdempotencyError'];

/** Stripe rejected the call, so nothing happened. After all other errors the outcome is unknown. */
export function isRefusal(error: unknown): error is StripeError {
  const { type, statusCode } = error as Partial<StripeError>;
  return REFUSALS.includes(type ?? '') && statusCode !== 409;
}

/** Stripe repeats its own failure from the first use of the idempotency key. */
export function isRepeatedFailure(error: unknown): boolean {
  const { statusCode = 0, headers } = error as Partial<StripeError>;
  return statusCode >= 500 && headers?.['idempotent-replayed'] === 'true';
}

/** Error code for the records. */
export function codeOf({ code }: StripeError): string {
  return code ?? 'invalid_request';
}

/** Another account took the payment, or the account has withdrawn the platform's access. */
export function isOfOtherAccount(error: unknown): boolean {
  return isUnknown(error) || (error as Partial<StripeError>).code === 'account_invalid';
}

/**
 * For state changes in between: the caller reads the state again. Rethrows all other errors, because the outcome is
 * unknown.
 */
export function ifRefused(error: unknown): undefined {
  if (isRefusal(error)) return undefined;
  throw error;
}

/** The account has no such object. */
export function isUnknown(error: unknown): boolean {
  return (error as Partial<StripeError>).code === 'resource_missing';
}
