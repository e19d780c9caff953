import fc from 'fast-check';
import { resolve } from '../../server/src/http/contract/contract.ts';
import { countries } from '../../server/src/shop/countries.ts';

type Schema = Record<string, unknown>;

/** Returns a value that matches the schema, the same on each call. */
export function sampleOf(schema: Schema): unknown {
  return fc.sample(arbitraryOf(schema), { seed: 7, numRuns: 1 })[0];
}

/** Returns a fast-check generator of valid values. Throws for an unsupported type or format. */
export function arbitraryOf(declared: Schema): fc.Arbitrary<unknown> {
  const schema = resolve(declared);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...(schema.enum as unknown[]));
  if (schema.allOf)
    return fc.tuple(...(schema.allOf as Schema[]).map(arbitraryOf)).map((all) => Object.assign({}, ...all));
  if (schema.oneOf && !schema.properties) return fc.oneof(...(schema.oneOf as Schema[]).map(arbitraryOf));
  const types = [schema.type].flat() as string[];
  return fc.oneof(...types.map((type) => ofType(type, schema)));
}

function ofType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({
        min: Number(schema.minimum ?? -1_000),
        max: Math.min(Number(schema.maximum ?? 1_000), 2_000),
      });
    case 'number':
      return fc.double({ min: Number(schema.minimum ?? 0), max: Number(schema.maximum ?? 1_000), noNaN: true });
    case 'array':
      return fc.array(arbitraryOf((schema.items ?? {}) as Schema), {
        minLength: Number(schema.minItems ?? 0),
        maxLength: Math.min(Number(schema.maxItems ?? 3), 3),
      });
    case 'object':
      return object(schema);
    case 'string':
      return text(schema);
    default:
      throw new Error(
        `proofs/testing/schema-samples.ts cannot make a value for ${JSON.stringify(schema).slice(0, 200)}`,
      );
  }
}

function object(schema: Schema): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const fields = Object.fromEntries(properties.map(([name, child]) => [name, arbitraryOf(child)]));
  const required = (schema.required ?? []) as string[];
  const known = fc.record(fields, { requiredKeys: required.filter((name) => name in fields) });
  if (typeof schema.additionalProperties !== 'object') return known;
  const open = fc.dictionary(
    fc.string({ minLength: 1, maxLength: 20 }),
    arbitraryOf(schema.additionalProperties as Schema),
    {
      maxKeys: 4,
      noNullPrototype: true,
    },
  );
  return fc.tuple(known, open).map(([own, more]) => ({ ...(more as object), ...(own as object) }));
}

const FORMATS: Record<string, fc.Arbitrary<string>> = {
  uuid: fc.uuid(),
  'date-time': fc
    .date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  email: fc
    .tuple(fc.stringMatching(/^[a-z]{1,10}$/), fc.stringMatching(/^[a-z]{1,10}$/))
    .map(([who, host]) => `${who}@${host}.example`),
  'idn-email': fc
    .tuple(fc.stringMatching(/^[a-z]{1,10}$/), fc.stringMatching(/^[a-zäöü]{1,10}$/))
    .map(([who, host]) => `${who}@${host}.example`),
  country: fc.constantFrom(...countries()),
  password: fc.string({ minLength: 8, maxLength: 40 }),
};

function text(schema: Schema): fc.Arbitrary<string> {
  const minLength = Number(schema.minLength ?? 0);
  const maxLength = Math.min(Number(schema.maxLength ?? 40), 40 + minLength);
  if (typeof schema.format === 'string') {
    // Made only when asked for, because fast-check takes two seconds to prepare its URLs.
    const known = schema.format === 'uri' ? fc.webUrl() : FORMATS[schema.format];
    if (!known) throw new Error(`proofs/testing/schema-samples.ts does not know the format ${schema.format}.`);
    return known;
  }
  if (typeof schema.pattern === 'string') {
    // The strings that fast-check generates for `[…]+` are seldom long enough, so the pattern itself gets the length.
    const length = `{${Math.max(minLength, 1)},${Math.max(maxLength, 1)}}$`;
    const pattern = minLength > 1 ? schema.pattern.replace(/^(\^\[[^\]]*\])[+*]\$$/, `$1${length}`) : schema.pattern;
    return fc
      .stringMatching(new RegExp(pattern, 'u'))
      .filter((one) => one.length >= minLength && one.length <= Number(schema.maxLength ?? 255));
  }
  return fc
    .string({ unit: 'grapheme', minLength, maxLength })
    .filter((one) => one.length <= Number(schema.maxLength ?? 255));
}
