import { IntlMessageFormat } from 'intl-messageformat';
import { de } from './messages/de.ts';
import { en } from './messages/en.ts';
import { fr } from './messages/fr.ts';

/** The same languages as those of the hosted pages and mails. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français' } as const;
export type Language = keyof typeof LANGUAGES;
export type Key = keyof typeof en;

const MESSAGES: Record<Language, Record<Key, string>> = { en, de, fr };

export interface Words {
  language: Language;
  /** Formats the message with this key in ICU syntax. */
  t(key: Key, values?: Record<string, string | number>): string;
  /** Formats an amount of the API ("18.00"), which is never converted to a number. */
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
