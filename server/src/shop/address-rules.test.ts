import { expect, test } from 'vitest';
import { hasPostalCode, isPhone } from './address-rules.ts';

test('postal codes are demanded and judged by the country, in the ways in which people write them', () => {
  const fits = (country: string, postal_code: string | null) => hasPostalCode({ country, postal_code });

  expect(['10115', ' 10115 ', 'D-10115'].map((code) => fits('DE', code))).toEqual([true, true, true]);
  expect(['', null, 'ABCDE', '1011', '101155'].map((code) => fits('DE', code))).toEqual(Array(5).fill(false));
  expect(fits('NL', '1234ab') && fits('NL', '1234 AB') && fits('GB', 'sw1a 1aa') && fits('GB', 'SW1A1AA')).toBe(true);
  expect(fits('JP', '1540023') && fits('PL', '00950') && fits('US', '94103-1234') && fits('CA', 'K1A0B1')).toBe(true);
  // Nothing is required for countries without codes, nor for an address whose country is not known.
  expect(fits('HK', null) && fits('AE', null) && fits('IE', null) && hasPostalCode({ postal_code: 'ABCDE' })).toBe(
    true,
  );
});

test('a phone number is one that could be called, in its country or with the code of one', () => {
  expect(isPhone('030 1234567', 'DE') && isPhone('+49 30 1234567', null) && isPhone('+33 1 23 45 67 89', 'DE')).toBe(
    true,
  );
  expect(isPhone('030 1234567', null) && isPhone('(030) 12 34-567', 'DE')).toBe(true);
  expect(['call me', '12', '0', '+49', '1'.repeat(40)].map((phone) => isPhone(phone, 'DE'))).toEqual(
    Array(5).fill(false),
  );
  expect(isPhone('call me', null)).toBe(false);
});
