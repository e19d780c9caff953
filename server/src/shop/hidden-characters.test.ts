import { expect, test } from 'vitest';
import { hiddenCharacterIn, withoutHidden } from './hidden-characters.ts';

test.each([
  ['a\u0000b', 'U+0000'],
  ['a\tb', 'U+0009'],
  ['a\u007fb', 'U+007F'],
  ['a\u0085b', 'U+0085'],
  ['a\u200bb', 'U+200B'],
  ['a\u2060b', 'U+2060'],
  ['\ufeffab', 'U+FEFF'],
  ['\u202egnp.exe', 'U+202E'],
  ['a\u2066b\u2069', 'U+2066'],
  ['Mug \u200d', 'U+200D'],
  ['\u200cMug', 'U+200C'],
  ['M\u200d\u200dug', 'U+200D'],
])('finds a hidden character in %j', (text, expected) => {
  expect(hiddenCharacterIn(text, { lines: false })).toBe(expected);
});

test.each(['می‌خواهم', 'क्‍ष', '👩‍🚀 👩🏽‍🚀 ❤️‍🔥 🏳️‍🌈', 'שלום \u200f!', 'Zoë’s “Café” 🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'a\u00a0b'])(
  'finds no hidden character in %j',
  (text) => {
    expect(hiddenCharacterIn(text, { lines: false })).toBeUndefined();
    expect(withoutHidden(text, { lines: false })).toBe(text);
  },
);

test('removes hidden characters, but keeps line breaks and tabs in multi-line texts', () => {
  expect(withoutHidden('a\r\nb\n\tc\u202ed\re', { lines: true })).toBe('a\r\nb\n\tcde');
  expect(withoutHidden('a\r\nb', { lines: false })).toBe('ab');
});
