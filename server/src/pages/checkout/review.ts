import { readableEmail } from '../../shop/emails.ts';
import { legalUrls } from '../../shop/merchant/legal-texts.ts';
import { addressLines } from '../parts/address-lines.ts';
import { linkOut, page } from '../parts/document.ts';
import { checkBox, csrfField, mistakeSummary, radios } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { summaryLines, summaryTotals } from '../parts/order-summary.ts';
import { rich } from '../parts/words.ts';
import { emailSuggestion } from './email-suggestion.ts';
import { notBuyable } from './form.ts';
import { partInWords, type ReviewedPart } from './reviewed-parts.ts';
import { agentNote, type CheckoutView, isBuyable, steps, summaryOf } from './view.ts';

/** The second step: all data, the final total, and the order button. */
export function checkoutReview(view: CheckoutView): string {
  const { checkout, form, language, front, back } = view;
  const { say } = language;
  const title = say('checkout.step_review');
  const shown = summaryOf(view);
  const main = html`
${steps(language, 'review')}
<h1>${title}</h1>
${view.alert}
${agentNote(view)}
${!isBuyable(view) && notBuyable(language, view.isDraft)}
${!isBuyable(view) && removalForm(view)}
${mistakeSummary(say('checkout.check_this'), form.mistakes)}
<div class="columns">
<div class="entry">
${answers(view)}
</div>
<aside class="summary" id="summary" tabindex="-1" aria-labelledby="summary-heading">
<h2 id="summary-heading">${say('checkout.your_order')}</h2>
${summaryLines(shown, view.ownOrigin)}
${checkout.discount_code && Number(checkout.discount) === 0 && html`<p class="hint">${say('checkout.code_takes_nothing', { code: checkout.discount_code })}</p>`}
${summaryTotals(shown)}
${isBuyable(view) && orderForm(view)}
</aside>
</div>`;
  return page({ language, title, mistaken: form.mistakes.length > 0, front, back, where: 'checkout', main });
}

function answers(view: CheckoutView): Html {
  const { checkout, language } = view;
  const { say } = language;
  const { shipping_option: option, shipping_address, billing_address, note } = checkout;
  const contact = html`<p dir="auto">${readableEmail(checkout.email ?? '')}</p>${emailSuggestion(language, checkout.email, `${view.path}?change=1#email`)}<p dir="auto">${checkout.phone}</p>`;
  const delivery = html`<p dir="auto">${option?.name}</p>${option?.description && html`<p class="detail" dir="auto">${option.description}</p>`}`;
  const same = html`<p>${say('checkout.same_address')}</p>`;
  const billing = billing_address ? addressLines(language, billing_address) : same;
  const ships = checkout.requires_shipping;
  return html`
<dl class="answers">
${answer(view, ['email', 'phone'], contact, 'email')}
${ships && answer(view, ['shipping_address'], addressLines(language, shipping_address), 'shipping_country')}
${ships && answer(view, ['shipping_option'], delivery, 'shipping_option_id')}
${answer(view, ['billing_address'], billing, ships ? 'billing' : 'billing_country')}
${answer(view, ['payment_method'], paymentAnswer(view), 'payment_method')}
${(note || view.changed.includes('note')) && answer(view, ['note'], html`<p class="written" dir="auto">${note}</p>`, 'note')}
</dl>`;
}

function paymentAnswer({ checkout, language: { say } }: CheckoutView): Html {
  const method = Number(checkout.total) === 0 ? 'free' : checkout.payment_method;
  if (!method) return html``;
  const detail = method !== 'card' && html`<p class="detail">${say(`checkout.pay_${method}_detail`)}</p>`;
  return html`<p>${say(`checkout.pay_${method}`)}</p>${detail}`;
}

/** A section for some parts of the checkout. It is marked if one of them has changed since the last review. */
function answer(view: CheckoutView, parts: ReviewedPart[], value: Html, field: string): Html {
  const { language, path, changed } = view;
  const { say } = language;
  const question = partInWords(language, parts[0] ?? 'items');
  const label = say('checkout.change_what', { what: question });
  const isChanged = parts.some((part) => changed.includes(part));
  const mark = isChanged && html` <strong>${say('checkout.has_changed')}</strong>`;
  return html`
<div class="answer${isChanged && ' changed'}"><dt>${question}${mark}</dt><dd>${value}</dd>
<dd class="change"><a href="${path}?change=1#${field}" aria-label="${label}">${say('checkout.change')}</a></dd></div>`;
}

/** The form to which the remove buttons next to items belong. */
function removalForm({ csrf, path }: CheckoutView): Html {
  return html`<form id="checkout" method="post" action="${path}">${csrfField(csrf)}</form>`;
}

function orderForm(view: CheckoutView): Html {
  const { checkout, path } = view;
  const charged = Number(checkout.total) > 0;
  return html`
<form class="order" method="post" action="${path}" novalidate>
${csrfField(view.csrf)}
<input type="hidden" name="expected_total" value="${checkout.total}">
<input type="hidden" name="expected" value="${checkout.review_token}">
${charged && checkout.payment_method === 'card' && view.testCard && testCards(view)}
${termsBox(view)}
<button class="primary" name="action" value="place_order">${buttonWords(view, charged)}</button>
<p class="after-button">${afterButton(view, charged)}</p>
</form>`;
}

/** The checkbox for accepting the shop's terms, with links. */
function termsBox({ form, front, language }: CheckoutView): Html | undefined {
  const { terms_url, privacy_url, withdrawal_url } = legalUrls(front, '');
  if (!front.legal.terms_required || !terms_url) return undefined;
  const to = (address: string | null) => (words: string) => (address ? linkOut(address, words) : html`${words}`);
  const links = { terms: to(terms_url), privacy: to(privacy_url), withdrawal: to(withdrawal_url) };
  return checkBox(form, { name: 'terms', value: 'yes', label: rich(language, 'checkout.accept_terms', links) });
}

function buttonWords({ checkout, language }: CheckoutView, charged: boolean): string {
  const amount = language.amount(checkout.total, checkout.currency);
  return charged ? language.say('checkout.place_and_pay', { amount }) : language.say('checkout.place');
}

function afterButton({ checkout, testCard, language: { say }, front }: CheckoutView, charged: boolean): string {
  const shop = front.name;
  if (!charged) return say('checkout.nothing_to_pay');
  switch (checkout.payment_method) {
    case 'bank_transfer':
      return say('checkout.after_transfer', { shop });
    case 'card':
      return say(testCard ? 'checkout.after_card' : 'checkout.after_card_elsewhere', { shop });
    case 'invoice':
      return say('checkout.after_invoice', { shop });
    default:
      return say('checkout.after_manual', { shop });
  }
}

/** The test provider accepts no cards, so the shopper selects the result to simulate. */
function testCards({ form, language: { say } }: CheckoutView): Html {
  return radios(form, {
    name: 'card_token',
    legend: say('checkout.test_card'),
    hint: say('checkout.test_card_hint'),
    choices: [
      { value: 'tok_success', label: say('checkout.test_success') },
      { value: 'tok_declined', label: say('checkout.test_declined') },
      { value: 'tok_3ds', label: say('payment.test_with_question') },
      { value: 'page', label: say('payment.test_page') },
      { value: 'tok_late_success', label: say('checkout.test_late_success') },
      { value: 'tok_late_declined', label: say('checkout.test_late_declined') },
    ],
  });
}
