import type { Handler } from '../http/pipeline/handler.ts';
import { placeTestOrder as place } from '../shop/checkout/test-order.ts';
import * as setup from '../shop/merchant/setup.ts';

export const getSetup: Handler<'dashboard.getSetup'> = ({ shop, checkoutDeps }) => setup.get(shop, checkoutDeps);

export const placeTestOrder: Handler<'dashboard.placeTestOrder'> = ({ shop, checkoutDeps, baseUrl }) =>
  place(shop, checkoutDeps, baseUrl);
