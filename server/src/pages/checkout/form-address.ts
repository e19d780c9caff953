import { needsPostalCode, needsState } from '../../shop/address-rules.ts';
import { isCountry } from '../../shop/countries.ts';
import { radios, selectField, textField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import {
  ADDRESS_FIELDS,
  ADDRESS_PARTS,
  type AddressKind,
  type AddressPart,
  addressField,
  REQUIRED_PARTS,
} from './fields.ts';
import type { CheckoutView } from './view.ts';

/** The delivery address with the choice of another billing address, or only the billing address. */
export function addressPart(view: CheckoutView): Html {
  const { checkout, form } = view;
  const { say } = view.language;
  if (!checkout.requires_shipping) {
    return html`<fieldset class="part"><legend><h2>${say('checkout.billing_address')}</h2></legend>${addressFields(view, 'billing')}</fieldset>`;
  }
  return html`
<fieldset class="part"><legend><h2>${say('checkout.delivery_address')}</h2></legend>
${savedAddresses(view)}
${addressFields(view, 'shipping')}</fieldset>
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

/** Links that fill in an address from the address book of the logged-in customer. They work without a script. */
function savedAddresses({ saved, path, language }: CheckoutView): Html | undefined {
  if (saved.length === 0) return undefined;
  const items = saved.map(({ id, first_name, last_name, address1, postal_code, city, country }) => {
    const name = [first_name, last_name].filter(Boolean).join(' ');
    const place = [postal_code, city].filter(Boolean).join(' ');
    const line = [name, address1, place, country && language.country(country)].filter(Boolean).join(', ');
    return html`<li><a href="${path}?change=1&amp;address=${id}" dir="auto">${line}</a></li>`;
  });
  return html`<details class="more"><summary>${language.say('checkout.saved_addresses')}</summary><ul class="saved">${items}</ul></details>`;
}

/** Parts that few addresses have. They are folded away until one of them has a value or a mistake. */
const RARE: readonly AddressPart[] = ['company', 'address2'];

function addressFields(view: CheckoutView, kind: AddressKind): Html {
  const { language, form } = view;
  const { say } = language;
  const country = selectField(form, {
    name: addressField(kind, 'country'),
    label: say('checkout.country'),
    autocomplete: autocomplete(kind, 'country'),
    empty: say('checkout.choose_country'),
    ask: say('checkout.ask_country'),
    choices: language.byName(countriesFor(view, kind)).map((code) => ({ value: code, label: language.country(code) })),
  });
  const textOf = (part: AddressPart) => addressText(view, kind, part);
  const isStateRare = isStateOptional(view, kind);
  const common = ADDRESS_PARTS.filter((part) => part !== 'country' && part !== 'state' && !RARE.includes(part));
  const rare: AddressPart[] = [...RARE, ...(isStateRare ? (['state'] as const) : [])];
  const isOpen = rare.some((part) => {
    const name = addressField(kind, part);
    return form.entered[name] || form.mistakes.some(({ field }) => field === name);
  });
  return html`
<div class="address">${country}${common.map(textOf)}
<div class="state-part" id="${kind}-state">${!isStateRare && textOf('state')}</div></div>
<details class="more"${isOpen && html` open`}><summary>${say('checkout.address_more')}</summary>
<div class="address">${RARE.map(textOf)}
<div class="state-part" id="${kind}-rare-state">${isStateRare && textOf('state')}</div></div></details>`;
}

function addressText(view: CheckoutView, kind: AddressKind, part: AddressPart): Html {
  const { say } = view.language;
  const isOptional = {
    postal_code: isCodeOptional(view, kind),
    state: isStateOptional(view, kind),
    ...{ first_name: true, company: true, address2: true, last_name: false, address1: false, city: false },
    country: false,
  }[part];
  const isAsked = part === 'postal_code' || part === 'state' || REQUIRED_PARTS.some((one) => one === part);
  return textField(view.form, {
    ...ADDRESS_FIELDS[part],
    optional: isOptional,
    label: say(`checkout.${part}`),
    name: addressField(kind, part),
    autocomplete: autocomplete(kind, part),
    ask: isAsked && !isOptional ? say(`checkout.ask_${part}`) : undefined,
  });
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
 * Countries to choose from. The entered country is always included, even if the shop does not ship there; choosing it
 * then reports the missing shipping option.
 */
function countriesFor({ countries, form }: CheckoutView, kind: AddressKind): string[] {
  const entered = form.entered[addressField(kind, 'country')];
  return [...new Set([...countries, ...(entered && isCountry(entered) ? [entered] : [])])];
}

function autocomplete(kind: AddressKind, part: AddressPart): string {
  return `${kind} ${ADDRESS_FIELDS[part].autocomplete}`;
}
