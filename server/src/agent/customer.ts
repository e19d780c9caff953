import type { Handler } from '../http/contract.ts';
import * as agentTokens from '../shop/agent-tokens.ts';
import { customerOf } from '../shop/agent-views.ts';
import * as account from '../shop/customer-account.ts';

export const getCustomer: Handler<'agent.getCustomer'> = async ({ shop }) => ({
  ...customerOf(await account.profile(shop)),
  agent_token: await agentTokens.own(shop),
});
