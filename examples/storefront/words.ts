import { IntlMessageFormat } from 'intl-messageformat';
import { de } from './messages/de.ts';
import { en } from './messages/en.ts';
import { fr } from './messages/fr.ts';

/** The languages of the shop's hosted pages and mails; the storefront has the same. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français' } as const;
export type Language = keyof typeof LANGUAGES;
export type Key = keyof typeof en;

const MESSAGES: Record<Language, Record<Key, string>> = { en, de, fr };

export interface Words {
  language: Language;
  /** The message of this key, in ICU syntax, with its values. */
  t(key: Key, values?: Record<string, string | number>): string;
  /** An amount as the contract writes it ("18.00"), which is never turned into a number. */
  money(amount: string, currency: string): string;
  date(timestamp: string): string;
}

export function isKey(text: string): text is Key {
  return Object.hasOwn(en, text);
}

export function isLanguage(text: unknown): text is Language {
  return typeof text === 'string' && Object.hasOwn(LANGUAGES, text);
}

export function wordsIn(language: Language): Words {
  return {
    language,
    t: (key, values) => String(new IntlMessageFormat(MESSAGES[language][key], language).format(values)),
    money: (amount, currency) =>
      new Intl.NumberFormat(language, { style: 'currency', currency }).format(amount as Intl.StringNumericLiteral),
    date: (timestamp) => new Intl.DateTimeFormat(language, { dateStyle: 'long' }).format(new Date(timestamp)),
  };
}
