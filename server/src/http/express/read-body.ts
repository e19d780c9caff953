import express, { type Request, type RequestHandler, type Response } from 'express';
import { ShopError, ValidationError } from '../../shop/errors.ts';
import type { Operation } from '../contract/contract.ts';
import { parseBody, tooLarge } from '../pipeline/body.ts';

/** Reads and parses the request body up to the operation's limit. Throws 413, 415, or a ValidationError. */
export async function readBody(operation: Operation, req: Request, res: Response): Promise<unknown> {
  const { 'content-type': type, 'content-length': sent, 'transfer-encoding': coding } = req.headers;
  const length = Number(sent ?? 0);
  if (length === 0 && !coding) return undefined;
  hangUpBeyond(operation.bodyLimitBytes + GRACE_BYTES, req);
  if (operation.method === 'get') return undefined; // Content sent with GET has no meaning (RFC 9110 §9.3.1).
  if (length > operation.bodyLimitBytes) throw tooLarge(operation.bodyLimitBytes);
  return parseBody(operation, type, await readBytes(operation, req, res));
}

/** Maximum size of an uploaded file. Files are sent to a separate URL (operators/uploads.ts). */
export const LARGEST_UPLOAD_BYTES = 20 * 1024 * 1024;

export function isUpload({ url = '' }: Pick<Request, 'url'>): boolean {
  return url.startsWith('/uploads/');
}

const GRACE_BYTES = 1024 * 1024;

/**
 * Reads a body even after it was rejected, and closes the connection above a limit. If the server closed the connection
 * immediately, the client might lose the response.
 */
export function hangUpBeyond(bytes: number, req: Request): void {
  let received = 0;
  req.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > bytes) req.destroy();
  });
}

const readers = new Map<string, RequestHandler>();

/** Reads the bytes of a body. Only the sync API accepts gzip. The limit applies to the decompressed size. */
function readBytes({ surface, bodyLimitBytes: limit }: Operation, req: Request, res: Response): Promise<Buffer> {
  const inflate = surface === 'sync' && /^gzip$/i.test(req.headers['content-encoding'] ?? '');
  const name = `${limit} ${inflate}`;
  let reader = readers.get(name);
  if (!reader) {
    reader = express.raw({ limit, inflate, type: () => true });
    readers.set(name, reader);
  }
  return new Promise((resolve, reject) => {
    reader(req, res, (error?: unknown) => {
      if (error) return reject(refusalOf(error, limit));
      resolve(Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0));
    });
  });
}

/** The error for a body that could not be read. body-parser's errors contain the body, so only their type is used. */
function refusalOf(error: unknown, limit: number): Error {
  switch ((error as { type?: string }).type) {
    case 'entity.too.large':
      return tooLarge(limit);
    case 'encoding.unsupported':
      return new ShopError('unsupported_media_type', 'Send the body uncompressed. Only the sync API accepts gzip.');
    default:
      return new ValidationError([{ loc: ['body'], msg: 'The body arrived incompletely.', type: 'json_invalid' }]);
  }
}
