import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { Pool } from 'pg';
import type { AuditKey } from '../../shop/audit/keys.ts';
import { ShopError, ValidationError } from '../../shop/errors.ts';
import { agentTokenIn, auditRefused } from './audit.ts';
import type { Counted } from './counted.ts';
import { type Answer, answerTo } from './errors.ts';
import { isCredentialRefusal } from './failed-credentials.ts';
import type { Limits } from './limits.ts';
import { auditIdOf, type Notes } from './notes.ts';
import { payloadOf } from './payload.ts';

/** What remains to be done between the outcome of a request and its answer: counters, the audit log, the code in the log. */

/** Notes what is to be done when the request has succeeded or failed. */
export function noteCounted(res: Response, { succeeded, refusalIfFailed }: Counted): void {
  Object.assign(res.locals as Notes, { succeeded, refusalIfFailed });
}

/** Whether the caller was refused. Faults of the server are no guesses. */
export function isFailure({ status }: Answer): boolean {
  return status >= 400 && status < 500;
}

/** Takes back what was counted as a failure in advance. If that fails, the request has succeeded nevertheless. */
export async function runSucceeded({ succeeded }: Notes): Promise<void> {
  await succeeded?.().catch(() => undefined);
}

/** Counts a bad credential, and returns the error to answer with: the same one, or 429 after too many of them. */
export async function countFailure(limits: Limits, error: unknown, req: Request, res: Response): Promise<unknown> {
  if (!(error instanceof ShopError) || !isCredentialRefusal(error)) return error;
  const { headers, refusal } = await limits.countFailure(req);
  if (refusal) res.set(headers);
  return refusal ?? error;
}

/** Whether an agent reads the answer. */
export function isForAgent(req: Request, { operation }: Notes): boolean {
  return operation?.surface === 'agent' || agentTokenIn(req) !== undefined;
}

const AUDIT_FAILURE_WITHIN_MS = 500;

interface AuditDeps {
  db: Pool;
  secretKey: string;
  auditKey: AuditKey;
}

/** Makes sure that a call of an agent has its audit row before it is answered; if the row fails, so does the call. */
export async function ensureAudited(deps: AuditDeps, req: Request, notes: Notes, answer: Answer): Promise<Answer> {
  if (answer.audited || agentTokenIn(req) === undefined) return answer;
  const { operation, request_id, caller } = notes;
  const audit_id = auditIdOf(notes);
  const { secretKey, auditKey, db } = deps;
  const { status } = answer;
  try {
    const payload = payloadOf(req, operation);
    const call = { operation, req, payload, secretKey, auditKey, request_id, audit_id, status, answer };
    const written = auditRefused(db, { ...call, buyer_ip: caller?.buyer_ip });
    if (status < 500) await written;
    // What made the request fail may delay this row as well, and the caller does not wait for both.
    else await Promise.race([written.catch(() => undefined), sleep(AUDIT_FAILURE_WITHIN_MS)]);
    return answer;
  } catch (error) {
    if (status >= 500) return answer;
    notes.cause = error;
    return answerTo(error, request_id, true);
  }
}

/** The code that is logged for an error. */
export function codeOf(error: unknown): string {
  if (error instanceof ShopError) return error.code;
  return error instanceof ValidationError ? 'validation_error' : 'internal_error';
}
