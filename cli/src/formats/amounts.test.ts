import { expect, test } from 'vitest';
import { amountStyle, readAmount, readMoney, showAmount, withoutCurrency } from './amounts.ts';

/** Locales with different amount formats in CLDR, and their currency. */
const LOCALES = { de: 'EUR', fr: 'EUR', en: 'GBP', 'de-CH': 'CHF', sv: 'SEK', 'de-AT': 'EUR', 'fr-CH': 'CHF' } as const;
const POINT_LOCALES = ['en', 'de-CH', 'fr-CH'];

/**
 * Expected amount for each text in every locale. Two amounts if the text is ambiguous, and undefined if it is invalid.
 */
const TEXTS: [text: string, meaning: string | [string, string] | undefined][] = [
  ['14', '14.00'],
  ['14.5', '14.50'],
  ['14,5', '14.50'],
  [' 14.50 ', '14.50'],
  ['0,99', '0.99'],
  ['0.500', '0.50'],
  ['1500', '1500.00'],
  ['1500.00', '1500.00'],
  ['1500,00', '1500.00'],
  ['1.500,00', '1500.00'],
  ['1,500.00', '1500.00'],
  ['1.500.000', '1500000.00'],
  ['1,500,000.5', '1500000.50'],
  // Grouped by a space, no-break space, narrow space, thin space and both apostrophes.
  ['1 500', '1500.00'],
  ['1\u00a0500,50', '1500.50'],
  ['1\u202f500,50', '1500.50'],
  ['1\u2009500.5', '1500.50'],
  ["1'500.50", '1500.50'],
  ['1’500,5', '1500.50'],
  ['１５００．５０', '1500.50'],
  ['€ 1.500,00', '1500.00'],
  ['1 500,00 €', '1500.00'],
  ['CHF 1’500.00', '1500.00'],
  // Three digits after the only separator.
  ['1.500', ['1500.00', '1.50']],
  ['1,500', ['1500.00', '1.50']],
  ['12.000', ['12000.00', '12.00']],
  ['1.250', ['1250.00', '1.25']],
  ['', undefined],
  ['abc', undefined],
  ['-5', undefined],
  ['1.50.00', undefined],
  ['1,50,00', undefined],
  ['1.500 00', undefined],
  ['1.5,5', undefined],
  ['12.345678', undefined],
  ['1234.567', undefined],
  ['1e5', undefined],
  ['9'.repeat(50), undefined],
];

function outcomeOf(meaning: string | [string, string] | undefined): string {
  if (meaning === undefined) return 'rejected as invalid';
  return Array.isArray(meaning) ? 'rejected as ambiguous' : `parsed as ${meaning}`;
}

for (const [locale, currency] of Object.entries(LOCALES)) {
  const style = amountStyle(locale, currency);
  const local = (amount: string) => (POINT_LOCALES.includes(locale) ? amount : amount.replace('.', ','));
  const cases = TEXTS.map(([text, meaning]) => [text, outcomeOf(meaning), meaning] as const);
  test.each(cases)(`in the locale ${locale}, the amount %j is %s`, (text, _outcome, meaning) => {
    const { amount, problem } = readAmount(text, style);
    if (Array.isArray(meaning)) {
      const [more, less] = meaning.map(local);
      expect(problem).toBe(`${text} can mean ${more} or ${less}: enter ${more} or ${less}.`);
    } else {
      expect(amount).toBe(meaning);
      if (meaning === undefined) expect(problem).toBe(`Enter an amount such as ${local('12.50')}.`);
    }
  });
}

test('rejects an ambiguous amount with too many decimals in one of its meanings, and suggests the other', () => {
  const { problem } = readAmount('1.299', amountStyle('de', 'EUR'));
  expect(problem).toBe('1.299 can mean 1299,00 or 1,299: enter 1299,00.');
});

test.each([
  ['en', 'KWD', '1.500', '1.500'],
  ['de', 'KWD', '1,500', '1.500'],
  ['en', 'JPY', '1,500', '1500'],
  ['de', 'JPY', '1.500', '1500'],
  ['de', 'JPY', '1500,00', '1500'],
])('in the locale %s with the currency %s, the amount %j is parsed as %s', (locale, currency, text, amount) => {
  expect(readAmount(text, amountStyle(locale, currency)).amount).toBe(amount);
});

test.each([
  ['en', 'KWD', '1,500'],
  ['de', 'KWD', '1.500'],
  ['de', 'JPY', '1500,5'],
  ['de', 'JPY', '1,500'],
])('in the locale %s with the currency %s, the amount %j is rejected', (locale, currency, text) => {
  expect(readAmount(text, amountStyle(locale, currency)).amount).toBeUndefined();
});

test('an amount formatted for a field in any locale is parsed as the same amount', () => {
  const shown: Record<string, string> = {};
  for (const locale of Object.keys(LOCALES)) {
    for (const currency of ['EUR', 'JPY', 'KWD']) {
      const style = amountStyle(locale, currency);
      for (const whole of ['0', '1', '999', '1500', '999999999999']) {
        const amount = style.decimals === 0 ? whole : `${whole}.${'500'.slice(0, style.decimals)}`;
        expect(readAmount(showAmount(amount, style), style)).toEqual({ amount });
      }
      shown[`${locale} ${currency}`] = showAmount('1500.5', style);
    }
  }
  expect(shown).toMatchObject({
    'de EUR': '1500,50',
    'de-CH EUR': '1500.50',
    'fr EUR': '1500,50',
    'sv KWD': '1500,500',
  });
});

test.each([
  ['19.90', '19.90'],
  ['19', '19'],
  ['0', '0'],
  ['007.5', '7.5'],
  ['52.000000', '52'],
  ['52.500000', '52.5'],
  ['1,299.00', '1299.00'],
  ['1.299,00', '1299.00'],
  ['14,50', '14.50'],
])('in a CSV cell, the amount %j is parsed as %s', (cell, money) => {
  expect(readMoney(cell, 2).amount).toBe(money);
});

test.each(['12,34.00', '1.250', '1,250', '€12', '12 EUR', '-1', '1.2E+12', '.5', '1.23456', '1234567890123', ''])(
  'in a CSV cell, the amount %j is rejected',
  (cell) => {
    expect(readMoney(cell, 2).amount).toBeUndefined();
  },
);

test('rejects an ambiguous amount in a CSV cell, unless three decimals fit the currency', () => {
  expect(readMoney('1.250', 2).problem).toBe('1.250 can mean 1250.00 or 1.25: enter 1250.00 or 1.25.');
  expect(readMoney('1.250', 3).amount).toBe('1.250');
});

test.each([
  ['€ 12.50', '12.50'],
  ['12.50 EUR', '12.50'],
  ['$12', '12'],
  ['12€', '12'],
  ['EUR', 'EUR'],
])('%j without its currency symbol or code is %j', (cell, amount) => {
  expect(withoutCurrency(cell)).toBe(amount);
});
