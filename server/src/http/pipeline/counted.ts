import { ShopError } from '../../shop/errors.ts';
import type { RateLimit } from '../../shop/rate-limits.ts';

/** Result of counting a request against its rate limits. */
export interface Counted {
  headers: Record<string, string>;
  refusal?: ShopError;
  /**
   * Replaces the error of a failed request if a limit shared with other callers is used up. Successful requests are not
   * affected.
   */
  refusalIfFailed?: ShopError;
  /** Gives points back to limits that count only failures. Call it after a success. */
  succeeded?: () => Promise<void>;
}

/** The parts of the result that depend on whether the request succeeds. */
export function outcomesOf({ succeeded, refusalIfFailed }: Counted) {
  return { succeeded, refusalIfFailed };
}

export function refusedFor(milliseconds: number): ShopError {
  const retry_after_seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return new ShopError('rate_limited', `Too many requests. Try again in ${retry_after_seconds} s.`, {
    retry_after_seconds,
  });
}

/** RateLimit and RateLimit-Policy headers of the IETF draft: remaining quota and policy. */
export function rateLimitHeaders(
  name: string,
  { points, seconds }: Pick<RateLimit, 'points' | 'seconds'>,
  remaining: number,
  milliseconds: number,
): Record<string, string> {
  return {
    RateLimit: `"${name}";r=${remaining};t=${Math.ceil(milliseconds / 1000)}`,
    'RateLimit-Policy': `"${name}";q=${points};w=${seconds}`,
  };
}

/** Adds the rate limit headers to a response. Throws if the limit is exceeded. */
export function applyLimit(into: Record<string, string>, { headers, refusal }: Counted): void {
  Object.assign(into, headers);
  if (refusal) throw refusal;
}

/** The rate limit error for protocols with their own error format, with the data of the API's error. */
export function refusalTold({ refusal }: Counted) {
  if (!refusal) return undefined;
  const { code: error, message, context } = refusal;
  return { message, data: { error, message, ...context } };
}
