import type { Checkout } from '@commerce-backend/spec';
import type { Operation } from '../http/contract.ts';
import * as cartDiscounts from '../shop/cart-discounts.ts';
import { charge } from '../shop/checkout-charge.ts';
import { complete } from '../shop/checkout-complete.ts';
import * as checkouts from '../shop/checkouts.ts';
import { ShopError } from '../shop/errors.ts';
import type { Shop } from '../shop/shop.ts';
import { enteredIn, mistakesIn, mistakesOfMissing, patchOf } from './checkout-entry.ts';
import type { Entered, Mistake } from './checkout-fields.ts';
import { answerRefusal } from './checkout-refusals.ts';
import { showOpen, showOver } from './checkout-show.ts';
import { type CheckoutVisit, countCheckout, type Posted } from './checkout-visit.ts';
import type { FormBody } from './form-body.ts';
import type { PageAnswer } from './route.ts';
import { acted, inShopOf } from './visit.ts';

const OPERATIONS: Record<string, Operation['id']> = {
  save: 'storefront.updateCheckout',
  apply_discount: 'storefront.applyDiscount',
  remove_discount: 'storefront.removeDiscount',
  place_order: 'storefront.completeCheckout',
};

/** POST: one action on the checkout. */
export async function post(visit: CheckoutVisit, body: FormBody): Promise<PageAnswer> {
  const { checkout, path } = visit;
  const action = body.get('action') ?? 'save';
  const operation_id = OPERATIONS[action];
  if (!operation_id) throw new ShopError('invalid_request', 'There is no such action.');
  // A second click, or the way back after the order: the page says how it stands.
  if (checkout.order_id || checkout.status === 'cancelled') return { redirect: path };
  const posted: Posted = { operation_id, action, body, entered: enteredIn(body), hasFields: body.has('fields') };

  await countCheckout(visit, operation_id);
  const over = await inShopOf(visit, (shop) => showOver(visit, shop));
  if (over) return over;
  return action === 'place_order' ? placeOrder(visit, posted) : change(visit, posted);
}

/** Saves what was entered, and puts a code on or takes it off: all or nothing. */
function change(visit: CheckoutVisit, posted: Posted): Promise<PageAnswer> {
  const deed = async (shop: Shop) => {
    const { action, body, entered, hasFields } = posted;
    const before = await checkouts.get(shop, visit.till, visit.checkout.id);
    const shownCountry = body.get('shown_country');
    const patch = hasFields ? patchOf(entered, before, shownCountry) : {};
    const mistakes: Mistake[] = [
      ...(hasFields ? mistakesIn(patch, entered) : []),
      ...(action === 'apply_discount' && !codeIn(entered) ? [NO_CODE] : []),
    ];
    if (mistakes.length > 0) return showOpen(visit, shop, 'form', { status: 422, entered, mistakes });

    // The code comes first: discounts are locked before stock, everywhere.
    if (action === 'apply_discount') await cartDiscounts.apply(shop, before.cart_id, codeIn(entered) ?? '');
    if (action === 'remove_discount') await cartDiscounts.remove(shop, before.cart_id);
    const after = await checkouts.update(shop, visit.till, before.id, patch);
    if (action !== 'save') return { redirect: hasFields ? `${visit.path}?change=1#summary` : visit.path };
    return next(visit, shop, after, posted);
  };
  return acted(visit, posted, deed, (shop, error) => answerRefusal(visit, shop, posted, error));
}

const NO_CODE: Mistake = { field: 'discount_code', message: 'Enter the code, 64 characters at most.' };

function codeIn({ discount_code: code }: Entered): string | undefined {
  return code && code.length <= 64 ? code : undefined;
}

/** After saving: on to the review, or back to what is missing. What nobody could choose yet is asked for without blame. */
async function next(visit: CheckoutVisit, shop: Shop, after: Checkout, { body, entered }: Posted): Promise<PageAnswer> {
  const country = after.shipping_address?.country;
  const isFirst = !body.get('shown_country') && country;
  const asked = isFirst ? after.missing.filter((name) => name !== 'shipping_option_id') : after.missing;
  if (asked.length > 0)
    return showOpen(visit, shop, 'form', { status: 422, entered, mistakes: mistakesOfMissing(asked) });
  return { redirect: after.missing.length > 0 ? `${visit.path}#shipping_option_id` : visit.path };
}

const AMOUNT = /^\d{1,12}(?:\.\d{1,3})?$/;

/** Makes the order at the total that the reader saw. A card is charged before, outside of the transaction. */
async function placeOrder(visit: CheckoutVisit, posted: Posted): Promise<PageAnswer> {
  const { db, tenant, actor, till, checkout, path } = visit;
  const expected_total = posted.body.get('expected_total') ?? '';
  if (!AMOUNT.test(expected_total)) throw new ShopError('invalid_request', 'The form lacks the total.');
  const completion = { expected_total, card_token: cardToken(posted.entered) };
  const charged = await charge(db, tenant, actor, { till, checkout_id: checkout.id, completion });
  const deed = async (shop: Shop) => {
    await complete(shop, till, checkout.id, completion, charged);
    return { redirect: path };
  };
  return acted(visit, posted, deed, (shop, error) => answerRefusal(visit, shop, posted, error));
}

function cardToken({ card_token }: Entered): string | undefined {
  return card_token && /^tok_[A-Za-z0-9_]{1,250}$/.test(card_token) ? card_token : undefined;
}
