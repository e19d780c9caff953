import type { AuditKey } from '../../shop/audit/keys.ts';
import type { ValidationError } from '../../shop/errors.ts';
import type { Claim } from '../callers/caller.ts';
import type { Operation } from '../contract/contract.ts';
import type { Received } from '../received.ts';
import { type ApiRequest, auditIdOf, type RequestContext } from '../request.ts';
import { type AuditedCall, agentTokenIn } from './audit.ts';
import type { Deadline } from './deadline.ts';
import type { Answer } from './errors.ts';
import type { Key } from './idempotency.ts';
import { payloadOf } from './payload.ts';

/** A request before it has queried the database. */
export interface Incoming {
  request: ApiRequest;
  received: Received;
  context: RequestContext;
  operation: Operation;
  claim: Claim;
  mistakes: ValidationError['detail'];
  /** Undefined for reads, and for a mutation without the header if its operation allows that. */
  key: Key | undefined;
  deadline: Deadline;
}

/** The parts of a request. Its body has not been read yet, except in a call that an adapter has already rejected. */
export function receivedOf({ target, method, path, query, ip, headers }: ApiRequest): Received {
  const body = 'refusal' in target ? target.body : undefined;
  return { method, path, params: target.path ?? {}, query, ip, headers, body };
}

export function keyOf(secretKey: string, operation: Operation, claim: Claim, received: Received, request_id: string) {
  const key = received.headers['idempotency-key'];
  if (operation.safe || key === undefined) return undefined;
  return {
    key: String(key),
    operation_id: operation.id,
    request: payloadOf(received, operation),
    secret: operation.secret,
    secretRefusal: operation.secretRefusal,
    pepper: `${secretKey}${claim.secret}${claim.customer_secret ?? ''}`,
    request_id,
  } satisfies Key;
}

/** The data of a call for the audit log. */
export function auditedCall(
  { secretKey, auditKey }: { secretKey: string; auditKey: AuditKey },
  { operation, received, key, context }: Incoming,
  answer: Answer,
): Omit<AuditedCall, 'caller'> {
  return {
    ...{ operation, request: received, secretKey, auditKey, answer },
    payload: key?.request ?? payloadOf(received, operation),
    request_id: context.request_id,
    audit_id: auditIdOf(context),
    status: answer.status,
    made: answer.made,
  };
}

/** Whether the response is for an agent, so that errors contain advice. */
export function isForAgent({ context, headers, ip }: ApiRequest): boolean {
  return context.operation?.surface === 'agent' || agentTokenIn({ headers, ip }) !== undefined;
}
