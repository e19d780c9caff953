import { createRequire } from 'node:module';
import type { Address } from '@commerce-backend/spec';
import { hasCountryForm, normalPostalCode } from './postal-codes.ts';

/** What an address must have to be delivered to, by its country. */

const require = createRequire(import.meta.url);
/** Loaded with the first address that is checked: the rules of all countries are many modules. */
const phoneNumbers = () => require('libphonenumber-js/min') as typeof import('libphonenumber-js/min');

/**
 * Where nothing is delivered without a postal code: the countries whose `require` has a Z in the address data of Google's
 * libaddressinput (cpp/src/region_data_constants.cc).
 */
const NEEDS_POSTAL_CODE = new Set(
  `AS AT AU AX BE BL BR CA CH CN DE DK ES FI FK FM FR GB GF GG GL GP GR GS GU IM IN IO IT JE JP KR LI LU MF MH MP MQ MX MY NC NL NO
    NZ PF PL PM PN PR PT PW RE RU SE SG SH SJ SM TC TR TW UA US VI WF YT ZA`.split(/\s+/),
);

/** Where an address is read with its state, province or the like: those whose `require` has an S there. */
const NEEDS_STATE = new Set(
  `AE AS AU BR CA CN ES FM GU HK HN IN IQ IT JM JP KN KR KY MH MP NR PF PG PW SO SV TW UM US VE VI`.split(' '),
);

/** Whether the hosted pages ask for a state: the API takes addresses without one, as it always did. */
export function needsState(country: string): boolean {
  return NEEDS_STATE.has(country);
}

/** Whether nothing is delivered to a country without a postal code. */
export function needsPostalCode(country: string): boolean {
  return NEEDS_POSTAL_CODE.has(country);
}

/** Whether an address has the postal code that its country needs, in a form that the country uses. */
export function hasPostalCode({ country, postal_code }: Address): boolean {
  return !country || fitsCountry(postal_code ?? '', country);
}

function fitsCountry(postal_code: string, country: string): boolean {
  const code = normalPostalCode(postal_code);
  return code === '' ? !needsPostalCode(country) : hasCountryForm(code, country);
}

/** A number with its marks, and perhaps an extension: the form of a number where no country says how long it is. */
const PHONE_FORM = /^(?=(?:\D*\d){4})[\d\s()/.-]{4,32}(?:(?:;?ext[.=]?|x|#) ?\d{1,7})?$/i;

/**
 * Whether a number has as many digits as numbers of the country, or of the country that it names, have. Where no country is known,
 * it need only be a number.
 */
export function isPhone(phone: string, country: string | null | undefined): boolean {
  if (!country && !phone.trim().startsWith('+')) return PHONE_FORM.test(phone.trim());
  const { isPossiblePhoneNumber } = phoneNumbers();
  return isPossiblePhoneNumber(phone, (country ?? undefined) as Parameters<typeof isPossiblePhoneNumber>[1]);
}
