import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sanitizeMerchantText } from './merchant-text.ts';

test.each([
  ['<b>Mug</b> <script>alert(1)</script>of clay', 'Mug of clay'],
  ['Mug &lt;img src=x onerror=alert(1)&gt; of clay', 'Mug of clay'],
  ['Mug\u202Egum\u202C', 'Muggum'],
  ['M\u200Bu\u200Dg\uFEFF', 'Mug'],
  ['Mug\u{E0049}\u{E0067}\u{E006E}', 'Mug'],
  ['Mug\u0000\u001B[31m red', 'Mug [31m red'],
  ['See https://evil.example/x?y and www.evil.test now', 'See [address removed] and [address removed] now'],
  ['See evil.com/pay now', 'See [address removed] now'],
  ['See evil。com now', 'See [address removed] now'],
  ['javascript:alert(1)', '[address removed]'],
  ['ｈｔｔｐｓ：／／evil.example/x', '[address removed]'],
  ['Cup 3.5 in. by Dr. Oak Inc.', 'Cup 3.5 in. by Dr. Oak Inc.'],
  ['a < b and c > d', 'a < b and c > d'],
  ['  two\n\nlines ', 'two lines'],
])("sanitizes the merchant's text %j to %j", (text, told) => {
  expect(sanitizeMerchantText(text, 200)).toBe(told);
});

test('returns null for empty text and truncates long text between characters', () => {
  expect(sanitizeMerchantText('', 10)).toBeNull();
  expect(sanitizeMerchantText('\u200B', 10)).toBeNull();
  expect(sanitizeMerchantText('🙂'.repeat(20), 10)).toBe(`${'🙂'.repeat(9)}…`);
});

test('the sanitized text of merchants contains no invisible characters, tags or URLs', () => {
  const part = fc.constantFrom(
    '<',
    '>',
    '</',
    'script',
    'img',
    '&lt;',
    '&#60;',
    '&amp;',
    '\u202E',
    '\u200B',
    '\u{E0041}',
    ' ',
    'http',
    '://',
    'www.',
    'a',
    '\n',
    ';',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(part, fc.string()), { maxLength: 30 }), (parts) => {
      const told = sanitizeMerchantText(parts.join(''), 1_000) ?? '';
      expect(told).not.toMatch(/<[a-z!/?]/i);
      expect(told).not.toMatch(/[\p{Cc}\p{Cf}\p{Co}]/u);
      expect(told).not.toMatch(/:\/\/|www\.[^.\s]/i);
    }),
    { numRuns: 500 },
  );
});
