import type { Checkout, CustomerAddress } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import * as agentTokens from '../../shop/agent-limits/tokens.ts';
import { shownOrder } from '../../shop/checkout/binding.ts';
import * as checkouts from '../../shop/checkout/checkouts.ts';
import * as checkoutPage from '../../shop/checkout/page.ts';
import { countries as allCountries } from '../../shop/countries.ts';
import * as addresses from '../../shop/customers/addresses.ts';
import * as sessions from '../../shop/customers/sessions.ts';
import { ShopError } from '../../shop/errors.ts';
import { promiseNoChange } from '../../shop/in-shop.ts';
import { accountLink } from '../../shop/links.ts';
import { getForCustomer } from '../../shop/orders/rows.ts';
import { choicesForCart } from '../../shop/shipping/choices.ts';
import type { Shop } from '../../shop/shop.ts';
import { type Html, html } from '../parts/html.ts';
import { heldToken } from '../parts/page-session.ts';
import type { PageAnswer } from '../parts/route.ts';
import { inShopOfVisit } from '../parts/visit.ts';
import { confirmation, wayToOrder } from './confirmation.ts';
import { destinationOf, enteredInQuery } from './destination.ts';
import { enteredBefore } from './entry.ts';
import type { Entered, Mistake } from './fields.ts';
import { checkoutForm } from './form.ts';
import { checkoutClosed, lackOf } from './lack.ts';
import { closedPage } from './notices.ts';
import { failureAlert, openPayment } from './payment.ts';
import { checkoutReview } from './review.ts';
import type { CheckoutView } from './view.ts';
import { type CheckoutVisit, countCheckout, takesTestCards } from './visit.ts';
import { wantedOf } from './wanted.ts';
import { findWay } from './way-to-order.ts';

/** Handles GET in a read-only transaction. */
export async function show(visit: CheckoutVisit): Promise<PageAnswer> {
  await countCheckout(visit, 'storefront.getCheckout');
  return inShopOfVisit(visit, async (shop) => {
    await promiseNoChange(shop);
    const alert = failureAlert(visit.language, visit.checkout.payment_failure);
    const wish = 'change' in visit.req.query ? 'form' : 'review';
    return (await showOver(visit, shop)) ?? showOpen(visit, shop, wish, { alert });
  });
}

/**
 * The page of a checkout that has ended or cannot be continued here; undefined if the checkout can be continued. Throws
 * `checkout_expired`.
 */
export async function showOver(visit: CheckoutVisit, shop: Shop): Promise<PageAnswer | undefined> {
  const { checkout, checkoutDeps, language, front, back } = visit;
  if (checkout.order_id) {
    if (checkout.past) return closedPage(visit, 'checkout.past');
    const { payment, fulfillments: _, ...made } = await getForCustomer(shop, checkout.order_id);
    const order = shownOrder(shop, checkout, made);
    const terms = await checkoutPage.readTerms(shop, checkout.order_id);
    const toOrder = order.email ? wayToOrder(language, await findWay(visit, shop, order)) : undefined;
    const ownOrigin = checkoutDeps.baseUrl;
    return {
      status: 200,
      html: confirmation({ language, front, back, ownOrigin, order, payment, toOrder, ...terms }),
    };
  }
  if (checkout.status === 'expired') throw new ShopError('checkout_expired', 'The checkout has expired.');
  return checkout.status === 'cancelled' ? closedPage(visit, 'checkout.cancelled') : undefined;
}

/** Additions to the page after an error. */
export interface Refused {
  status?: number;
  entered?: Entered;
  mistakes?: readonly Mistake[];
  alert?: ((checkout: Checkout) => Html) | undefined;
  changed?: readonly string[];
}

/**
 * The page of an open checkout: a pending payment, a reason why the shop cannot sell, the review if `wish` is `review`
 * and nothing is missing, otherwise the form. A browser that may not see the buyer's data, which another browser
 * entered, gets an empty form.
 */
export async function showOpen(
  visit: CheckoutVisit,
  shop: Shop,
  wish: 'form' | 'review',
  { status = 200, entered = {}, mistakes = [], alert, changed = [] }: Refused,
): Promise<PageAnswer> {
  const { checkoutDeps, guard, req, res, path, language, tenant } = visit;
  const checkout = await checkouts.get(shop, checkoutDeps, visit.checkout.id);
  if (checkout.items.length === 0) throw new ShopError('cart_empty', 'The cart is empty.');
  const isElsewhere = checkout.review_token === null;
  const delivery = await checkoutPage.readDelivery(shop);
  const countries = delivery.countries ?? allCountries();
  const saved = await savedAddresses(visit, shop, checkout);
  const query = enteredInQuery(req.query, saved);
  const guess = { ...checkout, countries, home: delivery.home, languages: req.acceptsLanguages() };
  // Without a delivery, the billing address determines the tax.
  const destination = checkout.requires_shipping ? destinationOf({ ...query, ...entered }, guess) : { country: null };
  const { country } = destination;
  const choices = country ? (await choicesForCart(shop, checkout.cart_id, destination)).shipping_options : [];
  const before = enteredBefore(checkout, { country, choices });
  const values = { ...before, ...query, ...entered };
  const selected = choices.find(({ id }) => id === values.shipping_option_id);
  if (!selected && before.shipping_option_id) values.shipping_option_id = before.shipping_option_id;
  const { shipping_option_id = null, payment_method = null } = values;
  const selection = { destination, shipping_option_id, payment_method };
  const isDraft = visit.checkout.source === 'dashboard';
  const hasCustomer = visit.checkout.customer_id !== null;
  const view: CheckoutView = {
    language,
    front: visit.front,
    back: visit.back,
    ownOrigin: checkoutDeps.baseUrl,
    path,
    csrf: guard.csrfFor(req, res, `checkout ${checkout.id}`),
    checkout,
    summed: isElsewhere ? checkout : await checkouts.preview(shop, checkoutDeps, checkout.id, selection),
    saved,
    isDraft,
    loginPath: isDraft && hasCustomer && visit.actor.type !== 'customer' ? accountLink('', tenant.site_id) : undefined,
    countries,
    paysOnReceipt: delivery.pays_on_receipt,
    country,
    choices,
    optedIn: visit.checkout.opted_in,
    showsExactStock: visit.tenant.show_stock === 'exact',
    testCard: takesTestCards(visit),
    form: { language, entered: values, mistakes },
    chosen: CHOICES.filter((name) => entered[name]),
    alert: isElsewhere ? elsewhere(language) : alert?.(checkout),
    changed,
    agent: visit.checkout.agent_token_id ? await agentTokens.get(shop, visit.checkout.agent_token_id) : undefined,
  };
  if (checkout.payment) return { status, html: openPayment(view) };
  const lack = lackOf(view);
  if (lack) return { status, html: checkoutClosed(view, lack) };
  const isReview = wish === 'review' && !isElsewhere && wantedOf(visit, checkout).length === 0;
  return { status, html: isReview ? checkoutReview(view) : checkoutForm(view) };
}

/**
 * Fields with a default. Until the shopper chooses a value, the page's script updates it for the entered destination.
 */
const CHOICES = ['shipping_option_id', 'payment_method'] as const;

/** States that the buyer's data is not shown, because it was entered in another browser. */
function elsewhere({ say }: Language): Html {
  return html`<div class="alert note" role="status"><h2>${say('checkout.elsewhere')}</h2><p>${say('checkout.elsewhere_text')}</p></div>`;
}

/** The address book of the checkout's customer, if this browser is logged in as that customer. */
async function savedAddresses(
  { req, checkoutDeps, tenant, checkout: { customer_id } }: CheckoutVisit,
  shop: Shop,
  { requires_shipping }: Checkout,
): Promise<CustomerAddress[]> {
  const token = customer_id && requires_shipping ? heldToken(req, checkoutDeps.baseUrl, tenant.site_id) : undefined;
  const session = token ? await sessions.findOnPage(shop, token) : undefined;
  return session && session.customer_id === customer_id ? addresses.list(shop, session.customer_id) : [];
}
