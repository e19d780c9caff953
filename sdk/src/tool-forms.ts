/** Converts tools to the formats of language model APIs. */

import type { Schemas } from './contract.ts';

/** A JSON Schema with the keywords that models read. */
export type JsonSchema = { [keyword: string]: unknown };

/** An operation of the agent surface as a tool: path, query and body are one flat object. */
export interface AgentTool {
  /** The operation's name in snake case, such as `find_products`. */
  name: string;
  /** Its operationId, such as `agent.findProducts`, as in `next_operation` of errors. */
  operation: string;
  description: string;
  /** The scope that the token needs; `agent:self` needs none. */
  scope: Schemas['AgentScope'] | 'agent:self';
  method: string;
  path: string;
  inPath: string[];
  inQuery: string[];
  hasBody: boolean;
  inputSchema: JsonSchema;
}

/** For `tools` of OpenAI's Responses API. */
export function openAIResponsesTool({ name, description, inputSchema }: AgentTool) {
  return { type: 'function' as const, name, description, parameters: inputSchema, strict: false };
}

/** For `tools` of OpenAI's Chat Completions, which many other servers speak. */
export function openAIChatTool({ name, description, inputSchema }: AgentTool) {
  return { type: 'function' as const, function: { name, description, parameters: inputSchema } };
}

/** For `tools` of Anthropic's Messages API. */
export function anthropicTool({ name, description, inputSchema }: AgentTool) {
  return { name, description, input_schema: { ...inputSchema, type: 'object' as const } };
}

/** For `functionDeclarations` of Gemini, in the subset of OpenAPI that it supports. */
export function geminiTool({ name, description, inputSchema }: AgentTool) {
  const { properties } = inputSchema as { properties: object };
  // Gemini rejects objects without properties.
  return Object.keys(properties).length > 0
    ? { name, description, parameters: asGeminiSchema(inputSchema) }
    : { name, description };
}

const OF_GEMINI = [
  'description',
  'enum',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'required',
];

function asGeminiSchema(schema: JsonSchema): JsonSchema {
  const { properties, items, oneOf } = schema as { properties?: object; items?: JsonSchema; oneOf?: JsonSchema[] };
  const types = [schema.type ?? []].flat() as string[];
  // Gemini does not support oneOf here, so the first alternative that is not null is used.
  const choices = oneOf?.filter(({ type }) => type !== 'null') ?? [];
  const [only] = choices;
  const type = types.find((one) => one !== 'null');
  return {
    ...(only && asGeminiSchema(only)),
    ...Object.fromEntries(OF_GEMINI.filter((word) => schema[word] !== undefined).map((word) => [word, schema[word]])),
    ...(type && { type }),
    ...((types.includes('null') || choices.length < (oneOf?.length ?? 0)) && { nullable: true }),
    ...(items && { items: asGeminiSchema(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, asGeminiSchema(one as JsonSchema)]),
      ),
    }),
  };
}
