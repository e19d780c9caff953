import { newId } from '../db/new-id.ts';
import type { StandbyResult } from '../db/standby.ts';
import type { ShopError } from '../shop/errors.ts';
import type { Caller, Claim } from './callers/caller.ts';
import type { Operation } from './contract/contract.ts';
import type { Match } from './contract/route.ts';
import type { Sender } from './received.ts';

/** A request of any protocol as plain data. Adapters create it, and `handle` answers it. */
export interface ApiRequest extends Sender {
  /** The operation, or the error for an unknown path or method. Such errors of agents are audited too. */
  target: Match | Unroutable;
  method: string;
  /** The path as sent, without the query. */
  path: string;
  query: Record<string, unknown>;
  /**
   * Reads the body within the operation's limits. Called after load shedding and after the credential's form was
   * checked. Throws 413, 415, or a ValidationError.
   */
  readBody(operation: Operation): Promise<unknown>;
  /**
   * The caller that an adapter has verified itself, instead of credentials in the headers. Never taken from request
   * data.
   */
  vouched?: Claim | undefined;
  /**
   * Runs instead of the operation's handler, after all checks of the caller and the request. Its result is the body of
   * a
   * 202. Set by the adapter for assistants, to keep a call until a person confirms it.
   */
  hold?: ((call: never) => Promise<unknown>) | undefined;
  /** The best of these languages by Accept-Language; false if none fits. */
  acceptsLanguages(languages: string[]): string | false;
  /** Whether the client has disconnected. */
  isGone(): boolean;
  context: RequestContext;
}

/** A request that matches no operation, or that an adapter has already rejected. */
export interface Unroutable {
  refusal: Error;
  operation?: Operation | undefined;
  path?: Record<string, string> | undefined;
  body?: unknown;
}

export type Protocol = 'mcp' | 'ucp';

/** Data about a request for its log line, metrics, trace and audit row. The pipeline fills it in step by step. */
export interface RequestContext {
  request_id: string;
  /** The protocol of an agent's call; undefined for HTTP calls of the API and for pages. */
  protocol?: Protocol | undefined;
  operation?: Operation;
  caller?: Caller;
  /** Whether the response came from the catalogue cache; undefined if it is not cacheable. */
  cached?: boolean;
  /** The attempt to read on a standby; undefined if there was none. */
  standby?: StandbyResult;
  /** Gives points back to limits that count only failures. Called after a success. */
  succeeded?: (() => Promise<void>) | undefined;
  /** Replaces the error of a failed request if a limit shared with other callers is used up (see `Counted`). */
  refusalIfFailed?: ShopError | undefined;
  /** The checkout that the request completed, and the number of its order, if known. */
  completed?: { checkout_id: string; order_number?: string | undefined };
  /** The error code in the response. */
  error?: string;
  cause?: unknown;
  /** Set by `auditIdOf`. */
  audit_id?: string;
  /** RateLimit headers of the response. */
  limitHeaders: Record<string, string>;
}

export function newContext(request_id: string, protocol?: Protocol): RequestContext {
  return { request_id, protocol, limitHeaders: {} };
}

/**
 * Returns the id of the request's audit row. The id stays the same, so that writing the row again after a lost COMMIT
 * adds no second row.
 */
export function auditIdOf(context: RequestContext): string {
  context.audit_id ??= newId();
  return context.audit_id;
}
