import { isUtf8 } from 'node:buffer';
import express, { type Request, type Response } from 'express';
import { ShopError, ValidationError } from '../../shop/errors.ts';
import type { Operation } from '../contract/contract.ts';
import { isDecodable, isStorable } from '../contract/storable.ts';
import { excessOf, MAX_DEPTH, MAX_ENTRIES, MAX_FIELDS, MAX_VALUES } from './extent.ts';
import { fieldsOf, isForm } from './form.ts';

/**
 * Reads the JSON body of a request into `req.body`, or a form where the operation takes one, within the operation's size, a
 * depth of 20, and without characters that PostgreSQL cannot keep. Throws 413, 415, or 422 naming the place. The body of an
 * operation that takes none is read as well, for the validation to refuse what it holds: whoever sends `{"amount": …}` expects
 * it to count. An empty body or object counts as no body, since many clients send `{}` or a Content-Type with every call.
 */
export async function readBody(operation: Operation, req: Request, res: Response): Promise<void> {
  const type = req.headers['content-type'];
  const length = Number(req.headers['content-length'] ?? 0);
  if (length === 0 && !req.headers['transfer-encoding']) return;
  hangUpBeyond(operation.bodyLimitBytes + PATIENCE_BYTES, req);
  if (operation.method === 'get') return; // What is sent with it has no meaning (RFC 9110 §9.3.1).
  if (length > operation.bodyLimitBytes) throw tooLarge(operation.bodyLimitBytes);
  if (operation.form && isForm(type)) {
    await parse('form', operation, req, res);
    if (!isDecodable(String(req.body))) throw new ValidationError([NOT_UTF8]);
    req.body = fieldsOf(operation.form, String(req.body));
  } else if (JSON_TYPE.test(type ?? '')) {
    await parse('json', operation, req, res);
    if (!operation.hasBody && isEmptyObject(req.body)) req.body = undefined;
  } else if (operation.hasBody) {
    throw new ShopError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
  } else {
    await parse('bytes', operation, req, res);
    if ((req.body as Buffer).length > 0) throw new ShopError('unsupported_media_type', 'This operation takes no body.');
    req.body = undefined;
  }
  const found = withoutEscapes.has(req) ? undefined : findUnstorable(req.body);
  if (found) throw new ValidationError([{ ...found, loc: ['body', ...found.loc] }]);
}

const JSON_TYPE = /^application\/json(?:;|$)/i;

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

/** Files go to an address of their own (see operators/uploads.ts). */
export const LARGEST_UPLOAD_BYTES = 20 * 1024 * 1024;

export function isUpload({ url = '' }: Pick<Request, 'url'>): boolean {
  return url.startsWith('/uploads/');
}

const PATIENCE_BYTES = 1024 * 1024;

/**
 * Reads on to the end of a body that is refused or passed over, so that the answer is not lost in a reset connection, but
 * not for ever: who sends that much more is cut off.
 */
export function hangUpBeyond(bytes: number, req: Request): void {
  let received = 0;
  req.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > bytes) req.destroy();
  });
}

type Kind = 'form' | 'json' | 'bytes';

const parsers = new Map<string, express.RequestHandler>();

/** Only the sync surface takes compressed bodies: gzip, counted against the limit as they unfold. */
function parse(kind: Kind, { surface, bodyLimitBytes: limit }: Operation, req: Request, res: Response): Promise<void> {
  const inflate = surface === 'sync' && /^gzip$/i.test(req.headers['content-encoding'] ?? '');
  const name = `${kind} ${limit} ${inflate}`;
  let parser = parsers.get(name);
  if (!parser) {
    parser = makeParser(kind, { limit, inflate, type: () => true });
    parsers.set(name, parser);
  }
  return new Promise((resolve, reject) => {
    parser(req, res, (error?: unknown) => (error ? reject(refusalOf(error, limit)) : resolve()));
  });
}

function makeParser(kind: Kind, options: { limit: number; inflate: boolean; type(): true }): express.RequestHandler {
  switch (kind) {
    case 'form':
      return express.text({ ...options, verify: verifyText });
    case 'json':
      return express.json({ ...options, strict: false, verify });
    case 'bytes':
      return express.raw(options);
  }
}

/**
 * Requests whose JSON contains no `\u`: UTF-8 cannot encode half a surrogate pair, and JSON allows NUL only by that escape. So
 * their texts need not be checked one by one.
 */
const withoutEscapes = new WeakSet<object>();

/** Judges the bytes before they are parsed. body-parser hands on the `type` of what this throws. */
function verify(req: object, _res: unknown, bytes: Buffer, charset: string): void {
  verifyText(req, _res, bytes, charset);
  if (!bytes.includes('\\u')) withoutEscapes.add(req);
  const type = excessOf(bytes);
  if (type) throw Object.assign(new Error(type), { type });
}

/** Invalid UTF-8 would be read, and stored, with U+FFFD in its place. */
function verifyText(_req: unknown, _res: unknown, bytes: Buffer, charset: string): void {
  const type = charset !== 'utf-8' ? 'charset.unsupported' : isUtf8(bytes) ? undefined : 'not_utf8';
  if (type) throw Object.assign(new Error(type), { type });
}

const NOT_UTF8 = { loc: ['body'], msg: 'The body is not valid UTF-8. Encode it as UTF-8.', type: 'string_unicode' };

/** body-parser puts the raw body on its errors, so nothing of them is kept but the kind. */
function refusalOf(error: unknown, limit: number): Error {
  const type = (error as { type?: string }).type;
  switch (type) {
    case 'entity.too.large':
      return tooLarge(limit);
    case 'encoding.unsupported':
      return new ShopError('unsupported_media_type', 'Send the body uncompressed; the sync surface takes gzip, too.');
    case 'charset.unsupported':
      return new ShopError('unsupported_media_type', 'Send the body in UTF-8.');
    case 'entity.parse.failed':
      return new ValidationError([{ loc: ['body'], msg: 'The body is not valid JSON.', type: 'json_invalid' }]);
    case 'not_utf8':
      return new ValidationError([NOT_UTF8]);
    case 'too_deep':
      return excessive(type, `The body may be nested ${MAX_DEPTH} levels deep at most.`);
    case 'too_many_entries':
      return excessive('too_long', `A list may have ${MAX_ENTRIES} entries at most.`);
    case 'too_many_fields':
      return excessive('too_long', `An object may have ${MAX_FIELDS} fields at most.`);
    case 'too_many_values':
      return excessive('too_long', `The body may hold ${MAX_VALUES} values at most.`);
    default:
      return new ValidationError([{ loc: ['body'], msg: 'The body did not arrive completely.', type: 'json_invalid' }]);
  }
}

function excessive(type: string, msg: string): ValidationError {
  return new ValidationError([{ loc: ['body'], msg, type }]);
}

export function tooLarge(limit: number): ShopError {
  return new ShopError('payload_too_large', `The body may have ${limit} bytes at most.`, { limit_bytes: limit });
}

/** The first text that PostgreSQL cannot keep, as a mistake with its place. The depth is bounded by now. */
function findUnstorable(value: unknown): ValidationError['detail'][0] | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : unstorable();
  if (typeof value !== 'object' || value === null) return undefined;
  const list = Array.isArray(value);
  for (const key in value) {
    if (!isStorable(key)) return unstorable();
    const found = findUnstorable((value as Record<string, unknown>)[key]);
    if (found) return { ...found, loc: [list ? Number(key) : key.slice(0, 100), ...found.loc] };
  }
  return undefined;
}

function unstorable() {
  return { loc: [], msg: 'The text holds a NUL or half a surrogate pair.', type: 'string_unicode' };
}
