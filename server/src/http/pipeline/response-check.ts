import { faultIn } from '../contract/schemas.ts';
import type { RequestContext } from '../request.ts';
import { type Answer, answerTo } from './errors.ts';

/** Replaces a response that violates the contract with a 500. Used only with VALIDATE_RESPONSES. */
export function checked(context: RequestContext, given: Answer): Answer {
  const fault = context.operation && faultIn(context.operation, given.status, given.body?.toString());
  if (!fault) return given;
  context.cause = new Error(fault);
  return answerTo(context.cause, context.request_id);
}
