import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller, Claim } from '../../http/callers/caller.ts';
import type { OperationAnswer, OperationCall } from '../../http/in-process.ts';
import { asMarkdown } from '../../http/pipeline/markdown.ts';
import { notFound, ValidationError } from '../../shop/errors.ts';
import { withDecimals } from '../amounts.ts';
import { inArguments } from '../argument-errors.ts';
import { requestOf, type ToolCall } from '../call-tool.ts';
import type { CalledByAssistant } from './called.ts';
import { propose } from './proposal.ts';
import { accessOf, type MerchantTool, merchantTools } from './tools.ts';
import { withTrust } from './untrusted.ts';

/**
 * Runs a tool by its dashboard operation, with its checks, rate limits and audit, or stores the call for the member to
 * confirm. An error is a result too. For an unknown tool, records the call and returns undefined.
 */
export async function callMerchantTool(called: CalledByAssistant, call: ToolCall): Promise<CallToolResult | undefined> {
  const { calls, served, claim, caller } = called;
  const tool = merchantTools().get(call.name);
  if (!tool) {
    await calls.refuse(served, { vouched: claim }, notFound('tool'));
    return undefined;
  }
  const { mistakes, ...request } = requestOf(tool, call, served);
  const { needs, confirms } = accessOf(tool, call.arguments ?? {}, caller.assistant.granted);
  const vouched: Claim = { ...claim, assistant: { ...claim.assistant, needs } };
  const named: OperationCall = { ...request, vouched };
  const answer =
    mistakes.length > 0
      ? await calls.refuse(served, named, new ValidationError(mistakes))
      : confirms
        ? await propose(called, named)
        : await calls(served, named);
  return resultOf(tool, answer, caller);
}

function resultOf(tool: MerchantTool, { status, body }: OperationAnswer, { tenant }: Caller): CallToolResult {
  const said = (body ?? {}) as Record<string, unknown>;
  const told = withDecimals(shownTo(tool, status, said), tenant.currency_digits) as Record<string, unknown>;
  return {
    content: [{ type: 'text', text: asMarkdown(told) }],
    structuredContent: told,
    ...(status >= 400 && { isError: true }),
  };
}

/** An error contains only the server's own advice to the model. Other responses may contain text from customers. */
function shownTo(tool: MerchantTool, status: number, said: Record<string, unknown>): unknown {
  // Anybody with this link can accept the draft. That would be a change that no member has confirmed.
  const { checkout_url: _, ...shown } = said;
  if (status < 400) return withTrust(shown);
  return Array.isArray(said.detail) ? inArguments(tool, said) : said;
}
