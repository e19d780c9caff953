import { checkAt, pointerPart } from '../../server/src/http/contract/schemas.ts';
import type { Call } from './raw-requests.ts';
import { objectsIn, type Slot, withValue } from './request-values.ts';

/** A valid request with one defect or one unusual value. */
export interface Mutation {
  what: string;
  slot: Slot | undefined;
  call: Call;
  /** Whether the contract forbids the request, so that the server must reject it. */
  invalid: boolean;
}

const NUL = 'a\0b';
const HALF = 'a\ud800b';
const BIDI = '\u202egnp.exe\u2066x\u2069';
const ASTRAL = '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 🛒👩‍👩‍👧';
const NFD = 'Cafe\u0301';
/** Texts that may be stored or rejected, but never changed. */
export const ODD_TEXTS = {
  NUL,
  HALF,
  BIDI,
  ASTRAL,
  NFD,
  NFC: 'Caf\u00e9',
  ZERO_WIDTH: 'a\u200b\ufeffb',
  TAG: 'a\u{e0041}b',
};

/** Texts that PostgreSQL cannot store. */
const UNSTORABLE = [NUL, HALF];
const PUMP = 10_000;

const WRONG_IN_BODY: [string, unknown][] = [
  ['null', null],
  ['true', true],
  ['zero', 0],
  ['a fraction', 1.5],
  ['minus one', -1],
  ['9e99', 9e99],
  ['2^63', 2 ** 63],
  ['an empty text', ''],
  ['a blank', ' '],
  ['a word', 'zz'],
  ['a number as text', '1'],
  ['an empty list', []],
  ['an empty object', {}],
  ['a list in a list', [[]]],
  ['an object with a field', { zz: 1 }],
  ['__proto__', JSON.parse('{"__proto__": {"admin": true}}')],
  ['a urn:uuid:', 'urn:uuid:0192f3a0-4444-7000-8000-000000000001'],
  ['a UUID in braces', '{0192f3a0-4444-7000-8000-000000000001}'],
  ['30 February', '2026-02-30T00:00:00Z'],
  ['the year 0', '0000-01-01T00:00:00Z'],
  ['the 61st second', '2026-01-01T00:00:61Z'],
  ['pumped money', `${'0'.repeat(PUMP)}x`],
  ['signed money', '-1.00'],
  ['exponential money', '1e5'],
  ['NaN as text', 'NaN'],
  ['money with four digits', '1.2345'],
  ['pumped digits', '9'.repeat(PUMP)],
  ['pumped words', `${'a-'.repeat(PUMP / 2)}!`],
  ['javascript:', 'javascript:alert(1)'],
  ['SQL', "'; drop table products; --"],
  ['a format', '%s%n{0}{{7*7}}'],
  ...Object.entries(ODD_TEXTS),
];

const WRONG_IN_TEXT: string[] = [
  '',
  ' ',
  '0',
  '-1',
  '1.5',
  '9e99',
  '0x10',
  '1e3',
  '99999999999999999999',
  'NaN',
  'Infinity',
  'true',
  'null',
  'zz',
  '[]',
  '{}',
  'urn:uuid:0192f3a0-4444-7000-8000-000000000001',
  '{0192f3a0-4444-7000-8000-000000000001}',
  '2026-02-30T00:00:00Z',
  '-1.00',
  `${'0'.repeat(2_000)}x`,
  '../../etc/passwd',
  "'; drop table products; --",
  '%',
  '%00',
  '_',
  '\\',
  '..',
  '*:*',
  '!&|()',
  'a:b:c',
  '1'.repeat(1_000),
  ...Object.values(ODD_TEXTS),
];

export function mutationsIn(call: Call, slot: Slot): Mutation[] {
  const values = slot.in === 'body' ? inBody(call, slot) : inText(slot);
  return values.map(([what, value]) => {
    const mutated = withValue(call, slot, value);
    return { what, slot, call: mutated, invalid: isInvalid(mutated, slot, value) };
  });
}

function inBody(call: Call, slot: Slot): [string, unknown][] {
  const { maxLength, maxItems, maximum, minimum } = slot.schema as Record<string, number | undefined>;
  const values: [string, unknown][] = [...WRONG_IN_BODY, ['dropped', undefined]];
  if (maxLength !== undefined)
    values.push(['too long', 'x'.repeat(maxLength + 1)], ['as long as may be', 'x'.repeat(maxLength)]);
  if (maximum !== undefined) values.push(['above the maximum', maximum + 1], ['the maximum', maximum]);
  if (minimum !== undefined) values.push(['below the minimum', minimum - 1], ['the minimum', minimum]);
  const first = (valueAt(call.body, slot.at) as unknown[] | undefined)?.[0];
  if (maxItems !== undefined && maxItems < 1_000 && first !== undefined) {
    values.push(['too many', Array.from({ length: maxItems + 1 }, () => first)]);
  }
  return values;
}

function inText({ in: place, schema }: Slot): [string, unknown][] {
  // Leaves out texts that do not fit: an empty path segment would make another path, and a header cannot contain every
  // text.
  const carried = WRONG_IN_TEXT.filter((text) => {
    if (place === 'path') return text !== '' && text !== '..';
    return place === 'query' || /^[\x20-\x7e]*$/.test(text);
  });
  const values: [string, unknown][] = carried.map((text) => [JSON.stringify(text).slice(0, 40), text]);
  const { maxLength, maximum } = schema as Record<string, number | undefined>;
  if (maxLength !== undefined) values.push(['too long', 'x'.repeat(maxLength + 1)]);
  if (maximum !== undefined) values.push(['above the maximum', String(maximum + 1)]);
  if (place === 'query') values.push(['twice', ['1', '2']], ['sixty times', Array.from({ length: 60 }, () => 'zz')]);
  if (place !== 'path') values.push(['dropped', undefined]);
  return values;
}

/**
 * Returns mutations that each add one field to an object of the body, or one query parameter. The contract does not
 * have the added names; some of them have a meaning in JavaScript.
 */
export function additions(call: Call): Mutation[] {
  const found: Mutation[] = [];
  for (const at of objectsIn(call.body)) {
    for (const name of ['zz_extra', '__proto__', 'constructor', 'toString']) {
      const mutated = withValue(call, { in: 'body', at: [...at, name] }, { admin: true });
      found.push({
        what: `${name} added at /${at.join('/')}`,
        slot: undefined,
        call: mutated,
        invalid: !fitsBody(mutated),
      });
    }
  }
  for (const name of ['zz_extra', '__proto__', 'site_id']) {
    const mutated = withValue(call, { in: 'query', at: [name] }, 'zz');
    found.push({ what: `the parameter ${name} added`, slot: undefined, call: mutated, invalid: true });
  }
  return found;
}

function isInvalid(call: Call, slot: Slot, value: unknown): boolean {
  if (slot.in === 'body') return !fitsBody(call) || holdsUnstorable(value);
  if (value === undefined) return slot.required;
  const texts = [value].flat() as string[];
  // A header cannot contain texts that cannot be stored. In a URL, an unpaired surrogate becomes bytes that are not
  // UTF-8.
  return texts.some((text) => holdsUnstorable(text)) || !fitsParameter(slot, value as string | string[]);
}

function holdsUnstorable(value: unknown): boolean {
  return typeof value === 'string' && UNSTORABLE.includes(value);
}

type Check = (value: unknown) => boolean;
const textChecks = new Map<string, Check>();

/** Whether the contract allows the body of a call. */
export function fitsBody({ operation, body }: Call): boolean {
  const pointer = `/paths/${pointerPart(operation.path)}/${operation.method}/requestBody/content/application~1json/schema`;
  return body !== undefined && checkAt(pointer)(JSON.parse(JSON.stringify(body)));
}

/**
 * Whether the contract allows this value of a parameter. Unusual forms such as `01` count as allowed, because the
 * server decides.
 */
function fitsParameter({ schema, in: place }: Slot, value: string | string[]): boolean {
  const single = (text: string, one: Record<string, unknown>): boolean => {
    const type = [one.type].flat()[0];
    if (type === 'integer') {
      const inRange =
        Number(text) >= Number(one.minimum ?? -Infinity) && Number(text) <= Number(one.maximum ?? Infinity);
      return /^-?\d+$/.test(text) && inRange;
    }
    if (type === 'boolean') return text === 'true' || text === 'false';
    return fitsText(one, text);
  };
  if (schema.type !== 'array') {
    // HTTP removes spaces around header values.
    return !Array.isArray(value) && single(place === 'header' ? value.trim() : value, schema);
  }
  const texts = [value].flat();
  const items = (schema.items ?? {}) as Record<string, unknown>;
  return texts.length <= Number(schema.maxItems ?? Infinity) && texts.every((text) => single(text, items));
}

function fitsText(schema: Record<string, unknown>, text: string): boolean {
  const { $ref } = schema as { $ref?: string };
  if ($ref) return checkAt($ref.slice(1))(text);
  const key = JSON.stringify(schema);
  let check = textChecks.get(key);
  if (!check) {
    check = textCheck(schema);
    textChecks.set(key, check);
  }
  return check(text);
}

function textCheck({
  minLength = 0,
  maxLength = Infinity,
  pattern,
  format,
  enum: known,
}: Record<string, unknown>): Check {
  const shape = typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined;
  return (text) => {
    const length = [...String(text)].length;
    if (length < Number(minLength) || length > Number(maxLength)) return false;
    if (shape && !shape.test(String(text))) return false;
    if (format === 'uuid' && !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(String(text))) return false;
    return !Array.isArray(known) || known.includes(text);
  };
}

export function valueAt(body: unknown, at: Slot['at']): unknown {
  return at.reduce<unknown>((node, key) => (node as Record<string | number, unknown> | undefined)?.[key], body);
}
