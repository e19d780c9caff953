import type { Request } from 'express';
import type { Encoding } from '../pipeline/compress.ts';

/** The cheapest encoding that the caller accepts, if it prefers that to the plain body. */
export function encodingFor(req: Request): Encoding | undefined {
  const preferred = req.acceptsEncodings('br', 'gzip', 'identity');
  if (preferred !== 'br' && preferred !== 'gzip') return undefined;
  return req.acceptsEncodings('br') === 'br' ? 'br' : 'gzip';
}

/** Whether a caller would rather have Markdown than JSON, by the order and the weights of Accept (RFC 9110 §12.5.1). */
export function prefersMarkdown(req: Request): boolean {
  return req.accepts(['application/json', 'text/markdown']) === 'text/markdown';
}
