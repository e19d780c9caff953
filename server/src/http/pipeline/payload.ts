import type { Operation } from '../contract/contract.ts';
import type { Received } from '../received.ts';

/** Canonical form of a request, for idempotency fingerprints and the audit log. */
export function payloadOf({ method, path, params, query, body }: Received, operation: Operation | undefined): string {
  return canonical([method, operation?.path ?? path, params, query, body ?? null]);
}

/** JSON with sorted keys: equal values give equal text. */
function canonical(value: unknown): string {
  return JSON.stringify(ordered(value));
}

/** A copy with sorted keys, which is faster than a replacer function for `JSON.stringify`. */
function ordered(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(ordered);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, part]) => [name, ordered(part)]));
}
