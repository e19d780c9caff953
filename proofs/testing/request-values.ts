import { type Operation, resolve } from '../../server/src/http/contract/contract.ts';
import { bodySchemaOf } from './objects.ts';
import type { Call } from './raw-requests.ts';

type Schema = Record<string, unknown>;

/** A place for a value in a request, as the contract declares it. */
export interface Slot {
  in: 'path' | 'query' | 'header' | 'body';
  /** The parameter's name, or the path into the body. */
  at: (string | number)[];
  /** The name of the parameter or field. */
  name: string;
  schema: Schema;
  required: boolean;
}

/** Returns the slots of an operation in path, query and headers. */
export function parameterSlotsOf({ parameters }: Operation): Slot[] {
  return parameters.map(({ name, in: place, schema, required }) => ({
    in: place as Slot['in'],
    at: [name],
    name,
    schema: schema as Schema,
    required: required ?? false,
  }));
}

/** Returns all slots of an operation. `body` must be valid. The slots of a list are the slots of its first entry. */
export function slotsOf(operation: Operation, body: unknown): Slot[] {
  const declared = bodySchemaOf(operation);
  return [...parameterSlotsOf(operation), ...(declared ? fieldsOf(declared, body, [], '') : [])];
}

function fieldsOf(declared: Schema, value: unknown, at: Slot['at'], name: string): Slot[] {
  const schema = flat(declared);
  const found: Slot[] = [];
  for (const [key, child] of Object.entries((schema.properties ?? {}) as Record<string, Schema>)) {
    const required = ((schema.required ?? []) as string[]).includes(key);
    const inside = (value as Record<string, unknown> | undefined)?.[key];
    found.push({ in: 'body', at: [...at, key], name: key, schema: flat(child), required });
    found.push(...fieldsOf(child, inside, [...at, key], key));
  }
  const [first] = Array.isArray(value) ? value : [];
  if (schema.items && first !== undefined) {
    found.push({ in: 'body', at: [...at, 0], name, schema: flat(schema.items as Schema), required: false });
    found.push(...fieldsOf(schema.items as Schema, first, [...at, 0], name));
  }
  return found;
}

const AMOUNT = resolve({ $ref: '#/components/schemas/MoneyInput' }).pattern;

/** Whether the slot accepts an amount of money. */
export function isAmount({ schema }: Slot): boolean {
  return schema.pattern === AMOUNT;
}

export function isNumber({ schema }: Slot): boolean {
  return [schema.type].flat().some((type) => type === 'integer' || type === 'number');
}

/**
 * Returns the schema with its references resolved and its `allOf` merged. A `oneOf` with null becomes a nullable
 * schema. A choice among objects gets the fields of all of them.
 */
function flat(declared: Schema): Schema {
  const schema = resolve(declared);
  const [choice, ...others] = ((schema.oneOf ?? []) as Schema[]).map(flat).filter(({ type }) => type !== 'null');
  if (choice && others.length === 0) return { ...choice, type: [choice.type, 'null'].flat() };
  if (choice?.properties && !schema.properties) {
    return {
      ...choice,
      properties: Object.assign({}, ...[choice, ...others].map((one) => one.properties)),
      required: [],
    };
  }
  if (!schema.allOf) return schema;
  const parts = (schema.allOf as Schema[]).map(flat);
  return {
    ...schema,
    properties: Object.assign({}, ...parts.map((part) => part.properties)),
    required: parts.flatMap((part) => (part.required ?? []) as string[]),
  };
}

/** Returns the paths of all objects in a body, beginning with the body itself. */
export function objectsIn(value: unknown, at: Slot['at'] = []): Slot['at'][] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([key, child]) =>
    objectsIn(child, [...at, Array.isArray(value) ? Number(key) : key]),
  );
  return Array.isArray(value) ? inside : [at, ...inside];
}

/**
 * Returns a copy of the call with another value in a slot; undefined removes the value. Missing parent objects are
 * created.
 */
export function withValue(call: Call, slot: Pick<Slot, 'in' | 'at'>, value: unknown): Call {
  const changed: Call = {
    ...call,
    path: { ...call.path },
    query: { ...call.query },
    headers: { ...call.headers },
    body: structuredClone(call.body),
  };
  if (slot.in === 'body') {
    changed.body = set(changed.body, slot.at, value);
    return changed;
  }
  const place = { path: changed.path, query: changed.query, header: changed.headers }[slot.in];
  const [name] = slot.at as [string];
  if (value === undefined) delete place[name];
  else Object.defineProperty(place, name, { value, enumerable: true, configurable: true, writable: true });
  return changed;
}

function set(root: unknown, at: Slot['at'], value: unknown): unknown {
  const [key, ...rest] = at;
  if (key === undefined) return value;
  const node: Record<string | number, unknown> | unknown[] =
    typeof root === 'object' && root !== null ? (root as Record<string, unknown>) : typeof key === 'number' ? [] : {};
  const inside = rest.length > 0 ? set(read(node, key), rest, value) : value;
  if (inside === undefined && !Array.isArray(node)) delete (node as Record<string, unknown>)[key];
  else Object.defineProperty(node, key, { value: inside, enumerable: true, configurable: true, writable: true });
  return node;
}

function read(node: object, key: string | number): unknown {
  return Object.hasOwn(node, key) ? (node as Record<string | number, unknown>)[key] : undefined;
}
