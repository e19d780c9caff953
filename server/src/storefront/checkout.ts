import type { Checkout } from '@commerce-backend/spec';
import { actorOf } from '../http/callers/callers.ts';
import type { Beforehand, Call, Handler } from '../http/pipeline/handler.ts';
import { charge, mayCharge } from '../shop/checkout/charge.ts';
import * as checkouts from '../shop/checkout/checkouts.ts';
import { type Completion, complete } from '../shop/checkout/complete.ts';
import type { Shop } from '../shop/shop.ts';

export const createCheckout: Handler<'storefront.createCheckout'> = async ({ shop, checkoutDeps, body }) =>
  shownTo(shop, await checkouts.create(shop, checkoutDeps, body.cart_id));

export const getCheckout: Handler<'storefront.getCheckout'> = async ({ shop, checkoutDeps, path }) =>
  shownTo(shop, await checkouts.get(shop, checkoutDeps, path.checkout_id));

export const updateCheckout: Handler<'storefront.updateCheckout'> = async ({ shop, checkoutDeps, path, body }) =>
  shownTo(shop, await checkouts.update(shop, checkoutDeps, path.checkout_id, body));

/** A card is charged before the transaction that makes the order. */
export const completeCheckout: Beforehand<'storefront.completeCheckout'> = {
  directly: ({ checkoutDeps, body }) =>
    mayCharge(checkoutDeps, completionOf(body))
      ? undefined
      : ({ shop, checkoutDeps, path, body }) =>
          complete(shop, checkoutDeps, path.checkout_id, completionOf(body), undefined),

  async beforehand({ caller, db, checkoutDeps, path, body }) {
    const completion = completionOf(body);
    const charged = await charge(db, caller.tenant, actorOf(caller), {
      checkoutDeps,
      checkout_id: path.checkout_id,
      completion,
    });
    return ({ shop }) => complete(shop, checkoutDeps, path.checkout_id, completion, charged);
  },
};

function completionOf({ expected_total, payment }: Call<'storefront.completeCheckout'>['body']): Completion {
  return { expected_total, card_token: payment?.card_token };
}

export const cancelCheckout: Handler<'storefront.cancelCheckout'> = async ({ shop, checkoutDeps, path }) =>
  shownTo(shop, await checkouts.cancel(shop, checkoutDeps, path.checkout_id));

/** A checkout begins with what is known of its customer. An agent is told that only where it may read the profile. */
function shownTo({ agent }: Shop, checkout: Checkout): Checkout {
  if (agent === null || agent.scopes.includes('customer:self')) return checkout;
  return { ...checkout, email: null, phone: null, shipping_address: null, billing_address: null };
}
