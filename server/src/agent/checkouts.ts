import type { Handler } from '../http/contract/contract.ts';
import { checkoutOf } from '../shop/agents/views.ts';
import * as checkouts from '../shop/checkout/checkouts.ts';

export const getCheckout: Handler<'agent.getCheckout'> = async ({ shop, till, path }) =>
  checkoutOf(await checkouts.get(shop, till, path.checkout_id));
