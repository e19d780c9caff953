/** The address for which the form shows delivery options and totals, before it is stored. */

import type { Checkout, CustomerAddress } from '@commerce-backend/spec';
import type { Request } from 'express';
import { isCountry } from '../../shop/countries.ts';
import type { Destination } from '../../shop/shipping/choices.ts';
import { ADDRESS_PARTS, addressField, type Entered } from './fields.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Values for the form from the page's query: the saved address with the id in the query, or the destination and choices
 * that the page's script sends to load the delivery options. Invalid values are ignored.
 */
export function enteredInQuery(query: Request['query'], saved: readonly CustomerAddress[]): Entered {
  const address = saved.find(({ id }) => id === query.address);
  if (address) {
    return Object.fromEntries(
      ADDRESS_PARTS.map((part) => [addressField('shipping', part), address[part] ?? undefined]),
    );
  }
  const { country, postal_code, state, option, payment } = query;
  if (typeof country !== 'string' || !isCountry(country)) return {};
  return {
    shipping_country: country,
    shipping_postal_code: textIn(postal_code, 32),
    shipping_state: textIn(state, 255),
    ...(typeof option === 'string' && UUID.test(option) && { shipping_option_id: option }),
    ...(typeof payment === 'string' && payment && { payment_method: payment }),
  };
}

function textIn(value: Request['query'][string], maximum: number): string | undefined {
  return typeof value === 'string' && value.length <= maximum ? value.trim() || undefined : undefined;
}

interface Guess extends Pick<Checkout, 'shipping_address'> {
  /** Countries to which the shop delivers. */
  countries: readonly string[];
  /** The shop's country. */
  home: string | undefined;
  /** The browser's languages, the preferred one first. */
  languages: readonly string[];
}

/**
 * The destination: the entered one, otherwise the stored one, otherwise the only country or the browser's region or the
 * shop's country. Many browsers outside of the United States report en-US, so this region comes last.
 */
export function destinationOf(
  { shipping_country, shipping_postal_code, shipping_state }: Entered,
  { shipping_address, countries, home, languages }: Guess,
): Destination & { country: string | null } {
  if (shipping_country && isCountry(shipping_country)) {
    return { country: shipping_country, postal_code: shipping_postal_code, state: shipping_state };
  }
  if (shipping_address?.country) return { ...shipping_address, country: shipping_address.country };
  const regions = languages.flatMap((language) => /^[a-z]{2,3}-([A-Z]{2})$/i.exec(language)?.[1]?.toUpperCase() ?? []);
  const likely = [...regions.filter((region) => region !== 'US'), home, ...regions];
  const only = countries.length === 1 ? countries[0] : undefined;
  return { ...shipping_address, country: only ?? likely.find((one) => one && countries.includes(one)) ?? null };
}
