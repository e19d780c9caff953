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

/** The server is overloaded and refuses the request. That is no failure of the server, so refusals are not logged one by one. */
export class Overload extends ShopError {}

/** The refusal of an overloaded server. The callers refused together are told different times to come back. */
export function overloaded(message: string, longest_retry_seconds: number): Overload {
  return new Overload('unavailable', message, { retry_after_seconds: randomInt(1, longest_retry_seconds + 1) });
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

/** The answer to everybody while an operator has suspended the site. */
export function siteSuspended(): ShopError {
  return new ShopError('site_suspended', 'This shop is suspended.');
}

/** One mistake in the request body, at the given path below `body`. */
export function bodyMistake(path: (string | number)[], type: string, msg: string, ctx?: Record<string, unknown>) {
  return { loc: ['body', ...path], msg, type, ...(ctx && { ctx }) } satisfies ValidationErrorItem;
}
