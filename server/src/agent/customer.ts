import type { Handler } from '../http/pipeline/handler.ts';
import * as account from '../shop/account/account.ts';
import * as agentTokens from '../shop/agent-limits/tokens.ts';
import { customerOf } from '../shop/agents/views.ts';

export const getCustomer: Handler<'agent.getCustomer'> = async ({ shop }) => ({
  ...customerOf(await account.profile(shop)),
  agent_token: await agentTokens.own(shop),
});
