/** Converts between the form, whose fields are text, and the contract's `CheckoutPatch`. */

import type { Address, Checkout, CheckoutPatch, ShippingChoice } from '@commerce-backend/spec';
import { valueErrors } from '../../http/contract/validator.ts';
import type { Language } from '../../language/language.ts';
import { isPhone } from '../../shop/address-rules.ts';
import { readableEmail } from '../../shop/emails.ts';
import type { FormBody } from '../parts/form-body.ts';
import {
  ADDRESS_PARTS,
  type AddressKind,
  type AddressPart,
  addressField,
  type Entered,
  type FieldName,
  type Mistake,
  REQUIRED_PARTS,
} from './fields.ts';

const NAMES: readonly FieldName[] = [
  'email',
  'phone',
  'note',
  'discount_code',
  'shipping_option_id',
  'payment_method',
  'card_token',
  'terms',
  'marketing',
  'digital_consent',
  'billing',
  ...(['shipping', 'billing'] as const).flatMap((kind) => ADDRESS_PARTS.map((part) => addressField(kind, part))),
];

/** Values of the form's fields. */
export function enteredIn(body: FormBody): Entered {
  return Object.fromEntries(NAMES.flatMap((name) => (body.has(name) ? [[name, body.get(name)]] : [])));
}

/**
 * Initial values of the form: those of the checkout. If none is chosen yet, the cheapest delivery is selected, and card
 * payment or the only payment method.
 */
export function enteredBefore(checkout: Checkout, { country, choices }: Prefill): Entered {
  const { email, phone, note, shipping_address, billing_address, shipping_option, payment_methods } = checkout;
  const [method, ...others] = payment_methods;
  const usual = payment_methods.find((one) => one === 'card') ?? (others.length === 0 ? method : undefined);
  return given({
    email: email && readableEmail(email),
    phone,
    note,
    shipping_option_id: (choices.find(({ id }) => id === shipping_option?.id) ?? cheapest(choices))?.id,
    payment_method: checkout.payment_method ?? usual,
    marketing: checkout.marketing_opt_in ? 'yes' : undefined,
    digital_consent: checkout.digital_consent_wording ? 'yes' : undefined,
    billing: billing_address ? 'other' : 'same',
    ...fieldsOf('shipping', { country, ...given(shipping_address ?? {}) }),
    ...fieldsOf('billing', billing_address ?? {}),
  });
}

interface Prefill {
  country: string | null;
  choices: readonly ShippingChoice[];
}

/** The cheapest delivery, or the cheapest pickup if there is no delivery. */
export function cheapest(choices: readonly ShippingChoice[]): ShippingChoice | undefined {
  const deliveries = choices.filter(({ kind }) => kind === 'delivery');
  return [...(deliveries.length > 0 ? deliveries : choices)].sort((a, b) => Number(a.price) - Number(b.price))[0];
}

function given<T extends object>(values: T): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value));
}

function fieldsOf(kind: AddressKind, address: Address): Entered {
  return Object.fromEntries(ADDRESS_PARTS.map((part) => [addressField(kind, part), address[part]]));
}

/**
 * The change that a form requests. A shipping option for another country is omitted, because the shopper has to choose
 * again.
 */
export function patchOf(entered: Entered, checkout: Checkout, shownCountry: string | undefined): CheckoutPatch {
  const shipping = addressOf('shipping', entered, checkout.shipping_address);
  const billing = addressOf('billing', entered, checkout.billing_address);
  const choosesDelivery = checkout.requires_shipping && shipping?.country === shownCountry;
  const method = entered.payment_method as CheckoutPatch['payment_method'];
  return {
    email: entered.email ?? null,
    phone: entered.phone ?? null,
    note: entered.note ?? null,
    ...(checkout.requires_shipping && { shipping_address: shipping }),
    billing_address: checkout.requires_shipping && entered.billing !== 'other' ? null : billing,
    ...(choosesDelivery && { shipping_option_id: entered.shipping_option_id ?? null }),
    ...(entered.payment_method !== 'free' && { payment_method: method ?? null }),
  };
}

/**
 * The entered postal address; null if no part is entered. A phone number of the previous address, which the form does
 * not contain, is kept if it is valid for the country.
 */
function addressOf(kind: AddressKind, entered: Entered, before: Address | null) {
  const parts = ADDRESS_PARTS.map((part) => [part, entered[addressField(kind, part)] ?? null] as const);
  if (parts.every(([, value]) => value === null)) return null;
  const address: Address = Object.fromEntries(parts);
  return before?.phone && isPhone(before.phone, address.country) ? { ...address, phone: before.phone } : address;
}

/** Validates the entered values. Returns a message for each invalid field. */
export function entryMistakes(language: Language, patch: CheckoutPatch, entered: Entered): Mistake[] {
  const errors = valueErrors('CheckoutPatch', patch);
  const fields = errors.map(({ instancePath }) => fieldAt(instancePath.split('/').slice(2)));
  const wrong = [...new Set(fields)].map((field) => ({ field, message: wordsFor(language, field) }));
  const billing = entered.billing === 'other' ? REQUIRED_PARTS.map((part) => addressField('billing', part)) : [];
  const empty = billing
    .filter((field) => !entered[field])
    .map((field) => ({ field, message: askFor(language, field) }));
  return inOrder([...wrong, ...empty]);
}

/** The change with its invalid fields set to null, as if they had been left empty. */
export function withoutWrong(patch: CheckoutPatch, wrong: readonly Mistake[]): CheckoutPatch {
  const fields = new Set(wrong.map(({ field }) => field));
  const emptied = (kind: AddressKind, address: CheckoutPatch['shipping_address']) =>
    address &&
    Object.fromEntries(
      Object.entries(address).map(([part, value]) => [
        part,
        fields.has(addressField(kind, part as AddressPart)) ? null : value,
      ]),
    );
  const kept = Object.entries(patch).map(([name, value]) => [name, fields.has(name as FieldName) ? null : value]);
  const { shipping_address, billing_address, ...rest }: CheckoutPatch = Object.fromEntries(kept);
  return {
    ...rest,
    ...(shipping_address !== undefined && { shipping_address: emptied('shipping', shipping_address) }),
    ...(billing_address !== undefined && { billing_address: emptied('billing', billing_address) }),
  };
}

/** Combines lists of mistakes. Keeps the first mistake of each field. */
export function together(...lists: Mistake[][]): Mistake[] {
  const all = lists.flat();
  return inOrder(all.filter(({ field }, i) => all.findIndex((other) => other.field === field) === i));
}

function fieldAt([first = '', second]: string[]): FieldName {
  if (first === 'shipping_address' || first === 'billing_address') {
    return addressField(first === 'shipping_address' ? 'shipping' : 'billing', (second ?? 'country') as AddressPart);
  }
  return first as FieldName;
}

function wordsFor({ say }: Language, field: FieldName): string {
  if (field === 'email') return say('checkout.ask_email_form');
  if (field === 'shipping_option_id') return say('checkout.ask_delivery');
  if (field === 'payment_method') return say('checkout.ask_payment');
  const part = partOf(field);
  if (part === 'country') return say('checkout.ask_country_listed');
  return say('checkout.too_long', { field: say(`checkout.${part}`) });
}

/** Reports the fields that a checkout still needs. */
export function mistakesOfMissing(language: Language, missing: readonly string[]): Mistake[] {
  const fields = missing.flatMap((name): FieldName[] => {
    if (name === 'shipping_address') return REQUIRED_PARTS.map((part) => addressField('shipping', part));
    // The form has a single phone field for the contact and the address.
    return [name === 'shipping_address.phone' ? 'phone' : fieldAt(name.split('.'))];
  });
  return inOrder([...new Set(fields)].map((field) => ({ field, message: askFor(language, field) })));
}

function askFor(language: Language, field: FieldName): string {
  if (field === 'shipping_option_id' || field === 'payment_method') return wordsFor(language, field);
  return language.say(field === 'email' ? 'checkout.ask_email' : `checkout.ask_${partOf(field)}`);
}

/** The part of the postal address that a field contains, or `phone` or `note`. */
function partOf(field: FieldName): AddressPart | 'phone' | 'note' {
  const part = field.replace(/^(?:shipping|billing)_/, '');
  return ADDRESS_PARTS.find((known) => known === part) ?? (field === 'phone' ? 'phone' : 'note');
}

/** Sorts mistakes by the order of the fields on the page. */
function inOrder(mistakes: Mistake[]): Mistake[] {
  const places: readonly (FieldName | undefined)[] = [
    'email',
    'phone',
    ...ADDRESS_PARTS.map((part) => addressField('shipping', part)),
    ...ADDRESS_PARTS.map((part) => addressField('billing', part)),
    'shipping_option_id',
    'payment_method',
    'note',
  ];
  return mistakes.toSorted((a, b) => places.indexOf(a.field) - places.indexOf(b.field));
}
