import { isUtf8 } from 'node:buffer';
import { ShopError, ValidationError } from '../../shop/errors.ts';
import type { Operation } from '../contract/contract.ts';
import { isDecodable, isStorable } from '../contract/storable.ts';
import { type Excess, excessOf, MAX_DEPTH, MAX_ENTRIES, MAX_FIELDS, MAX_VALUES } from './extent.ts';
import { fieldsOf, isForm } from './form.ts';

/**
 * Parses the request body: JSON, or a form if the operation accepts one. Depth and size are limited before parsing. The
 * body is parsed even if the operation has none, so that unexpected fields are rejected: a caller who sends `{"amount":
 * …}` expects it to have an effect. Then an empty object counts as no body, because many clients send `{}` with every
 * call. Throws 415, or a ValidationError with the location of the mistake.
 */
export function parseBody(operation: Operation, contentType: string | undefined, bytes: Buffer): unknown {
  if (operation.form && isForm(contentType)) {
    const text = textIn(contentType, bytes);
    if (!isDecodable(text)) throw new ValidationError([NOT_UTF8]);
    return storable(fieldsOf(operation.form, text));
  }
  if (JSON_TYPE.test(contentType ?? '')) {
    const body = jsonIn(contentType, bytes);
    return !operation.hasBody && isEmptyObject(body) ? undefined : body;
  }
  if (operation.hasBody) {
    throw new ShopError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
  }
  if (bytes.length > 0) throw new ShopError('unsupported_media_type', 'This operation takes no body.');
  return undefined;
}

const JSON_TYPE = /^application\/json(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i;

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

/** Decodes the bytes. Throws for invalid UTF-8, because otherwise U+FFFD would be stored. */
function textIn(contentType: string | undefined, bytes: Buffer): string {
  const charset = CHARSET.exec(contentType ?? '')?.[1] ?? 'utf-8';
  if (charset.toLowerCase() !== 'utf-8') throw new ShopError('unsupported_media_type', 'Send the body in UTF-8.');
  if (!isUtf8(bytes)) throw new ValidationError([NOT_UTF8]);
  return bytes.toString();
}

const NOT_UTF8 = { loc: ['body'], msg: 'The body is not valid UTF-8. Encode it as UTF-8.', type: 'string_unicode' };

function jsonIn(contentType: string | undefined, bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  const text = textIn(contentType, bytes);
  const excess = excessOf(bytes);
  if (excess) throw tooMuch(excess);
  const value = parsed(text);
  // NUL and unpaired surrogates can only occur as escapes: JSON does not allow raw NUL, and UTF-8 cannot encode a
  // surrogate.
  return bytes.includes('\\u') ? storable(value) : value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ValidationError([{ loc: ['body'], msg: 'The body is not valid JSON.', type: 'json_invalid' }]);
  }
}

const EXCESSES: Record<Excess, { type: string; msg: string }> = {
  too_deep: { type: 'too_deep', msg: `The body exceeds the nesting limit of ${MAX_DEPTH} levels.` },
  too_many_entries: { type: 'too_long', msg: `A list exceeds ${MAX_ENTRIES} entries.` },
  too_many_fields: { type: 'too_long', msg: `An object exceeds ${MAX_FIELDS} fields.` },
  too_many_values: { type: 'too_long', msg: `The body exceeds ${MAX_VALUES} values.` },
};

function tooMuch(excess: Excess): ValidationError {
  return new ValidationError([{ loc: ['body'], ...EXCESSES[excess] }]);
}

/** Returns the value, or throws if PostgreSQL cannot store a text in it. */
function storable(value: unknown): unknown {
  const found = findUnstorable(value);
  if (found) throw new ValidationError([{ ...found, loc: ['body', ...found.loc] }]);
  return value;
}

/**
 * The mistake for the first text that PostgreSQL cannot store; undefined if there is none. Recurses without a limit,
 * because the depth was checked before.
 */
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
  return { loc: [], msg: 'Contains a NUL character or an unpaired surrogate.', type: 'string_unicode' };
}

export function tooLarge(limit: number): ShopError {
  return new ShopError('payload_too_large', `Request body exceeds ${limit} bytes.`, { limit_bytes: limit });
}
