import type { Handler } from '../http/pipeline/handler.ts';
import { adjustSeveral } from '../shop/stock/adjustments.ts';
import * as inventory from '../shop/stock/inventory.ts';

export const listInventory: Handler<'dashboard.listInventory'> = ({ shop, query }) => inventory.list(shop, query);

export const adjustInventory: Handler<'dashboard.adjustInventory'> = ({ shop, path, body }) =>
  inventory.adjust(shop, path.variant_id, body);

export const listMovements: Handler<'dashboard.listMovements'> = ({ shop, path, query }) =>
  inventory.listMovements(shop, path.variant_id, query);

export const adjustInventories: Handler<'dashboard.adjustInventories'> = ({ shop, body }) => adjustSeveral(shop, body);
