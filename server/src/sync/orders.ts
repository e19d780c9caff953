import type { Beforehand, Handler } from '../http/contract/contract.ts';
import * as syncOrders from '../shop/integrations/orders.ts';
import { expireUnpaid } from '../shop/orders/expiry.ts';

export const createOrder: Handler<'sync.createOrder'> = ({ shop, till, body }) => syncOrders.create(shop, till, body);

/** Orders past their deadline are expired before they are shown. */
export const getOrder: Beforehand<'sync.getOrder'> = {
  async beforehand({ caller, db, till, path }) {
    await expireUnpaid(db, caller.tenant);
    return ({ shop }) => syncOrders.get(shop, till, path.sync_order_id);
  },
};

export const listOrders: Beforehand<'sync.listOrders'> = {
  async beforehand({ caller, db, till, query }) {
    await expireUnpaid(db, caller.tenant);
    return ({ shop }) => syncOrders.list(shop, till, query);
  },
};
