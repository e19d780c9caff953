import type { Handler } from '../http/pipeline/handler.ts';
import * as productSync from '../shop/integrations/product-changes.ts';

export const listProductChanges: Handler<'sync.listProductChanges'> = ({ shop, query }) =>
  productSync.listChanges(shop, query);
