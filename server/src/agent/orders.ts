import type { Prepared } from '../http/pipeline/handler.ts';
import * as agentOrders from '../shop/agents/orders.ts';
import { expireUnpaid } from '../shop/orders/expiry.ts';

/** Orders past their deadline are expired before they are shown. */
export const listOrders: Prepared<'agent.listOrders'> = {
  async prepare({ caller, db }) {
    await expireUnpaid(db, caller.tenant);
    return ({ shop, query }) => agentOrders.list(shop, query);
  },
};

export const getOrder: Prepared<'agent.getOrder'> = {
  async prepare({ caller, db, path }) {
    await expireUnpaid(db, caller.tenant, path.order_id);
    return ({ shop, path: { order_id } }) => agentOrders.get(shop, order_id);
  },
};
