/**
 * Converts errors to responses. The contract defines the status of each error code, and whether a retry may succeed.
 */

import type { AuditChange, CompletionRefusal, ErrorBody, ErrorCode, HTTPValidationError } from '@commerce-backend/spec';
import { isReadOnlyError } from '../../db/read-only.ts';
import { isDiskFull } from '../../db/storage.ts';
import { CONFLICTS, CommitUnknown, hasCode, isLostConnection } from '../../db/transaction.ts';
import { ShopError, ValidationError } from '../../shop/errors.ts';
import type { ShownJson } from '../../shop/products/shown.ts';
import { document } from '../contract/contract.ts';
import type { Packed } from './compress.ts';

interface CatalogueEntry {
  status: number;
  retryable: boolean;
  remedy: string;
  /** Replaces the advice that agents get for this error code. */
  advice?: { next: string; operation?: string };
}

const catalogue = (document.components.schemas?.ErrorCode?.['x-error-catalogue'] ?? {}) as Record<
  ErrorCode,
  CatalogueEntry
>;

export interface Answer {
  status: number;
  /** JSON as text or as bytes. */
  body: string | Buffer | undefined;
  headers?: Record<string, string>;
  /** Compressed forms of the body, if it is sent repeatedly. */
  packed?: Packed;
  /** Whether the request's own transaction has written the audit row. */
  audited?: boolean;
  /** Set if the body contains stock: the body with the positions of its stock values. */
  shown?: ShownJson<unknown>;
  /** The body before it was converted to text. */
  told?: unknown;
  /** Whether the body is a list without entries. */
  empty?: boolean;
  /** Id of the object that the request created. */
  made?: string;
  /** The changed fields, for the audit. */
  changes?: AuditChange[];
}

/** Whether a request that failed with this error code may succeed when it is retried with the same Idempotency-Key. */
export function mayTurnOut(code: ErrorCode): boolean {
  return catalogue[code]?.retryable ?? false;
}

export function statusOf(code: ErrorCode): number {
  return catalogue[code]?.status ?? 500;
}

/** The error code in the response, for the log. */
export function codeOf(error: unknown): string {
  if (error instanceof ValidationError) return 'validation_error';
  return error instanceof ShopError ? error.code : translate(error).code;
}

/** Whether the response is a 4xx error. Server errors do not count as failed guesses. */
export function isRefusal({ status }: Answer): boolean {
  return status >= 400 && status < 500;
}

/** The contract's advice to agents for an error code. */
function adviceOn(code: ErrorCode): Pick<ErrorBody, 'next' | 'next_operation'> {
  const { advice, remedy } = catalogue[code] ?? {};
  const { next = remedy, operation } = advice ?? {};
  return { ...(next && { next }), ...(operation && { next_operation: operation }) };
}

/**
 * The response to an error. Internal errors (bugs, unexpected database errors) become a plain 500 or 503 without
 * details. Agents also get advice.
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
  // Only the operation that completes a checkout adds its own error fields.
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
/** Messages for violated constraints. A constraint is named after its error code. */
const CONSTRAINTS: Partial<Record<string, string>> = {
  slug_taken: 'Another product has this slug.',
  sku_taken: 'Another variant of this shop has this SKU.',
  handle_taken: 'Another collection has this handle.',
  option_name_taken: 'The product already has an option with this name.',
  variant_options_taken: 'Another variant of the product has the same option values.',
  discount_code_taken: 'Another discount has this code.',
  email_taken: 'Another customer has this e-mail address.',
  insufficient_stock: 'There is not enough stock.',
};

/** Constraints that share the error code of another constraint. */
const ALIASES: Partial<Record<string, string>> = { sku_taken_in_any_case: 'sku_taken' };

/** Converts a database error to the API error of the violated constraint, a retryable error, or `internal_error`. */
export function translate(error: unknown): ShopError {
  const { code = '', constraint = '' } = error as DatabaseError;
  const refusal = ALIASES[constraint] ?? constraint;
  const sentence = CONSTRAINTS[refusal];
  if (sentence && (code === UNIQUE_VIOLATION || code === CHECK_VIOLATION)) {
    return new ShopError(refusal as ErrorCode, sentence);
  }
  if (isDiskFull(error)) return diskFull();
  if (isReadOnlyError(error)) return new ShopError('unavailable', 'The database is read-only. Retry later.');
  if (tookTooLong(error)) return new ShopError('unavailable', 'The database took too long. Retry the request.');
  if (isUnavailable(error))
    return new ShopError('unavailable', 'The database is unreachable at the moment. Retry the request.');
  return new ShopError('internal_error', 'An internal error occurred. It was logged with this request id.');
}

function diskFull(): ShopError {
  return new ShopError(
    'storage_full',
    'Nothing can be stored at the moment: the disk of the database is full. Retry later.',
    {
      retry_after_seconds: RETRY_WHEN_FULL_SECONDS,
    },
  );
}

/**
 * Retry-After while the disk is full. A full disk must be freed by an operator, so earlier retries would fail as well.
 */
const RETRY_WHEN_FULL_SECONDS = 10;

/** Whether a statement or a lock timed out, which rolled the transaction back. */
export function tookTooLong(error: unknown): boolean {
  return hasCode(error, TOO_SLOW);
}

/** Whether a retry is safe, because the transaction was rolled back or never reached its COMMIT. */
export function isRetryable(error: unknown): boolean {
  return hasCode(error, CONFLICTS) || isLostConnection(error);
}

/** SQLSTATE codes: 57014 (statement timeout), 55P03 (lock timeout). */
const TOO_SLOW = ['57014', '55P03'];
const UNAVAILABLE_CODES = /^(?:08|57P|53|57014|25P03|55P03|40001|40P01|CE001|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND)/;
const UNAVAILABLE_MESSAGES = /timeout|terminated|Connection|connection|not queryable/;

/**
 * Whether the database did not answer in time, rejected writes or aborted the transaction. pg reports a timeout as an
 * `Error` without a code. A TypeError is a bug in our code.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof CommitUnknown || isReadOnlyError(error)) return true;
  if (error instanceof TypeError) return false;
  const { code = '', message = '' } = error as DatabaseError;
  return code === '' ? UNAVAILABLE_MESSAGES.test(message) : UNAVAILABLE_CODES.test(code);
}
