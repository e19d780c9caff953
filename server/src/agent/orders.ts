import type { Handler } from '../http/pipeline/handler.ts';
import * as agentOrders from '../shop/agents/orders.ts';

export const listOrders: Handler<'agent.listOrders'> = ({ shop, query }) => agentOrders.list(shop, query);

export const getOrder: Handler<'agent.getOrder'> = ({ shop, path }) => agentOrders.get(shop, path.order_id);
