import type { Request } from 'express';
import type { Operation } from '../contract/contract.ts';

/** A request in canonical form: the same request has one form, for the idempotency key and for the audit. */
export function payloadOf(req: Request, operation: Operation | undefined): string {
  const path = operation?.path ?? req.path;
  return canonical([req.method, path, req.params, req.query, (req.body as unknown) ?? null]);
}

/** JSON with its keys in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
