import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export type ProtocolVersion = '2026-07-28' | '2025-11-25';

/** Connects a client of the MCP SDK, with an agent token or without one. */
export async function connect(address: string, token: string | undefined, version: ProtocolVersion = '2026-07-28') {
  const mode = version === '2026-07-28' ? 'auto' : 'legacy';
  const client = new Client({ name: 'assistant', version: '1.0.0' }, { versionNegotiation: { mode } });
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
  /** Calls a tool and returns its structured result. Throws if the result is an error. */
  async function use<Answer>(name: string, given: Record<string, unknown> = {}): Promise<Answer> {
    const result = (await client.callTool({ name, arguments: given })) as CallToolResult;
    if (result.isError) throw new Error(`${name} was refused: ${JSON.stringify(result.structuredContent)}`);
    return result.structuredContent as Answer;
  }
  /** Calls a tool and returns its error. Throws if it succeeds. */
  async function refused(name: string, given: Record<string, unknown> = {}) {
    const result = (await client.callTool({ name, arguments: given })) as CallToolResult;
    if (!result.isError) throw new Error(`${name} was not refused: ${JSON.stringify(result.structuredContent)}`);
    return result.structuredContent as { error: string; detail?: { loc: string[] }[] };
  }
  return { client, use, refused };
}
