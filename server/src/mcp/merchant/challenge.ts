import { ShopError } from '../../shop/errors.ts';
import { toolCallsIn } from '../scope-challenge.ts';
import type { CalledByAssistant } from './called.ts';
import { accessOf, merchantTools } from './tools.ts';

/**
 * Handles a tool call that needs a scope that the member has not granted: returns 403 with the scopes to request (RFC
 * 6750 §3.1). Returns undefined for all other requests.
 */
export async function challengeFor(
  { calls, served, claim, caller }: CalledByAssistant,
  request: Request,
  metadata: string,
): Promise<Response | undefined> {
  const { granted } = caller.assistant;
  for (const { name, given } of await toolCallsIn(request)) {
    const tool = merchantTools().get(name);
    const scope = tool && accessOf(tool, given, granted).needs;
    if (!tool || scope === undefined || granted.includes(scope)) continue;
    const message = `The member has not granted this assistant ${scope}.`;
    const refusal = new ShopError('insufficient_scope', message, { scope, held: granted });
    const { status, body } = await calls.refuse(served, { operation: tool.operation, vouched: claim }, refusal);
    const told = body as Record<string, unknown>;
    // The call could not be recorded.
    if (status !== 403) return Response.json(told, { status });
    const wanted = [...granted, scope].join(' ');
    const challenge = `Bearer error="insufficient_scope", scope="${wanted}", resource_metadata="${metadata}"`;
    const headers = { 'WWW-Authenticate': challenge };
    return Response.json({ ...told, error_description: told.message }, { status, headers });
  }
  return undefined;
}
