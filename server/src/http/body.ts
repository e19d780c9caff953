import express, { type Request, type Response } from 'express';
import { ShopError, ValidationError } from '../shop/errors.ts';
import type { Operation } from './contract.ts';

/**
 * Reads the JSON body of a request into `req.body`, within the operation's size, a depth of 20, and without characters
 * that PostgreSQL cannot keep (hazards §0.12, §4.1). Throws 413, 415, or 422 naming the place.
 */
export async function readBody(operation: Operation, req: Request, res: Response): Promise<void> {
  if (!operation.hasBody) {
    if (Number(req.headers['content-length'] ?? 0) > operation.bodyLimitBytes) throw tooLarge(operation.bodyLimitBytes);
    req.resume();
    return;
  }
  const type = req.headers['content-type'];
  const empty =
    req.headers['content-length'] === '0' || (!req.headers['content-length'] && !req.headers['transfer-encoding']);
  if (empty) return;
  if (!/^application\/json(?:;|$)/i.test(type ?? '')) {
    throw new ShopError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
  }
  await parse(operation.bodyLimitBytes, req, res);
  const found = findUnacceptable(req.body, ['body'], 0);
  if (found) throw new ValidationError([found]);
}

const parsers = new Map<number, express.RequestHandler>();

function parse(limit: number, req: Request, res: Response): Promise<void> {
  let parser = parsers.get(limit);
  if (!parser) {
    parser = express.json({ limit, inflate: false, strict: false, type: () => true });
    parsers.set(limit, parser);
  }
  return new Promise((resolve, reject) => {
    parser(req, res, (error?: unknown) => (error ? reject(refusalOf(error, limit)) : resolve()));
  });
}

/** body-parser puts the raw body on its errors (hazards §0.11), so nothing of them is kept but the kind. */
function refusalOf(error: unknown, limit: number): Error {
  const type = (error as { type?: string }).type;
  switch (type) {
    case 'entity.too.large':
      return tooLarge(limit);
    case 'encoding.unsupported':
      return new ShopError('unsupported_media_type', 'Send the body uncompressed.');
    case 'charset.unsupported':
      return new ShopError('unsupported_media_type', 'Send the body in UTF-8.');
    case 'entity.parse.failed':
      return new ValidationError([{ loc: ['body'], msg: 'The body is not valid JSON.', type: 'json_invalid' }]);
    default:
      return new ShopError('invalid_request', 'The body did not arrive whole.');
  }
}

function tooLarge(limit: number): ShopError {
  return new ShopError('payload_too_large', `The body may have ${limit} bytes at most.`, { limit_bytes: limit });
}

const MAX_DEPTH = 20;

function findUnacceptable(
  value: unknown,
  loc: (string | number)[],
  depth: number,
): ValidationError['detail'][0] | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : unstorable(loc);
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= MAX_DEPTH) {
    return { loc, msg: `The body may be nested ${MAX_DEPTH} levels deep at most.`, type: 'too_deep' };
  }
  for (const [key, child] of Object.entries(value)) {
    if (!isStorable(key)) return unstorable(loc);
    if (typeof child === 'string' ? isStorable(child) : typeof child !== 'object') continue;
    const found = findUnacceptable(child, [...loc, Array.isArray(value) ? Number(key) : key.slice(0, 100)], depth + 1);
    if (found) return found;
  }
  return undefined;
}

function unstorable(loc: (string | number)[]) {
  return { loc, msg: 'The text holds a NUL or half a surrogate pair.', type: 'string_unicode' };
}

/** PostgreSQL keeps neither NUL nor half a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
