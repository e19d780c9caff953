import type { ValidationErrorItem } from '@commerce-backend/spec';
import type { ErrorObject } from 'ajv';
import type { Received } from '../received.ts';
import { document, type Operation, type Parameter } from './contract.ts';
import { isStorable } from './storable.ts';

const MAX_MISTAKES = 50;
const INTEGER = /^-?\d{1,10}$/;

/**
 * Finds mistakes in parameters that the validator would coerce, ignore or report only one at a time: unknown query
 * parameters, unusual spellings of integers (`0x10`, `9e99`), and text that PostgreSQL cannot store. Wraps a single
 * value of a list parameter in a list.
 */
export function parameterMistakes(
  declared: Map<string, Parameter>,
  request: Pick<Received, 'params' | 'query'>,
): ValidationErrorItem[] {
  const query: Record<string, unknown> = { ...request.query };
  const mistakes: ValidationErrorItem[] = [];
  for (const [name, value] of Object.entries(query)) {
    const parameter = declared.get(name);
    const mistake = parameter ? mistakeIn(parameter, value) : unknownParameter(name, [...declared.keys()]);
    if (mistake) mistakes.push(mistake);
    if (!parameter || mistake) delete query[name];
    else if (parameter.schema.type === 'array' && !Array.isArray(value)) query[name] = [value];
  }
  for (const [name, value] of Object.entries(request.params)) {
    if (!isStorable(String(value))) mistakes.push(unstorable('path', name));
  }
  request.query = query;
  return mistakes;
}

function mistakeIn({ name, schema }: Parameter, value: unknown): ValidationErrorItem | undefined {
  const texts = [value].flat().map(String);
  if (!texts.every(isStorable)) return unstorable('query', name);
  if (Array.isArray(value) && schema.type !== 'array') {
    return { loc: ['query', name], msg: 'Send this parameter only once.', type: 'multiple_values' };
  }
  if (schema.type === 'integer' && !INTEGER.test(String(value))) {
    return { loc: ['query', name], msg: 'Should be a whole number.', type: 'int_parsing' };
  }
  return undefined;
}

function unknownParameter(name: string, known: string[]): ValidationErrorItem {
  const msg =
    known.length > 0
      ? `Unknown parameter. The known ones are ${known.join(', ')}.`
      : 'This operation has no parameters.';
  return { loc: ['query', name.slice(0, 100)], msg, type: 'extra_forbidden' };
}

function unstorable(place: string, name: string): ValidationErrorItem {
  return { loc: [place, name], msg: 'Contains a NUL character or an unpaired surrogate.', type: 'string_unicode' };
}

/** Mistakes for a body sent to an operation that has none. */
export function unexpectedBody(body: unknown): ValidationErrorItem[] {
  if (body === undefined) return [];
  const names = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
  const places = names.length > 0 ? names.map((name) => ['body', name.slice(0, 100)]) : [['body']];
  return places.map((loc) => ({ loc, msg: 'This operation takes no body.', type: 'extra_forbidden' }));
}

/** Converts ajv's errors to the errors of the response, and adds them to the mistakes that other checks found. */
export function detailOf(
  operation: Operation,
  errors: ErrorObject[],
  own: ValidationErrorItem[] = [],
): ValidationErrorItem[] {
  const all = new Map<string, ValidationErrorItem>();
  const add = (item: ValidationErrorItem) => {
    const key = JSON.stringify([item.loc, item.type]);
    if (!all.has(key)) all.set(key, item);
  };
  own.forEach(add);
  for (const error of mostExact(errors)) {
    if (all.size >= MAX_MISTAKES) break;
    add(itemOf(operation, error));
  }
  return [...all.values()].slice(0, MAX_MISTAKES);
}

/**
 * Keeps one error per problem. Drops these errors:
 * - the general error of a union, if one alternative has a more specific error
 * - the error of the alternative `null`, if there is any other error
 * - errors of length or pattern, if the format is wrong
 */
function mostExact(errors: ErrorObject[]): ErrorObject[] {
  const parts = errors.filter(({ keyword }) => !CHOICES.includes(keyword));
  if (parts.length === 0) return errors;
  const explained = new Set(
    parts.filter((error) => !wantsNull(error)).flatMap(({ instancePath }) => within(instancePath)),
  );
  const formats = new Set(parts.filter(isFormat).map(({ instancePath }) => instancePath));
  return parts.filter((error) => {
    const others = wantsNull(error) ? explained : formats;
    const saysLess = wantsNull(error) || (SPELLINGS.includes(error.keyword) && !isFormat(error));
    return !(saysLess && others.has(error.instancePath));
  });
}

/**
 * Whether an error is about a format. The list of countries is a pattern in the contract, so that every validator
 * supports it, but counts as a format here.
 */
function isFormat({ keyword, params }: ErrorObject): boolean {
  return keyword === 'format' || (keyword === 'pattern' && params.pattern === COUNTRY);
}

function wantsNull({ keyword, params }: ErrorObject): boolean {
  return keyword === 'type' && params.type === 'null';
}

/** The path and all its ancestors. */
function within(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

const SPELLINGS = ['minLength', 'maxLength', 'pattern'];
const CHOICES = ['oneOf', 'anyOf', 'allOf', 'if'];

function itemOf(operation: Operation, error: ErrorObject): ValidationErrorItem {
  const { keyword, instancePath, message = '' } = error;
  const { type, msg, ctx } = WORDINGS[keyword]?.(error) ?? { type: keyword, msg: message };
  return { loc: locOf(operation, `${instancePath}${partOf(error)}`), msg, type, ...(ctx && { ctx }) };
}

/** Name of the missing or unknown field. ajv reports it outside of the path. */
function partOf({ params }: ErrorObject): string {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  const name = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  return name === undefined ? '' : `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * Converts `/body/variants/0/price` to `["body", "variants", 0, "price"]`. The first entry names the part of the
 * request as FastAPI does.
 */
function locOf(operation: Operation, path: string): (string | number)[] {
  const [place = '', ...rest] = path.split('/').filter(Boolean);
  const names = rest.map((part) => decode(part.replaceAll('~1', '/').replaceAll('~0', '~')));
  if (place === 'headers') {
    const header = operation.parameters.find((one) => one.in === 'header' && one.name.toLowerCase() === names[0]);
    return ['header', header?.name ?? names[0] ?? ''];
  }
  if (place === 'params') return ['path', ...names];
  const inBody = names.map((name) => (place === 'body' && /^\d+$/.test(name) ? Number(name) : name.slice(0, 100)));
  return [place || 'body', ...inBody];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

interface Wording {
  type: string;
  msg: string;
  ctx?: Record<string, unknown>;
}

const TYPES: Record<string, string> = {
  string: 'string_type',
  integer: 'int_type',
  number: 'float_type',
  boolean: 'bool_type',
  array: 'list_type',
  object: 'dict_type',
  null: 'none_required',
};
const FORMAT_TYPES: Record<string, string> = {
  uuid: 'uuid_parsing',
  'date-time': 'datetime_parsing',
  uri: 'url_parsing',
};

const FORMAT_WORDS: Record<string, string> = {
  'idn-email': 'Should be an e-mail address with a full domain, such as lena@example.com.',
  'date-time': 'Should be a date-time from 1970 to 9998, such as 2026-05-04T10:30:00Z, with an offset below 16 hours.',
};
const COUNTRY = document.components.schemas?.Country?.pattern;

const limitOf = ({ params }: ErrorObject) => params.limit as number;
const unknownField = (): Wording => ({ type: 'extra_forbidden', msg: 'Unknown field.' });
const tooShort =
  (noun: string) =>
  (error: ErrorObject): Wording => ({
    type: noun === 'characters' ? 'string_too_short' : 'too_short',
    msg: limitOf(error) === 1 ? 'Must not be empty.' : `At least ${limitOf(error)} ${noun}.`,
    ctx: { min_length: limitOf(error) },
  });
const tooLong =
  (noun: string) =>
  (error: ErrorObject): Wording => ({
    type: noun === 'characters' ? 'string_too_long' : 'too_long',
    msg: `At most ${limitOf(error)} ${noun}.`,
    ctx: { max_length: limitOf(error) },
  });

/**
 * Messages by JSON Schema keyword. Most values of `type` are those of pydantic, which clients know from similar APIs.
 */
const WORDINGS: Record<string, (error: ErrorObject) => Wording> = {
  required: () => ({ type: 'missing', msg: 'Field required.' }),
  dependentRequired: ({ params }) => ({ type: 'missing', msg: `Field required together with ${params.property}.` }),
  additionalProperties: unknownField,
  unevaluatedProperties: unknownField,
  minLength: tooShort('characters'),
  maxLength: tooLong('characters'),
  minItems: tooShort('entries'),
  maxItems: tooLong('entries'),
  minProperties: tooShort('fields'),
  maxProperties: tooLong('fields'),
  uniqueItems: () => ({ type: 'duplicate', msg: 'The entries must be unique.' }),
  minimum: (error) => ({ type: 'greater_than_equal', msg: `At least ${limitOf(error)}.`, ctx: { ge: limitOf(error) } }),
  maximum: (error) => ({ type: 'less_than_equal', msg: `At most ${limitOf(error)}.`, ctx: { le: limitOf(error) } }),
  // The pattern in words, because people read the message.
  pattern: ({ params: { pattern }, parentSchema }) => {
    const msg = String(parentSchema?.['x-pattern-message']);
    if (pattern === COUNTRY) return { type: 'country_unknown', msg };
    return { type: 'string_pattern_mismatch', msg, ctx: { pattern } };
  },
  format: ({ params }) => ({
    type: FORMAT_TYPES[params.format as string] ?? 'value_error',
    msg: FORMAT_WORDS[params.format as string] ?? `Should be a valid ${params.format}.`,
    ctx: { format: params.format },
  }),
  enum: ({ params }) => {
    const expected = (params.allowedValues as unknown[]).filter((value) => value !== null).join(', ');
    return { type: 'enum', msg: `Should be one of ${expected}.`, ctx: { expected } };
  },
  not: ({ schema }) => ({ type: 'value_error', msg: `Should not be ${(schema as { const?: unknown }).const}.` }),
  oneOf: () => ({ type: 'one_of', msg: 'Send exactly one of the alternatives that the contract describes.' }),
  type: ({ params }) => {
    const types = [params.type].flat() as string[];
    const wanted = types.find((type) => type !== 'null') ?? '';
    return { type: TYPES[wanted] ?? 'value_error', msg: `Should be ${types.join(' or ')}.` };
  },
};
