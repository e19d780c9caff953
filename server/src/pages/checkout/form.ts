import type { Language } from '../../language/language.ts';
import { page } from '../parts/document.ts';
import { checkBox, csrfField, mistakeSummary, textArea, textField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { marketingBox } from '../parts/marketing.ts';
import { summaryLines, summaryTotals } from '../parts/order-summary.ts';
import { checkoutScript } from '../parts/script.ts';
import { money, rich } from '../parts/words.ts';
import { codeInWords } from './codes.ts';
import type { FieldName } from './fields.ts';
import { addressPart } from './form-address.ts';
import { deliveryPart, paymentPart } from './form-delivery.ts';
import { agentNote, type CheckoutView, isBuyable, steps, summaryOf } from './view.ts';

/** The first step: contact, address, shipping and payment in one form with several submit buttons. */
export function checkoutForm(view: CheckoutView): string {
  const { checkout, form, language, front, back } = view;
  const { say } = language;
  const title = say('checkout.step_details');
  const main = html`
${steps(language, 'details')}
<h1>${title}</h1>
${view.alert}
${agentNote(view)}
${!isBuyable(view) && notBuyable(language, view.isDraft)}
${mistakeSummary(say('checkout.check_fields'), form.mistakes)}
${checkoutScript}
<div class="columns">
<form id="checkout" class="entry" method="post" action="${view.path}" novalidate data-mistake="${say('page.mistake')}" data-chosen="${view.chosen.join(' ')}">
${csrfField(view.csrf)}
<input type="hidden" name="fields" value="all">
${contact(view)}
${addressPart(view)}
<div id="delivery" aria-live="polite">${checkout.requires_shipping && deliveryPart(view)}</div>
<div id="payment">${paymentPart(view)}</div>
${note(view)}
${checkout.has_digital_goods && digitalConsent(view)}
<button class="primary" name="action" value="save">${buttonWords(view)}</button>
<p class="after-button">${say('checkout.check_before_order')}</p>
</form>
${summary(view)}
</div>`;
  return page({ language, title, mistaken: form.mistakes.length > 0, front, back, where: 'checkout', main });
}

/** States that something in the cart cannot be bought. */
export function notBuyable(language: Language, isDraft: boolean): Html {
  const notes = (words: string) => html`<a href="#summary">${words}</a>`;
  return html`
<div class="alert" role="alert">
<h2>${language.say('checkout.not_buyable')}</h2>
<p>${rich(language, isDraft ? 'checkout.not_buyable_draft' : 'checkout.not_buyable_text', { a: notes })}</p>
</div>`;
}

function buttonWords({ checkout, country, language: { say } }: CheckoutView): string {
  return checkout.requires_shipping && !country ? say('checkout.to_delivery') : say('checkout.step_review');
}

function contact({ form, language, front, optedIn }: CheckoutView): Html {
  const { say } = language;
  return html`
<fieldset class="part">
<legend><h2>${say('checkout.contact')}</h2></legend>
${textField(form, {
  name: 'email',
  label: say('checkout.email'),
  type: 'email',
  autocomplete: 'email',
  maximum: 254,
  hint: say('checkout.email_hint'),
  ask: say('checkout.ask_email'),
  askForm: say('checkout.ask_email_form'),
})}
${textField(form, {
  name: 'phone',
  label: say('checkout.phone'),
  type: 'tel',
  autocomplete: 'tel',
  optional: true,
  maximum: 64,
  hint: say('checkout.phone_hint'),
})}
${!optedIn && marketingBox<FieldName>(form, language, front)}
</fieldset>`;
}

/**
 * Renders the checkbox for the consent to the immediate supply of digital content. It is optional: without the consent,
 * the buyer keeps the right of withdrawal.
 */
function digitalConsent({ form, language, front }: CheckoutView): Html {
  const label = language.say('checkout.digital_consent', { shop: front.name });
  return html`
<fieldset class="part">
<legend><h2>${language.say('checkout.digital_goods')}</h2></legend>
${checkBox(form, { name: 'digital_consent', value: 'yes', label })}
</fieldset>`;
}

function note({ form, language: { say }, isDraft }: CheckoutView): Html {
  const label = say(isDraft ? 'checkout.note_on_offer' : 'checkout.note');
  const field = textArea(form, { name: 'note', label, optional: true, maximum: 5_000 });
  const isOpen = form.entered.note || form.mistakes.some(({ field: at }) => at === 'note');
  return html`<details class="part more"${isOpen && html` open`}><summary>${say('checkout.note_add')}</summary>${field}</details>`;
}

/**
 * The items, the discount code and the totals. On phones, they are above the form, folded to one line with the total.
 * The discount code field is part of the form, so that applying a code does not lose other input.
 */
function summary(view: CheckoutView): Html {
  const { checkout, summed, language } = view;
  const { say } = language;
  const shown = summaryOf({ ...view, checkout: summed });
  const pieces = checkout.items.reduce((sum, { quantity }) => sum + quantity, 0);
  const isOpen = !isBuyable(view) || view.form.mistakes.some(({ field }) => field === 'discount_code');
  return html`
<aside class="summary foldable" id="summary" tabindex="-1" aria-labelledby="summary-heading">
<details class="fold"${isOpen && html` open`}>
<summary><span>${say('checkout.your_order')}, ${say('checkout.pieces', { count: pieces })}</span>
<strong id="fold-total">${money(language, summed.total, checkout.currency)}</strong></summary></details>
<h2 class="folded" id="summary-heading">${say('checkout.your_order')}</h2>
<div class="folded">${summaryLines(shown, view.ownOrigin)}</div>
${!view.isDraft && discountCode(view)}
<div class="folded" id="totals">${summaryTotals(shown)}</div>
</aside>`;
}

function discountCode({ checkout, form, language }: CheckoutView): Html {
  const { say } = language;
  if (checkout.discount_code) {
    const chip = html`<span class="chip" dir="auto">${checkout.discount_code}</span>`;
    return html`
<p class="applied">${rich(language, 'checkout.code', { code: chip })}
<button form="checkout" class="plain" name="action" value="remove_discount" formnovalidate aria-label="${say('checkout.remove_the_code')}">${say('checkout.remove')}</button></p>
${checkout.warnings.flatMap(({ reason }) => (reason ? html`<p class="warning">${codeInWords(language, reason)}</p>` : []))}`;
  }
  const isOpen = form.entered.discount_code || form.mistakes.some(({ field }) => field === 'discount_code');
  return html`
<details class="more folded"${isOpen && html` open`}><summary>${say('checkout.code_add')}</summary>
<div class="apply">${textField(form, { name: 'discount_code', label: say('checkout.discount_code'), maximum: 64, form: 'checkout' })}
<button form="checkout" class="secondary" name="action" value="apply_discount" formnovalidate>${say('checkout.apply')}</button></div></details>`;
}
