/** The tax rates that apply to an address. */

import type { Address, CountryTaxRate, ShippingTax, ValidationErrorItem } from '@commerce-backend/spec';
import { bodyMistake } from './errors.ts';
import { stateKey } from './states.ts';
import { STANDARD_CLASS, type TaxTerms } from './totals.ts';

export interface TaxSettings {
  prices_include_tax: boolean;
  default_tax_rate: string;
  tax_rates: CountryTaxRate[];
  shipping_tax: ShippingTax;
}

const NOT_TAXED = { zero: '0' };

/**
 * Returns the tax rates at an address by tax class. The rate for the state takes precedence over the rate for the
 * country. Without either, the standard class has the default rate.
 */
export function taxTermsFor(
  { tax_rates, default_tax_rate, prices_include_tax, shipping_tax }: TaxSettings,
  address: Pick<Address, 'country' | 'state'> | null,
): TaxTerms {
  const country = address?.country ?? null;
  const state = country && address?.state ? stateKey(country, address.state) : null;
  const here = tax_rates.filter(
    (rate) => rate.country === country && (rate.state === undefined || stateKey(rate.country, rate.state) === state),
  );
  // Rates without a state come first, so that a rate for the state replaces them.
  const ordered = here.toSorted((a, b) => Number(a.state !== undefined) - Number(b.state !== undefined));
  const found = Object.fromEntries(ordered.map((rate) => [classOf(rate), rate.rate]));
  const { [STANDARD_CLASS]: rate = default_tax_rate, ...others } = found;
  return { rate, rates: { ...NOT_TAXED, ...others }, included: prices_include_tax, shipping: shipping_tax };
}

function classOf({ class: tax_class = STANDARD_CLASS }: CountryTaxRate): string {
  return tax_class;
}

/** Reports repeated rates, which would be ambiguous. */
export function repeatedRates(rates: CountryTaxRate[]): ValidationErrorItem[] {
  const keys = rates.map((rate) => JSON.stringify([rate.country, keyOfState(rate), classOf(rate)]));
  return keys.flatMap((key, i) =>
    keys.indexOf(key) < i
      ? [
          bodyMistake(
            ['tax_rates', i, 'country'],
            'value_error',
            'This country already has a rate for the same state and class. Remove one of them.',
          ),
        ]
      : [],
  );
}

function keyOfState({ country, state }: CountryTaxRate): string | null {
  return state === undefined ? null : stateKey(country, state);
}
