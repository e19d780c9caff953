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
  // Customer text is marked in the response, which changes its shape, so there is no output schema.
  const { outputSchema: _, ...definition } = tool.definition;
  return { ...tool, keyed: operation.safe ? undefined : 'optional', definition, ...(direct && { direct }) };
}

export interface Access {
  /** The scope that the member must have granted for the call. */
  needs: AssistantScope | undefined;
  /** Whether the call waits for the member's confirmation. */
  confirms: boolean;
}

/**
 * The access that a call with these arguments needs. A change that waits for confirmation needs only the scope to read
 * the same resource.
 */
export function accessOf(
  { operation, direct, places }: MerchantTool,
  given: Record<string, unknown>,
  granted: readonly string[],
): Access {
  const { safe, scope } = operation;
  if (safe) return { needs: scope as AssistantScope | undefined, confirms: false };
  const sent = Object.keys(given).filter((name) => name !== 'meta' && !places.has(name));
  if (direct && granted.includes(direct.scope) && sent.every((name) => direct.fields.includes(name))) {
    return { needs: direct.scope, confirms: false };
  }
  return { needs: scope?.replace(/:.*$/, ':read') as AssistantScope | undefined, confirms: true };
}
