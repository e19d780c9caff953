import { newId } from '../db/new-id.ts';
import type { ShopError } from '../shop/errors.ts';
import type { Caller, Claim } from './callers/caller.ts';
import type { Operation } from './contract/contract.ts';
import type { Match } from './contract/route.ts';
import type { Sender } from './received.ts';

/** A request as plain data, whichever protocol it came by. Adapters make it; `handle` answers it. */
export interface ApiRequest extends Sender {
  /** What the request is for, or why it is for nothing: unknown paths and methods are audited for agents, too. */
  target: Match | Unroutable;
  method: string;
  /** The path as sent, without the query. */
  path: string;
  query: Record<string, unknown>;
  /**
   * Reads the body within the bounds of the operation, once load shedding and the form of the credential have passed. Throws 413,
   * 415, or a ValidationError.
   */
  readBody(operation: Operation): Promise<unknown>;
  /** The caller for whom an adapter vouches, in place of the credentials in the headers. Never taken from headers or JSON. */
  vouched?: Claim | undefined;
  /** Chooses among languages by `Accept-Language`, as Express does; false if none fits. */
  acceptsLanguages(languages: string[]): string | false;
  /** Whether the client has gone, so that nobody waits for the answer. */
  isGone(): boolean;
  context: RequestContext;
}

/** A request that leads to no operation, or that an adapter has already refused. */
export interface Unroutable {
  refusal: Error;
  operation?: Operation | undefined;
  path?: Record<string, string> | undefined;
  body?: unknown;
}

export type Protocol = 'mcp' | 'ucp';

/** What log line, metrics, trace and audit need to know of a request. The steps fill it in. */
export interface RequestContext {
  request_id: string;
  /** The protocol through which an agent calls; undefined for the API itself and for pages. */
  protocol?: Protocol | undefined;
  operation?: Operation;
  caller?: Caller;
  /** Whether the answer came from the catalogue's cache; undefined for what is never cached. */
  cached?: boolean;
  /** Takes back what was counted as a failure in advance. */
  succeeded?: (() => Promise<void>) | undefined;
  /** The answer in place of a refusal, where the shop has had too many failures; see `Counted`. */
  refusalIfFailed?: ShopError | undefined;
  /** The code of the refusal. */
  error?: string;
  cause?: unknown;
  /** See `auditIdOf`. */
  audit_id?: string;
  /** What is left of the rate limits. */
  limitHeaders: Record<string, string>;
}

export function newContext(request_id: string, protocol?: Protocol): RequestContext {
  return { request_id, protocol, limitHeaders: {} };
}

/** The id of the request's row in the audit: the same each time, so that writing it again after a lost COMMIT adds no second row. */
export function auditIdOf(context: RequestContext): string {
  context.audit_id ??= newId();
  return context.audit_id;
}
