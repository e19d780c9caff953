import type { Handler } from '../http/pipeline/handler.ts';
import * as agentTokens from '../shop/agent-limits/tokens.ts';
import * as agentAudit from '../shop/agents/audit.ts';

export const listAgentTokens: Handler<'dashboard.listAgentTokens'> = ({ shop, query }) => agentTokens.list(shop, query);

export const revokeAgentToken: Handler<'dashboard.revokeAgentToken'> = ({ shop, path }) =>
  agentTokens.revoke(shop, path.agent_token_id, 'merchant');

export const listAgentTokenAudit: Handler<'dashboard.listAgentTokenAudit'> = ({ shop, path, query }) =>
  agentAudit.listOfAgent(shop, path.agent_token_id, query);
