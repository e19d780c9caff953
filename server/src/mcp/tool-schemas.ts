/**
 * Shortens schemas of the contract for language models: without references, length limits, patterns and examples. Each
 * token costs money, and the contract validates the calls anyway.
 */

import { resolve } from '../http/contract/contract.ts';
import { schemasWithDecimals } from './amounts.ts';

type JsonObject = Record<string, unknown>;

const KEPT = ['type', 'format', 'enum', 'const', 'minimum', 'maximum', 'default', 'description'];

/** From this nesting level on, fields belong to an argument. */
const DEEP = 2;

/**
 * Shortens the schema of a body or of one argument. Removes null, because an argument can be omitted instead. Fields
 * within an argument keep only the first sentence of their description.
 */
export function compact(given: JsonObject, level = 0): JsonObject {
  const { description } = given;
  const schema = withoutNull(resolve(given));
  const kept: JsonObject = Object.fromEntries(
    KEPT.filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]]),
  );
  if (description !== undefined) kept.description = description;
  if (level >= DEEP && kept.description !== undefined) kept.description = firstSentence(String(kept.description));
  // Models only copy ids, so they do not need the format.
  if (kept.format === 'uuid') delete kept.format;
  if (schema.items) kept.items = compact(schema.items as JsonObject, level + 1);
  if (schema.properties) {
    kept.properties = mapped(schema.properties as Record<string, JsonObject>, (one) => compact(one, level + 1));
  }
  if (Array.isArray(schema.required)) kept.required = schema.required;
  for (const key of ['oneOf', 'anyOf', 'allOf']) {
    if (Array.isArray(schema[key])) kept[key] = (schema[key] as JsonObject[]).map((one) => compact(one, level));
  }
  return kept;
}

function firstSentence(text: string): string {
  return /^.+?\.(?=\s+[A-Z]|$)/s.exec(text)?.[0] ?? text;
}

/** The types of a response's fields, one level deep and without null, with amounts as the tools return them. */
export function shapeOf(given: JsonObject): JsonObject {
  const { properties = {} } = resolve(given);
  return {
    type: 'object',
    properties: schemasWithDecimals(mapped(properties as Record<string, JsonObject>, kindOf)),
  };
}

function kindOf(given: JsonObject): JsonObject {
  const { type, const: only } = resolve(given);
  if (only !== undefined) return { const: only };
  return typeof type === 'string' ? { type } : {};
}

function withoutNull(schema: JsonObject): JsonObject {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    return { ...schema, type: types.length === 1 ? types[0] : types };
  }
  const choices = Array.isArray(schema.oneOf) ? (schema.oneOf as JsonObject[]) : [];
  const others = choices.filter(({ type }) => type !== 'null');
  const [only] = others;
  if (!only || others.length === choices.length || others.length > 1) return schema;
  const { oneOf: _, ...rest } = schema;
  return { ...resolve(only), ...rest };
}

function mapped(
  fields: Record<string, JsonObject>,
  map: (schema: JsonObject) => JsonObject,
): Record<string, JsonObject> {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, map(schema)]));
}
