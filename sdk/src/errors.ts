import type { components, ErrorBody, ErrorCode, ValidationErrorItem } from '@commerce-backend/spec';
import type { Open } from './contract.ts';
import { passOn } from './last-response.ts';

/** The server rejected the call. The most common statuses have subclasses. */
export class CommerceError extends Error {
  override readonly name: string = 'CommerceError';
  readonly status: number;
  /** The contract's stable code, or `http_<status>` if a proxy sent the response. */
  readonly code: ErrorCode | (string & {});
  /** The id of the request, for questions to support. */
  readonly requestId: string | undefined;
  /** Whether the same call, with the same Idempotency-Key, may succeed later. */
  readonly retryable: boolean;
  /** The server's `Retry-After` for the next attempt. */
  readonly retryAfterMs: number | undefined;
  /** Every error of a 422; otherwise empty. */
  readonly detail: readonly ValidationErrorItem[];
  /** The body as received, including the extra fields of some codes. */
  readonly body: unknown;

  constructor(response: Response, body: unknown) {
    const fields = fieldsOf(body);
    super(fields.message ?? `The server answered ${response.status} ${response.statusText}`.trimEnd());
    this.status = response.status;
    this.code = fields.error ?? `http_${response.status}`;
    this.requestId = fields.request_id ?? response.headers.get('X-Request-Id') ?? undefined;
    this.retryable = isRetryable(response.status, body);
    this.retryAfterMs = retryAfterMs(response.headers);
    this.detail = fields.detail ?? [];
    this.body = body;
  }
}

/** 401: the credentials are missing, invalid, expired or revoked. */
export class AuthenticationError extends CommerceError {
  override readonly name = 'AuthenticationError';
}

/** 403: the credentials are valid but do not allow this. */
export class PermissionError extends CommerceError {
  override readonly name = 'PermissionError';
}

/** 404 and 410: the object does not exist in this shop, or no longer exists. */
export class NotFoundError extends CommerceError {
  override readonly name = 'NotFoundError';
}

/** 409: the current state does not allow the call. */
export class ConflictError extends CommerceError {
  override readonly name = 'ConflictError';
}

/** 422: the request does not match the contract. The message has the first errors, `detail` all of them. */
export class ValidationError extends CommerceError {
  override readonly name = 'ValidationError';

  constructor(response: Response, body: unknown) {
    super(response, body);
    const mistakes = this.detail.slice(0, 3).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
    if (mistakes.length > 0) this.message += ` (${mistakes.join('; ')})`;
  }
}

/** 429: too many requests. */
export class RateLimitError extends CommerceError {
  override readonly name = 'RateLimitError';
}

/** 5xx: the server failed. */
export class ServerError extends CommerceError {
  override readonly name = 'ServerError';
}

/** The API did not respond. A mutation may have taken effect: repeat it with the same Idempotency-Key. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';
}

/** The last attempt got no complete response within `timeoutMs`. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

type Fields = components['schemas']['ErrorFields'];

/** The error type of one code: its body has the extra fields of that code. */
export type ErrorOf<Code extends ErrorCode> = Code extends ErrorCode
  ? CommerceError & {
      readonly code: Code;
      readonly body: Omit<Named<Open<ErrorBody>>, 'error'> & { error: Code } & FieldsOf<Code>;
    }
  : never;

/** Removes the index signature of a type, so that a misspelled field is a compile error. */
type Named<Shape> = { [Field in keyof Shape as string extends Field ? never : Field]: Shape[Field] };

type FieldsOf<Code> = Code extends keyof Fields ? Open<NonNullable<Fields[Code]>> : unknown;

/**
 * Whether a thrown value is a server error with this code, or one of these codes. It narrows to the fields of the code:
 *
 *     if (isError(error, 'budget_exceeded')) show(error.body.required_cents, error.body.budget.budget_remaining_cents);
 *
 * With several codes, a switch over `error.code` narrows further.
 */
export function isError<Code extends ErrorCode>(error: unknown, ...codes: [Code, ...Code[]]): error is ErrorOf<Code> {
  return error instanceof CommerceError && (codes as string[]).includes(error.code);
}

const families: Record<number, typeof CommerceError> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: NotFoundError,
  422: ValidationError,
  429: RateLimitError,
};

/** Creates the error for a response. */
export function errorOf(response: Response, body: unknown): CommerceError {
  const Family = families[response.status] ?? (response.status >= 500 ? ServerError : CommerceError);
  const error = new Family(response, body);
  passOn(response, error);
  return error;
}

/**
 * The data of a raw result. Throws a CommerceError for any response other than 2xx, and rethrows the ConnectionError or
 * TimeoutError of a call without a response.
 *
 *     const { id } = await unwrap(storefront.POST('/api/storefront/cart'));
 */
export async function unwrap<Result extends { response: Response; error?: unknown }>(
  call: Promise<Result>,
): Promise<DataOf<Result>> {
  const result = await call;
  if (!result.response.ok) throw errorOf(result.response, result.error);
  const { data } = result as { data?: unknown };
  passOn(result.response, data);
  return data as DataOf<Result>;
}

type DataOf<Result> = Result extends { data: infer Data } ? Data : never;

/** Whether the body marks the error as retryable. For bodies that are not from the server, the status decides. */
export function isRetryable(status: number, body: unknown): boolean {
  return fieldsOf(body).retryable ?? [408, 429, 502, 503, 504].includes(status);
}

/** The Retry-After header (seconds or date) in milliseconds from now; undefined if it is missing or invalid. */
export function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('Retry-After')?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

interface ErrorFields {
  error?: string;
  message?: string;
  request_id?: string;
  retryable?: boolean;
  detail?: ValidationErrorItem[];
}

/**
 * The contract's fields of a body, which may be anything, such as a proxy's page. Fields of a wrong type are ignored.
 */
function fieldsOf(body: unknown): ErrorFields {
  if (typeof body !== 'object' || body === null) return {};
  const { error, message, request_id, retryable, detail } = body as Record<string, unknown>;
  return {
    ...(typeof error === 'string' && { error }),
    ...(typeof message === 'string' && { message }),
    ...(typeof request_id === 'string' && { request_id }),
    ...(typeof retryable === 'boolean' && { retryable }),
    ...(Array.isArray(detail) && { detail }),
  };
}
