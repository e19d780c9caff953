import type { CompletionRefusal, ErrorBody, ErrorCode, HTTPValidationError } from '@commerce-backend/spec';
import { isReadOnlyError } from '../../db/read-only.ts';
import { isDiskFull } from '../../db/storage.ts';
import { CONFLICTS, CommitUnknown, hasCode, isLostConnection } from '../../db/transaction.ts';
import { ShopError, ValidationError } from '../../shop/errors.ts';
import type { ShownJson } from '../../shop/products/shown.ts';
import { document } from '../contract/contract.ts';
import type { Packed } from './compress.ts';

/** Errors on the wire: status and retryability of each code stand in the contract's catalogue, and nowhere else. */

interface CatalogueEntry {
  status: number;
  retryable: boolean;
  remedy: string;
  /** For agents, in place of the remedy. */
  advice?: { next: string; operation?: string };
}

const catalogue = (document.components.schemas?.ErrorCode?.['x-error-catalogue'] ?? {}) as Record<
  ErrorCode,
  CatalogueEntry
>;

export interface Answer {
  status: number;
  /** JSON, as text or encoded. */
  body: string | Buffer | undefined;
  headers?: Record<string, string>;
  /** Where the compressed forms of the body are kept, when it is sent more than once. */
  packed?: Packed;
  /** The call is on record already, in the transaction of the request. */
  audited?: boolean;
  /** What the body was made of, when stock is part of it. */
  shown?: ShownJson<unknown>;
  /** What the body was made of, where it is no text already. */
  told?: unknown;
  /** A list without results. */
  empty?: boolean;
  /** The id of what was made. */
  made?: string;
}

/** Whether the same call, with the same Idempotency-Key, may succeed later. */
export function mayTurnOut(code: ErrorCode): boolean {
  return catalogue[code]?.retryable ?? false;
}

export function statusOf(code: ErrorCode): number {
  return catalogue[code]?.status ?? 500;
}

/** The code that is logged for an error: the one that the caller gets. */
export function codeOf(error: unknown): string {
  if (error instanceof ValidationError) return 'validation_error';
  return error instanceof ShopError ? error.code : translate(error).code;
}

/** Whether the caller was refused. Faults of the server are no guesses. */
export function isRefusal({ status }: Answer): boolean {
  return status >= 400 && status < 500;
}

/** What a refusal tells agents to do. */
function adviceOn(code: ErrorCode): Pick<ErrorBody, 'next' | 'next_operation'> {
  const { advice, remedy } = catalogue[code] ?? {};
  const { next = remedy, operation } = advice ?? {};
  return { ...(next && { next }), ...(operation && { next_operation: operation }) };
}

/**
 * The answer to anything thrown. What callers must not see (a bug, a database message) becomes a bare 500 or 503. Agents are told
 * what to do, as well.
 */
export function answerTo(error: unknown, requestId: string, forAgent = false): Answer {
  if (error instanceof ValidationError) {
    const body: HTTPValidationError = {
      ...(forAgent && adviceOn('validation_error')),
      detail: error.detail,
      error: 'validation_error',
      message: 'The request does not match the contract; see detail.',
      request_id: requestId,
      retryable: false,
    };
    return { status: 422, body: JSON.stringify(body) };
  }
  const refusal = error instanceof ShopError ? error : translate(error);
  const { status, retryable } = catalogue[refusal.code] ?? { status: 500, retryable: false };
  // Completing a checkout is the one operation with a body of refusals of its own.
  const body: ErrorBody & CompletionRefusal = {
    error: refusal.code,
    message: refusal.message,
    request_id: requestId,
    retryable,
    ...(forAgent && adviceOn(refusal.code)),
    ...refusal.context,
  };
  return { status, body: JSON.stringify(body), headers: headersFor(refusal, status) };
}

function headersFor({ code, context }: ShopError, status: number): Record<string, string> {
  if (status === 401) return { 'WWW-Authenticate': code === 'invalid_token' ? CHALLENGE_INVALID : CHALLENGE };
  if (code === 'method_not_allowed') return { Allow: [...(context.allowed as string[]), 'OPTIONS'].join(', ') };
  if ('retry_after_seconds' in context) return { 'Retry-After': String(context.retry_after_seconds) };
  return code === 'idempotency_in_flight' || status === 503 ? { 'Retry-After': '1' } : {};
}

const CHALLENGE = 'Bearer realm="commerce"';
const CHALLENGE_INVALID = `${CHALLENGE}, error="invalid_token"`;

interface DatabaseError {
  code?: string;
  constraint?: string;
  message?: string;
}

const UNIQUE_VIOLATION = '23505';
const CHECK_VIOLATION = '23514';
/** Constraints that carry the code of the refusal they stand for, with what to do about it. */
const CONSTRAINTS: Partial<Record<string, string>> = {
  slug_taken: 'Another product has this slug.',
  sku_taken: 'Another variant of this shop has this SKU.',
  handle_taken: 'Another collection has this handle.',
  option_name_taken: 'The product already has an option with this name.',
  variant_options_taken: 'Another variant of the product has the same option values.',
  discount_code_taken: 'Another discount has this code.',
  email_taken: 'Another customer has this e-mail address.',
  insufficient_stock: 'There is not that much in stock.',
};

/** Constraints that stand for the refusal of another. */
const ALIASES: Partial<Record<string, string>> = { sku_taken_in_any_case: 'sku_taken' };

/** Turns an error of the database into the refusal that its constraint names, into one that may be retried, or into a bug. */
export function translate(error: unknown): ShopError {
  const { code = '', constraint = '' } = error as DatabaseError;
  const refusal = ALIASES[constraint] ?? constraint;
  const sentence = CONSTRAINTS[refusal];
  if (sentence && (code === UNIQUE_VIOLATION || code === CHECK_VIOLATION)) {
    return new ShopError(refusal as ErrorCode, sentence);
  }
  if (isDiskFull(error)) return diskFull();
  if (isReadOnlyError(error)) return new ShopError('unavailable', 'The database is read-only. Retry later.');
  if (tookTooLong(error)) return new ShopError('unavailable', 'The database took too long. Try again.');
  if (isUnavailable(error)) return new ShopError('unavailable', 'The database cannot be reached now. Try again.');
  return new ShopError('internal_error', 'Something went wrong on our side. It has been logged under this request id.');
}

function diskFull(): ShopError {
  return new ShopError('storage_full', 'Nothing can be saved now: the disk of the database is full. Try again later.', {
    retry_after_seconds: RETRY_WHEN_FULL_SECONDS,
  });
}

/** Somebody has to make space. */
const RETRY_WHEN_FULL_SECONDS = 10;

/** A statement ran, or waited for a lock, for as long as it may: its transaction was undone. */
export function tookTooLong(error: unknown): boolean {
  return hasCode(error, TOO_SLOW);
}

/** The transaction was undone as a whole, or never got to its COMMIT: running it again is safe. */
export function isRetryable(error: unknown): boolean {
  return hasCode(error, CONFLICTS) || isLostConnection(error);
}

/** A statement that was ended after its time limit, and one that waited too long for a lock. */
const TOO_SLOW = ['57014', '55P03'];
const UNAVAILABLE_CODES = /^(?:08|57P|53|57014|25P03|55P03|40001|40P01|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND)/;
const UNAVAILABLE_MESSAGES = /timeout|terminated|Connection|connection|not queryable/;

/** The database did not answer, or not in time. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof CommitUnknown || isReadOnlyError(error)) return true;
  const { code = '', message = '' } = error as DatabaseError;
  return code === '' ? UNAVAILABLE_MESSAGES.test(message) : UNAVAILABLE_CODES.test(code);
}
