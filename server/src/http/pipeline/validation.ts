import { ValidationError } from '../../shop/errors.ts';
import { openMistakes } from '../callers/open-callers.ts';
import type { Operation } from '../contract/contract.ts';
import { hiddenMistakes } from '../contract/hidden-mistakes.ts';
import { contractMistakes } from '../contract/validate.ts';
import type { Received } from '../received.ts';
import type { ApiRequest } from '../request.ts';
import { isForm } from './form.ts';

/**
 * Reads the request body into `received` and validates the request. Replaces `received.query` with the coerced
 * parameters. Returns the mistakes. Throws 413 or 415 for a body that cannot be read.
 */
export async function validate(
  operation: Operation,
  request: Pick<ApiRequest, 'readBody'>,
  received: Received,
): Promise<ValidationError['detail']> {
  try {
    received.body = await request.readBody(operation);
  } catch (error) {
    if (error instanceof ValidationError) return error.detail;
    throw error;
  }
  const mistakes = contractMistakes(operation, received);
  const hidden = hiddenMistakes(operation, received.body);
  return [...keyMistakes(operation, received), ...openMistakes(operation, received), ...mistakes, ...hidden];
}

/** The mistake for a missing Idempotency-Key. The contract's schema cannot express that forms do not need one. */
function keyMistakes({ keyWaived }: Operation, { headers }: Received): ValidationError['detail'] {
  const owed = keyWaived === 'forms' && !isForm(headers['content-type']);
  if (!owed || headers['idempotency-key'] !== undefined) return [];
  return [{ loc: ['header', 'Idempotency-Key'], msg: 'Field required.', type: 'missing' }];
}
