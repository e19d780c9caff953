import { expect, test } from 'vitest';
import { bankCode, percentOf, readRate, webAddress, webOrigin } from './typed-text.ts';

test.each([
  'DE89370400440532013000',
  'DE89 3704 0044 0532 0130 00',
  'de89-3704-0044-0532-0130-00',
  'DE89\u00a03704\u202f0044–0532—0130‐00',
  ' ＤＥ８９ 3704 0044 0532 0130 00 ',
])('reads %j as the IBAN DE89370400440532013000', (text) => {
  expect(bankCode(text)).toBe('DE89370400440532013000');
});

test.each([
  ['19', '0.19'],
  ['19 %', '0.19'],
  ['19%', '0.19'],
  ['１９', '0.19'],
  [' 7,7 ', '0.077'],
  ['7.25%', '0.0725'],
  ['10', '0.1'],
  ['100', '1'],
  ['0', '0'],
  ['0.5 %', '0.005'],
  ['1 %', '0.01'],
])('parses the tax rate input %j as %s', (text, rate) => {
  expect(readRate(text).amount).toBe(rate);
});

test.each(['101', '19.123', '-5', 'abc', ''])('rejects the tax rate input %j', (text) => {
  expect(readRate(text).amount).toBeUndefined();
});

test('rejects an ambiguous tax rate, and shows both meanings', () => {
  expect(readRate('0.19').problem).toBe('0.19 can mean 19 % or 0.19 %: enter 19 or 0.19 %.');
  expect(readRate('1').problem).toBe('1 can mean 100 % or 1 %: enter 100 or 1 %.');
});

test('shows tax rates in percent', () => {
  expect(['0.19', '0.055', '0.005', '1', '0'].map(percentOf)).toEqual(['19', '5.5', '0.5', '100', '0']);
});

test('encodes spaces in a URL, and writes an origin like browsers', () => {
  expect(webAddress(' https://shop.example/my logo.png ')).toBe('https://shop.example/my%20logo.png');
  expect(webOrigin('HTTPS://Shop.example/')).toBe('https://shop.example');
});
