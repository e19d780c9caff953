import type { Handler } from '../http/contract/contract.ts';
import * as productSync from '../shop/integrations/product-changes.ts';

export const listProductChanges: Handler<'sync.listProductChanges'> = ({ shop, query }) =>
  productSync.listChanges(shop, query);
