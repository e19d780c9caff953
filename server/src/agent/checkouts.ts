import type { Handler } from '../http/contract.ts';
import { checkoutOf } from '../shop/agent-views.ts';
import * as checkouts from '../shop/checkouts.ts';

export const getCheckout: Handler<'agent.getCheckout'> = async ({ shop, till, path }) =>
  checkoutOf(await checkouts.get(shop, till, path.checkout_id));
