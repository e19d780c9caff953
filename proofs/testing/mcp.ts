/** Messages of the Model Context Protocol without a client library, so that invalid ones can be sent too. */

import { toolName } from '../../server/src/mcp/tools.ts';
import { type Call, exchange, type Reply } from './raw-requests.ts';
import type { Tenant, World } from './tenant.ts';

export interface Message {
  jsonrpc: string;
  id?: unknown;
  method: string;
  params?: Record<string, unknown>;
}

const MODERN = '2026-07-28';

/** The metadata of a message in the current version. */
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'proof', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Builds a message of the current version. */
export function message(method: string, params: Record<string, unknown> = {}): Message {
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: ENVELOPE } };
}

/** Builds a message of the previous version. */
export function oldMessage(method: string, params: Record<string, unknown> = {}): Message {
  return { jsonrpc: '2.0', id: 1, method, params };
}

/** Builds the message that calls an operation as a tool. */
export function toolCall({ operation, path, query, body, headers }: Call): Message {
  const key = headers['Idempotency-Key'];
  const meta = operation.safe || key === undefined ? {} : { meta: { 'idempotency-key': key } };
  const fields = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
  return message('tools/call', {
    name: toolName(operation.name),
    arguments: { ...fields, ...query, ...path, ...meta },
  });
}

/** Returns the headers of a message. A message of the current version needs more of them. */
export function headersOf({ method, params }: Message): Call['headers'] {
  const name = params?.name;
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(params && '_meta' in params && { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method }),
    ...(params && '_meta' in params && typeof name === 'string' && { 'Mcp-Name': name }),
  };
}

export function endpointOf({ site_id }: Pick<Tenant, 'site_id'>): string {
  return `/sites/${site_id}/mcp`;
}

export interface ToolReply extends Reply {
  /**
   * The tool's result. Undefined if the response is a protocol error, or if the server rejected the call before it read
   * the message.
   */
  result: { isError?: boolean; content: { type: string; text: string }[]; structuredContent: unknown } | undefined;
}

/** Calls an operation as an MCP tool. */
export async function callTool(
  { baseUrl }: Pick<World, 'baseUrl'>,
  tenant: Pick<Tenant, 'site_id'>,
  secret: string,
  call: Call,
  more: Call['headers'] = {},
): Promise<ToolReply> {
  const sent = toolCall(call);
  const headers = { ...headersOf(sent), Authorization: `Bearer ${secret}`, ...more };
  const reply = await exchange(baseUrl, 'POST', endpointOf(tenant), headers, JSON.stringify(sent));
  const { result } = reply.text.startsWith('{') ? (JSON.parse(reply.text) as Pick<ToolReply, 'result'>) : {};
  return { ...reply, result };
}

/** Returns the messages in a response, which may be an event stream. */
export function partsOf({ text, headers }: Reply): string[] {
  const stream = String(headers['content-type']).startsWith('text/event-stream');
  return stream ? [...text.matchAll(/^data: (.*)$/gm)].map(([, part = '']) => part) : [text];
}
