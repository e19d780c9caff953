import type { Handler } from '../http/contract.ts';
import * as agentTokens from '../shop/agent-tokens.ts';

export const revokeToken: Handler<'agent.revokeToken'> = ({ shop }) => agentTokens.revoke(shop, shop.actorId, 'agent');
