import type { Checkout } from '@commerce-backend/spec';
import type { Operation } from '../../http/contract/contract.ts';
import * as carts from '../../shop/carts/carts.ts';
import * as cartDiscounts from '../../shop/carts/discounts.ts';
import * as checkouts from '../../shop/checkout/checkouts.ts';
import { complete, type GivenPayment } from '../../shop/checkout/complete.ts';
import { cancelPayment, pay } from '../../shop/checkout/pay.ts';
import { ShopError } from '../../shop/errors.ts';
import { legalUrl } from '../../shop/merchant/legal-texts.ts';
import type { Shop } from '../../shop/shop.ts';
import type { FormBody } from '../parts/form-body.ts';
import { marketingWording } from '../parts/marketing.ts';
import type { PageAnswer } from '../parts/route.ts';
import { inShopOfVisit, runAction } from '../parts/visit.ts';
import { enteredIn, entryMistakes, mistakesOfMissing, patchOf, together, withoutWrong } from './entry.ts';
import type { Entered, Mistake } from './fields.ts';
import { answerRefusal } from './refusals.ts';
import { showOpen, showOver } from './show.ts';
import { type CheckoutVisit, countCheckout, type Posted, takesTestCards } from './visit.ts';
import { wantedOf } from './wanted.ts';
import { viewOrder } from './way-to-order.ts';

const OPERATIONS: Record<string, Operation['id']> = {
  save: 'storefront.updateCheckout',
  apply_discount: 'storefront.applyDiscount',
  remove_discount: 'storefront.removeDiscount',
  remove_item: 'storefront.removeCartItem',
  place_order: 'storefront.completeCheckout',
  cancel_payment: 'storefront.cancelCheckoutPayment',
  view_order: 'storefront.getCustomerOrder',
};

/** Handles a submitted form of the checkout page. */
export async function post(visit: CheckoutVisit, body: FormBody): Promise<PageAnswer> {
  const { checkout, path } = visit;
  const entered = enteredIn(body);
  const pressed = body.get('action') ?? 'save';
  // Applies an entered discount code even without the "Apply" button. Enter in its field presses the form's first
  // button, and shoppers may continue without pressing "Apply".
  const action = pressed === 'save' && entered.discount_code ? 'apply_discount' : pressed;
  const operation_id = Object.hasOwn(OPERATIONS, action) ? OPERATIONS[action] : undefined;
  if (!operation_id) throw new ShopError('invalid_request', 'There is no such action.');
  const posted: Posted = { operation_id, action, pressed, body, entered, hasFields: body.has('fields') };
  if (action === 'view_order' && checkout.order_id && !checkout.past) {
    await countCheckout(visit, operation_id);
    return viewOrder(visit, posted, checkout.order_id);
  }
  // After a second click, or the back button after the order, the page shows the current state.
  if (checkout.order_id || checkout.status === 'cancelled' || action === 'view_order') return { redirect: path };
  await countCheckout(visit, operation_id);
  const over = await inShopOfVisit(visit, (shop) => showOver(visit, shop));
  if (over) return over;
  if (action === 'remove_item') return removeItem(visit, posted);
  if (action === 'cancel_payment') return endPayment(visit, posted);
  return action === 'place_order' ? placeOrder(visit, posted) : change(visit, posted);
}

/** Saves the input, and applies or removes a discount code, in one transaction. */
function change(visit: CheckoutVisit, posted: Posted): Promise<PageAnswer> {
  const work = async (shop: Shop) => {
    const { action, body, entered, hasFields } = posted;
    const before = await checkouts.get(shop, visit.checkoutDeps, visit.checkout.id);
    const locale = before.locale ?? visit.language.locale;
    const patch = hasFields
      ? {
          ...patchOf(entered, before, body.get('shown_country')),
          ...consentIn(visit, entered),
          ...digitalConsentIn(visit, before, entered),
          locale,
        }
      : {};
    const wrong: Mistake[] = [
      ...(hasFields ? entryMistakes(visit.language, patch, entered) : []),
      ...(action === 'apply_discount' && !codeIn(entered) ? [noCode(visit)] : []),
    ];
    if (wrong.length > 0) {
      const rest = withoutWrong(patch, wrong);
      const missing = action === 'save' ? await checkouts.missingAfter(shop, visit.checkoutDeps, before.id, rest) : [];
      const wanted = action === 'save' ? wantedOf(visit, { ...before, ...rest, missing }) : [];
      const mistakes = together(wrong, mistakesOfMissing(visit.language, asked(wanted, posted)));
      return showOpen(visit, shop, 'form', { status: 422, entered, mistakes });
    }
    // The code is applied before stock is changed, because discounts are locked before stock everywhere.
    if (action === 'apply_discount') await cartDiscounts.apply(shop, before.cart_id, codeIn(entered) ?? '');
    if (action === 'remove_discount') await cartDiscounts.remove(shop, before.cart_id);
    const after = await checkouts.update(shop, visit.checkoutDeps, before.id, patch);
    return next(visit, shop, after, posted);
  };
  return runAction(visit, posted, work, (shop, error) => answerRefusal(visit, shop, posted, error));
}

/**
 * Returns the fields for the marketing consent according to the checkbox. They are empty if the form has no checkbox.
 */
function consentIn({ checkout, front, language }: CheckoutVisit, { marketing }: Entered) {
  if (!front.ask_for_marketing || checkout.opted_in) return {};
  if (marketing !== 'yes') return { marketing_opt_in: false };
  return { marketing_opt_in: true, marketing_wording: marketingWording(language, front) };
}

/** Returns the field for the consent to the supply of digital goods. It is omitted if the form has no checkbox. */
function digitalConsentIn({ front, language }: CheckoutVisit, before: Checkout, { digital_consent }: Entered) {
  if (!before.has_digital_goods) return {};
  const wording = language.say('checkout.digital_consent', { shop: front.name });
  return { digital_consent_wording: digital_consent === 'yes' ? wording : null };
}

function noCode({ language: { say } }: CheckoutVisit): Mistake {
  return { field: 'discount_code', message: say('checkout.ask_code') };
}

function codeIn({ discount_code: code }: Entered): string | undefined {
  return code && code.length <= 64 ? code : undefined;
}

/**
 * The response after saving: the review, or the form with missing fields. After a discount code was applied, the form
 * without mistakes.
 */
async function next(visit: CheckoutVisit, shop: Shop, after: Checkout, posted: Posted): Promise<PageAnswer> {
  const { path } = visit;
  const { action, pressed, entered, hasFields } = posted;
  if (pressed !== 'save') return { redirect: hasFields ? `${path}?change=1#summary` : path };
  const wanted = wantedOf(visit, after);
  const mistakes = mistakesOfMissing(visit.language, asked(wanted, posted));
  if (mistakes.length === 0) return { redirect: wanted.length > 0 ? `${path}#shipping_option_id` : path };
  if (action !== 'save') return { redirect: `${path}?change=1#summary` };
  return showOpen(visit, shop, 'form', { status: 422, entered, mistakes });
}

/**
 * Missing fields to report. A shipping option is reported only if the form was shown for a country, and not if that
 * country was a wrong guess.
 */
function asked(missing: readonly string[], { body, entered }: Posted): string[] {
  const shown = body.get('shown_country');
  const isWrongGuess = body.has('guessed') && shown !== entered.shipping_country;
  return missing.filter((name) => name !== 'shipping_option_id' || (shown && !isWrongGuess));
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Removes an item from the cart. Saves the other input if possible; otherwise it stays in the form. */
function removeItem(visit: CheckoutVisit, posted: Posted): Promise<PageAnswer> {
  const { path, checkout } = visit;
  const { entered, hasFields } = posted;
  const line_id = String(visit.req.query.line ?? '');
  if (!UUID.test(line_id)) throw new ShopError('invalid_request', 'The form names no line.');
  const work = async (shop: Shop): Promise<PageAnswer> => {
    const { items } = await carts.removeItem(shop, checkout.cart_id, line_id);
    if (items.length === 0) return { redirect: path };
    const isSaved = await saves(visit, shop, posted);
    if (!hasFields) return { redirect: path };
    return isSaved ? { redirect: `${path}?change=1#summary` } : showOpen(visit, shop, 'form', { entered });
  };
  return runAction(visit, posted, work, async (shop, error) => {
    // The item was already removed, for example by a double click.
    if (error instanceof ShopError && error.code === 'not_found') return { redirect: path };
    return answerRefusal(visit, shop, posted, error);
  });
}

/** Saves the other input. Returns false if that fails, for example because another item cannot be bought. */
async function saves(
  { checkoutDeps, checkout, language }: CheckoutVisit,
  shop: Shop,
  posted: Posted,
): Promise<boolean> {
  const { body, entered, hasFields } = posted;
  const before = await checkouts.get(shop, checkoutDeps, checkout.id);
  const patch = hasFields ? patchOf(entered, before, body.get('shown_country')) : {};
  if (hasFields && entryMistakes(language, patch, entered).length > 0) return false;
  try {
    await shop.savepoint(() => checkouts.update(shop, checkoutDeps, checkout.id, patch));
    return true;
  } catch (error) {
    if (error instanceof ShopError) return false;
    throw error;
  }
}

const AMOUNT = /^\d{1,12}(?:\.\d{1,3})?$/;

/** Places the order as the shopper saw it. A card is charged before the transaction. */
async function placeOrder(visit: CheckoutVisit, posted: Posted): Promise<PageAnswer> {
  const { db, tenant, actor, checkoutDeps, checkout, path, front, language } = visit;
  const expected_total = posted.body.get('expected_total') ?? '';
  if (!AMOUNT.test(expected_total)) throw new ShopError('invalid_request', 'The form lacks the total.');
  if (front.legal.terms_required && legalUrl(front, 'terms', '') && posted.entered.terms !== 'yes') {
    const mistakes: Mistake[] = [{ field: 'terms', message: language.say('checkout.ask_terms') }];
    return inShopOfVisit(visit, (shop) => showOpen(visit, shop, 'review', { status: 422, mistakes }));
  }
  const completion = {
    expected: posted.body.get('expected') ?? '',
    expected_total,
    payment: paymentIn(posted.entered, takesTestCards(visit)),
  };
  // Stores the language of the page for the order's mails, because a webhook may complete the order.
  if (!checkout.locale) await inShopOfVisit(visit, (shop) => checkouts.keepLocale(shop, checkout.id, language.locale));
  const paid = await pay(db, tenant, actor, { checkoutDeps, checkout_id: checkout.id, completion });
  const work = async (shop: Shop) => {
    if (paid?.status === 'requires_action') return { redirect: `${path}/leave` };
    const { order } = await complete(shop, checkoutDeps, checkout.id, completion, paid);
    visit.context.completed = { checkout_id: checkout.id, order_number: order.order_number };
    return { redirect: path };
  };
  return runAction(visit, posted, work, (shop, error) => answerRefusal(visit, shop, posted, error));
}

/**
 * The payment selected in the form. It is empty for a payment at the provider, where the shopper enters the card. For
 * the test provider it is a card token; undefined if the token is malformed.
 */
function paymentIn({ card_token }: Entered, byTestCard: boolean): GivenPayment | undefined {
  if (!byTestCard || card_token === 'page') return {};
  return card_token && /^tok_[A-Za-z0-9_]{1,250}$/.test(card_token) ? { card_token } : undefined;
}

/** Cancels the pending payment. If the payment has succeeded in the meantime, creates the order instead. */
async function endPayment(visit: CheckoutVisit, posted: Posted): Promise<PageAnswer> {
  const { db, tenant, actor, checkoutDeps, checkout, path } = visit;
  await cancelPayment(db, tenant, actor, { checkoutDeps, checkout_id: checkout.id });
  const work = async () => ({ redirect: path });
  return runAction(visit, posted, work, (shop, error) => answerRefusal(visit, shop, posted, error));
}
