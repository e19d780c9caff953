import { newId } from '../db/new-id.ts';
import type { ShopError } from '../shop/errors.ts';
import type { Caller, Claim } from './callers/caller.ts';
import type { Operation } from './contract/contract.ts';
import type { Match } from './contract/route.ts';
import type { Sender } from './received.ts';

/** A request as plain data, for any protocol. Adapters create it; `handle` answers it. */
export interface ApiRequest extends Sender {
  /** The operation of the request, or the error for an unknown path or method, which is audited for agents too. */
  target: Match | Unroutable;
  method: string;
  /** The path as sent, without the query. */
  path: string;
  query: Record<string, unknown>;
  /**
   * Reads the body within the limits of the operation. It is called after load shedding and after the form of the
   * credential was checked. Throws 413, 415, or a ValidationError.
   */
  readBody(operation: Operation): Promise<unknown>;
  /**
   * The caller for whom an adapter vouches, instead of credentials in the headers. It is never taken from headers or
   * JSON.
   */
  vouched?: Claim | undefined;
  /** The best of these languages by `Accept-Language`, like Express; false if none fits. */
  acceptsLanguages(languages: string[]): string | false;
  /** Whether the client has disconnected. */
  isGone(): boolean;
  context: RequestContext;
}

/** A request that has no operation, or that an adapter has already rejected. */
export interface Unroutable {
  refusal: Error;
  operation?: Operation | undefined;
  path?: Record<string, string> | undefined;
  body?: unknown;
}

export type Protocol = 'mcp' | 'ucp';

/** Data about a request for its log line, metrics, trace and audit row. The steps fill it in. */
export interface RequestContext {
  request_id: string;
  /** The protocol of an agent's call; undefined for the API itself and for pages. */
  protocol?: Protocol | undefined;
  operation?: Operation;
  caller?: Caller;
  /** Whether the response came from the catalogue cache; undefined if it cannot be cached. */
  cached?: boolean;
  /** Reverts a failure that was counted before the attempt. */
  succeeded?: (() => Promise<void>) | undefined;
  /** Replaces an error if the shop has had too many failures (see `Counted`). */
  refusalIfFailed?: ShopError | undefined;
  /** The error code. */
  error?: string;
  cause?: unknown;
  /** See `auditIdOf`. */
  audit_id?: string;
  /** Remaining quota of the rate limits. */
  limitHeaders: Record<string, string>;
}

export function newContext(request_id: string, protocol?: Protocol): RequestContext {
  return { request_id, protocol, limitHeaders: {} };
}

/**
 * The id of the request's audit row. It is always the same, so that writing it again after a lost COMMIT adds no second
 * row.
 */
export function auditIdOf(context: RequestContext): string {
  context.audit_id ??= newId();
  return context.audit_id;
}
