/** Fields of the checkout form: their labels, and their paths in a checkout. */

import type * as forms from '../parts/form-parts.ts';

interface Field {
  /** Value of the `autocomplete` attribute. */
  autocomplete?: string;
  optional?: true;
  maximum: number;
}

export const ADDRESS_PARTS = [
  'country',
  'first_name',
  'last_name',
  'company',
  'address1',
  'address2',
  'postal_code',
  'city',
  'state',
] as const;

export type AddressPart = (typeof ADDRESS_PARTS)[number];

/** Parts of an address in display order. The country comes first, because the other parts depend on it. */
export const ADDRESS_FIELDS: Record<AddressPart, Field> = {
  country: { autocomplete: 'country', maximum: 2 },
  first_name: { autocomplete: 'given-name', optional: true, maximum: 255 },
  last_name: { autocomplete: 'family-name', maximum: 255 },
  company: { autocomplete: 'organization', optional: true, maximum: 255 },
  address1: { autocomplete: 'address-line1', maximum: 255 },
  address2: { autocomplete: 'address-line2', optional: true, maximum: 255 },
  postal_code: { autocomplete: 'postal-code', maximum: 32 },
  city: { autocomplete: 'address-level2', maximum: 255 },
  state: { autocomplete: 'address-level1', maximum: 255 },
};

/** Parts that every address needs. */
export const REQUIRED_PARTS = ['country', 'last_name', 'address1', 'city'] as const;

export type AddressKind = 'shipping' | 'billing';

export type FieldName =
  | 'email'
  | 'phone'
  | 'note'
  | 'discount_code'
  | 'shipping_option_id'
  | 'payment_method'
  | 'card_token'
  | 'billing'
  | 'terms'
  | 'marketing'
  | 'digital_consent'
  | `${AddressKind}_${AddressPart}`;

export type Entered = forms.Entered<FieldName>;
export type Mistake = forms.Mistake<FieldName>;
export type FormState = forms.FormState<FieldName>;

export function addressField(kind: AddressKind, part: AddressPart): FieldName {
  return `${kind}_${part}`;
}
