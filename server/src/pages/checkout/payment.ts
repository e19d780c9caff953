/**
 * Payment on a payment provider's page, without the provider's scripts on ours. The order button leads to `…/leave`,
 * which redirects to the stored URL of the provider. The provider sends the shopper back to `…/return`.
 */

import type { Checkout } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import { findReturn } from '../../shop/checkout/attempts.ts';
import * as checkouts from '../../shop/checkout/checkouts.ts';
import { askAgain } from '../../shop/checkout/pay.ts';
import { safeReturnUrl, withOrder } from '../../shop/return-urls.ts';
import { page } from '../parts/document.ts';
import { csrfField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { summaryLines, summaryTotals } from '../parts/order-summary.ts';
import type { PageAnswer, PageRoute } from '../parts/route.ts';
import { inShopOfVisit } from '../parts/visit.ts';
import { CHECKOUT_NOTICES } from './notices.ts';
import { type CheckoutView, steps, summaryOf } from './view.ts';
import { arrive, type CheckoutVisit, countCheckout } from './visit.ts';

type PaymentPage = PageRoute<CheckoutVisit>;

const common: Pick<PaymentPage, 'where' | 'arrive' | 'formOf' | 'post' | 'notices'> = {
  where: 'checkout',
  arrive,
  formOf: ({ checkout }) => `payment ${checkout.id}`,
  post: async ({ path }) => ({ redirect: path }),
  notices: CHECKOUT_NOTICES,
};

/**
 * Redirects to the payment provider. Browsers apply `form-action 'self'` even to redirects after a form, so the form
 * posts to our page, which leads here.
 */
export const leavePage: PaymentPage = { ...common, path: '/checkout/:token/leave', show: leave };

/**
 * Receives the shopper who returns from the provider. The server asks the provider for the result, and then redirects
 * to the checkout page or the storefront.
 */
export const returnPage: PaymentPage = { ...common, path: '/checkout/:token/return', show: comeBack };

async function leave(visit: CheckoutVisit): Promise<PageAnswer> {
  const { checkoutDeps, path, language, login } = visit;
  if (login || visit.checkout.order_id) return { redirect: path };
  await countCheckout(visit, 'storefront.getCheckout');
  const checkout = await inShopOfVisit(visit, (shop) => checkouts.get(shop, checkoutDeps, visit.checkout.id));
  const url = checkout.payment?.next_action?.url;
  if (!url) return { redirect: path };
  const { host } = new URL(url);
  const { say } = language;
  const title = say('payment.leave');
  const main = html`
<section class="notice">
<h1>${title}</h1>
<p>${say('payment.leave_text', { amount: language.amount(checkout.total, checkout.currency), host })}</p>
<div class="actions"><a class="primary" href="${url}" rel="noreferrer">${say('payment.leave_link', { host })}</a></div>
</section>`;
  const { front, back } = visit;
  return { status: 200, html: page({ language, title, front, back, where: 'checkout', main }), refresh: url };
}

async function comeBack(visit: CheckoutVisit): Promise<PageAnswer> {
  const { db, tenant, actor, checkoutDeps, checkout, path, login } = visit;
  if (!login && !checkout.order_id) {
    await countCheckout(visit, 'storefront.getCheckout');
    await askAgain(db, tenant, actor, { checkoutDeps, checkout_id: checkout.id });
  }
  return { redirect: (await wayOn(visit)) ?? path };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The storefront URL that was stored with the payment, if the shop still allows it. */
async function wayOn(visit: CheckoutVisit): Promise<string | undefined> {
  const { req, front, checkout, checkoutDeps, login } = visit;
  const payment_id = String(req.query.payment ?? '');
  if (!UUID.test(payment_id)) return undefined;
  const given = await inShopOfVisit(visit, (shop) => findReturn(shop, checkout.id, payment_id));
  const judged = given?.return_url ? safeReturnUrl(given.return_url, front, checkoutDeps) : undefined;
  return judged && given?.order_id && !login ? withOrder(judged, given.order_id) : judged;
}

/** Shows a pending payment. The shopper can continue or check it, or cancel it. */
export function openPayment(view: CheckoutView): string {
  const { language, front, back } = view;
  const { say } = language;
  const title = say('payment.open');
  const shown = summaryOf(view);
  const main = html`
${steps(language, 'review')}
<h1>${title}</h1>
<div class="columns">
<div class="entry">
${whatToDo(view)}
</div>
<aside class="summary" id="summary" tabindex="-1" aria-labelledby="summary-heading">
<h2 id="summary-heading">${say('checkout.your_order')}</h2>
${summaryLines(shown, view.ownOrigin)}
${summaryTotals(shown)}
</aside>
</div>`;
  return page({ language, title, front, back, where: 'checkout', main });
}

function whatToDo({ checkout, csrf, language, path }: CheckoutView): Html {
  const { say } = language;
  const { payment } = checkout;
  const amount = language.amount(checkout.total, checkout.currency);
  const isWaiting = payment?.next_action?.url !== undefined && payment.next_action.url !== null;
  return html`
<section class="part">
<p>${isWaiting ? say('payment.open_text', { amount, until: language.moment(payment.expires_at) }) : say('payment.processing_text')}</p>
<div class="actions">
<a class="primary" href="${path}/${isWaiting ? 'leave' : 'return'}">${isWaiting ? say('payment.go_on') : say('payment.look_again')}</a>
<form method="post" action="${path}">
${csrfField(csrf)}
<button class="secondary" name="action" value="cancel_payment">${say('payment.end')}</button>
</form>
</div>
</section>`;
}

/** Explains why the last payment failed, until the checkout is changed. */
export function failureAlert({ say }: Language, failure: string | null): ((checkout: Checkout) => Html) | undefined {
  if (failure === null) return undefined;
  const kind = KINDS[failure] ?? 'not_made';
  return () => html`
<div class="alert note" role="alert" tabindex="-1" autofocus><h2>${say(`payment.${kind}`)}</h2><p>${say(`payment.${kind}_text`)}</p></div>`;
}

const KINDS: Partial<Record<string, 'was_cancelled' | 'given_back'>> = {
  cancelled: 'was_cancelled',
  amount_differs: 'given_back',
  provider_unreachable: 'given_back',
};
