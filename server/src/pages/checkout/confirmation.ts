import type { Order, Payment } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import { readableEmail } from '../../shop/emails.ts';
import type { Front } from '../../shop/merchant/front.ts';
import { addressLines } from '../parts/address-lines.ts';
import { page } from '../parts/document.ts';
import { csrfField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { summaryLines, summaryOfOrder, summaryTotals } from '../parts/order-summary.ts';
import { transfer } from '../parts/transfer.ts';
import { rich } from '../parts/words.ts';
import { steps } from './view.ts';

/** The data of a confirmation page. */
export interface ConfirmationView {
  language: Language;
  front: Front;
  /** The storefront URL to which the shopper returns, with the order's id. */
  back: string | undefined;
  ownOrigin: string;
  order: Order;
  payment: Payment;
  /** Whether the shop's prices include tax. */
  tax_included: boolean;
  discount_code: string | null;
  /** Whether anything of the order is shipped or handed over. */
  has_goods: boolean;
  /** Link or button to the order's page. */
  toOrder: Html | undefined;
}

/** The way the browser opens the order's page. */
export type WayToOrder =
  | {
      /** Path in the account, for a logged-in customer. */
      path: string;
    }
  | {
      /**
       * A form instead of a link, because the URL of a guest's order page is a secret that must not appear on pages.
       */
      form: { path: string; csrf: string };
    };

/** Renders the link or button to the order's page. */
export function wayToOrder({ say }: Language, way: WayToOrder): Html {
  if ('path' in way) return html`<a class="button" href="${way.path}">${say('checkout.view_order')}</a>`;
  const { path, csrf } = way.form;
  return html`<form method="post" action="${path}">${csrfField(csrf)}<button class="secondary" name="action" value="view_order">${say('checkout.view_order')}</button></form>`;
}

/** The confirmation: the order's number, how to pay it, and what happens next. */
export function confirmation(view: ConfirmationView): string {
  const { language, order, payment, front, ownOrigin, tax_included, discount_code, has_goods } = view;
  const back = view.back ?? front.storefront_url ?? undefined;
  const { say } = language;
  const shown = summaryOfOrder(language, { ...order, tax_included, discount_code });
  const number = html`<strong>${order.order_number}</strong>`;
  const main = html`
${steps(language, 'done')}
<h1>${heading(view)}</h1>
<p class="number">${rich(language, 'checkout.order_number', { number })}</p>
<div class="columns">
<div class="entry">
${transfer(language, payment)}
<section class="part">
<h2>${say('checkout.next')}</h2>
${nextSteps(view)}
<div class="ways-on">
${back && html`<a class="button" href="${back}" rel="noreferrer">${say('page.back_to_shop', { shop: front.name })}</a>`}
${view.toOrder}
</div>
</section>
${has_goods && order.shipping_address && html`<section class="part"><h2>${say('checkout.delivery_address')}</h2>${addressLines(language, order.shipping_address)}</section>`}
</div>
<aside class="summary" id="summary" aria-labelledby="summary-heading">
<h2 id="summary-heading">${say('checkout.your_order')}</h2>
${summaryLines(shown, ownOrigin)}
${summaryTotals(shown)}
</aside>
</div>`;
  return page({ language, title: heading(view), front, back, where: 'checkout', main });
}

function heading({ language: { say }, order, payment }: ConfirmationView): string {
  if (order.status === 'cancelled') return say('checkout.cancelled_order');
  return payment.status === 'failed' ? say('checkout.payment_failed') : say('checkout.thanks');
}

function nextSteps({ language, order, payment, front, has_goods }: ConfirmationView): Html {
  const email = html`<strong dir="auto">${readableEmail(order.email ?? '')}</strong>`;
  const mail = order.email && html`<li>${rich(language, 'checkout.next_mail', { email })}</li>`;
  const { support_email } = front.brand;
  const question = language.say('checkout.next_question', { shop: support_email ?? front.name });
  return html`
<ol class="next">
${order.status !== 'cancelled' && mail}
${paymentSteps(language, order, payment, has_goods).map((sentence) => html`<li>${sentence}</li>`)}
${order.status !== 'cancelled' && payment.status !== 'failed' && html`<li>${question}</li>`}
</ol>`;
}

function paymentSteps({ say }: Language, { status }: Order, payment: Payment, has_goods: boolean): string[] {
  if (status === 'cancelled') return [say('checkout.next_cancelled')];
  switch (payment.status) {
    case 'awaiting_payment':
      return [say('checkout.next_transfer'), ...(has_goods ? [say('checkout.next_arrived')] : [])];
    case 'failed':
      return [say('checkout.next_declined'), say('checkout.next_again')];
    case 'paid':
    case 'authorized':
      return [
        Number(payment.amount) > 0 ? say('checkout.next_paid') : say('checkout.nothing_to_pay'),
        ...(has_goods ? [say('checkout.next_preparing')] : []),
      ];
    default:
      if (payment.due_at) return [say('checkout.next_preparing'), say('checkout.next_invoice')];
      return payment.method === 'card' || payment.method === 'online'
        ? [say('checkout.next_unconfirmed')]
        : [say('checkout.next_handed_over'), say('checkout.next_preparing')];
  }
}
