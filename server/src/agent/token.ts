import type { Handler } from '../http/pipeline/handler.ts';
import * as agentTokens from '../shop/agent-limits/tokens.ts';

export const getToken: Handler<'agent.getToken'> = ({ shop }) => agentTokens.own(shop);

export const revokeToken: Handler<'agent.revokeToken'> = ({ shop }) => agentTokens.revoke(shop, shop.actorId, 'agent');
