import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller, Claim } from '../../http/callers/caller.ts';
import type { OperationAnswer } from '../../http/in-process.ts';
import { asMarkdown } from '../../http/pipeline/markdown.ts';
import { notFound, ValidationError } from '../../shop/errors.ts';
import { withDecimals } from '../amounts.ts';
import { inArguments } from '../argument-errors.ts';
import { type Called, requestOf, type ToolCall } from '../call-tool.ts';
import { type MerchantTool, merchantTools, neededFor } from './tools.ts';
import { withTrust } from './untrusted.ts';

/** An authenticated request, whose claim knows the assistant. */
export interface CalledByAssistant extends Called {
  caller: Caller & Required<Pick<Caller, 'assistant'>>;
  claim: Claim & Required<Pick<Claim, 'assistant'>>;
}

/**
 * Runs a tool by its operation of the dashboard, with its checks, rate limits and audit. An error is a result too.
 * Returns undefined for an unknown tool, after recording the call.
 */
export async function callMerchantTool(
  { calls, served, claim, caller }: CalledByAssistant,
  call: ToolCall,
): Promise<CallToolResult | undefined> {
  const tool = merchantTools().get(call.name);
  if (!tool) {
    await calls.refuse(served, { vouched: claim }, notFound('tool'));
    return undefined;
  }
  const { mistakes, ...request } = requestOf(tool, call, served);
  const vouched: Claim = { ...claim, assistant: { ...claim.assistant, needs: neededFor(tool) } };
  const named = { ...request, vouched };
  const answer =
    mistakes.length > 0 ? await calls.refuse(served, named, new ValidationError(mistakes)) : await calls(served, named);
  return resultOf(tool, answer, caller);
}

function resultOf(tool: MerchantTool, { status, body }: OperationAnswer, { tenant }: Caller): CallToolResult {
  const said = (body ?? {}) as Record<string, unknown>;
  const inTerms = status >= 400 && Array.isArray(said.detail) ? inArguments(tool, said) : withTrust(said);
  const told = withDecimals(inTerms, tenant.currency_digits) as Record<string, unknown>;
  return {
    content: [{ type: 'text', text: asMarkdown(told) }],
    structuredContent: told,
    ...(status >= 400 && { isError: true }),
  };
}
