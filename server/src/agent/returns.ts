import type { Handler } from '../http/pipeline/handler.ts';
import * as agentReturns from '../shop/agents/returns.ts';

export const prepareReturn: Handler<'agent.prepareReturn'> = ({ shop, checkoutDeps, body }) =>
  agentReturns.prepare(shop, checkoutDeps, body);
