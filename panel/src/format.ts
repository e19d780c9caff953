import { createContext, useContext, useMemo } from 'react';
import {
  type AmountReading,
  type AmountWords,
  amountStyle,
  readAmount,
  readNumber,
  showAmount,
} from '../../cli/src/formats/amounts.ts';
import { panelLanguage, t, tn } from './language/texts.ts';
import { VALUES } from './language/values.ts';

/** The shop's currency, time zone and language. */
export interface ShopFormat {
  currency: string;
  timeZone: string;
  locale: string;
}

export const ShopFormatContext = createContext<ShopFormat>({ currency: 'EUR', timeZone: 'UTC', locale: 'en' });

/** Formats a canonical number for a field, and parses what the user types. */
export interface NumberTexts {
  show: (canonical: string) => string;
  read: (text: string) => AmountReading;
}

const WORDS: AmountWords = {
  example: (amount) => t('Enter an amount such as {amount}.', { amount }),
  ambiguous: (text, larger, smaller, [first = '', second]) => {
    const valid = second === undefined ? first : t('{larger} or {smaller}', { larger, smaller });
    return t('{text} can mean {larger} or {smaller}: enter {valid}.', { text, larger, smaller, valid });
  },
};

/** Number formats for amounts of money and for other decimals, such as weights. */
function numberTexts(locale: string, currency: string): { amounts: NumberTexts; decimals: NumberTexts } {
  const style = amountStyle(locale, currency);
  const grams = { ...style, decimals: 3 };
  return {
    amounts: { show: (amount) => showAmount(amount, style), read: (text) => readAmount(text, style, WORDS) },
    decimals: {
      show: (number) => number.replace('.', style.sign),
      read: (text) => {
        const { number, problem } = readNumber(text, grams, WORDS);
        return number === undefined
          ? { problem: problem ?? t('Enter a number such as 12{sign}5.', { sign: style.sign }) }
          : { amount: number };
      },
    },
  };
}

/**
 * The locale of dates and of the words in them: the member's language, with the shop's region if it has the same
 * language.
 */
export function dateLocale(shopLocale: string): string {
  const language = panelLanguage();
  if (shopLocale.slice(0, 2) === language) return shopLocale;
  return language === 'en' ? 'en-GB' : language;
}

/**
 * Formatters for amounts (decimal strings of the API) and numbers in the shop's format, in which they are also typed,
 * and for dates in the member's language.
 */
export function useFormat() {
  const { currency, timeZone, locale } = useContext(ShopFormatContext);
  return useMemo(() => {
    const spoken = dateLocale(locale);
    const days = new Intl.DateTimeFormat(spoken, { timeZone, day: 'numeric', month: 'short', year: 'numeric' });
    const clock = { timeZone, day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' } as const;
    const times = new Intl.DateTimeFormat(spoken, clock);
    const timesOfOtherYears = new Intl.DateTimeFormat(spoken, { ...clock, year: 'numeric' });
    const years = new Intl.DateTimeFormat('en', { timeZone, year: 'numeric' });
    const thisYear = years.format(new Date());
    const numbers = new Intl.NumberFormat(locale);
    return {
      currency,
      timeZone,
      ...numberTexts(locale, currency),
      /** Intl accepts the amount as a string, which keeps it exact. */
      money: (amount: string, of: string = currency) =>
        new Intl.NumberFormat(locale, { style: 'currency', currency: of }).format(amount as Intl.StringNumericLiteral),
      /** Formats integer minor units, such as an agent's budget in cents. */
      minor: (units: number, of: string = currency) => {
        const format = new Intl.NumberFormat(locale, { style: 'currency', currency: of });
        const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
        return format.format(units / 10 ** digits);
      },
      date: (time: string) => days.format(new Date(time)),
      /** Formats a time. Omits the current year. */
      time: (time: string) => {
        const date = new Date(time);
        return (years.format(date) === thisYear ? times : timesOfOtherYears).format(date);
      },
      number: (value: number) => numbers.format(value),
      /** Formats a count and its noun: "1 order", "1,200 orders". */
      counted: (value: number, one: string, other: string) => tn(value, one, other, { count: numbers.format(value) }),
    };
  }, [currency, timeZone, locale]);
}

/** Converts an API value to text in the member's language: `awaiting_payment` to "Awaiting payment". */
export function label(value: string): string {
  const known = VALUES[value];
  if (known !== undefined) return known;
  const words = value.replaceAll(/[_.]/g, ' ').replace(/\b(?:sku|iban|bic|url)\b/, (short) => short.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
