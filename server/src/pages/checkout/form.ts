import { isCountry } from '../../shop/countries.ts';
import { page } from '../parts/document.ts';
import { csrfField, mistakeSummary, radios, selectField, textArea, textField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { byName, countryName, inWords, money } from '../parts/words.ts';
import { ADDRESS_FIELDS, ADDRESS_PARTS, type AddressKind, type AddressPart, addressField } from './fields.ts';
import { summaryLines, summaryTotals } from './order-summary.ts';
import { agentNote, type CheckoutView, isBuyable, PAYMENT_WORDS, steps, summaryOf } from './view.ts';

/** The first step: who buys, where to, how it is delivered and paid. One form, whose buttons say what to do with it. */
export function checkoutForm(view: CheckoutView): string {
  const { checkout, form, shop } = view;
  const pieces = checkout.items.reduce((sum, { quantity }) => sum + quantity, 0);
  const main = html`
${steps('Your details')}
<h1>Your details</h1>
${view.alert}
${agentNote(view)}
${!isBuyable(view) && notBuyable()}
${mistakeSummary('Please check these fields', form.mistakes)}
<p class="strip"><a href="#summary">${pieces === 1 ? '1 item' : `${pieces} items`}</a> <strong>${money(checkout.total, checkout.currency)}</strong></p>
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
<button class="primary" name="action" value="save">${buttonWords(view)}</button>
<p class="after-button">You can check everything before you order.</p>
</form>
${summary(view)}
</div>`;
  return page({
    title: form.mistakes.length > 0 ? 'Mistake: Your details' : 'Your details',
    shop,
    where: 'Checkout',
    main,
  });
}

/** What is said when something in the cart cannot be bought. */
export function notBuyable(): Html {
  return html`
<div class="alert" role="alert">
<h2>Some of the items cannot be bought as they are</h2>
<p>See <a href="#summary">the notes beside them</a>. Remove them here, or change them in your cart at the shop and come back to this page.</p>
</div>`;
}

function buttonWords({ checkout, country }: CheckoutView): string {
  return checkout.requires_shipping && !country ? 'Continue to delivery' : 'Review and pay';
}

function contact({ form }: CheckoutView): Html {
  return html`
<fieldset class="part">
<legend><h2>Contact</h2></legend>
${textField(form, {
  name: 'email',
  label: 'E-mail',
  type: 'email',
  autocomplete: 'email',
  maximum: 254,
  hint: 'We send the order confirmation to this address.',
})}
${textField(form, {
  name: 'phone',
  label: 'Phone',
  type: 'tel',
  autocomplete: 'tel',
  optional: true,
  maximum: 64,
  hint: 'In case of questions about the delivery.',
})}
</fieldset>`;
}

function address(view: CheckoutView): Html {
  const { checkout, form } = view;
  if (!checkout.requires_shipping) {
    return html`<fieldset class="part"><legend><h2>Billing address</h2></legend>${addressFields(view, 'billing')}</fieldset>`;
  }
  return html`
<fieldset class="part"><legend><h2>Delivery address</h2></legend>${addressFields(view, 'shipping')}</fieldset>
<div class="part billing">
${radios(form, {
  name: 'billing',
  legend: 'Billing address',
  choices: [
    { value: 'same', label: 'The same as the delivery address' },
    { value: 'other', label: 'Another address' },
  ],
})}
<fieldset class="billing-fields"><legend>Your billing address</legend>${addressFields(view, 'billing')}</fieldset>
</div>`;
}

function addressFields(view: CheckoutView, kind: AddressKind): Html {
  const country = selectField(view.form, {
    name: addressField(kind, 'country'),
    label: ADDRESS_FIELDS.country.label,
    autocomplete: autocomplete(kind, 'country'),
    empty: 'Choose a country',
    choices: byName(countriesFor(view, kind)).map((code) => ({ value: code, label: countryName(code) })),
  });
  const others = ADDRESS_PARTS.filter((part) => part !== 'country').map((part) =>
    textField(view.form, {
      ...ADDRESS_FIELDS[part],
      name: addressField(kind, part),
      autocomplete: autocomplete(kind, part),
    }),
  );
  return html`<div class="address">${country}${others}</div>`;
}

/** The country that was entered is always among them: what is not delivered to is told after it was chosen. */
function countriesFor({ countries, form }: CheckoutView, kind: AddressKind): string[] {
  const entered = form.entered[addressField(kind, 'country')];
  return [...new Set([...countries, ...(entered && isCountry(entered) ? [entered] : [])])];
}

function autocomplete(kind: AddressKind, part: AddressPart): string {
  return `${kind} ${ADDRESS_FIELDS[part].autocomplete}`;
}

function delivery({ checkout, choices, country, form }: CheckoutView): Html {
  if (!country) {
    return html`
<section class="part" id="shipping_option_id"><h2>Delivery</h2>
<p>Choose your country and continue: the ways of delivery come next.</p></section>`;
  }
  if (choices.length === 0) {
    return html`
<section class="part" id="shipping_option_id"><h2>Delivery</h2>
<p class="warning">There is no delivery to ${countryName(country)} for this order.</p></section>`;
  }
  return html`
<div class="part">
${radios(form, {
  name: 'shipping_option_id',
  legend: 'Delivery',
  hint: `To ${countryName(country)}. Another country may have other ways and prices.`,
  choices: choices.map(({ id, name, description, price }) => ({
    value: id,
    label: name,
    detail: description,
    aside: Number(price) === 0 ? html`Free` : money(price, checkout.currency),
  })),
})}
</div>`;
}

function payment({ checkout, form }: CheckoutView): Html {
  const methods = checkout.payment_methods;
  if (methods.length === 0) {
    return html`<section class="part"><h2>Payment</h2><p class="warning">The shop takes no payments at the moment.</p></section>`;
  }
  return html`
<div class="part">
${radios(form, {
  name: 'payment_method',
  legend: 'Payment',
  choices: methods.map((method) => ({ value: method, ...PAYMENT_WORDS[method] })),
})}
</div>`;
}

function note({ form }: CheckoutView): Html {
  const field = textArea(form, { name: 'note', label: 'Note to the shop', optional: true, maximum: 5_000 });
  return html`<div class="part">${field}</div>`;
}

/** The code belongs to the form, so that what is entered already is kept when the code is applied. */
function summary(view: CheckoutView): Html {
  const { checkout, form } = view;
  const shown = summaryOf(view);
  const code = checkout.discount_code
    ? html`
<p class="applied">Code <span class="code" dir="auto">${checkout.discount_code}</span>
<button form="checkout" class="plain" name="action" value="remove_discount" formnovalidate>Remove<span class="unseen"> the code</span></button></p>
${Number(checkout.discount) === 0 && html`<p class="hint">It takes ${inWords(checkout.discount, checkout.currency)} off these items.</p>`}`
    : html`
<div class="apply">${textField(form, { name: 'discount_code', label: 'Discount code', maximum: 64, form: 'checkout' })}
<button form="checkout" class="secondary" name="action" value="apply_discount" formnovalidate>Apply</button></div>`;
  return html`
<aside class="summary" id="summary" tabindex="-1" aria-labelledby="summary-heading">
<h2 id="summary-heading">Your order</h2>
${summaryLines(shown, view.ownOrigin)}
${code}
${summaryTotals(shown)}
</aside>`;
}
