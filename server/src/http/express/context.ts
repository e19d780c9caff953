import type { Response } from 'express';
import { setHeaders } from '../callers/headers.ts';
import type { Counted } from '../pipeline/counted.ts';
import type { RequestContext } from '../request.ts';

/** The context that the `requestId` middleware created for this request. */
export function contextOf(res: Response): RequestContext {
  return res.locals as RequestContext;
}

/** Sets the rate limit headers. Throws if the limit is exceeded. */
export function sendLimit(res: Response, { headers, refusal }: Counted): void {
  setHeaders(res, headers);
  if (refusal) throw refusal;
}
