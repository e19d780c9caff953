import type { Language } from '../../language/language.ts';
import { payDue } from '../../shop/due-payments/pay.ts';
import type { ShownOrder } from '../../shop/orders/shown.ts';
import type { CheckoutDeps } from '../../shop/payments/deps.ts';
import { page } from './document.ts';
import { type Html, html } from './html.ts';
import type { PageAnswer, PageRequest } from './route.ts';
import type { Visit } from './visit.ts';

/** Whether the customer can pay the amount due of an order at a payment provider now. */
export function isPayable({ due }: Pick<ShownOrder, 'due'>, { card }: Pick<CheckoutDeps, 'card'>): boolean {
  return due !== null && !due.is_processing && (due.has_payment_account || card !== undefined);
}

/** The button that pays the amount due. It belongs into a form. */
export function payButton(language: Language, { due, currency }: Pick<ShownOrder, 'due' | 'currency'>): Html | false {
  return (
    due !== null &&
    html`<button class="primary" name="action" value="pay_due">${language.say('order.pay_due', { amount: language.amount(due.amount, currency) })}</button>`
  );
}

/**
 * Leads to the provider's page, or to `path` if nothing is due any more. Answers with a page, because browsers do not
 * let a form redirect to another site under our Content-Security-Policy.
 */
export async function leaveToPay(
  visit: Visit & Pick<PageRequest, 'front'>,
  {
    order_id,
    customer_id,
    path,
    where,
  }: { order_id: string; customer_id?: string; path: string; where: 'order' | 'account' },
): Promise<PageAnswer> {
  const { db, tenant, actor, checkoutDeps, language, front } = visit;
  const owner = customer_id === undefined ? {} : { customer_id };
  const paying = await payDue(db, tenant, actor, { checkoutDeps, order_id, ...owner });
  if (!paying) return { redirect: path };
  const { url, amount, currency } = paying;
  const { host } = new URL(url);
  const { say } = language;
  const title = say('payment.leave');
  const main = html`
<section class="notice">
<h1>${title}</h1>
<p>${say('payment.leave_text', { amount: language.amount(amount, currency), host })}</p>
<div class="actions"><a class="primary" href="${url}" rel="noreferrer">${say('payment.leave_link', { host })}</a></div>
</section>`;
  return { status: 200, html: page({ language, title, front, where, main }), refresh: url };
}
