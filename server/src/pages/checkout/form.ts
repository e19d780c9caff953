import type { ShippingChoice } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import { needsPostalCode, needsState } from '../../shop/address-rules.ts';
import { isCountry } from '../../shop/countries.ts';
import { page } from '../parts/document.ts';
import { checkBox, csrfField, mistakeSummary, radios, selectField, textArea, textField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { marketingBox } from '../parts/marketing.ts';
import { cost, summaryLines, summaryTotals } from '../parts/order-summary.ts';
import { money, rich } from '../parts/words.ts';
import { codeInWords } from './codes.ts';
import {
  ADDRESS_FIELDS,
  ADDRESS_PARTS,
  type AddressKind,
  type AddressPart,
  addressField,
  type FieldName,
} from './fields.ts';
import { agentNote, type CheckoutView, isBuyable, steps, summaryOf } from './view.ts';

/** The first step: contact, address, shipping and payment in one form with several submit buttons. */
export function checkoutForm(view: CheckoutView): string {
  const { checkout, form, language, front, back } = view;
  const { say } = language;
  const title = say('checkout.step_details');
  const pieces = checkout.items.reduce((sum, { quantity }) => sum + quantity, 0);
  const main = html`
${steps(language, 'details')}
<h1>${title}</h1>
${view.alert}
${agentNote(view)}
${!isBuyable(view) && notBuyable(language, view.isDraft)}
${mistakeSummary(say('checkout.check_fields'), form.mistakes)}
<p class="strip"><a href="#summary">${say('checkout.pieces', { count: pieces })}</a> <strong>${money(language, checkout.total, checkout.currency)}</strong></p>
<div class="columns">
<form id="checkout" class="entry" method="post" action="${view.path}" novalidate>
${csrfField(view.csrf)}
<input type="hidden" name="fields" value="all">
<input type="hidden" name="shown_country" value="${view.country}">
${contact(view)}
${address(view)}
${checkout.requires_shipping && delivery(view)}
${payment(view)}
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

function address(view: CheckoutView): Html {
  const { checkout, form } = view;
  const { say } = view.language;
  if (!checkout.requires_shipping) {
    return html`<fieldset class="part"><legend><h2>${say('checkout.billing_address')}</h2></legend>${addressFields(view, 'billing')}</fieldset>`;
  }
  return html`
<fieldset class="part"><legend><h2>${say('checkout.delivery_address')}</h2></legend>${addressFields(view, 'shipping')}</fieldset>
<div class="part billing">
${radios(form, {
  name: 'billing',
  legend: say('checkout.billing_address'),
  choices: [
    { value: 'same', label: say('checkout.billing_same') },
    { value: 'other', label: say('checkout.billing_other') },
  ],
})}
<fieldset class="billing-fields"><legend>${say('checkout.your_billing_address')}</legend>${addressFields(view, 'billing')}</fieldset>
</div>`;
}

function addressFields(view: CheckoutView, kind: AddressKind): Html {
  const { language } = view;
  const country = selectField(view.form, {
    name: addressField(kind, 'country'),
    label: language.say('checkout.country'),
    autocomplete: autocomplete(kind, 'country'),
    empty: language.say('checkout.choose_country'),
    choices: language.byName(countriesFor(view, kind)).map((code) => ({ value: code, label: language.country(code) })),
  });
  const others = ADDRESS_PARTS.filter((part) => part !== 'country').map((part) =>
    textField(view.form, {
      ...ADDRESS_FIELDS[part],
      ...(part === 'postal_code' && { optional: isCodeOptional(view, kind) }),
      ...(part === 'state' && { optional: isStateOptional(view, kind) }),
      label: language.say(`checkout.${part}`),
      name: addressField(kind, part),
      autocomplete: autocomplete(kind, part),
    }),
  );
  return html`<div class="address">${country}${others}</div>`;
}

/** Whether to mark the postal code as optional: only if none of the possible countries requires it. */
function isCodeOptional(view: CheckoutView, kind: AddressKind): boolean {
  const chosen = view.form.entered[addressField(kind, 'country')];
  return !(chosen ? [chosen] : countriesFor(view, kind)).some(needsPostalCode);
}

/**
 * Whether to mark the state as optional: always in a billing address, otherwise until a country with states is chosen.
 */
function isStateOptional(view: CheckoutView, kind: AddressKind): boolean {
  const countries = countriesFor(view, kind);
  const chosen =
    view.form.entered[addressField(kind, 'country')] ?? (countries.length === 1 ? countries[0] : undefined);
  return kind === 'billing' || !chosen || !needsState(chosen);
}

/**
 * Countries to choose from. The entered one is always included; if it is not possible, choosing it reports the missing
 * shipping option.
 */
function countriesFor({ countries, form }: CheckoutView, kind: AddressKind): string[] {
  const entered = form.entered[addressField(kind, 'country')];
  return [...new Set([...countries, ...(entered && isCountry(entered) ? [entered] : [])])];
}

function autocomplete(kind: AddressKind, part: AddressPart): string {
  return `${kind} ${ADDRESS_FIELDS[part].autocomplete}`;
}

function delivery({ checkout, choices, country, form, language }: CheckoutView): Html {
  const { say } = language;
  if (!country) {
    return html`
<section class="part" id="shipping_option_id"><h2>${say('checkout.delivery')}</h2>
<p>${say('checkout.delivery_country_first')}</p></section>`;
  }
  if (choices.length === 0) {
    return html`
<section class="part" id="shipping_option_id"><h2>${say('checkout.delivery')}</h2>
<p class="warning">${say('checkout.delivery_nowhere', { country: language.country(country) })}</p></section>`;
  }
  const nowhere = html`<p class="warning">${say('checkout.delivery_nowhere', { country: language.country(country) })}</p>`;
  return html`
<div class="part">
${choices.every(({ kind }) => kind === 'pickup') && nowhere}
${radios(form, {
  name: 'shipping_option_id',
  legend: say('checkout.delivery'),
  hint: say('checkout.delivery_hint', { country: language.country(country) }),
  choices: choices.map((choice) => ({
    value: choice.id,
    label: choice.name,
    detail: [choice.description, onDelivery(language, choice, checkout.currency)].filter(Boolean).join(' ') || null,
    aside: cost(language, choice.price, checkout.currency),
  })),
})}
</div>`;
}

/** States that the shopper can pay on delivery, and the fee for it. */
function onDelivery(language: Language, { cash_on_delivery_fee: fee }: ShippingChoice, currency: string): string {
  if (fee === null) return '';
  return Number(fee) === 0
    ? language.say('checkout.on_delivery')
    : language.say('checkout.on_delivery_for', { fee: language.amount(fee, currency) });
}

/**
 * Renders the choice of payment methods. Payment on delivery is included if any shipping option allows it. If the shop
 * only accepts payment on receipt and no shipping option is chosen yet, shows a notice instead.
 */
function payment({ checkout, choices, form, language, loginPath }: CheckoutView): Html {
  const { say } = language;
  const offered = checkout.payment_methods;
  const isAdded = !offered.includes('manual') && !offered.includes('free') && choices.some(hasFee);
  const methods = isAdded ? [...offered, 'manual' as const] : offered;
  if (methods.length === 0) {
    return html`<section class="part"><h2>${say('checkout.payment')}</h2><p>${say('checkout.payment_on_receipt')}</p></section>`;
  }
  return html`
<div class="part">
${radios(form, {
  name: 'payment_method',
  legend: say('checkout.payment'),
  choices: methods.map((method) => ({
    value: method,
    label: say(`checkout.pay_${method}`),
    detail: say(`checkout.pay_${method}_detail`),
  })),
})}
${loginPath && html`<p class="hint">${rich(language, 'checkout.login_for_invoice', { a: (words) => html`<a href="${loginPath}">${words}</a>` })}</p>`}
</div>`;
}

function hasFee({ cash_on_delivery_fee }: ShippingChoice): boolean {
  return cash_on_delivery_fee !== null;
}

function note({ form, language: { say }, isDraft }: CheckoutView): Html {
  const label = say(isDraft ? 'checkout.note_on_offer' : 'checkout.note');
  const field = textArea(form, { name: 'note', label, optional: true, maximum: 5_000 });
  return html`<div class="part">${field}</div>`;
}

/** The discount code field is part of the form, so that applying a code does not lose other input. */
function summary(view: CheckoutView): Html {
  const { checkout, form, language } = view;
  const { say } = language;
  const chip = html`<span class="chip" dir="auto">${checkout.discount_code}</span>`;
  const shown = summaryOf(view);
  const code = checkout.discount_code
    ? html`
<p class="applied">${rich(language, 'checkout.code', { code: chip })}
<button form="checkout" class="plain" name="action" value="remove_discount" formnovalidate aria-label="${say('checkout.remove_the_code')}">${say('checkout.remove')}</button></p>
${checkout.warnings.flatMap(({ reason }) => (reason ? html`<p class="warning">${codeInWords(language, reason)}</p>` : []))}`
    : html`
<div class="apply">${textField(form, { name: 'discount_code', label: say('checkout.discount_code'), maximum: 64, form: 'checkout' })}
<button form="checkout" class="secondary" name="action" value="apply_discount" formnovalidate>${say('checkout.apply')}</button></div>`;
  return html`
<aside class="summary" id="summary" tabindex="-1" aria-labelledby="summary-heading">
<h2 id="summary-heading">${say('checkout.your_order')}</h2>
${summaryLines(shown, view.ownOrigin)}
${!view.isDraft && code}
${summaryTotals(shown)}
</aside>`;
}
