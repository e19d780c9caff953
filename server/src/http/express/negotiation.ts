import type { Request } from 'express';
import type { Encoding } from '../pipeline/compress.ts';

/** The cheapest accepted encoding, if the caller prefers it to the plain body. */
export function encodingFor(req: Request): Encoding | undefined {
  const preferred = req.acceptsEncodings('br', 'gzip', 'identity');
  if (preferred !== 'br' && preferred !== 'gzip') return undefined;
  return req.acceptsEncodings('br') === 'br' ? 'br' : 'gzip';
}

/** Whether the caller prefers Markdown to JSON, by order and weights of Accept (RFC 9110 §12.5.1). */
export function prefersMarkdown(req: Request): boolean {
  return req.accepts(['application/json', 'text/markdown']) === 'text/markdown';
}
