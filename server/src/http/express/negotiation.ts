import type { Request } from 'express';
import type { Encoding } from '../pipeline/compress.ts';

/** The accepted encoding that costs the least to produce; undefined if the client prefers an uncompressed body. */
export function encodingFor(req: Request): Encoding | undefined {
  const preferred = req.acceptsEncodings('br', 'gzip', 'identity');
  if (preferred !== 'br' && preferred !== 'gzip') return undefined;
  return req.acceptsEncodings('br') === 'br' ? 'br' : 'gzip';
}

/** Whether the client prefers Markdown to JSON (RFC 9110 §12.5.1). */
export function prefersMarkdown(req: Request): boolean {
  return req.accepts(['application/json', 'text/markdown']) === 'text/markdown';
}
