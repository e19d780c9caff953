/** Totals, missing fields and responses of checkouts. */

import type { Checkout, PaymentMethod, ShippingChoice } from '@commerce-backend/spec';
import { discountOn, forSale, itemsOf, pricedLines, warningsOf } from './carts.ts';
import { decimal, minorUnits, onTheWire, type TaxTerms, type Totals, totalsOf } from './money.ts';
import { reviewToken } from './review.ts';
import { choicesAmong, isPaidOnReceipt, type Parcel, parcelOf, undeliverable } from './shipping.ts';
import type { State, StoredCheckout } from './state.ts';

export interface Priced {
  checkout: StoredCheckout;
  totals: Totals;
  tax: TaxTerms;
  parcel: Parcel;
  choices: ShippingChoice[];
  shipping_option: ShippingChoice | null;
  payment_methods: PaymentMethod[];
  payment_method: PaymentMethod | null;
  missing: string[];
}

export function price(state: State, checkout: StoredCheckout): Priced {
  const lines = forSale(checkout.cart);
  const discount = discountOn(state, checkout.cart);
  const { shipping_address, billing_address } = checkout;
  const tax = taxTermsFor(state, shipping_address?.country ? shipping_address : billing_address);
  const priced = { lines: pricedLines(lines), discount, tax, digits: state.digits };
  const goods = totalsOf({ ...priced, shipping: 0 });
  const left = goods.subtotal - goods.discount;
  const parcel = parcelOf(shipping_address ?? {}, lines, left, discount?.kind === 'free_shipping');
  const choices = choicesAmong(state, parcel);
  const shipping_option = choices.find(({ id }) => id === checkout.shipping_option_id) ?? null;
  const shipping = shipping_option ? minorUnits(shipping_option.price, state.digits) : 0;
  const offered = offeredMethods(state, shipping_option);
  const wanted = checkout.payment_method ?? (shipping_option?.kind === 'pickup' ? 'manual' : null);
  const isFree = totalsOf({ ...priced, shipping }).total === 0;
  const payment_method = isFree ? 'free' : (offered.find((method) => method === wanted) ?? null);
  const fee = payment_method === 'manual' ? minorUnits(shipping_option?.cash_on_delivery_fee ?? '0', state.digits) : 0;
  const totals = totalsOf({ ...priced, shipping: shipping + fee });
  const common = { checkout, totals, tax, parcel, choices, shipping_option, payment_method };
  return { ...common, payment_methods: isFree ? ['free'] : offered, missing: missingOf(common) };
}

function taxTermsFor({ data }: State, address: { country?: string | null; state?: string | null } | null): TaxTerms {
  const here = data.tax_rates.filter(
    ({ country, state }) => country === address?.country && (state === undefined || state === address?.state),
  );
  const ordered = [...here].sort((a, b) => Number(a.state !== undefined) - Number(b.state !== undefined));
  const found = Object.fromEntries(ordered.map((one) => [one.class ?? 'standard', one.rate]));
  const { standard: rate = data.default_tax_rate, ...others } = found;
  return { rate, rates: { zero: '0', ...others }, included: data.prices_include_tax, shipping: data.shipping_tax };
}

export function offeredMethods({ data }: State, option: ShippingChoice | null): PaymentMethod[] {
  return [
    ...(data.bank_details ? ['bank_transfer' as const] : []),
    ...(option && isPaidOnReceipt(option) ? ['manual' as const] : []),
  ];
}

const ADDRESS_FIELDS = ['last_name', 'address1', 'city', 'country'] as const;
/** Formats of postal codes by country. The server knows those of more countries. */
const POSTAL_CODES: Record<string, RegExp> = {
  DE: /^\d{5}$/,
  AT: /^\d{4}$/,
  CH: /^\d{4}$/,
  FR: /^\d{5}$/,
  US: /^\d{5}(-\d{4})?$/,
};

/** Accepts any text that looks like a phone number. The server also checks the length in each country. */
const PHONE = /^(?=(?:\D*\d){4})\+?[\d\s()/.-]{4,32}(?:(?:;?ext[.=]?|x|#) ?\d{1,7})?$/i;

function missingOf({ checkout, parcel, shipping_option, payment_method }: Omit<Priced, 'payment_methods' | 'missing'>) {
  const { email, phone, shipping_address: address } = checkout;
  const missing: string[] = [];
  if (!email) missing.push('email');
  if (phone && !PHONE.test(phone.trim())) missing.push('phone');
  if (parcel.requires_shipping && shipping_option?.kind !== 'pickup') {
    if (!address) missing.push('shipping_address');
    else {
      missing.push(...ADDRESS_FIELDS.filter((field) => !address[field]).map((field) => `shipping_address.${field}`));
      const form = POSTAL_CODES[address.country ?? ''];
      if (form && !form.test(address.postal_code?.trim() ?? '')) missing.push('shipping_address.postal_code');
      if (address.phone && !PHONE.test(address.phone.trim())) missing.push('shipping_address.phone');
    }
  }
  if (parcel.requires_shipping && !shipping_option) missing.push('shipping_option_id');
  if (!payment_method) missing.push('payment_method');
  return missing;
}

/** Warnings about the postal address. None for pickup, which needs no delivery. */
function addressWarnings(state: State, { choices, parcel, shipping_option }: Priced) {
  return shipping_option?.kind === 'pickup' ? [] : undeliverable(state, choices, parcel);
}

/** Fields of a shipping option that an order does not store. It stores only name, kind and price. */
const NO_LONGER_KNOWN = {
  ...{ description: null, cash_on_delivery_fee: null },
  ...{ estimated_days_min: null, estimated_days_max: null },
};

export function checkoutView(state: State, priced: Priced): Checkout {
  const { checkout, totals, tax, shipping_option, payment_method, payment_methods, missing } = priced;
  const { id, cart, order, customer_id, email, phone, shipping_address, billing_address, note } = checkout;
  const isOpen = checkout.status === 'open' || checkout.status === 'ready';
  const ended = checkout.status === 'cancelled' || order !== null;
  return {
    ...{ id, cart_id: cart.id, customer_id, email, phone, shipping_address, billing_address, note },
    status: isOpen ? (missing.length === 0 ? 'ready' : 'open') : checkout.status,
    checkout_url: ended ? null : `${state.baseUrl}/checkout/${id}`,
    ...{ requires_shipping: priced.parcel.requires_shipping, payment_method },
    shipping_option: order && shipping_option ? { ...shipping_option, ...NO_LONGER_KNOWN } : shipping_option,
    payment_methods: order ? (payment_method ? [payment_method] : []) : payment_methods,
    items: itemsOf(state, cart).map((item) => (order ? { ...item, available: true } : item)),
    ...{ currency: state.data.currency, ...onTheWire(totals, state.digits) },
    review_token: ended ? null : reviewToken(state, priced),
    discount_code: cart.discount?.code ?? null,
    discount_allocations: totals.allocations.map((one) => ({
      ...{ line_item_id: one.id, amount_off: decimal(one.amount, state.digits) },
    })),
    tax_included: tax.included,
    warnings: ended ? [] : [...warningsOf(state, cart), ...addressWarnings(state, priced)],
    ...{ missing: ended ? [] : missing, payment: null, reserved_until: checkout.reserved_until },
    ...{ expires_at: checkout.expires_at, order_id: order?.id ?? null, order_number: order?.order_number ?? null },
    ...{ created_at: checkout.created_at, updated_at: checkout.updated_at, locale: checkout.locale },
    ...{
      return_url: checkout.return_url,
      cancel_url: checkout.cancel_url,
      marketing_opt_in: checkout.marketing_opt_in,
      digital_consent_wording: checkout.digital_consent_wording,
      has_digital_goods: cart.lines.some(({ variant }) => variant.product.input.withdrawal_exempt === 'digital'),
    },
  };
}
