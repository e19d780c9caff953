import type { Handler, Prepared } from '../http/pipeline/handler.ts';
import * as syncOrders from '../shop/integrations/orders.ts';
import { expireUnpaid } from '../shop/orders/expiry.ts';

export const createOrder: Handler<'sync.createOrder'> = ({ shop, checkoutDeps, body }) =>
  syncOrders.create(shop, checkoutDeps, body);

/** Orders past their deadline are expired before they are shown. */
export const getOrder: Prepared<'sync.getOrder'> = {
  async prepare({ caller, db, checkoutDeps, path }) {
    await expireUnpaid(db, caller.tenant);
    return ({ shop }) => syncOrders.get(shop, checkoutDeps, path.sync_order_id);
  },
};

export const listOrders: Prepared<'sync.listOrders'> = {
  async prepare({ caller, db, checkoutDeps, query }) {
    await expireUnpaid(db, caller.tenant);
    return ({ shop }) => syncOrders.list(shop, checkoutDeps, query);
  },
};
