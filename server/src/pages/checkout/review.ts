import type { Address } from '@commerce-backend/spec';
import { page } from '../parts/document.ts';
import { csrfField, mistakeSummary, radios } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { countryName, inWords } from '../parts/words.ts';
import { notBuyable } from './form.ts';
import { summaryLines, summaryTotals } from './order-summary.ts';
import { agentNote, type CheckoutView, isBuyable, PAYMENT_WORDS, steps, summaryOf } from './view.ts';

/** The second step: everything once more, the final total, and the button that orders. */
export function checkoutReview(view: CheckoutView): string {
  const { checkout, form, shop } = view;
  const shown = summaryOf(view);
  const main = html`
${steps('Review and pay')}
<h1>Review and pay</h1>
${view.alert}
${agentNote(view)}
${!isBuyable(view) && notBuyable()}
${!isBuyable(view) && removalForm(view)}
${mistakeSummary('Please check this', form.mistakes)}
<div class="columns">
<div class="entry">
${answers(view)}
</div>
<aside class="summary" id="summary" tabindex="-1" aria-labelledby="summary-heading">
<h2 id="summary-heading">Your order</h2>
${summaryLines(shown, view.ownOrigin)}
${checkout.discount_code && Number(checkout.discount) === 0 && html`<p class="hint">The code ${checkout.discount_code} takes nothing off these items.</p>`}
${summaryTotals(shown)}
${isBuyable(view) && orderForm(view)}
</aside>
</div>`;
  return page({
    title: form.mistakes.length > 0 ? 'Mistake: Review and pay' : 'Review and pay',
    shop,
    where: 'Checkout',
    main,
  });
}

function answers({ checkout, path }: CheckoutView): Html {
  const { shipping_option, shipping_address, billing_address, payment_method, requires_shipping } = checkout;
  const method = Number(checkout.total) === 0 ? 'free' : payment_method;
  return html`
<dl class="answers">
${answer('Contact', html`<p dir="auto">${checkout.email}</p><p dir="auto">${checkout.phone}</p>`, path, 'email')}
${requires_shipping && answer('Deliver to', addressLines(shipping_address), path, 'shipping_country')}
${requires_shipping && answer('Delivery', html`<p dir="auto">${shipping_option?.name}</p>${shipping_option?.description && html`<p class="detail" dir="auto">${shipping_option.description}</p>`}`, path, 'shipping_option_id')}
${answer('Bill to', billing_address ? addressLines(billing_address) : html`<p>The same address</p>`, path, requires_shipping ? 'billing' : 'billing_country')}
${answer('Payment', method ? html`<p>${PAYMENT_WORDS[method].label}</p>${method !== 'card' && html`<p class="detail">${PAYMENT_WORDS[method].detail}</p>`}` : html``, path, 'payment_method')}
${checkout.note && answer('Note', html`<p class="written" dir="auto">${checkout.note}</p>`, path, 'note')}
</dl>`;
}

function answer(question: string, value: Html, path: string, field: string): Html {
  return html`
<div class="answer"><dt>${question}</dt><dd>${value}</dd>
<dd class="change"><a href="${path}?change=1#${field}">Change<span class="unseen"> ${question.toLowerCase()}</span></a></dd></div>`;
}

export function addressLines(address: Address | null): Html {
  if (!address) return html``;
  const { first_name, last_name, company, address1, address2, postal_code, city, state, country } = address;
  const lines = [
    [first_name, last_name].filter(Boolean).join(' '),
    company,
    address1,
    address2,
    [postal_code, city].filter(Boolean).join(' '),
    state,
    country && countryName(country),
  ];
  return html`${lines.filter(Boolean).map((line) => html`<p dir="auto">${line}</p>`)}`;
}

/** The form of the buttons beside lines that cannot be bought. */
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
${charged && checkout.payment_method === 'card' && view.testCard && testCards(view)}
<button class="primary" name="action" value="place_order">${buttonWords(view, charged)}</button>
<p class="after-button">${afterButton(view, charged)}</p>
</form>`;
}

function buttonWords({ checkout }: CheckoutView, charged: boolean): string {
  return charged ? `Place order and pay ${inWords(checkout.total, checkout.currency)}` : 'Place order';
}

function afterButton({ checkout, shop }: CheckoutView, charged: boolean): string {
  if (!charged) return 'There is nothing to pay.';
  switch (checkout.payment_method) {
    case 'bank_transfer':
      return `With this button you order from ${shop}. The bank details for the transfer come on the next page.`;
    case 'card':
      return `With this button you order from ${shop}, and the card is charged.`;
    default:
      return `With this button you order from ${shop}. You pay when the goods are handed over.`;
  }
}

/** Stands where a card provider's own form would: the test provider takes no cards, only words for what is to happen. */
function testCards({ form }: CheckoutView): Html {
  return radios(form, {
    name: 'card_token',
    legend: 'Test card',
    hint: 'This shop is being tried out: no card is charged.',
    choices: [
      { value: 'tok_success', label: 'Succeeds' },
      { value: 'tok_declined', label: 'Is declined' },
      { value: 'tok_late_success', label: 'Succeeds later' },
      { value: 'tok_late_declined', label: 'Is declined later' },
    ],
  });
}
