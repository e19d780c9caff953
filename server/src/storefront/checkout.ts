import type { Checkout } from '@commerce-backend/spec';
import { actorOf } from '../http/callers/callers.ts';
import type { Call, Handler, Prepared } from '../http/pipeline/handler.ts';
import * as checkouts from '../shop/checkout/checkouts.ts';
import { type Completion, complete } from '../shop/checkout/complete.ts';
import { cancelPayment, pay } from '../shop/checkout/pay.ts';
import type { Shop } from '../shop/shop.ts';

export const createCheckout: Handler<'storefront.createCheckout'> = async ({ shop, checkoutDeps, body }) =>
  shownTo(shop, await checkouts.create(shop, checkoutDeps, body.cart_id, body));

export const getCheckout: Handler<'storefront.getCheckout'> = async ({ shop, checkoutDeps, path }) =>
  shownTo(shop, await checkouts.get(shop, checkoutDeps, path.checkout_id));

export const updateCheckout: Handler<'storefront.updateCheckout'> = async ({ shop, checkoutDeps, path, body }) =>
  shownTo(shop, await checkouts.update(shop, checkoutDeps, path.checkout_id, body));

/** What is paid through a provider is paid before the transaction that answers. */
export const completeCheckout: Prepared<'storefront.completeCheckout'> = {
  async prepare({ caller, db, checkoutDeps, path, body }) {
    const completion = completionOf(body);
    const { checkout_id } = path;
    const paid = await pay(db, caller.tenant, actorOf(caller), { checkoutDeps, checkout_id, completion });
    return ({ shop }) => complete(shop, checkoutDeps, checkout_id, completion, paid);
  },
};

function completionOf({ expected_total, payment }: Call<'storefront.completeCheckout'>['body']): Completion {
  return { expected_total, payment };
}

/** A payment that has succeeded by then makes the order. */
export const cancelCheckoutPayment: Prepared<'storefront.cancelCheckoutPayment'> = {
  async prepare({ caller, db, checkoutDeps, path }) {
    const { checkout_id } = path;
    await cancelPayment(db, caller.tenant, actorOf(caller), { checkoutDeps, checkout_id });
    return async ({ shop }) => shownTo(shop, await checkouts.get(shop, checkoutDeps, checkout_id));
  },
};

export const cancelCheckout: Handler<'storefront.cancelCheckout'> = async ({ shop, checkoutDeps, path }) =>
  shownTo(shop, await checkouts.cancel(shop, checkoutDeps, path.checkout_id));

/** A checkout begins with what is known of its customer. An agent is told that only where it may read the profile. */
function shownTo({ agent }: Shop, checkout: Checkout): Checkout {
  if (agent === null || agent.scopes.includes('customer:self')) return checkout;
  return { ...checkout, email: null, phone: null, shipping_address: null, billing_address: null };
}
