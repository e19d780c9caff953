/** Validates requests against the contract, with the server's messages. */

import type { ValidationErrorItem } from '@commerce-backend/spec';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { schemas } from './contract.ts';
import type { MockOperation, MockParameter } from './contract-types.ts';

export interface RequestParts {
  path: Record<string, string>;
  query: URLSearchParams;
  headers: Headers;
  /** Undefined if the request has no body. */
  body: unknown;
}

export interface Judged {
  mistakes: ValidationErrorItem[];
  /** Query parameters converted to their types. */
  query: Record<string, unknown>;
}

const MOST_MISTAKES = 50;
const INTEGER = /^-?\d{1,10}$/;

/** Validates a request. Returns its errors and the converted query. */
export function judge(operation: MockOperation, { path, query, headers, body }: RequestParts): Judged {
  const named = (place: MockParameter['in']) => operation.parameters.filter((one) => one.in === place);
  const { values, mistakes } = coerced(named('query'), query);
  const given = (declared: MockParameter[], textOf: (name: string) => unknown) =>
    Object.fromEntries(declared.map(({ name }) => [name, textOf(name)]).filter(([, value]) => value !== undefined));
  mistakes.push(
    ...mistakesIn(`${operation.id} query`, objectOf(named('query')), values, 'query'),
    ...mistakesIn(
      `${operation.id} header`,
      objectOf(named('header')),
      given(named('header'), (name) => headers.get(name) ?? undefined),
      'header',
    ),
    ...mistakesIn(
      `${operation.id} path`,
      objectOf(named('path')),
      given(named('path'), (name) => path[name]),
      'path',
    ),
    ...bodyMistakes(operation, body),
  );
  return { mistakes: mistakes.slice(0, MOST_MISTAKES), query: values };
}

function bodyMistakes({ id, body: declared }: MockOperation, body: unknown): ValidationErrorItem[] {
  if (!declared) {
    if (body === undefined) return [];
    const names = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
    const places = names.length > 0 ? names.map((name) => ['body', name]) : [['body']];
    return places.map((loc) => ({ loc, msg: 'This operation takes no body.', type: 'extra_forbidden' }));
  }
  if (body !== undefined) return mistakesIn(`${id} body`, declared.schema, body, 'body');
  return declared.required ? [{ loc: ['body'], msg: 'Field required.', type: 'missing' }] : [];
}

function objectOf(parameters: MockParameter[]) {
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  return { type: 'object', properties, required: parameters.filter((one) => one.required).map(({ name }) => name) };
}

/**
 * Converts query parameters to the types in their schemas. Unknown ones, repeated ones that are not lists, and invalid
 * integers are errors.
 */
function coerced(declared: MockParameter[], query: URLSearchParams) {
  const values: Record<string, unknown> = {};
  const mistakes: ValidationErrorItem[] = [];
  for (const name of new Set(query.keys())) {
    const texts = query.getAll(name);
    const parameter = declared.find((one) => one.name === name);
    const mistake = parameter ? spellingMistake(parameter, texts) : unknownParameter(name, declared);
    if (mistake) mistakes.push(mistake);
    else if (parameter) values[name] = typed(parameter, texts);
  }
  return { values, mistakes };
}

function spellingMistake({ name, schema }: MockParameter, texts: string[]): ValidationErrorItem | undefined {
  if (texts.length > 1 && schema.type !== 'array') {
    return { loc: ['query', name], msg: 'Send this parameter only once.', type: 'multiple_values' };
  }
  if (schema.type !== 'integer' || INTEGER.test(texts[0] ?? '')) return undefined;
  return { loc: ['query', name], msg: 'Should be a whole number.', type: 'int_parsing' };
}

function unknownParameter(name: string, declared: MockParameter[]): ValidationErrorItem {
  const known = declared.map((one) => one.name).join(', ');
  const msg = known ? `Unknown parameter. The known ones are ${known}.` : 'This operation has no parameters.';
  return { loc: ['query', name], msg, type: 'extra_forbidden' };
}

function typed({ schema }: MockParameter, texts: string[]): unknown {
  const [text = ''] = texts;
  if (schema.type === 'array') return texts;
  if (schema.type === 'integer') return Number(text);
  if (schema.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

const ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: false, verbose: true });
const compiled = new Map<string, ValidateFunction>();

function prepare(): void {
  ajv.addFormat('uuid', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  ajv.addFormat('email', /^[^\s@"<>()[\],;:\\]{1,64}@[^\s@"<>()[\],;:\\]{1,253}$/);
  ajv.addFormat('idn-email', isEmail);
  ajv.addFormat('date-time', (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text)));
  ajv.addFormat('uri', (text) => URL.canParse(text));
  ajv.addFormat('password', true);
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema({ $id: `contract:${name}`, ...schema });
}

/** Checks an e-mail address like the server: the domain has at least two labels and may be internationalized. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  if (text.length > 254 || !/^[^\s@"<>()[\],;:\\]{1,64}$/.test(local) || /[/?#:\s]/.test(domain)) return false;
  const host = URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : '';
  const labels = host.split('.');
  return labels.length > 1 && /^(?:[a-z]{2,63}|xn--[a-z0-9-]+)$/.test(labels.at(-1) ?? '') && labels.every(isLabel);
}

function isLabel(label: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label);
}

function mistakesIn(key: string, schema: object, value: unknown, place: string): ValidationErrorItem[] {
  let validate = compiled.get(key);
  if (!validate) {
    if (compiled.size === 0) prepare();
    validate = ajv.compile(schema);
    compiled.set(key, validate);
  }
  if (validate(value)) return [];
  const found = new Map<string, ValidationErrorItem>();
  for (const error of mostExact(validate.errors ?? [])) {
    const item = itemOf(error, place);
    const name = JSON.stringify([item.loc, item.type]);
    if (!found.has(name)) found.set(name, item);
  }
  return [...found.values()];
}

const CHOICES = ['oneOf', 'anyOf', 'allOf', 'if'];
const SPELLINGS = ['minLength', 'maxLength', 'pattern'];

/** Keeps the most specific error for each problem. */
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

function isFormat({ keyword, params }: ErrorObject): boolean {
  return keyword === 'format' || (keyword === 'pattern' && params.pattern === COUNTRY);
}

function wantsNull({ keyword, params }: ErrorObject): boolean {
  return keyword === 'type' && params.type === 'null';
}

function within(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

function itemOf(error: ErrorObject, place: string): ValidationErrorItem {
  const { params, instancePath } = error;
  const beside = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  const inside = instancePath
    .split('/')
    .filter(Boolean)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (place === 'body' && /^\d+$/.test(part) ? Number(part) : part));
  const { type, msg, ctx } = wordingOf(error);
  return { loc: [place, ...inside, ...(beside === undefined ? [] : [beside])], msg, type, ...(ctx && { ctx }) };
}

interface Wording {
  type: string;
  msg: string;
  ctx?: Record<string, unknown>;
}

const COUNTRY = schemas.Country?.pattern;
const TYPES: Record<string, string> = {
  ...{ string: 'string_type', integer: 'int_type', number: 'float_type', boolean: 'bool_type' },
  ...{ array: 'list_type', object: 'dict_type', null: 'none_required' },
};
const FORMATS: Record<string, string> = { uuid: 'uuid_parsing', 'date-time': 'datetime_parsing', uri: 'url_parsing' };
const DATE_TIME =
  'Should be a date-time from 1970 to 9998, such as 2026-05-04T10:30:00Z, with an offset below 16 hours.';

function wordingOf(error: ErrorObject): Wording {
  const { keyword, params } = error;
  const { limit } = params;
  switch (keyword) {
    case 'required':
      return { type: 'missing', msg: 'Field required.' };
    case 'dependentRequired':
      return { type: 'missing', msg: `Field required together with ${params.property}.` };
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return { type: 'extra_forbidden', msg: 'Unknown field.' };
    case 'minLength':
      return { type: 'string_too_short', msg: shortage(limit, 'characters'), ctx: { min_length: limit } };
    case 'maxLength':
      return { type: 'string_too_long', msg: `At most ${limit} characters.`, ctx: { max_length: limit } };
    case 'minItems':
    case 'minProperties':
      return { type: 'too_short', msg: shortage(limit, nounOf(keyword)), ctx: { min_length: limit } };
    case 'maxItems':
    case 'maxProperties':
      return { type: 'too_long', msg: `At most ${limit} ${nounOf(keyword)}.`, ctx: { max_length: limit } };
    case 'uniqueItems':
      return { type: 'duplicate', msg: 'The entries must be unique.' };
    case 'minimum':
      return { type: 'greater_than_equal', msg: `At least ${limit}.`, ctx: { ge: limit } };
    case 'maximum':
      return { type: 'less_than_equal', msg: `At most ${limit}.`, ctx: { le: limit } };
    default:
      return wordingOfValue(error);
  }
}

function shortage(limit: unknown, noun: string): string {
  return limit === 1 ? 'Must not be empty.' : `At least ${limit} ${noun}.`;
}

function nounOf(keyword: string): string {
  return keyword.endsWith('Items') ? 'entries' : 'fields';
}

function patternMistake(pattern: string, msg: string): Wording {
  if (pattern === COUNTRY) return { type: 'country_unknown', msg };
  return { type: 'string_pattern_mismatch', msg, ctx: { pattern } };
}

function wordingOfValue({ keyword, params, parentSchema, message = '' }: ErrorObject): Wording {
  const { pattern, format } = params;
  switch (keyword) {
    case 'pattern':
      return patternMistake(pattern, String(parentSchema?.['x-pattern-message']));
    case 'format': {
      const msg = format === 'date-time' ? DATE_TIME : `Should be a valid ${format}.`;
      return { type: FORMATS[format] ?? 'value_error', msg, ctx: { format } };
    }
    case 'enum': {
      const expected = (params.allowedValues as unknown[]).filter((value) => value !== null).join(', ');
      return { type: 'enum', msg: `Should be one of ${expected}.`, ctx: { expected } };
    }
    case 'oneOf':
      return { type: 'one_of', msg: 'Send exactly one of the alternatives that the contract describes.' };
    case 'type': {
      const types = [params.type].flat() as string[];
      const type = TYPES[types.find((one) => one !== 'null') ?? ''] ?? 'value_error';
      return { type, msg: `Should be ${types.join(' or ')}.` };
    }
    default:
      return { type: keyword, msg: message };
  }
}
