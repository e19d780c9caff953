import type { AgentProduct, AuditPage } from '@commerce-backend/spec';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { OperationAnswer } from '../http/in-process.ts';
import { asMarkdown } from '../http/pipeline/markdown.ts';
import { withDecimals } from './amounts.ts';
import { inArguments } from './argument-errors.ts';
import { AUDIT, compactAudit } from './audit-answer.ts';
import { compactCandidates, type Found, SEARCHES } from './candidates-answer.ts';
import { compactProduct, PRODUCT } from './product-answer.ts';
import { type AgentTool, agentTools } from './tools.ts';

interface Form {
  /** The decimals of the shop's currency. */
  digits: number;
  /** Whether the model requested all fields. */
  full: boolean;
}

/** The response of an operation as the result of its tool. An error is a result too. */
export function toolResult(tool: AgentTool, answer: OperationAnswer, { digits, full }: Form): CallToolResult {
  const told = withDecimals(inTerms(tool, answer, full), digits) as Record<string, unknown>;
  return {
    content: [{ type: 'text', text: asMarkdown(told) }],
    structuredContent: told,
    ...(answer.status >= 400 && { isError: true }),
  };
}

/** The response, with names of tools and arguments in place of operations and fields. */
function inTerms(tool: AgentTool, { status, body }: OperationAnswer, full: boolean): unknown {
  const said = body as Record<string, unknown>;
  if (status < 400) return compact(tool, body, full);
  return { ...(Array.isArray(said.detail) ? inArguments(tool, said) : said), ...nextTool(said) };
}

function compact({ operation }: AgentTool, body: unknown, full: boolean): unknown {
  if (operation.id === AUDIT && !full) return compactAudit(body as AuditPage);
  if (operation.id === PRODUCT) return compactProduct(body as AgentProduct);
  return SEARCHES.includes(operation.id) ? compactCandidates(body as Found) : body;
}

/** The API names the next operation; a model needs the name of its tool. */
function nextTool({ next_operation }: Record<string, unknown>): { next_tool?: string } {
  const tool = [...agentTools().values()].find(({ operation }) => operation.id === next_operation);
  return tool ? { next_tool: tool.definition.name } : {};
}
