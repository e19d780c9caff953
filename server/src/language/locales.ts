/** Languages for which there are texts. */
export const LANGUAGES = ['en', 'de', 'fr'] as const;

export type LanguageCode = (typeof LANGUAGES)[number];

/**
 * A language, optionally with a region (`de-AT`). The language determines the texts, the region the format of amounts
 * and dates.
 */
export type Locale = string;

/** The language of a locale; English if we have no texts for it. */
export function languageCode(locale: Locale): LanguageCode {
  const code = locale.slice(0, 2);
  return LANGUAGES.find((known) => known === code) ?? 'en';
}

/** A request, as Express provides it, from which the preferred language is read. */
export interface Asker {
  acceptsLanguages(languages: string[]): string | false;
}

/** The reader's locale: the stored one, otherwise the one that the browser prefers, otherwise the shop's. */
export function chooseLocale(asker: Asker, stored: Locale | null, fallback: Locale): Locale {
  if (stored) return stored;
  const own = languageCode(fallback);
  const preferred = asker.acceptsLanguages([own, ...LANGUAGES.filter((code) => code !== own)]);
  return !preferred || preferred === own ? fallback : preferred;
}

/** The supported locale that Accept-Language prefers; null if there is none, or if any language is accepted. */
export function askedLocale(asker: Asker): Locale | null {
  const asked = asker.acceptsLanguages(['und', ...LANGUAGES]);
  return asked && asked !== 'und' ? asked : null;
}
