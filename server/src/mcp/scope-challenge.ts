import { scopeRefusal } from '../http/callers/scopes.ts';
import { SCOPES } from '../shop/agents/consent-requests.ts';
import type { Called } from './call-tool.ts';
import { agentTools } from './tools.ts';

/**
 * Handles a tool call that needs a scope that the token lacks: returns 403 (RFC 6750 §3.1). The challenge also lists
 * the token's own scopes, because the customer's next consent replaces them. Returns undefined for all other requests.
 * Must run before the SDK reads the message, because the SDK may begin a stream with status 200.
 */
export async function scopeChallenge(
  called: Called,
  request: Request,
  metadata: string,
): Promise<Response | undefined> {
  const { calls, served, claim, caller } = called;
  for (const { name } of await toolCallsIn(request)) {
    const operation = agentTools().get(name)?.operation;
    if (!operation) continue;
    const refusal = scopeRefusal(operation, caller.scopes);
    if (!refusal) continue;
    const { authorization = '' } = served.req.headers;
    const call = { operation, headers: { authorization }, vouched: claim };
    const { status, body } = await calls.refuse(served, call, refusal);
    const told = body as Record<string, unknown>;
    // A status other than 403 means that the call could not be recorded.
    if (status !== 403) return Response.json(told, { status });
    const wanted = SCOPES.filter((scope) => scope === operation.scope || caller.scopes.includes(scope)).join(' ');
    const challenge = `Bearer error="insufficient_scope", scope="${wanted}", resource_metadata="${metadata}"`;
    const headers = { 'WWW-Authenticate': challenge };
    return Response.json({ ...told, error_description: told.message }, { status, headers });
  }
  return undefined;
}

/** The tools that a request calls, with their arguments. The SDK answers messages that cannot be read. */
export async function toolCallsIn(request: Request): Promise<{ name: string; given: Record<string, unknown> }[]> {
  if (request.method !== 'POST') return [];
  const sent: unknown = await request
    .clone()
    .json()
    .catch(() => undefined);
  return [sent].flat().flatMap((message) => {
    const { method, params } = (message ?? {}) as {
      method?: unknown;
      params?: { name?: unknown; arguments?: unknown };
    };
    if (method !== 'tools/call' || typeof params?.name !== 'string') return [];
    return [{ name: params.name, given: (params.arguments ?? {}) as Record<string, unknown> }];
  });
}
