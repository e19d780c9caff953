import { mistakesInRow } from '../http/contract/rows.ts';
import type { Handler } from '../http/pipeline/handler.ts';
import * as productSync from '../shop/integrations/product-changes.ts';
import { importProducts } from '../shop/products/import.ts';
import { setSeveral } from '../shop/stock/adjustments.ts';

export const listProductChanges: Handler<'sync.listProductChanges'> = ({ shop, query }) =>
  productSync.listChanges(shop, query);

export const upsertProducts: Handler<'sync.upsertProducts'> = ({ shop, body }) =>
  importProducts(shop, body, mistakesInRow);

export const setInventory: Handler<'sync.setInventory'> = ({ shop, body }) => setSeveral(shop, body.items);
