import type { Handler } from '../http/pipeline/handler.ts';
import * as overview from '../shop/merchant/overview.ts';

export const getOverview: Handler<'dashboard.getOverview'> = ({ shop, checkoutDeps }) =>
  overview.get(shop, checkoutDeps);
