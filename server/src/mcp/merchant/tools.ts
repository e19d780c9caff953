/** The tools of the merchant MCP, generated from the contract for the operations of the list. */

import type { AssistantScope } from '@commerce-backend/spec';
import { operationOf } from '../../http/contract/contract.ts';
import { type AgentTool, toolName, toolOf } from '../tools.ts';
import { OFFERED, type Offered } from './operations.ts';

export interface MerchantTool extends AgentTool, Pick<Offered, 'direct'> {}

let table: Map<string, MerchantTool> | undefined;

export function merchantTools(): Map<string, MerchantTool> {
  table ??= new Map(OFFERED.map((offered) => [toolName(operationOf(offered.id).name), merchantTool(offered)]));
  return table;
}

function merchantTool({ id, about, direct }: Offered): MerchantTool {
  const operation = operationOf(id);
  const tool = toolOf(operation, about);
  // Texts of customers are marked in the answer, which changes its shape, so there is no output schema.
  const { outputSchema: _, ...definition } = tool.definition;
  return { ...tool, keyed: operation.safe ? undefined : 'optional', definition, ...(direct && { direct }) };
}

/** The scope that the member must have granted for a call with these arguments. */
export function neededFor({ operation, direct }: MerchantTool): AssistantScope | undefined {
  return operation.safe || !direct ? (operation.scope as AssistantScope | undefined) : direct.scope;
}
