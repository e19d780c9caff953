/** Shipping options that apply to a purchase. */

import type { CartWarning, ShippingChoice, ShippingOption } from '@commerce-backend/spec';
import { decimal, minorUnits } from './money.ts';
import type { State, StoredLine } from './state.ts';

interface Destination {
  country?: string | null | undefined;
  state?: string | null | undefined;
  postal_code?: string | null | undefined;
}

export interface Parcel extends Destination {
  /** Subtotal after discount, in minor units. */
  subtotal: number;
  weight_grams: number;
  requires_shipping: boolean;
  free_shipping: boolean;
}

const GRAMS = { kg: 1000, g: 1, lb: 453.592_37, oz: 28.349_523_125 };

export function parcelOf(to: Destination, lines: StoredLine[], subtotal: number, free_shipping: boolean): Parcel {
  const shipped = lines.filter(({ variant }) => variant.requires_shipping);
  const weight_grams = shipped.reduce((sum, { variant, quantity }) => {
    return sum + Math.round(Number(variant.weight ?? 0) * GRAMS[variant.weight_unit]) * quantity;
  }, 0);
  const { country, state, postal_code } = to;
  return { country, state, postal_code, subtotal, weight_grams, requires_shipping: shipped.length > 0, free_shipping };
}

export function choicesAmong(state: State, parcel: Parcel): ShippingChoice[] {
  if (!parcel.requires_shipping) return [];
  return state.shipping_options
    .filter((option) => option.active && fits(option, parcel, state.digits))
    .map(
      ({ id, name, description, kind, price, cash_on_delivery_fee: fee, estimated_days_min, estimated_days_max }) => {
        const free = parcel.free_shipping ? decimal(0, state.digits) : undefined;
        return {
          ...{ id, name, description, kind, price: free ?? price },
          ...{ cash_on_delivery_fee: fee && (free ?? fee), estimated_days_min, estimated_days_max },
        };
      },
    );
}

function fits(option: ShippingOption, parcel: Parcel, digits: number): boolean {
  const { minimum_weight_grams, maximum_weight_grams, minimum_subtotal, maximum_subtotal } = option;
  const { weight_grams, subtotal } = parcel;
  return (
    reaches(option, parcel) &&
    weight_grams >= (minimum_weight_grams ?? 0) &&
    weight_grams <= (maximum_weight_grams ?? Number.POSITIVE_INFINITY) &&
    subtotal >= (minimum_subtotal === null ? 0 : minorUnits(minimum_subtotal, digits)) &&
    subtotal <= (maximum_subtotal === null ? Number.POSITIVE_INFINITY : minorUnits(maximum_subtotal, digits))
  );
}

function reaches({ countries, states, postcode_prefixes }: ShippingOption, to: Destination): boolean {
  const code = folded(to.postal_code ?? '');
  return (
    (countries.length === 0 || countries.includes(to.country ?? '')) &&
    (states.length === 0 || states.some((one) => one.toLowerCase() === to.state?.toLowerCase())) &&
    (postcode_prefixes.length === 0 || postcode_prefixes.some((one) => code !== '' && code.startsWith(folded(one))))
  );
}

function folded(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toUpperCase();
}

/**
 * Returns a warning if no option delivers to the address, even if pickup is possible. Returns none while the country is
 * unknown.
 */
export function undeliverable({ shipping_options }: State, choices: ShippingChoice[], parcel: Parcel): CartWarning[] {
  const { country, requires_shipping } = parcel;
  if (!requires_shipping || !country || choices.some(isDelivery)) return [];
  const deliveries = shipping_options.filter(isDelivery);
  const everywhere = deliveries.some((option) => option.countries.length === 0);
  const countries = everywhere ? [] : [...new Set(deliveries.flatMap((option) => option.countries))].sort();
  const isServed = countries.length === 0 || countries.includes(country);
  const message = isServed
    ? 'The shop has no shipping option for this address.'
    : `The shop does not deliver to this country. It delivers to ${countries.join(', ')}.`;
  const nothing = { previous_price: null, price: null, requested: null, available: null };
  return [{ ...nothing, code: 'address_undeliverable', line_item_id: null, message, countries }];
}

export function isPaidOnReceipt({ kind, cash_on_delivery_fee }: Pick<ShippingOption, 'kind' | 'cash_on_delivery_fee'>) {
  return kind === 'pickup' || cash_on_delivery_fee !== null;
}

function isDelivery({ kind }: Pick<ShippingChoice, 'kind'>): boolean {
  return kind === 'delivery';
}
