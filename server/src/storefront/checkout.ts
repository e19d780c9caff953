import { actorOf } from '../http/callers/callers.ts';
import type { Beforehand, Handler } from '../http/contract/contract.ts';
import { charge } from '../shop/checkout/charge.ts';
import * as checkouts from '../shop/checkout/checkouts.ts';
import { complete } from '../shop/checkout/complete.ts';

export const createCheckout: Handler<'storefront.createCheckout'> = ({ shop, till, body }) =>
  checkouts.create(shop, till, body.cart_id);

export const getCheckout: Handler<'storefront.getCheckout'> = ({ shop, till, path }) =>
  checkouts.get(shop, till, path.checkout_id);

export const updateCheckout: Handler<'storefront.updateCheckout'> = ({ shop, till, path, body }) =>
  checkouts.update(shop, till, path.checkout_id, body);

/** A card is charged before the transaction that makes the order. */
export const completeCheckout: Beforehand<'storefront.completeCheckout'> = {
  async beforehand({ caller, db, till, path, body }) {
    const completion = { expected_total: body.expected_total, card_token: body.payment?.card_token };
    const charged = await charge(db, caller.tenant, actorOf(caller), {
      till,
      checkout_id: path.checkout_id,
      completion,
    });
    return ({ shop }) => complete(shop, till, path.checkout_id, completion, charged);
  },
};

export const cancelCheckout: Handler<'storefront.cancelCheckout'> = ({ shop, till, path }) =>
  checkouts.cancel(shop, till, path.checkout_id);
