import type { Operation } from '../contract/contract.ts';
import type { Received } from '../received.ts';

/** Canonical form of a request, for the idempotency key and the audit. */
export function payloadOf({ method, path, params, query, body }: Received, operation: Operation | undefined): string {
  return canonical([method, operation?.path ?? path, params, query, body ?? null]);
}

/** JSON with sorted keys, so that equal values give equal text. */
function canonical(value: unknown): string {
  return JSON.stringify(ordered(value));
}

/** A copy of a value with sorted keys. Copying is faster than a function that `JSON.stringify` calls for each value. */
function ordered(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(ordered);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, part]) => [name, ordered(part)]));
}
