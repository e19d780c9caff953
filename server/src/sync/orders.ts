import type { Handler } from '../http/pipeline/handler.ts';
import * as syncOrders from '../shop/integrations/orders.ts';

export const createOrder: Handler<'sync.createOrder'> = ({ shop, checkoutDeps, body }) =>
  syncOrders.create(shop, checkoutDeps, body);

export const getOrder: Handler<'sync.getOrder'> = ({ shop, checkoutDeps, path }) =>
  syncOrders.get(shop, checkoutDeps, path.sync_order_id);

export const listOrders: Handler<'sync.listOrders'> = ({ shop, checkoutDeps, query }) =>
  syncOrders.list(shop, checkoutDeps, query);
