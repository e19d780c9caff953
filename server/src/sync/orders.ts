import type { Handler } from '../http/contract.ts';
import * as syncOrders from '../shop/sync-orders.ts';

export const createOrder: Handler<'sync.createOrder'> = ({ shop, till, body }) => syncOrders.create(shop, till, body);

export const getOrder: Handler<'sync.getOrder'> = ({ shop, till, path }) =>
  syncOrders.get(shop, till, path.sync_order_id);

export const listOrders: Handler<'sync.listOrders'> = ({ shop, till, query }) => syncOrders.list(shop, till, query);
