/**
 * Usual settings of a country's shops: currency, language, time zone and VAT rates. The reduced rate is the one that
 * usually applies to food and books. These are defaults that the merchant can change, not advice: rates change after
 * the table's date. Verified in November 2026. Standard rates and currencies match the npm package sales-tax 2.23.0,
 * except Liechtenstein (8.1, with Switzerland since 2024; the package has 7.7) and Bulgaria's currency (the euro since
 * 2026). Sources of reduced rates: parliaments and tax offices: Lithuania (5 for books, lrs.lt 17 June 2025), Sweden (6
 * for books, and for food until the end of 2027, Prop. 2025/26:55) and Finland (13.5, vero.fi). Reduced rates from tax
 * advisers: CZ (12, the only one since Act 349/2023, which exempted books: dauc.cz 12925), EE (9 for books:
 * marosavat.com/manual-vat/estonia), LV (5 for books in Latvian and the languages of the EU since 2026; 12 is for
 * fruit, vegetables and some staples: kpmg.com/lv October 2025, vatupdate.com 26 December 2025), RO (11 for food and
 * books, the only one since Law 141/2025: vatupdate.com/?p=323411) and SK (5 for books and basic food; 19 is for other
 * food: crowe.com/sk, taxadvisory.sk 30 December 2025). The other EU and British rates match the package vatrates
 * 2.0.3.
 */

import type { CountryTaxRate, SettingsPatch } from '@commerce-backend/spec';

export const RATES_AS_OF = '2026-04-01';

export interface UsualCountry {
  currency: string;
  locale: string;
  time_zone: string;
  /** In percent. */
  standard: number;
  /** Null if the country has no reduced rate, or if the reduced rate is 0. */
  reduced: number | null;
  in_eu: boolean;
}

type Row = [
  country: string,
  currency: string,
  locale: string,
  time_zone: string,
  standard: number,
  reduced: number | null,
];

const EU: Row[] = [
  ['AT', 'EUR', 'de-AT', 'Europe/Vienna', 20, 10],
  ['BE', 'EUR', 'fr-BE', 'Europe/Brussels', 21, 6],
  ['BG', 'EUR', 'en', 'Europe/Sofia', 20, 9],
  ['CY', 'EUR', 'en', 'Asia/Nicosia', 19, 5],
  ['CZ', 'CZK', 'en', 'Europe/Prague', 21, 12],
  ['DE', 'EUR', 'de', 'Europe/Berlin', 19, 7],
  ['DK', 'DKK', 'en', 'Europe/Copenhagen', 25, null],
  ['EE', 'EUR', 'en', 'Europe/Tallinn', 24, 9],
  ['ES', 'EUR', 'en', 'Europe/Madrid', 21, 10],
  ['FI', 'EUR', 'en', 'Europe/Helsinki', 25.5, 13.5],
  ['FR', 'EUR', 'fr', 'Europe/Paris', 20, 5.5],
  ['GR', 'EUR', 'en', 'Europe/Athens', 24, 13],
  ['HR', 'EUR', 'en', 'Europe/Zagreb', 25, 5],
  ['HU', 'HUF', 'en', 'Europe/Budapest', 27, 5],
  ['IE', 'EUR', 'en-IE', 'Europe/Dublin', 23, 13.5],
  ['IT', 'EUR', 'en', 'Europe/Rome', 22, 10],
  ['LT', 'EUR', 'en', 'Europe/Vilnius', 21, 5],
  ['LU', 'EUR', 'fr-LU', 'Europe/Luxembourg', 17, 3],
  ['LV', 'EUR', 'en', 'Europe/Riga', 21, 5],
  ['MT', 'EUR', 'en', 'Europe/Malta', 18, 5],
  ['NL', 'EUR', 'en', 'Europe/Amsterdam', 21, 9],
  ['PL', 'PLN', 'en', 'Europe/Warsaw', 23, 5],
  ['PT', 'EUR', 'en', 'Europe/Lisbon', 23, 6],
  ['RO', 'RON', 'en', 'Europe/Bucharest', 21, 11],
  ['SE', 'SEK', 'en', 'Europe/Stockholm', 25, 6],
  ['SI', 'EUR', 'en', 'Europe/Ljubljana', 22, 9.5],
  ['SK', 'EUR', 'en', 'Europe/Bratislava', 23, 5],
];

const OTHERS: Row[] = [
  ['AU', 'AUD', 'en-AU', 'Australia/Sydney', 10, null],
  ['CH', 'CHF', 'de-CH', 'Europe/Zurich', 8.1, 2.6],
  ['GB', 'GBP', 'en-GB', 'Europe/London', 20, 5],
  ['IS', 'ISK', 'en', 'Atlantic/Reykjavik', 24, 11],
  ['JP', 'JPY', 'en', 'Asia/Tokyo', 10, 8],
  ['LI', 'CHF', 'de-LI', 'Europe/Vaduz', 8.1, 2.6],
  ['NO', 'NOK', 'en', 'Europe/Oslo', 25, 15],
  ['NZ', 'NZD', 'en-NZ', 'Pacific/Auckland', 15, null],
];

const usual = new Map<string, UsualCountry>(
  [...EU, ...OTHERS].map(([country, currency, locale, time_zone, standard, reduced], index) => [
    country,
    { currency, locale, time_zone, standard, reduced, in_eu: index < EU.length },
  ]),
);

/** Undefined if the country is not in the table. */
export function usualCountry(code: string): UsualCountry | undefined {
  return usual.get(code);
}

export const EU_COUNTRIES: readonly string[] = EU.map(([country]) => country);

/** The destinations to which a shop ships. */
export type Reach = 'country' | 'eu' | 'world';

type Taxes = Required<Pick<SettingsPatch, 'default_tax_rate' | 'tax_rates'>>;

/**
 * Tax settings for a shop from rates in percent. In the EU, a shop charges its own country's rates in all members until
 * it sells for more than 10,000 euros a year to other members. If it ships abroad, all other destinations are not
 * taxed.
 */
export function taxesOf(country: string, reach: Reach, standard: number, reduced: number | null): Taxes {
  const isEu = usual.get(country)?.in_eu ?? false;
  const taxed = isEu && reach !== 'country' ? [country, ...EU_COUNTRIES.filter((code) => code !== country)] : [country];
  const tax_rates = taxed.flatMap((code): CountryTaxRate[] => [
    { country: code, rate: share(standard) },
    ...(reduced === null ? [] : [{ country: code, class: 'reduced', rate: share(reduced) }]),
  ]);
  return { default_tax_rate: reach === 'country' ? share(standard) : '0', tax_rates };
}

/** 25.5 becomes 0.255. */
function share(percent: number): string {
  return String(Math.round(percent * 100) / 10_000);
}
