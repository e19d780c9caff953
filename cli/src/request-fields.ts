/**
 * The fields of requests in the contract. At startup, commands load only this part of the contract (scripts/build.mjs).
 */

import raw from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { contractOf, type Operation, type Parameter, propertiesOf, type Schema, typesOf } from './contract.ts';
import type { OperationId } from './operations.ts';

export const REQUESTS = contractOf(raw);
const OPERATIONS = new Map(REQUESTS.operations.map((operation) => [operation.operationId, operation]));

/** The command-line format of a field's value. `json` fields have no flag; use --input. */
export type Kind =
  | 'text'
  | 'words'
  | 'amount'
  | 'decimal'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'since'
  | 'until'
  | 'id'
  | 'country'
  | 'map'
  | 'json';

export interface RequestField {
  name: string;
  place: 'query' | 'body';
  kind: Kind;
  isList: boolean;
  /**
   * The value that "none" stands for: null, an empty list or an empty map. Undefined if the field cannot be cleared.
   */
  clears: null | [] | Record<string, never> | undefined;
  required: boolean;
  words: string[] | undefined;
  help: string;
  bounds: string | undefined;
  preset: string | undefined;
}

/** The contract's definition of a dashboard operation. */
export function operationWith(id: OperationId): Operation {
  const operation = OPERATIONS.get(id);
  if (!operation) throw new Error(`The contract has no operation ${id}.`);
  return operation;
}

/** Whether the body must have at least one field. */
export function needsOneField(id: OperationId): boolean {
  const { body } = operationWith(id);
  return body !== undefined && (REQUESTS.resolve(body).minProperties ?? 0) > 0;
}

const FIELDS = new Map<OperationId, RequestField[]>();

/** Query parameters and body fields of an operation. Cached, because every start creates all commands. */
export function requestFields(id: OperationId): RequestField[] {
  const fields = FIELDS.get(id) ?? readFields(id);
  FIELDS.set(id, fields);
  return fields;
}

function readFields(id: OperationId): RequestField[] {
  const { parameters, body = {} } = operationWith(id);
  const { required } = propertiesOf(REQUESTS, body);
  return [
    ...parameters.filter((one) => one.in === 'query').map(queryField),
    ...bodyFields(id).map(([name, schema]) => fieldOf(name, 'body', schema, required.includes(name))),
  ];
}

/** Body fields with their schemas. */
export function bodyFields(id: OperationId): [string, Schema][] {
  return Object.entries(propertiesOf(REQUESTS, operationWith(id).body ?? {}).properties);
}

/** Name of the referenced schema; empty for an inline schema. */
export function schemaName({ $ref = '' }: Schema): string {
  return $ref.split('/').at(-1) ?? '';
}

function queryField({ name, schema, description, required = false }: Parameter): RequestField {
  return fieldOf(name, 'query', { ...schema, ...(description && { description }) }, required);
}

function fieldOf(name: string, place: RequestField['place'], schema: Schema, required: boolean): RequestField {
  const whole = { ...REQUESTS.resolve(schema), ...schema };
  const types = typesOf(REQUESTS, schema);
  const isList = types.includes('array');
  const element = isList ? (whole.items ?? {}) : schema;
  const kind = kindOf(name, element);
  const { enum: values = [] } = { ...REQUESTS.resolve(element), ...element };
  const words = kind === 'words' ? values.filter((word) => typeof word === 'string') : undefined;
  const empty = isList ? [] : kind === 'map' ? {} : types.includes('null') ? null : undefined;
  // Query parameters cannot be null. For them, "none" is an ordinary text: a vendor may be called none.
  const clears = place === 'body' ? empty : undefined;
  const preset = whole.default === undefined ? undefined : String(whole.default);
  const texts = { help: helpOf(name, whole), bounds: boundsOf(whole), preset };
  return { name, place, kind, isList, clears, required, words, ...texts };
}

const KINDS: Record<string, Kind> = {
  MoneyInput: 'amount',
  MoneyInputOrNull: 'amount',
  WeightOrNull: 'decimal',
  Country: 'country',
};

function kindOf(name: string, schema: Schema): Kind {
  const named = KINDS[schemaName(schema)];
  if (named) return named;
  const { format, enum: values, additionalProperties } = { ...REQUESTS.resolve(schema), ...schema };
  const [type, ...others] = typesOf(REQUESTS, schema).filter((one) => one !== 'null');
  if (others.length > 0 || type === undefined) return 'json';
  if (type === 'object') {
    const isMap = typeof additionalProperties === 'object' && REQUESTS.resolve(additionalProperties).type === 'string';
    return isMap ? 'map' : 'json';
  }
  if (type === 'boolean' || type === 'integer' || type === 'number') return type;
  if (type !== 'string') return 'json';
  if (values) return 'words';
  if (format === 'uuid') return 'id';
  // In fields that end a period, a date without a time means the end of the day.
  if (format === 'date-time') return /_to$|^ends_/.test(name) ? 'until' : 'since';
  return 'text';
}

/**
 * Returns the first sentence of the description, with "none" instead of null. Without a description, returns the
 * field's name in words.
 */
function helpOf(name: string, { description = name.replaceAll('_', ' ') }: Schema): string {
  const [sentence = ''] = description.split(/\.(?:\s|$)/);
  const words = sentence.replace(/^\p{Lu}(?=\p{Ll}| )/u, (letter) => letter.toLowerCase());
  return words.replace(/\bnull\b/g, 'none');
}

function boundsOf({ minimum, maximum }: Schema): string | undefined {
  const isShown = minimum !== undefined && maximum !== undefined && maximum <= MOST_SHOWN;
  return isShown ? `${minimum} to ${maximum}` : undefined;
}

/** The help omits higher maximums, which are technical limits. */
const MOST_SHOWN = 10_000;
