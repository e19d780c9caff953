import { type Contract, propertiesOf, type Schema, typesOf } from '../contract.ts';
import { usageError } from '../errors.ts';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/**
 * Builds the request body from fields on the command line: `name=Mug` sets a field, `address[city]=Berlin` a nested
 * field, `product_ids[]=…` adds to a list. Values are converted to the type in the contract. For fields that the
 * contract does not know, true, false, null and numbers are parsed as JSON.
 */
export function bodyOf(contract: Contract, schema: Schema | undefined, fields: string[]): Json {
  const body: { [name: string]: Json } = {};
  for (const field of fields) {
    const at = field.indexOf('=');
    const keys = at < 1 ? undefined : keysOf(field.slice(0, at));
    if (!keys) throw usageError(`--field ${field} is not a field with a value.`, 'Write it as name=value.');
    const wanted = keys.reduce<Schema | undefined>((own, key) => own && within(contract, own, key), schema);
    place(body, keys, typed(contract, wanted, field.slice(at + 1)));
  }
  return body;
}

/** Splits `a[b][]` into the keys `a`, `b` and ''. The empty key means a list element. */
function keysOf(text: string): string[] | undefined {
  const [, first, rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(text) ?? [];
  const keys =
    first === undefined ? undefined : [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, key = '']) => key)];
  return keys?.includes('__proto__') ? undefined : keys;
}

function within(contract: Contract, schema: Schema, key: string): Schema | undefined {
  const { items, additionalProperties } = contract.resolve(schema);
  if (key === '') return items;
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  return propertiesOf(contract, schema).properties[key] ?? others;
}

function typed(contract: Contract, schema: Schema | undefined, text: string): Json {
  const types = schema ? typesOf(contract, schema) : [];
  const may = (type: string) => types.length === 0 || types.includes(type);
  if (text === 'null' && may('null')) return null;
  if ((text === 'true' || text === 'false') && may('boolean')) return text === 'true';
  if (/^-?\d{1,15}(?:\.\d{1,9})?$/.test(text) && (may('integer') || may('number')) && !types.includes('string')) {
    return Number(text);
  }
  return text;
}

function place(body: { [name: string]: Json }, keys: string[], value: Json): void {
  let at: Json = body;
  keys.forEach((key, depth) => {
    const isLast = depth === keys.length - 1;
    const next: Json = isLast ? value : keys[depth + 1] === '' ? [] : {};
    if (Array.isArray(at)) {
      // A field belongs to the last element of the list, unless that element already has the field.
      const last: Json | undefined = at.at(-1);
      const goesOn = !isLast && isObject(last) && !Object.hasOwn(last, keys[depth + 1] ?? '');
      if (!goesOn) at.push(next);
      at = at.at(-1) ?? null;
    } else if (isObject(at)) {
      if (isLast || !Object.hasOwn(at, key)) at[key] = next;
      at = at[key] ?? null;
    } else {
      throw usageError(`--field ${keys.join('.')} is given as a value and as an object.`);
    }
  });
}

function isObject(value: Json | undefined): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
