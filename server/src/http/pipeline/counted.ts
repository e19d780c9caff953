import { ShopError } from '../../shop/errors.ts';
import type { RateLimit } from '../../shop/rate-limits.ts';

/** The result of counting a request against its limits. */
export interface Counted {
  headers: Record<string, string>;
  refusal?: ShopError;
  /** Replaces an error if a limit that strangers share is used up. It does not affect a success. */
  refusalIfFailed?: ShopError;
  /** To be called after a success: limits that count only failures then forget the request. */
  succeeded?: () => Promise<void>;
}

/** What happens after the success or failure of the request. */
export function outcomesOf({ succeeded, refusalIfFailed }: Counted) {
  return { succeeded, refusalIfFailed };
}

export function refusedFor(milliseconds: number): ShopError {
  const retry_after_seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return new ShopError('rate_limited', `Too many requests. Try again in ${retry_after_seconds} s.`, {
    retry_after_seconds,
  });
}

/** RateLimit header fields of the IETF draft: the remaining quota, and its policy. */
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

/** The error for protocols with their own errors. Its data is that of the API's response. */
export function refusalTold({ refusal }: Counted) {
  if (!refusal) return undefined;
  const { code: error, message, context } = refusal;
  return { message, data: { error, message, ...context } };
}
