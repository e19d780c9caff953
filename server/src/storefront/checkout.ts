import { actorOf } from '../http/callers/callers.ts';
import type { Beforehand, Handler } from '../http/pipeline/handler.ts';
import { charge } from '../shop/checkout/charge.ts';
import * as checkouts from '../shop/checkout/checkouts.ts';
import { complete } from '../shop/checkout/complete.ts';

export const createCheckout: Handler<'storefront.createCheckout'> = ({ shop, checkoutDeps, body }) =>
  checkouts.create(shop, checkoutDeps, body.cart_id);

export const getCheckout: Handler<'storefront.getCheckout'> = ({ shop, checkoutDeps, path }) =>
  checkouts.get(shop, checkoutDeps, path.checkout_id);

export const updateCheckout: Handler<'storefront.updateCheckout'> = ({ shop, checkoutDeps, path, body }) =>
  checkouts.update(shop, checkoutDeps, path.checkout_id, body);

/** A card is charged before the transaction that makes the order. */
export const completeCheckout: Beforehand<'storefront.completeCheckout'> = {
  async beforehand({ caller, db, checkoutDeps, path, body }) {
    const completion = { expected_total: body.expected_total, card_token: body.payment?.card_token };
    const charged = await charge(db, caller.tenant, actorOf(caller), {
      checkoutDeps,
      checkout_id: path.checkout_id,
      completion,
    });
    return ({ shop }) => complete(shop, checkoutDeps, path.checkout_id, completion, charged);
  },
};

export const cancelCheckout: Handler<'storefront.cancelCheckout'> = ({ shop, checkoutDeps, path }) =>
  checkouts.cancel(shop, checkoutDeps, path.checkout_id);
