import type { Handler } from '../http/pipeline/handler.ts';
import { budgetOf } from '../shop/agent-limits/budgets.ts';
import * as agentCheckouts from '../shop/agents/checkouts.ts';
import { checkoutOf } from '../shop/agents/views.ts';
import * as checkouts from '../shop/checkout/checkouts.ts';

export const createCheckout: Handler<'agent.createCheckout'> = ({ shop, checkoutDeps, body }) =>
  agentCheckouts.create(shop, checkoutDeps, body);

export const getCheckout: Handler<'agent.getCheckout'> = async ({ shop, checkoutDeps, path }) =>
  checkoutOf(await checkouts.get(shop, checkoutDeps, path.checkout_id), await budgetOf(shop, shop.actorId));

export const cancelCheckout: Handler<'agent.cancelCheckout'> = ({ shop, checkoutDeps, path }) =>
  agentCheckouts.cancel(shop, checkoutDeps, path.checkout_id);
