import type { Request, Response } from 'express';
import { ValidationError } from '../../shop/errors.ts';
import { openMistakes } from '../callers/open-callers.ts';
import type { Operation } from '../contract/contract.ts';
import { hiddenMistakes } from '../contract/hidden-mistakes.ts';
import { contractMistakes } from '../contract/validate.ts';
import { readBody } from './body.ts';
import { isForm } from './form.ts';

/** Reads and parses the body of a request, and validates the request. Throws what makes it unreadable: 413, 415. */
export async function requestMistakes(
  operation: Operation,
  req: Request,
  res: Response,
): Promise<ValidationError['detail']> {
  try {
    await readBody(operation, req, res);
  } catch (error) {
    if (error instanceof ValidationError) return error.detail;
    throw error;
  }
  // HEAD is GET without its body, to the validator as to the handler.
  if (req.method === 'HEAD') req.method = 'GET';
  const mistakes = contractMistakes(operation, req);
  const hidden = hiddenMistakes(operation, req.body);
  return [...keyMistakes(operation, req), ...openMistakes(operation, req), ...mistakes, ...hidden];
}

/** Requires the key where the contract's schema cannot say so, because forms need none. */
function keyMistakes({ keyWaived }: Operation, req: Request): ValidationError['detail'] {
  const owed = keyWaived === 'forms' && !isForm(req.headers['content-type']);
  if (!owed || req.headers['idempotency-key'] !== undefined) return [];
  return [{ loc: ['header', 'Idempotency-Key'], msg: 'Field required.', type: 'missing' }];
}
