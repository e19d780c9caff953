import { expect, test } from 'vitest';
import { countries, countryCode, isCountry } from './countries.ts';

test.each([
  ['DE', 'DE'],
  ['de', 'DE'],
  ['Germany', 'DE'],
  [' united kingdom ', 'GB'],
  ['UK', 'GB'],
  ['United States', 'US'],
  ['Côte d’Ivoire', 'CI'],
])('recognizes %s as the country %s', (text, code) => {
  expect(countryCode(text)).toBe(code);
});

test.each(['', 'ZZ', 'EU', 'Europe', 'Germanyy', 'DEU', '12', 'Unknown Region'])(
  'does not recognize %s as a country',
  (text) => {
    expect(countryCode(text)).toBeUndefined();
  },
);

test('the country list has more than 240 codes, each once, and no reserved or former codes', () => {
  expect(countries().length).toBeGreaterThan(240);
  expect(new Set(countries()).size).toBe(countries().length);
  for (const code of ['DE', 'GB', 'US', 'JP', 'GF']) expect([code, isCountry(code)]).toEqual([code, true]);
  for (const code of ['ZZ', 'XX', 'EU', 'UN', 'UK', 'DD', 'SU', 'IC', 'de', '', 'DEU']) {
    expect([code, isCountry(code)]).toEqual([code, false]);
  }
});
