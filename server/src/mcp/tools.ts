/**
 * The tools for agents, generated from the contract: one for each operation of the agent API that accepts an agent
 * token, except those that only people may call. Tools have the operation's name in snake case, as in UCP.
 */

import type { Tool } from '@modelcontextprotocol/server';
import { document, type Operation, operationTable, type Parameter, resolve } from '../http/contract/contract.ts';
import { AUDIT, EVENTS, FULL, FULL_SCHEMA } from './audit-answer.ts';
import { compact, shapeOf } from './tool-schemas.ts';

export interface AgentTool {
  operation: Operation;
  definition: Tool;
  /** The part of the request for each argument. All others go into the body, if there is one. */
  places: Map<string, 'path' | 'query'>;
  /** Whether the call may or must have an idempotency key; undefined if it has none. */
  keyed: 'optional' | 'required' | undefined;
}

type JsonObject = Record<string, unknown>;

let table: Map<string, AgentTool> | undefined;

/** The tools by name, in the order of the contract. */
export function agentTools(): Map<string, AgentTool> {
  table ??= new Map(
    operationTable.filter(isForAgents).map((operation) => [toolName(operation.name), toolOf(operation)]),
  );
  return table;
}

/**
 * Whether an operation becomes a tool. Consent operations do not: they are called by the program that stores the token,
 * not by the model.
 */
function isForAgents({ surface, security, humanOnly, namedBy }: Operation): boolean {
  const takesToken = security.some((schemes) => schemes.includes('AgentToken'));
  return surface === 'agent' && takesToken && !humanOnly && namedBy === undefined;
}

/** `searchCatalog` becomes `search_catalog`. */
export function toolName(operation: string): string {
  return operation.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Replaces names and paths of operations in a text by the names of their tools. */
function inToolNames(text: string): string {
  return operationTable.filter(isForAgents).reduce((told, { name, path }) => {
    const spelled = [path.replace('/api/agent/', ''), path.split('/').at(-1) ?? '', name];
    const telling = spelled.filter((one) => /[a-z][A-Z]|[/-]/.test(one) && !one.includes('{'));
    return telling.reduce(
      (all, one) => all.replaceAll(new RegExp(`(?<![\\w/-])${one}(?![\\w/-])`, 'g'), toolName(name)),
      told,
    );
  }, text);
}

/** The tool of an operation. `described` replaces the description in the contract. */
export function toolOf(operation: Operation, described?: string): AgentTool {
  const declared = document.paths[operation.path]?.[operation.method] as JsonObject;
  const named = operation.parameters.filter(({ in: place }) => place === 'path' || place === 'query');
  const body = bodyOf(declared);
  const keyed = keyingOf(operation);
  const required = named.filter((parameter) => parameter.required).map(({ name }) => name);
  return {
    operation,
    keyed,
    places: new Map(named.map(({ name, in: place }) => [name, place as 'path' | 'query'])),
    definition: {
      name: toolName(operation.name),
      title: String(declared.summary),
      description: described ?? inToolNames(String(declared.description)),
      inputSchema: {
        type: 'object',
        properties: {
          ...Object.fromEntries(named.map((parameter) => [parameter.name, argumentOf(parameter, operation)])),
          ...(compact(body).properties as JsonObject | undefined),
          ...(operation.id === AUDIT && { [FULL]: FULL_SCHEMA }),
          ...(keyed && { meta: keyed === 'required' ? { ...META, required: [KEY] } : META }),
        },
        ...requiredOf([...required, ...namesOf(body.required), ...(keyed === 'required' ? ['meta'] : [])]),
      },
      outputSchema: shapeOf(answerOf(operation, declared)),
      annotations: annotationsOf(operation),
    } as Tool,
  };
}

/** As in UCP, repeating a call with the same key has no further effect. */
const KEY = 'idempotency-key';
const META = { type: 'object', properties: { [KEY]: { type: 'string', format: 'uuid' } } };

/** UCP requires a key for completing and cancelling. Other calls without one get a generated key. */
function keyingOf({ safe, name, parameters }: Operation): AgentTool['keyed'] {
  if (safe || !parameters.some((parameter) => parameter.name === 'Idempotency-Key')) return undefined;
  return name.startsWith('cancel') ? 'required' : 'optional';
}

function argumentOf({ schema, ...parameter }: Parameter, { id }: Operation): JsonObject {
  const { description } = parameter as { description?: string };
  const usual = id === AUDIT && parameter.name === 'limit' && { default: EVENTS };
  return { ...compact(schema), ...(description && { description }), ...usual };
}

function bodyOf({ requestBody }: JsonObject): JsonObject {
  const { content = {} } = resolve((requestBody ?? {}) as JsonObject) as { content?: Record<string, JsonObject> };
  return resolve((content['application/json']?.schema ?? {}) as JsonObject);
}

function answerOf({ status }: Operation, { responses }: JsonObject): JsonObject {
  const answer = resolve((responses as Record<string, JsonObject>)[status] ?? {});
  const content = answer.content as Record<string, { schema: JsonObject }> | undefined;
  return content?.['application/json']?.schema ?? {};
}

/** Operations that cannot be undone. Purchases are not included, because a person completes them. */
const ENDS = /^(?:delete|remove|cancel|revoke)/;
/** These methods set or remove a value. */
const IDEMPOTENT: Operation['method'][] = ['put', 'patch', 'delete'];

/** Hints are omitted if they have their default value: a tool writes, may be destructive, and is not idempotent. */
function annotationsOf(operation: Operation): Tool['annotations'] {
  const { safe, name, method } = operation;
  if (safe) return { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
  // If a key is required, only a call with the same key repeats the call.
  const repeatable = IDEMPOTENT.includes(method) || keyingOf(operation) === 'required';
  return {
    ...(repeatable && { idempotentHint: true }),
    destructiveHint: ENDS.test(name) || method === 'delete',
    openWorldHint: false,
  };
}

function namesOf(list: unknown): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

function requiredOf(required: string[]): { required?: string[] } {
  return required.length > 0 ? { required } : {};
}
