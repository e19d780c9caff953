import { ShopError } from '../../shop/errors.ts';
import type { RateLimit } from '../../shop/rate-limits.ts';

/** What counting a request against its limits came to. */
export interface Counted {
  headers: Record<string, string>;
  refusal?: ShopError;
  /** The answer in place of a failure, where a limit that strangers share is used up. A success is not affected. */
  refusalIfFailed?: ShopError;
  /** To be called when the request succeeded: limits that count only failures then forget it. */
  succeeded?: () => Promise<void>;
}

/** What is done when the request has succeeded or failed. */
export function outcomesOf({ succeeded, refusalIfFailed }: Counted) {
  return { succeeded, refusalIfFailed };
}

export function refusedFor(milliseconds: number): ShopError {
  const retry_after_seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return new ShopError('rate_limited', `Too many requests. Try again in ${retry_after_seconds} s.`, {
    retry_after_seconds,
  });
}

/** RateLimit header fields of the IETF draft: what is left of the quota, and its policy. */
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

/** Adds the headers that report what is left of a limit. Throws its refusal if there is one. */
export function applyLimit(into: Record<string, string>, { headers, refusal }: Counted): void {
  Object.assign(into, headers);
  if (refusal) throw refusal;
}

/** The refusal as a protocol that has errors of its own tells it: its data is what the API would answer. */
export function refusalTold({ refusal }: Counted) {
  if (!refusal) return undefined;
  const { code: error, message, context } = refusal;
  return { message, data: { error, message, ...context } };
}
