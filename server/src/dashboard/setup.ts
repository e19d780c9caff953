import type { Handler } from '../http/pipeline/handler.ts';
import * as setup from '../shop/merchant/setup.ts';

export const getSetup: Handler<'dashboard.getSetup'> = ({ shop, checkoutDeps }) => setup.get(shop, checkoutDeps);
