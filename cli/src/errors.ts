import { CommerceError, ConnectionError } from '@commerce-backend/sdk';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { CommanderError } from 'commander';
import { fieldOf } from './field-of.ts';
import { FormatError } from './formats/reading.ts';

/** Exit codes. */
export const EXIT = {
  done: 0,
  refused: 1,
  usage: 2,
  notLoggedIn: 3,
  unreachable: 4,
  rowsRefused: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error that the server did not report. `remedy` explains what the user can do. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly remedy: string | undefined;

  constructor(exitCode: ExitCode, code: string, message: string, remedy?: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.remedy = remedy;
  }
}

export function usageError(message: string, remedy?: string): CommandError {
  return new CommandError(EXIT.usage, 'usage', message, remedy);
}

/** An error as shown to the user: JSON with --json, otherwise text. */
export interface Report {
  error: string;
  message: string;
  remedy?: string;
  exit_code: ExitCode;
  status?: number;
  request_id?: string;
  retryable?: boolean;
  /** Errors of a 422, with the field's name in the contract and the option or argument that set it. */
  detail?: { field: string; flag?: string; message: string }[];
}

/** Returns the report of an error that ends a command. Rethrows unknown errors, which are bugs. */
export function reportOf(error: unknown): Report {
  if (error instanceof CommerceError) return refusal(error);
  if (error instanceof ConnectionError) {
    const remedy = 'Check that the server runs and that its address is right (--url, COMMERCE_URL, commerce login).';
    return { error: 'unreachable', message: error.message, remedy, exit_code: EXIT.unreachable, retryable: true };
  }
  if (error instanceof CommandError) {
    const { code, message, remedy, exitCode } = error;
    return { error: code, message, ...(remedy && { remedy }), exit_code: exitCode };
  }
  if (error instanceof CommanderError) return usage(sentenceOf(error));
  if (error instanceof FormatError) return usage(error.message);
  if (isFileError(error)) return usage(`${FILE_ERRORS[error.code] ?? error.message}: ${error.path}`);
  throw error;
}

/** Removes commander's own text about an invalid value. */
function sentenceOf({ message }: CommanderError): string {
  return message
    .replace(/^error: /, '')
    .replace(/^command-argument value '(.*)' is invalid for argument '(\S+)'\./, "'$1' is no $2.")
    .replace(/^option '(.*)' argument '(.*)' is invalid\./, "'$2' cannot be the value of $1.");
}

function usage(message: string): Report {
  return { error: 'usage', message, exit_code: EXIT.usage };
}

function refusal(error: CommerceError): Report {
  const { status, code, requestId, retryable, detail } = error;
  return {
    error: code,
    // The SDK's message contains only the first errors of a 422. `detail` has all of them.
    message: messageIn(error.body) ?? error.message,
    remedy: remedyFor(error),
    exit_code: status === 401 ? EXIT.notLoggedIn : EXIT.refused,
    status,
    ...(requestId && { request_id: requestId }),
    retryable,
    ...(detail.length > 0 && { detail: detail.map(({ loc, msg }) => ({ field: fieldOf(loc), message: msg })) }),
  };
}

function remedyFor({ status, code, body, retryAfterMs }: CommerceError): string {
  const details = (body ?? {}) as Record<string, unknown>;
  if (code === 'invalid_credentials') return 'Check the e-mail address and password.';
  if (code === 'second_factor_required') return 'Give the code of the app as well: commerce login --code';
  if (code === 'second_factor_invalid') return 'Wait for the next code of the app, or use a recovery code.';
  if (code === 'step_up_required') {
    return 'Log in with e-mail and password, and give the password again: commerce account confirm';
  }
  // The API key is valid, but the action needs a person, so another login with the key would not help.
  if (code === 'unauthorized') {
    return 'Log in with e-mail and password, and without COMMERCE_API_KEY: commerce login --email ADDRESS';
  }
  if (status === 401) return 'Log in again with commerce login, or correct COMMERCE_API_KEY where that is set.';
  if (code === 'merchant_not_allowed') return 'Log in for a merchant you work for: commerce login --merchant ID';
  if (code === 'insufficient_scope') return `Use a credential with the scope ${details.scope ?? 'that is missing'}.`;
  if (code === 'sync_key_limit') return 'Revoke one first: commerce sync-keys list, commerce sync-keys revoke ID';
  if (code === 'quantity_changed')
    return `There are ${details.actual ?? 'others'} now. Count again, and give the current quantity as --expected.`;
  if (code === 'invalid_transition') return transitionRemedy(details);
  if (code === 'payment_not_awaiting' && details.next === 'cancel_or_refund') {
    return 'Record the money, then reinstate the order or refund it: commerce orders record-payment ORDER';
  }
  if (code === 'refund_exceeds_paid') return `Refund at most ${details.refundable}.`;
  if (code === 'order_disputed') return 'Wait for the decision of the bank, or ship anyway: --override-dispute.';
  if (code === 'order_prices_changed') return 'Reinstate it with its own prices: --keep-prices. Or refund the money.';
  if (code === 'fulfillment_exceeds_remaining') return 'See what is left to ship: commerce orders get ORDER';
  if (code === 'discount_in_use') return 'Disable it instead: commerce discounts update CODE --disable';
  if (code === 'webhook_disabled') return 'Fix the receiver, then: commerce webhooks enable ID';
  if (code === 'rotation_in_progress') return `Wait until ${details.previous_secret_expires_at}.`;
  if (status === 429 && retryAfterMs !== undefined) return `Wait ${Math.ceil(retryAfterMs / 1000)} s, then try again.`;
  if (status === 422) return 'Correct the fields named above.';
  return REMEDIES[code]?.remedy ?? 'Check that the address is that of the commerce server.';
}

function transitionRemedy({ field, from, allowed }: Record<string, unknown>): string {
  const ways = Array.isArray(allowed) && allowed.length > 0 ? `can only become ${allowed.join(' or ')}` : 'is final';
  return `Its ${field} is ${from}, which ${ways}. See: commerce orders get ORDER`;
}

/** Remedies by error code. The build includes this part of the contract. */
const REMEDIES: Record<string, { remedy?: string }> = contract.components.schemas.ErrorCode['x-error-catalogue'];

function messageIn(body: unknown): string | undefined {
  const message = (body as { message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' ? message : undefined;
}

const FILE_ERRORS: Record<string, string> = {
  ENOENT: 'There is no such file or folder',
  EACCES: 'The file may not be opened',
  EPERM: 'The file may not be opened',
  EISDIR: 'This is a folder, not a file',
  ENOTDIR: 'A part of the path is not a folder',
  EROFS: 'The file system is read-only',
};

function isFileError(error: unknown): error is { code: string; path: string; message: string } {
  const { code, path } = (error ?? {}) as Record<string, unknown>;
  return error instanceof Error && typeof code === 'string' && typeof path === 'string';
}
