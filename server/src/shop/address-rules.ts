/** Validates postal codes and phone numbers by country. */

import { createRequire } from 'node:module';
import type { Address } from '@commerce-backend/spec';
import { hasCountryForm, normalPostalCode } from './postal-codes.ts';

const require = createRequire(import.meta.url);
/** Loaded when the first phone number is validated, because the library consists of many modules. */
const phoneNumbers = () => require('libphonenumber-js/min') as typeof import('libphonenumber-js/min');

/**
 * Countries that need a postal code: those whose `require` has a Z in the data of Google's libaddressinput
 * (cpp/src/region_data_constants.cc).
 */
const NEEDS_POSTAL_CODE = new Set(
  `AS AT AU AX BE BL BR CA CH CN DE DK ES FI FK FM FR GB GF GG GL GP GR GS GU IM IN IO IT JE JP KR LI LU MF MH MP MQ MX MY NC NL NO
    NZ PF PL PM PN PR PT PW RE RU SE SG SH SJ SM TC TR TW UA US VI WF YT ZA`.split(/\s+/),
);

/** Countries that need a state or province: those whose `require` has an S in libaddressinput. */
const NEEDS_STATE = new Set(
  `AE AS AU BR CA CN ES FM GU HK HN IN IQ IT JM JP KN KR KY MH MP NR PF PG PW SO SV TW UM US VE VI`.split(' '),
);

/** Whether the hosted pages ask for a state. For compatibility, the API accepts addresses without one. */
export function needsState(country: string): boolean {
  return NEEDS_STATE.has(country);
}

export function needsPostalCode(country: string): boolean {
  return NEEDS_POSTAL_CODE.has(country);
}

export function hasPostalCode({ country, postal_code }: Address): boolean {
  return !country || fitsCountry(postal_code ?? '', country);
}

function fitsCountry(postal_code: string, country: string): boolean {
  const code = normalPostalCode(postal_code);
  return code === '' ? !needsPostalCode(country) : hasCountryForm(code, country);
}

/**
 * The form of a phone number whose country is unknown: at least four digits, with punctuation and an optional
 * extension.
 */
const PHONE_FORM = /^(?=(?:\D*\d){4})[\d\s()/.-]{4,32}(?:(?:;?ext[.=]?|x|#) ?\d{1,7})?$/i;

/**
 * Whether the phone number has a valid length for the country, or for the country of its prefix. Without a country and
 * a prefix, checks only the form.
 */
export function isPhone(phone: string, country: string | null | undefined): boolean {
  if (!country && !phone.trim().startsWith('+')) return PHONE_FORM.test(phone.trim());
  const { isPossiblePhoneNumber } = phoneNumbers();
  return isPossiblePhoneNumber(phone, (country ?? undefined) as Parameters<typeof isPossiblePhoneNumber>[1]);
}

/** The fields that every address for delivery needs. */
export const ADDRESS_FIELDS = ['last_name', 'address1', 'city', 'country'] as const;

/** Returns the fields of a delivery address that are empty or invalid for its country. */
export function missingInAddress(address: Address): string[] {
  return [
    ...ADDRESS_FIELDS.filter((field) => !address[field]),
    ...(hasPostalCode(address) ? [] : ['postal_code']),
    ...(address.phone && !isPhone(address.phone, address.country) ? ['phone'] : []),
  ];
}
