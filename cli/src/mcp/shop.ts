import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallToolResult, DiscoverResult, ListToolsResult } from '@modelcontextprotocol/server';
import { CommandError, EXIT } from '../errors.ts';
import { version } from '../version.ts';

/** Calls a shop's MCP endpoint, with an agent's token except at the public one. */
export interface ShopTools {
  discover(): Promise<DiscoverResult>;
  list(): Promise<ListToolsResult>;
  /** Calls a tool. If the response is lost, retries with the same Idempotency-Key. */
  call(params: ToolParams): Promise<CallToolResult>;
}

export interface ToolParams {
  name: string;
  arguments?: Record<string, unknown> | undefined;
  _meta?: Record<string, unknown> | undefined;
}

/** The shop answered with a JSON-RPC error. */
export class MessageRefused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The token lacks the scope of a tool. The shop answers 403, so that hosts with OAuth can ask for the scope. */
class ScopeMissing extends Error {
  readonly body: Record<string, unknown>;

  constructor(body: Record<string, unknown>) {
    super(String(body.message));
    this.body = body;
  }
}

/** Converts a missing scope to a tool result, because an assistant that uses a fixed token cannot request the scope. */
function resultOf({ error_description: _, ...body }: Record<string, unknown>): CallToolResult {
  const [said, next] = [body.message, body.next].map((text) => (typeof text === 'string' ? text : ''));
  return { content: [{ type: 'text', text: `${said} ${next}`.trim() }], structuredContent: body, isError: true };
}

const PROTOCOL_VERSION = '2026-07-28';
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'commerce', version },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const ATTEMPTS = 3;
const TIMEOUT_MS = 60_000;

export function shopTools(address: string, token: string | undefined): ShopTools {
  async function send<Result>(method: string, params: Record<string, unknown> & { name?: string }): Promise<Result> {
    const { _meta, ...rest } = params;
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { ...rest, _meta: { ...(_meta as object), ...ENVELOPE } },
    };
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(token && { Authorization: `Bearer ${token}` }),
      'MCP-Protocol-Version': PROTOCOL_VERSION,
      'Mcp-Method': method,
      ...(params.name !== undefined && { 'Mcp-Name': encodeURIComponent(params.name) }),
    };
    const response = await persistently(() =>
      fetch(address, {
        method: 'POST',
        headers,
        body: JSON.stringify(message),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }),
    );
    return resultIn<Result>(response.status, await response.text());
  }
  return {
    discover: () => send('server/discover', {}),
    list: () => send('tools/list', {}),
    async call({ _meta, ...params }) {
      const meta = { 'idempotency-key': randomUUID(), ..._meta };
      return send<CallToolResult>('tools/call', { ...params, _meta: meta }).catch((error: unknown) => {
        if (error instanceof ScopeMissing) return resultOf(error.body);
        throw error;
      });
    },
  };
}

async function persistently(attempt: () => Promise<Response>): Promise<Response> {
  for (let count = 1; ; count += 1) {
    try {
      const response = await attempt();
      if (count === ATTEMPTS || response.status !== 503) return response;
    } catch {
      if (count === ATTEMPTS) throw unreachable();
    }
    await sleep(count * 500);
  }
}

function unreachable(): CommandError {
  const remedy = 'Check that the server runs and that the address is right.';
  return new CommandError(EXIT.unreachable, 'unreachable', 'The shop cannot be reached.', remedy);
}

function resultIn<Result>(status: number, text: string): Result {
  const answer = parsed(text);
  if (answer.result !== undefined) return answer.result as Result;
  if (typeof answer.error === 'object' && answer.error !== null) {
    const { code, message } = answer.error as { code: number; message: string };
    throw new MessageRefused(code, message);
  }
  if (answer.error === 'insufficient_scope') throw new ScopeMissing(answer);
  const code = typeof answer.error === 'string' ? answer.error : 'unexpected_answer';
  const message =
    typeof answer.message === 'string' ? answer.message : `The response with status ${status} is not MCP.`;
  const remedy =
    status === 401
      ? 'Ask the customer again: commerce mcp login ADDRESS, or set COMMERCE_AGENT_TOKEN to a token that has not ended.'
      : 'Give the address of the shop for MCP: …/sites/{site_id}/mcp, or /mcp at its own host.';
  throw new CommandError(status === 401 ? EXIT.notLoggedIn : EXIT.refused, code, message, remedy);
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
