import type { AgentClient } from './agent.ts';
import type { Schemas } from './contract.ts';
import { AGENT_TOOLS } from './generated/agent-tools.ts';
import { type AgentTool, anthropicTool, geminiTool, openAIChatTool, openAIResponsesTool } from './tool-forms.ts';

export type { AgentTool } from './tool-forms.ts';

/** Selects the tools to create. Default: all. */
export interface AgentToolsOptions {
  /** Names of the tools to create; all by default. */
  only?: readonly string[];
  /** Creates only tools that a token with these scopes may call. */
  scopes?: readonly (Schemas['AgentScope'] | (string & {}))[];
}

export interface CallToolOptions {
  signal?: AbortSignal;
  /** A UUID; pass the same one to retry the call. Default: a new one. */
  idempotencyKey?: string;
}

/** The result of a tool call for the model: the response, or the error with advice in `next`. */
export interface ToolAnswer {
  ok: boolean;
  content: unknown;
}

/** The functions of the package `ai` that `aiSdk` needs. */
export interface AiSdk<Schema, Tool> {
  jsonSchema: (schema: never) => Schema;
  tool: (tool: never) => Tool;
}

/** The operations of the agent surface as tools of a language model, called with the agent's client. */
export interface AgentTools {
  list: readonly AgentTool[];
  openAIResponses(): ReturnType<typeof openAIResponsesTool>[];
  openAIChat(): ReturnType<typeof openAIChatTool>[];
  anthropic(): ReturnType<typeof anthropicTool>[];
  gemini(): { functionDeclarations: ReturnType<typeof geminiTool>[] }[];
  /** For `tools` of the Vercel AI SDK: `tools.aiSdk({ jsonSchema, tool })` with both from `ai`. */
  aiSdk<Schema, Tool>(sdk: AiSdk<Schema, Tool>): Record<string, Tool>;
  /**
   * Runs the model's tool call. Errors of the shop are returned for the model to read; it throws only without a response, like
   * the client. `input` may be a JSON string, as some APIs send it.
   */
  call(name: string, input: unknown, options?: CallToolOptions): Promise<ToolAnswer>;
}

/**
 * The operations of the agent surface as tools of a language model, in the forms of OpenAI, Anthropic, Gemini and the Vercel AI
 * SDK. A call throws only if the shop did not respond; errors of the shop are results for the model to read.
 *
 *     const tools = createAgentTools(agent, { scopes: ['catalog:read', 'cart:write'] });
 *     const { ok, content } = await tools.call('find_products', { query: 'two slate mugs' });
 */
export function createAgentTools(agent: AgentClient, { only, scopes }: AgentToolsOptions = {}): AgentTools {
  const list = AGENT_TOOLS.filter(
    ({ name, scope }) =>
      (!only || only.includes(name)) && (!scopes || scope === 'agent:self' || scopes.includes(scope)),
  );
  const call = async (name: string, input: unknown, options: CallToolOptions = {}): Promise<ToolAnswer> => {
    const tool = list.find((one) => one.name === name);
    if (!tool) return mistake(`There is no tool ${name}.`, `Use one of: ${list.map((one) => one.name).join(', ')}.`);
    const fields = fieldsOf(input);
    if (!fields) return mistake('The input is not a JSON object.', 'Send an object with the fields of the tool.');
    const missing = tool.inPath.filter((field) => typeof fields[field] !== 'string' || fields[field] === '');
    if (missing.length > 0) return mistake(`Missing: ${missing.join(', ')}.`, 'Send the call again with these fields.');
    return send(agent, tool, fields, options);
  };
  return {
    list,
    openAIResponses: () => list.map(openAIResponsesTool),
    openAIChat: () => list.map(openAIChatTool),
    anthropic: () => list.map(anthropicTool),
    gemini: () => [{ functionDeclarations: list.map(geminiTool) }],
    aiSdk({ jsonSchema, tool }) {
      const made = list.map(({ name, description, inputSchema }) => {
        const execute = async (input: unknown, { abortSignal }: { abortSignal?: AbortSignal }) =>
          (await call(name, input, abortSignal && { signal: abortSignal })).content;
        return [name, tool({ description, inputSchema: jsonSchema(inputSchema as never), execute } as never)] as const;
      });
      return Object.fromEntries(made);
    },
    call,
  };
}

type Fields = Record<string, unknown>;

function fieldsOf(input: unknown): Fields | undefined {
  if (typeof input !== 'string') return isObject(input ?? {}) ? ((input ?? {}) as Fields) : undefined;
  try {
    const parsed: unknown = JSON.parse(input || '{}');
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A mistake of the language model, in the form of an error response. */
function mistake(message: string, next: string): ToolAnswer {
  return { ok: false, content: { error: 'invalid_tool_call', message, retryable: false, next } };
}

type Send = (path: string, options: object) => Promise<{ data?: unknown; error?: unknown }>;

async function send(
  agent: AgentClient,
  tool: AgentTool,
  fields: Fields,
  options: CallToolOptions,
): Promise<ToolAnswer> {
  const { method, path, inPath, inQuery, hasBody } = tool;
  const { signal, idempotencyKey } = options;
  const pick = (names: string[]) => Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
  const rest = Object.entries(fields).filter(([name]) => !inPath.includes(name) && !inQuery.includes(name));
  // If the operation has no body, unknown fields are sent in the query, and the server names them in its error.
  const query = { ...pick(inQuery), ...(!hasBody && Object.fromEntries(rest)) };
  const request = agent[method as keyof AgentClient] as unknown as Send;
  const { data, error } = await request(path, {
    params: { path: pick(inPath), query },
    ...(hasBody && { body: Object.fromEntries(rest) }),
    ...(signal && { signal }),
    ...(idempotencyKey && { headers: { 'Idempotency-Key': idempotencyKey } }),
  });
  return error === undefined ? { ok: true, content: data } : { ok: false, content: error };
}
