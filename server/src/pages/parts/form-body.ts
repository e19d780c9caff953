import { isUtf8 } from 'node:buffer';
import express, { type Request, type Response } from 'express';
import { isDecodable } from '../../http/contract/storable.ts';
import { ShopError } from '../../shop/errors.ts';
import { withoutHidden } from '../../shop/hidden-characters.ts';

/** A submitted form: the first value of each field, trimmed except for passwords. Empty values are omitted. */
export type FormBody = Map<string, string>;

const LIMIT_BYTES = 32 * 1024;
const FORM = 'application/x-www-form-urlencoded';
const parse = express.text({ type: () => true, limit: LIMIT_BYTES, inflate: false, verify });

/**
 * Whether a field is a password, by its name. The values of passwords are not trimmed or normalized, and are left out
 * of the audit payload.
 */
export function isPassword(name: string): boolean {
  return /^(?:new_|current_)?password/.test(name);
}

/** Reads a form from the request body. Throws `unsupported_media_type`, `payload_too_large` or `invalid_request`. */
export async function readForm(req: Request, res: Response): Promise<FormBody> {
  const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== FORM) throw new ShopError('unsupported_media_type', `Send the form as ${FORM}.`);
  await new Promise<void>((done, fail) => {
    parse(req, res, (error?: unknown) => (error ? fail(refusalOf(error)) : done()));
  });
  if (!isDecodable(String(req.body ?? ''))) throw notUtf8();
  const body: FormBody = new Map();
  for (const [name, value] of new URLSearchParams(typeof req.body === 'string' ? req.body : '')) {
    // Normalizes CR LF, and removes invisible characters. Users may have pasted such characters, and cannot see them.
    const text = isPassword(name)
      ? value
      : withoutHidden(value.replaceAll('\r\n', '\n'), { lines: name === 'note' }).trim();
    if (text !== '' && !body.has(name)) body.set(name, text);
  }
  return body;
}

/** Rejects invalid UTF-8, which would otherwise be read as U+FFFD. */
function verify(_req: unknown, _res: unknown, bytes: Buffer): void {
  if (!isUtf8(bytes)) throw Object.assign(new Error('not_utf8'), { type: 'not_utf8' });
}

function notUtf8(): ShopError {
  return new ShopError('invalid_request', 'The form is not valid UTF-8.');
}

function refusalOf(error: unknown): ShopError {
  switch ((error as { type?: string }).type) {
    case 'entity.too.large':
      return new ShopError('payload_too_large', `The form may have ${LIMIT_BYTES} bytes at most.`);
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new ShopError('unsupported_media_type', 'Send the form uncompressed and in UTF-8.');
    case 'not_utf8':
      return notUtf8();
    default:
      return new ShopError('invalid_request', 'The form did not arrive completely.');
  }
}
