import { IntlMessageFormat } from 'intl-messageformat';
import { expect, test } from 'vitest';
import { Language } from './language.ts';
import { chooseLocale, LANGUAGES } from './locales.ts';
import { MESSAGES } from './messages.ts';

type Node = ReturnType<IntlMessageFormat['getAst']>[number];

/** Names of the arguments and tags in a message, including nested ones. */
function namesIn(nodes: Node[]): string[] {
  return nodes.flatMap((node) => {
    if (!('value' in node) || typeof node.value !== 'string') return [];
    const inside = 'children' in node ? namesIn(node.children as Node[]) : [];
    const options =
      'options' in node ? Object.values(node.options).flatMap(({ value }) => namesIn(value as Node[])) : [];
    // Type 0 is literal text, which has no name.
    return [...(node.type === 0 ? [] : [node.value]), ...inside, ...options];
  });
}

function readAll(code: (typeof LANGUAGES)[number]) {
  return Object.entries(MESSAGES[code]).flatMap(([area, texts]) =>
    Object.entries(texts).map(([name, text]) => {
      const names = new Set(namesIn(new IntlMessageFormat(text, code).getAst()));
      return { key: `${area}.${name}`, text, names: [...names].sort() };
    }),
  );
}

test.each(LANGUAGES)(
  'the language %s has a translation of every English message, with the same placeholders',
  (code) => {
    const told = (read: ReturnType<typeof readAll>) =>
      read.map(({ key, names }) => `${key}(${names.join(', ')})`).sort();

    const texts = readAll(code);

    expect(texts.length).toBeGreaterThan(300);
    expect(told(texts)).toEqual(told(readAll('en')));
    expect(texts.filter(({ text }) => text.trim() === '')).toEqual([]);
  },
);

test('no translation of more than three words equals its English message', () => {
  const english = new Map(readAll('en').map(({ key, text }) => [key, text]));
  for (const code of ['de', 'fr'] as const) {
    const same = readAll(code).filter(({ key, text }) => text === english.get(key) && text.split(' ').length > 3);
    expect(same).toEqual([]);
  }
});

test('formats amounts, dates, times and countries for the reader’s locale', () => {
  const german = new Language('de', 'Europe/Berlin');
  const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ');

  expect(plain(german.amount('36.00', 'EUR'))).toBe('36,00 €');
  expect(plain(german.amount('123456789012.90', 'EUR'))).toBe('123.456.789.012,90 €');
  expect(german.moment('2026-07-01T22:30:00.000Z')).toBe('Donnerstag, 2. Juli 2026, 00:30 MESZ');
  expect(german.byName(['AT', 'FR', 'EG']).map((code) => german.country(code))).toEqual([
    'Ägypten',
    'Frankreich',
    'Österreich',
  ]);
  expect(plain(new Language('fr', 'UTC').amount('1234.50', 'EUR'))).toBe('1 234,50 €');
  expect(plain(new Language('de-AT', 'UTC').amount('1234.50', 'EUR'))).toBe('€ 1.234,50');
  expect(new Language('en', 'UTC').moment('2026-07-01T22:30:00.000Z')).toBe('Wednesday, 1 July 2026, 22:30 UTC');
  expect(new Language('de', 'UTC').duration('24 hours')).toBe('24 Stunden');
});

test('uses the stored language, otherwise one that the browser prefers, otherwise the shop’s', () => {
  const asking = (answer: string | false) => ({
    acceptsLanguages: (known: string[]) => (answer && known.find((code) => code === answer)) || answer,
  });

  expect(chooseLocale(asking('fr'), 'de-AT', 'en')).toBe('de-AT');
  expect(chooseLocale(asking('fr'), null, 'en')).toBe('fr');
  expect(chooseLocale(asking('de'), null, 'de-CH')).toBe('de-CH');
  expect(chooseLocale(asking(false), null, 'de-CH')).toBe('de-CH');
});
