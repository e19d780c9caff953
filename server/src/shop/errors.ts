import { randomInt } from 'node:crypto';
import type { ErrorCode, ValidationErrorItem } from '@commerce-backend/spec';
import type { Shop } from './shop.ts';

/** A refusal: a code of the contract's catalogue, one sentence for the caller, and whatever else the code promises. */
export class ShopError extends Error {
  readonly code: ErrorCode;
  readonly context: Record<string, unknown>;
  /** Written although the work is refused, in the transaction that records the refusal. */
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

/** The server refuses requests for a while, on purpose: it is overloaded, or the site has moved. The log does not count it as a failure. */
export class Unavailable extends ShopError {}

/** The refusal of an overloaded server. The callers refused together are told different times to come back. */
export function overloaded(message: string, longest_retry_seconds: number): Unavailable {
  return new Unavailable('unavailable', message, { retry_after_seconds: randomInt(1, longest_retry_seconds + 1) });
}

/** Input that the contract's schema cannot judge by itself; answers 422 like every other validation error. */
export class ValidationError extends Error {
  readonly detail: ValidationErrorItem[];

  constructor(detail: ValidationErrorItem[]) {
    super(detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
    this.name = 'ValidationError';
    this.detail = detail;
  }
}

/** There is no such thing, whose kind the noun names. */
export class NotFound extends ShopError {
  readonly noun: string;

  constructor(noun: string) {
    super('not_found', `There is no such ${noun}.`);
    this.noun = noun;
  }
}

/** A thing that does not exist, or belongs to another tenant: the two answer alike. */
export function notFound(noun: string): ShopError {
  return new NotFound(noun);
}

/** Why a site answers nobody: an operator has suspended it, or it was exported to another server. */
export type Closed = 'suspended' | 'moved';

/** DNS takes minutes to lead callers to the new server. */
const MOVED_RETRY_SECONDS = 60;

/** The answer to everybody while a site is closed. */
export function siteClosed(closed: Closed): ShopError {
  if (closed === 'suspended') return new ShopError('site_suspended', 'This shop is suspended.');
  return new Unavailable('site_moved', 'This shop has moved to another server.', {
    retry_after_seconds: MOVED_RETRY_SECONDS,
  });
}

/** One mistake in the request body, at the given path below `body`. */
export function bodyMistake(path: (string | number)[], type: string, msg: string, ctx?: Record<string, unknown>) {
  return { loc: ['body', ...path], msg, type, ...(ctx && { ctx }) } satisfies ValidationErrorItem;
}
