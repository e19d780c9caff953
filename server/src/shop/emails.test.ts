import { expect, test } from 'vitest';
import { canonicalEmail, foldEmail, isEmail, readableEmail, suggestedEmail } from './emails.ts';

test.each([
  'lena@example.com',
  'Lena.O+shop@sub.example.co.uk',
  'info@müller.de',
  'info@xn--mller-kva.de',
  'оля@почта.рф',
  'a@b.io',
  'lena@1und1.de',
  "o'neill@example.museum",
])('accepts %s as an e-mail address', (email) => expect(isEmail(email)).toBe(true));

test.each([
  'lena@mail',
  'a@b',
  'a@example..com',
  'a@.example.com',
  'a@example.com.',
  'a@-example.com',
  'a@exam_ple.com',
  'a@192.168.0.1',
  'a@example.c',
  'a@example.123',
  'a@@example.com',
  'lena',
  '@example.com',
  'le na@example.com',
  'lena@exa mple.com',
  `lena@${'a'.repeat(64)}.com`,
  `lena@${'ü'.repeat(62)}.de`,
  `${'x'.repeat(65)}@example.com`,
])('rejects %s as an e-mail address', (email) => expect(isEmail(email)).toBe(false));

test('converts spellings of an international domain to one form, and displays the domain with its letters', () => {
  expect(canonicalEmail('Info@MÜLLER.de')).toBe('Info@xn--mller-kva.de');
  expect(canonicalEmail('Info@mu\u0308ller.de')).toBe('Info@xn--mller-kva.de');
  expect(foldEmail('Info@Xn--Mller-Kva.DE')).toBe('info@xn--mller-kva.de');
  expect(readableEmail('Info@xn--mller-kva.de')).toBe('Info@müller.de');
  expect(readableEmail('lena@example.com')).toBe('lena@example.com');
});

test.each([
  ['gmial.com', 'gmail.com'],
  ['gmai.com', 'gmail.com'],
  ['gmail.con', 'gmail.com'],
  ['gmail.co', 'gmail.com'],
  ['hotmial.com', 'hotmail.com'],
  ['yaho.com', 'yahoo.com'],
  ['outlok.de', 'outlook.de'],
  ['t-onlin.de', 't-online.de'],
])('suggests a correction for an e-mail address at %s: %s', (typed, meant) => {
  expect(suggestedEmail(`Lena@${typed}`)).toBe(`lena@${meant}`);
});

test.each([
  'gmail.com',
  'ymail.com',
  'mail.com',
  'mail.de',
  'example.com',
  'gmx.at',
  'web.de',
  'me.com',
  'alder.example',
])('suggests no correction for %s', (domain) => expect(suggestedEmail(`lena@${domain}`)).toBeUndefined());
