import { actorOf } from '../http/callers/callers.ts';
import type { Call, Handler, Prepared } from '../http/pipeline/handler.ts';
import * as checkouts from '../shop/checkout/checkouts.ts';
import { type Completion, complete } from '../shop/checkout/complete.ts';
import { cancelPayment, pay } from '../shop/checkout/pay.ts';

export const createCheckout: Handler<'storefront.createCheckout'> = ({ shop, checkoutDeps, body }) =>
  checkouts.create(shop, checkoutDeps, body.cart_id, body);

export const getCheckout: Handler<'storefront.getCheckout'> = ({ shop, checkoutDeps, path }) =>
  checkouts.get(shop, checkoutDeps, path.checkout_id);

export const updateCheckout: Handler<'storefront.updateCheckout'> = ({ shop, checkoutDeps, path, body }) =>
  checkouts.update(shop, checkoutDeps, path.checkout_id, body);

/** Charges through the provider before the transaction that stores the response. */
export const completeCheckout: Prepared<'storefront.completeCheckout'> = {
  async prepare({ caller, db, checkoutDeps, path, body }) {
    const completion = completionOf(body);
    const { checkout_id } = path;
    const paid = await pay(db, caller.tenant, actorOf(caller), { checkoutDeps, checkout_id, completion });
    return ({ shop }) => complete(shop, checkoutDeps, checkout_id, completion, paid);
  },
};

function completionOf({ expected, expected_total, payment }: Call<'storefront.completeCheckout'>['body']): Completion {
  return { expected, expected_total, payment };
}

/** Cancels the pending payment of a checkout. If it has succeeded meanwhile, creates the order. */
export const cancelCheckoutPayment: Prepared<'storefront.cancelCheckoutPayment'> = {
  async prepare({ caller, db, checkoutDeps, path }) {
    const { checkout_id } = path;
    await cancelPayment(db, caller.tenant, actorOf(caller), { checkoutDeps, checkout_id });
    return ({ shop }) => checkouts.get(shop, checkoutDeps, checkout_id);
  },
};

export const cancelCheckout: Handler<'storefront.cancelCheckout'> = ({ shop, checkoutDeps, path }) =>
  checkouts.cancel(shop, checkoutDeps, path.checkout_id);
