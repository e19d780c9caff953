import raw from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { contractOf, type Operation, type Parameter, propertiesOf, type Schema, typesOf } from './contract.ts';
import type { OperationId } from './operations.ts';

/** The fields of requests, from the contract. The package includes only this part of it (scripts/build.mjs). */

export const REQUESTS = contractOf(raw);
const OPERATIONS = new Map(REQUESTS.operations.map((operation) => [operation.operationId, operation]));

/** The notation of a field's value on the command line. `json` has no flag: --input takes it. */
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
  /** Takes null, the empty list or the empty map, written as "none". */
  clears: null | [] | Record<string, never> | undefined;
  required: boolean;
  words: string[] | undefined;
  help: string;
  bounds: string | undefined;
  preset: string | undefined;
}

/** An operation of the dashboard in the contract. */
export function operationWith(id: OperationId): Operation {
  const operation = OPERATIONS.get(id);
  if (!operation) throw new Error(`The contract has no operation ${id}.`);
  return operation;
}

/** Whether a body must have at least one field. */
export function needsOneField(id: OperationId): boolean {
  const { body } = operationWith(id);
  return body !== undefined && (REQUESTS.resolve(body).minProperties ?? 0) > 0;
}

const FIELDS = new Map<OperationId, RequestField[]>();

/** The parameters of the query and the fields of the body, read once, because every start builds all commands. */
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

/** The fields of a body with their schemas. */
export function bodyFields(id: OperationId): [string, Schema][] {
  return Object.entries(propertiesOf(REQUESTS, operationWith(id).body ?? {}).properties);
}

/** The name of a named schema; else empty. */
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
  // In a query "none" does not mean null: a query leaves a parameter out instead, and a vendor may be called none.
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
  // A day without a time means its end in fields that end something.
  if (format === 'date-time') return /_to$|^ends_/.test(name) ? 'until' : 'since';
  return 'text';
}

/** The first sentence of the description, with the command line's word for null; without one, the words of the name. */
function helpOf(name: string, { description = name.replaceAll('_', ' ') }: Schema): string {
  const [sentence = ''] = description.split(/\.(?:\s|$)/);
  const words = sentence.replace(/^\p{Lu}(?=\p{Ll}| )/u, (letter) => letter.toLowerCase());
  return words.replace(/\bnull\b/g, 'none');
}

function boundsOf({ minimum, maximum }: Schema): string | undefined {
  const isShown = minimum !== undefined && maximum !== undefined && maximum <= MOST_SHOWN;
  return isShown ? `${minimum} to ${maximum}` : undefined;
}

/** Higher maxima are technical limits, and do not help users. */
const MOST_SHOWN = 10_000;
