import type { CallToolResult } from '@modelcontextprotocol/server';
import { v7 as uuidv7 } from 'uuid';
import type { Caller, Claim } from '../http/callers/caller.ts';
import { isStorable } from '../http/contract/storable.ts';
import type { CallOperation, OperationCall, Served } from '../http/in-process.ts';
import { notFound, ValidationError } from '../shop/errors.ts';
import { AUDIT, EVENTS, FULL } from './audit-answer.ts';
import { toolResult } from './tool-result.ts';
import { type AgentTool, agentTools } from './tools.ts';

export interface ToolCall {
  name: string;
  arguments?: Record<string, unknown> | undefined;
  /** Metadata that the program that hosts the model adds. */
  _meta?: Record<string, unknown> | undefined;
}

/** An authenticated request to the endpoint. */
export interface Called {
  calls: CallOperation;
  served: Served;
  claim: Claim;
  caller: Caller;
}

/**
 * Runs a tool by its operation, with the checks, rate limits and audit of an HTTP request. An error is a result too, so
 * that the model sees the next step. For an unknown tool, records the call and returns undefined.
 */
export async function callTool(
  { calls, served, claim, caller }: Called,
  call: ToolCall,
): Promise<CallToolResult | undefined> {
  const tool = agentTools().get(call.name);
  const authorization = (!claim.isPublicTool && served.req.headers.authorization) || '';
  if (!tool) {
    await calls.refuse(served, { headers: { authorization } }, notFound('tool'));
    return undefined;
  }
  const { mistakes, ...request } = requestOf(tool, call, served);
  const named = { ...request, headers: { ...request.headers, authorization }, vouched: claim };
  const answer =
    mistakes.length > 0 ? await calls.refuse(served, named, new ValidationError(mistakes)) : await calls(served, named);
  return toolResult(tool, answer, { digits: caller.tenant.currency_digits, full: call.arguments?.[FULL] === true });
}

/**
 * Builds the request, and finds the mistakes that the contract cannot describe. Arguments that are not parameters
 * belong to the body. If the operation has no body, they are rejected as unknown.
 */
export function requestOf(tool: AgentTool, call: ToolCall, { req }: Served) {
  const { operation, places, keyed } = tool;
  const { meta, ...given } = argumentsOf(tool, call);
  const placeOf = (name: string) => places.get(name) ?? (operation.hasBody ? 'body' : 'query');
  const at = (place: string) => Object.entries(given).filter(([name]) => placeOf(name) === place);
  const written = (place: string) => at(place).filter(([, value]) => value !== null && value !== undefined);
  const path = Object.fromEntries(written('path').map(([name, value]) => [name, asText(value)]));
  const query = Object.fromEntries(
    written('query').map(([name, value]) => [name, Array.isArray(value) ? value.map(asText) : asText(value)]),
  );
  const key = keyOf(meta, call, req);
  const missing = [...places]
    .filter(([name, place]) => place === 'path' && !path[name])
    .map(([name]) => ['path', name]);
  if (keyed === 'required' && key === undefined) missing.push(['meta', 'idempotency-key']);
  const mistakes = [
    ...missing.map(required),
    ...mistakenForm(tool, call),
    ...unstorableIn('path', path),
    ...unstorableIn('query', query),
  ];
  const headers: Record<string, string> = keyed ? { 'idempotency-key': key ?? uuidv7() } : {};
  const body = operation.hasBody && { body: Object.fromEntries(at('body')) };
  const request: OperationCall = { operation, path, query, headers, ...body };
  return { ...request, mistakes };
}

/** The arguments for the operation. */
function argumentsOf({ operation }: AgentTool, call: ToolCall): Record<string, unknown> {
  if (operation.id !== AUDIT) return call.arguments ?? {};
  const { [FULL]: _, ...others } = call.arguments ?? {};
  return { limit: EVENTS, ...others };
}

function mistakenForm({ operation }: AgentTool, call: ToolCall): ValidationError['detail'] {
  const full = call.arguments?.[FULL] ?? false;
  if (operation.id !== AUDIT || typeof full === 'boolean') return [];
  return [{ loc: [FULL], msg: 'Should be true or false.', type: 'bool_type' }];
}

/**
 * The idempotency key in the arguments, the host's metadata or the HTTP header. Ids of JSON-RPC are not used, because
 * each client counts them from zero.
 */
function keyOf(meta: unknown, { _meta }: ToolCall, req: Served['req']): string | undefined {
  const named = [meta, _meta].map((one) => (one as Record<string, unknown> | undefined)?.['idempotency-key']);
  const key = named.find((one) => one !== undefined) ?? req.headers['idempotency-key'];
  return key === undefined ? undefined : asText(key);
}

function asText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Errors for values that cannot be stored. Checked here, because a URL cannot carry an unpaired surrogate. */
function unstorableIn(place: string, values: Record<string, string | string[]>): ValidationError['detail'] {
  const odd = Object.entries(values).filter(([, value]) => ![value].flat().every(isStorable));
  const msg = 'Contains a NUL character or an unpaired surrogate.';
  return odd.map(([name]) => ({ loc: [place, name.slice(0, 100)], msg, type: 'string_unicode' }));
}

function required(loc: string[]): ValidationError['detail'][0] {
  return { loc, msg: 'Field required.', type: 'missing' };
}
