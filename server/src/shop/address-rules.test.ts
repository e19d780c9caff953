import { expect, test } from 'vitest';
import { hasPostalCode, isPhone, needsPostalCode, needsState } from './address-rules.ts';

test('validates postal codes by country, in common spellings', () => {
  const fits = (country: string, postal_code: string | null) => hasPostalCode({ country, postal_code });

  expect(['10115', ' 10115 ', 'D-10115'].map((code) => fits('DE', code))).toEqual([true, true, true]);
  expect(['', null, 'ABCDE', '1011', '101155'].map((code) => fits('DE', code))).toEqual(Array(5).fill(false));
  expect(fits('NL', '1234ab') && fits('NL', '1234 AB') && fits('GB', 'sw1a 1aa') && fits('GB', 'SW1A1AA')).toBe(true);
  expect(fits('JP', '1540023') && fits('PL', '00950') && fits('US', '94103-1234') && fits('CA', 'K1A0B1')).toBe(true);
  // Some countries need no postal code. Without a known country, no postal code is required either.
  expect(fits('HK', null) && fits('AE', null) && fits('IE', null) && hasPostalCode({ postal_code: 'ABCDE' })).toBe(
    true,
  );
});

test('accepts phone numbers with and without a country code or an extension, and rejects other text', () => {
  expect(isPhone('030 1234567', 'DE') && isPhone('+49 30 1234567', null) && isPhone('+33 1 23 45 67 89', 'DE')).toBe(
    true,
  );
  expect(isPhone('030 1234567', null) && isPhone('(030) 12 34-567', 'DE')).toBe(true);
  expect(['call me', '12', '0', '+49', '1'.repeat(40)].map((phone) => isPhone(phone, 'DE'))).toEqual(
    Array(5).fill(false),
  );
  const unknown = ['call me', '----', '()-./ ()', 'x123', '+call'];
  expect(unknown.map((phone) => [isPhone(phone, null), isPhone(phone, 'US')])).toEqual(
    unknown.map(() => [false, false]),
  );
  const extended = ['(212) 555-0123 ext. 4', '212.555.0123 x45', '212/555-0123', '+1 212 555 0123 ext 9'];
  expect(extended.map((phone) => [isPhone(phone, null), isPhone(phone, 'US')])).toEqual(
    extended.map(() => [true, true]),
  );
});

test('requires a state only in countries whose addresses have one', () => {
  expect(['US', 'CA', 'AU', 'IT', 'JP', 'BR'].every(needsState)).toBe(true);
  expect(['DE', 'FR', 'GB', 'SG', 'NL'].some(needsState)).toBe(false);
  expect(needsState('HK') && !needsPostalCode('HK')).toBe(true);
});
