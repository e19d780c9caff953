import { expect, test } from 'vitest';
import { safeReturnUrl, safeUrl, withOrder } from './return-urls.ts';

const RULES = {
  site_id: 'a',
  storefront_url: 'https://shop.example/de/',
  allowed_origins: ['https://other.example:8443'],
};
const hosts = {
  addressOf: () => '',
  originsOf: (site_id: string) => (site_id === 'a' ? ['https://pay.shop.example'] : []),
};
const PUBLIC = { baseUrl: 'https://commerce.example', hosts };
const LOCAL = { baseUrl: 'http://localhost:3000', hosts };

test.each([
  ['https://shop.example', 'https://shop.example/'],
  ['HTTPS://SHOP.example:443/thanks?a=b%20c#d', 'https://shop.example/thanks?a=b%20c#d'],
  ['https://other.example:8443/x', 'https://other.example:8443/x'],
  ['https://shop.example/@x', 'https://shop.example/@x'],
  ['https://pay.shop.example/x', 'https://pay.shop.example/x'],
])('allows the return URL %s, and normalizes it like browsers', (given, kept) => {
  expect(safeReturnUrl(given, RULES, PUBLIC)).toBe(kept);
});

test.each([
  'http://shop.example/',
  'https://shop.example.evil.example/',
  'https://evil.example/?https://shop.example',
  'https://shop.example@evil.example/',
  'https://@shop.example/',
  'https://a:b@shop.example/',
  'https:\\\\shop.example/',
  'https://shop.example\\@evil.example/',
  'https:shop.example',
  'https:///shop.example/',
  '//shop.example/',
  'javascript:alert(1)//https://shop.example',
  'https://shop.example/\r\nLocation: https://evil.example',
  'https://shop.example/\u0000',
  'https://shop.example/\u202e',
  ' https://shop.example/',
  'https://shop.example:444/',
  'https://other.example/',
  'https://xn--shp-0na.example/',
  `https://shop.example/${'a'.repeat(2048)}`,
  'http://localhost:5173/',
  'https://shop%2eexample/',
  'https://sho%70.example/',
])('rejects the return URL %s', (given) => {
  expect(safeReturnUrl(given, RULES, PUBLIC)).toBeUndefined();
});

test('a shop without origins allows no return URL, and localhost is allowed only if the server has no https', () => {
  const none = { site_id: 'b', storefront_url: null, allowed_origins: [] };
  const local = { site_id: 'b', storefront_url: 'http://localhost:5173/', allowed_origins: [] };

  expect(safeReturnUrl('https://shop.example/', none, PUBLIC)).toBeUndefined();
  expect(safeReturnUrl('https://pay.shop.example/', none, PUBLIC)).toBeUndefined();
  expect(safeReturnUrl('http://localhost:5173/cart', local, LOCAL)).toBe('http://localhost:5173/cart');
  expect(safeReturnUrl('http://localhost:5173/cart', local, PUBLIC)).toBeUndefined();
  expect(safeReturnUrl('http://127.0.0.1:5173/', local, LOCAL)).toBeUndefined();
});

test('adds the order id to the query of the return URL', () => {
  expect(withOrder('https://shop.example/thanks?order_id=x&a=1#end', '42')).toBe(
    'https://shop.example/thanks?order_id=42&a=1#end',
  );
});

test('rejects URLs with an encoded or numeric host, and converts international hosts to ASCII', () => {
  for (const hidden of ['https://0x7f.1/', 'https://127.1/', 'https://2130706433/', 'https://shop%2Eexample/']) {
    expect(safeUrl(hidden, PUBLIC.baseUrl), hidden).toBeUndefined();
  }
  expect(safeUrl('https://BÜCHER.example:8443/', PUBLIC.baseUrl)?.host).toBe('xn--bcher-kva.example:8443');
  expect(safeUrl('https://203.0.113.7/', PUBLIC.baseUrl)?.host).toBe('203.0.113.7');
});
