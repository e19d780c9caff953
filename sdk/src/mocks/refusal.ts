import type { ErrorBody, ErrorCode, HTTPValidationError, ValidationErrorItem } from '@commerce-backend/spec';
import { errors } from './contract.ts';

/** An API error: code, message and the code's extra fields. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly fields: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, fields: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.fields = fields;
  }
}

/** The request violates the contract. */
export class Invalid extends Refusal {
  readonly detail: ValidationErrorItem[];

  constructor(detail: ValidationErrorItem[]) {
    super('validation_error', 'The request does not match the contract; see detail.');
    this.detail = detail;
  }
}

export function notFound(noun: string): Refusal {
  return new Refusal('not_found', `There is no such ${noun}.`);
}

/** The error for a single mistake in the body. */
export function bodyMistake(path: (string | number)[], type: string, msg: string, ctx?: Record<string, unknown>) {
  return { loc: ['body', ...path], msg, type, ...(ctx && { ctx }) } satisfies ValidationErrorItem;
}

/** The error response. Agents also get advice. */
export function answerTo(refusal: Refusal, request_id: string, forAgent: boolean, forOAuth = false): Response {
  const { status, retryable, next, next_operation } = errors[refusal.code];
  const advice = forAgent && { ...(next && { next }), ...(next_operation && { next_operation }) };
  const body: ErrorBody | HTTPValidationError =
    refusal instanceof Invalid
      ? {
          ...{ error: 'validation_error', message: refusal.message, request_id, retryable: false },
          ...{ detail: refusal.detail, ...(forAgent && next && { next }) },
        }
      : { error: refusal.code, message: refusal.message, request_id, retryable, ...advice, ...refusal.fields };
  // OAuth clients read the message from this field.
  if (forOAuth) Object.assign(body, { error_description: body.message });
  const seconds = refusal.fields.retry_after_seconds ?? (status === 503 ? 1 : undefined);
  return Response.json(body, {
    status,
    headers: {
      'X-Request-Id': request_id,
      ...(seconds !== undefined && { 'Retry-After': String(seconds) }),
      ...(status === 401 && { 'WWW-Authenticate': challengeOf(refusal.code) }),
    },
  });
}

function challengeOf(code: ErrorCode): string {
  return `Bearer realm="commerce"${code === 'invalid_token' ? ', error="invalid_token"' : ''}`;
}
