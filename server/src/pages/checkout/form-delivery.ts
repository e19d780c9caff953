import type { ShippingChoice } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import { radios } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { cost } from '../parts/order-summary.ts';
import { rich } from '../parts/words.ts';
import type { CheckoutView } from './view.ts';

/** The delivery options for the country. Hidden fields contain the country, and whether it is only a guess. */
export function deliveryPart({ checkout, choices, country, form, language }: CheckoutView): Html {
  const { say } = language;
  const isGuess = !checkout.shipping_address?.country;
  const shownCountry = html`<input type="hidden" name="shown_country" value="${country}">${isGuess && html`<input type="hidden" name="guessed" value="yes">`}`;
  if (!country) {
    return html`
${shownCountry}<section class="part" id="shipping_option_id"><h2>${say('checkout.delivery')}</h2>
<p>${say('checkout.delivery_country_first')}</p></section>`;
  }
  if (choices.length === 0) {
    return html`
${shownCountry}<section class="part" id="shipping_option_id"><h2>${say('checkout.delivery')}</h2>
<p class="warning">${say('checkout.delivery_nowhere', { country: language.country(country) })}</p></section>`;
  }
  const nowhere = html`<p class="warning">${say('checkout.delivery_nowhere', { country: language.country(country) })}</p>`;
  return html`
${shownCountry}<div class="part">
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

/** States that the shopper can pay on delivery, and shows the fee. */
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
export function paymentPart({ summed, choices, form, language, loginPath }: CheckoutView): Html {
  const { say } = language;
  const offered = summed.payment_methods;
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
