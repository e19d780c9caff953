import { randomInt } from 'node:crypto';
import type { ErrorCode, ValidationErrorItem } from '@commerce-backend/spec';
import type { Shop } from './shop.ts';

/**
 * An error response: an error code of the contract, a sentence for the caller, and the additional fields of the code.
 */
export class ShopError extends Error {
  readonly code: ErrorCode;
  readonly context: Record<string, unknown>;
  /** Runs in the transaction that stores the error response, after the rollback, so that its writes are committed. */
  readonly afterwards: ((shop: Shop) => Promise<void>) | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    context: Record<string, unknown> = {},
    afterwards?: (shop: Shop) => Promise<void>,
  ) {
    super(message);
    this.name = 'ShopError';
    this.code = code;
    this.context = context;
    this.afterwards = afterwards;
  }
}

/** A deliberate 503: the server is overloaded, or the site has moved. It is not logged as a failure. */
export class Unavailable extends ShopError {}

/** The error of an overloaded server. Retry times vary, so that callers do not all retry at the same time. */
export function overloaded(message: string, longest_retry_seconds: number): Unavailable {
  return new Unavailable('unavailable', message, { retry_after_seconds: randomInt(1, longest_retry_seconds + 1) });
}

/** A mistake that the schema cannot detect. The response has status 422, as for every other validation error. */
export class ValidationError extends Error {
  readonly detail: ValidationErrorItem[];

  constructor(detail: ValidationErrorItem[]) {
    super(detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
    this.name = 'ValidationError';
    this.detail = detail;
  }
}

export class NotFound extends ShopError {
  readonly noun: string;

  constructor(noun: string) {
    super('not_found', `There is no such ${noun}.`);
    this.noun = noun;
  }
}

/** The error for a cursor from an earlier era (db/era.ts): the database may have lost changes before the cursor. */
export function cursorExpired(): ShopError {
  const message = 'The cursor is from an earlier era of the database. Start again without a cursor.';
  return new ShopError('cursor_expired', message);
}

/** The same error for an unknown object and for one of another tenant. */
export function notFound(noun: string): ShopError {
  return new NotFound(noun);
}

/** The reason why a site is closed: an operator suspended it, or it has moved to another server. */
export type Closed = 'suspended' | 'moved';

/** A DNS change takes minutes to reach all callers. */
const MOVED_RETRY_SECONDS = 60;

/** The error for requests to a closed site. */
export function siteClosed(closed: Closed): ShopError {
  if (closed === 'suspended') return new ShopError('site_suspended', 'This shop is suspended.');
  return new Unavailable('site_moved', 'This shop has moved to another server.', {
    retry_after_seconds: MOVED_RETRY_SECONDS,
  });
}

/** A validation error at the given path in the request body. */
export function bodyMistake(path: (string | number)[], type: string, msg: string, ctx?: Record<string, unknown>) {
  return { loc: ['body', ...path], msg, type, ...(ctx && { ctx }) } satisfies ValidationErrorItem;
}
