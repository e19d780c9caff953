import type { Stripe } from 'stripe';

/** Stripe's errors by their `type`: the package, which has classes for them, is not loaded to tell them apart. */
type StripeError = InstanceType<typeof Stripe.errors.StripeError>;

const REFUSALS = ['StripeInvalidRequestError', 'StripeCardError', 'StripeIdempotencyError'];

/** Stripe has looked at the call and refused it: nothing happened. With all other errors, it is unknown what happened. */
export function isRefusal(error: unknown): error is StripeError {
  const { type, statusCode } = error as Partial<StripeError>;
  return REFUSALS.includes(type ?? '') && statusCode !== 409;
}

/** Something went wrong at Stripe when the idempotency key was first used, and Stripe says so again. */
export function isRepeatedFailure(error: unknown): boolean {
  const { statusCode = 0, headers } = error as Partial<StripeError>;
  return statusCode >= 500 && headers?.['idempotent-replayed'] === 'true';
}

/** A word for what was wrong. */
export function codeOf({ code }: StripeError): string {
  return code ?? 'invalid_request';
}

/** The configured account is not the one that took the payment, or it has withdrawn the platform's access. */
export function isOfOtherAccount(error: unknown): boolean {
  return isUnknown(error) || (error as Partial<StripeError>).code === 'account_invalid';
}

/** The state has changed meanwhile, and is read again. Whatever else went wrong leaves the outcome unknown. */
export function ifRefused(error: unknown): undefined {
  if (isRefusal(error)) return undefined;
  throw error;
}

/** The account has no such object. */
export function isUnknown(error: unknown): boolean {
  return (error as Partial<StripeError>).code === 'resource_missing';
}
