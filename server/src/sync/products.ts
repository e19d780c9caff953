import type { Handler } from '../http/contract.ts';
import * as productSync from '../shop/product-sync.ts';

export const listProductChanges: Handler<'sync.listProductChanges'> = ({ shop, query }) =>
  productSync.listChanges(shop, query);
