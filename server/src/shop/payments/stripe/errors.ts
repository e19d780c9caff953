import type { Stripe } from 'stripe';

/** Stripe's errors are identified by their `type`, because the package with their classes may not be loaded. */
type StripeError = InstanceType<typeof Stripe.errors.StripeError>;

const REFUSALS = ['StripeInvalidRequestError', 'StripeCardError', 'StripeIdempotencyError'];

/** Whether Stripe rejected the call, so that nothing happened. After all other errors the result is unknown. */
export function isRefusal(error: unknown): error is StripeError {
  const { type, statusCode } = error as Partial<StripeError>;
  return REFUSALS.includes(type ?? '') && statusCode !== 409;
}

/** Whether Stripe repeats its own failure from the first use of the idempotency key. */
export function isRepeatedFailure(error: unknown): boolean {
  const { statusCode = 0, headers } = error as Partial<StripeError>;
  return statusCode >= 500 && headers?.['idempotent-replayed'] === 'true';
}

/** The error code that is stored. */
export function codeOf({ code }: StripeError): string {
  return code ?? 'invalid_request';
}

/** Whether another account took the payment, or the account has withdrawn the platform's access. */
export function isOfOtherAccount(error: unknown): boolean {
  return isUnknown(error) || (error as Partial<StripeError>).code === 'account_invalid';
}

/**
 * Ignores a rejection by Stripe, because the state may have changed meanwhile: the caller reads it again. Rethrows all
 * other errors, because the result is unknown.
 */
export function ifRefused(error: unknown): undefined {
  if (isRefusal(error)) return undefined;
  throw error;
}

/** Whether the account has no such object. */
export function isUnknown(error: unknown): boolean {
  return (error as Partial<StripeError>).code === 'resource_missing';
}
