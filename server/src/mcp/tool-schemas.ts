import { resolve } from '../http/contract/contract.ts';

/**
 * Schemas of the contract as a model needs them: without references, bounds of length, patterns and examples. Models pay for
 * each character, and whatever a call carries is judged by the contract itself.
 */
type JsonObject = Record<string, unknown>;

const KEPT = ['type', 'format', 'enum', 'const', 'minimum', 'maximum', 'default', 'description'];

/** The schema of an argument. Null, which means that nothing is given, is left out: so can the argument be. */
export function compact(given: JsonObject): JsonObject {
  const { description } = given;
  const schema = withoutNull(resolve(given));
  const kept: JsonObject = Object.fromEntries(
    KEPT.filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]]),
  );
  if (description !== undefined) kept.description = description;
  // Ids are copied, not written.
  if (kept.format === 'uuid') delete kept.format;
  if (schema.items) kept.items = compact(schema.items as JsonObject);
  if (schema.properties) kept.properties = mapped(schema.properties as Record<string, JsonObject>, compact);
  if (Array.isArray(schema.required)) kept.required = schema.required;
  for (const key of ['oneOf', 'anyOf', 'allOf']) {
    if (Array.isArray(schema[key])) kept[key] = (schema[key] as JsonObject[]).map(compact);
  }
  return kept;
}

/** What an answer holds, one level deep: the kinds of its fields, where null is none of them. */
export function shapeOf(given: JsonObject): JsonObject {
  const { properties = {} } = resolve(given);
  return { type: 'object', properties: mapped(properties as Record<string, JsonObject>, kindOf) };
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
