import type { Claim } from '../callers/caller.ts';
import { operationOf } from '../contract/contract.ts';
import { type ApiRequest, newContext } from '../request.ts';
import { parseBody } from './body.ts';
import { matchWith } from './routing.ts';

/** A call of another operation that a handler makes as its own caller, with all checks. */
export interface Performed {
  operation: string;
  path: Record<string, string>;
  body?: unknown;
  /** The Idempotency-Key. */
  key: string;
  if_match: string | null;
}

export function performedRequest(
  request: ApiRequest,
  claim: Claim,
  { operation: id, path, body, key, if_match }: Performed,
): ApiRequest {
  const operation = operationOf(id as Parameters<typeof operationOf>[0]);
  const { 'if-match': _, ...headers } = request.headers;
  return {
    ...request,
    target: matchWith(operation, path),
    method: operation.method.toUpperCase(),
    query: {},
    headers: { ...headers, 'idempotency-key': key, ...(if_match !== null && { 'if-match': if_match }) },
    vouched: claim,
    readBody: async () =>
      body === undefined ? undefined : parseBody(operation, 'application/json', Buffer.from(JSON.stringify(body))),
    context: newContext(request.context.request_id),
  };
}
