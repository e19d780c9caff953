import { inTransaction } from '../../db/transaction.ts';
import type { Caller } from '../../http/callers/caller.ts';
import type { Operation } from '../../http/contract/contract.ts';
import { languageFor } from '../../language/language.ts';
import { chooseLocale } from '../../language/locales.ts';
import { followLink } from '../../shop/checkout/links.ts';
import { findPagedCheckout, type PagedCheckout } from '../../shop/checkout/page.ts';
import * as sessions from '../../shop/customers/sessions.ts';
import { ShopError } from '../../shop/errors.ts';
import type { Front } from '../../shop/merchant/front.ts';
import type { CheckoutDeps } from '../../shop/payments/deps.ts';
import { TEST_PROVIDER } from '../../shop/payments/test-provider.ts';
import { safeReturnUrl, withOrder } from '../../shop/return-urls.ts';
import type { Actor, Tenant } from '../../shop/shop.ts';
import { type CustomerVisit, recognize } from '../parts/customer-visit.ts';
import { heldToken } from '../parts/page-session.ts';
import type { PageRequest } from '../parts/route.ts';
import { count, type FormAction, type Visit } from '../parts/visit.ts';
import { visitingBrowser } from './browser.ts';
import type { Entered } from './fields.ts';

/** A request for a checkout page. */
export interface CheckoutVisit extends Visit {
  checkout: PagedCheckout;
  front: Front;
  /**
   * Set if an agent prepared the checkout and the agent's customer is not logged in. The page then shows only the
   * login.
   */
  login: CustomerVisit | undefined;
}

/** A submitted form. */
export interface Posted extends FormAction {
  /** Name of the pressed button. `action` may differ: Enter in the discount code field presses the first button. */
  pressed: string;
  entered: Entered;
  /** Whether the form contains the fields. The review's form does not. */
  hasFields: boolean;
}

/** Finds the checkout of the link. Throws `not_found` for an invalid link. */
export async function arrive(request: PageRequest): Promise<CheckoutVisit> {
  const { deadline, db, req, res, context } = request;
  const token = String(req.params.token);
  const found = await inTransaction(db, (connection) =>
    deadline.hold(connection, { commits: false }, () => followLink(connection, token, true)),
  );
  if (!found) throw new ShopError('not_found', 'This link does not lead to a checkout.');
  const { tenant, checkout_id } = found;
  const guest: Actor = { type: 'storefront', id: checkout_id, customer_id: null };
  const checkout = await deadline.inShop(db, tenant, guest, (shop) => findPagedCheckout(shop, checkout_id));
  const { front, locale } = checkout;
  const language = languageFor(chooseLocale(req, locale, front.default_locale), front.time_zone);
  const back = wayBack(checkout, request.checkoutDeps);
  const browser = visitingBrowser(req, res, request.checkoutDeps.baseUrl, checkout_id);
  if (checkout.source === 'agent' && checkout.guest_profile_id === null)
    return arriveAtAgents({ ...request, language, back }, { tenant, checkout, browser });
  const { customer_id } = checkout;
  const caller: Caller = {
    kind: 'storefront',
    tenant,
    principal_id: checkout_id,
    credential_id: checkout_id,
    customer_id,
    scopes: [],
    allowed_origins: [],
  };
  context.caller = caller;
  // A visitor with the link acts as the checkout's customer.
  return {
    ...request,
    language,
    front,
    back,
    path: `/checkout/${token}`,
    tenant,
    checkout,
    caller,
    actor: { ...((await customerHere(request, tenant, checkout, browser)) ?? { ...guest, customer_id }), browser },
    login: undefined,
  };
}

/**
 * The URL for returning to the storefront: before the order the cancel URL, afterwards the return URL, if the shop
 * still allows it.
 */
function wayBack({ front, return_url, cancel_url, order_id }: PagedCheckout, deps: CheckoutDeps): string | undefined {
  const address = order_id ? return_url : cancel_url;
  const judged = address ? safeReturnUrl(address, front, deps) : undefined;
  return judged && order_id ? withOrder(judged, order_id) : judged;
}

/**
 * Returns the customer who is logged in here, if the checkout is theirs and either another browser filled it in or it
 * is a draft order, whose link is mailed. Otherwise undefined.
 */
async function customerHere(
  { deadline, db, req, checkoutDeps }: PageRequest,
  tenant: Tenant,
  { id, source, customer_id, bound_browser }: PagedCheckout,
  browser: string,
): Promise<Actor | undefined> {
  const isElsewhere = bound_browser !== null && bound_browser !== browser;
  if (customer_id === null || !(isElsewhere || source === 'dashboard')) return undefined;
  const token = heldToken(req, checkoutDeps.baseUrl, tenant.site_id);
  if (!token) return undefined;
  const guest: Actor = { type: 'storefront', id, customer_id: null };
  const session = await deadline.inShop(db, tenant, guest, (shop) => sessions.findOnPage(shop, token));
  return session?.customer_id === customer_id ? { type: 'customer', id: customer_id, customer_id } : undefined;
}

/** Finds a checkout that an agent prepared. The agent has the link too, so the page shows nothing before login. */
async function arriveAtAgents(
  request: PageRequest,
  { tenant, checkout, browser }: Pick<CheckoutVisit, 'tenant' | 'checkout'> & { browser: string },
): Promise<CheckoutVisit> {
  const path = `/checkout/${String(request.req.params.token)}`;
  const recognized = await recognize(request, tenant);
  const visit = { ...request, path, tenant, ...recognized, language: request.language, back: request.back };
  const isTheirs = recognized.session?.customer_id === checkout.customer_id;
  return { ...visit, actor: { ...recognized.actor, browser }, checkout, login: isTheirs ? undefined : visit };
}

/** Whether to accept the test provider's card tokens. */
export function takesTestCards({ checkout, checkoutDeps }: CheckoutVisit): boolean {
  return checkoutDeps.card?.name === TEST_PROVIDER && !checkout.has_payment_account;
}

/** Counts the visit against the limits of the checkout and its cart. Throws `rate_limited`. */
export function countCheckout(visit: CheckoutVisit, operation_id: Operation['id']): Promise<void> {
  const { id: checkout_id, cart_id } = visit.checkout;
  return count(visit, operation_id, { checkout_id, cart_id });
}
