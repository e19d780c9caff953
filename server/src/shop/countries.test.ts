import { expect, test } from 'vitest';
import { countryCode } from './countries.ts';

test.each([
  ['DE', 'DE'],
  ['de', 'DE'],
  ['Germany', 'DE'],
  [' united kingdom ', 'GB'],
  ['UK', 'GB'],
  ['United States', 'US'],
  ['Côte d’Ivoire', 'CI'],
])('%s is the country %s', (text, code) => {
  expect(countryCode(text)).toBe(code);
});

test.each(['', 'ZZ', 'EU', 'Europe', 'Germanyy', 'DEU', '12', 'Unknown Region'])('%s is no country', (text) => {
  expect(countryCode(text)).toBeUndefined();
});
