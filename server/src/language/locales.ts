/** The languages that there are texts in. */
export const LANGUAGES = ['en', 'de', 'fr'] as const;

export type LanguageCode = (typeof LANGUAGES)[number];

/** A language, or a language and a region (`de-AT`): the texts follow the language, amounts and dates the region too. */
export type Locale = string;

/** The language of a locale; English where we have no texts. */
export function languageCode(locale: Locale): LanguageCode {
  const code = locale.slice(0, 2);
  return LANGUAGES.find((known) => known === code) ?? 'en';
}

/** Chooses a browser's preferred language among several, as Express requests do. */
interface Asker {
  acceptsLanguages(languages: string[]): string | false;
}

/** The locale for a reader: what is stored, else what the browser prefers, else the shop's own. */
export function chooseLocale(asker: Asker, stored: Locale | null, fallback: Locale): Locale {
  if (stored) return stored;
  const own = languageCode(fallback);
  const preferred = asker.acceptsLanguages([own, ...LANGUAGES.filter((code) => code !== own)]);
  return !preferred || preferred === own ? fallback : preferred;
}

/** The locale that a caller asks for by name; null when any would do, or we have none of them. */
export function askedLocale(asker: Asker): Locale | null {
  const asked = asker.acceptsLanguages(['und', ...LANGUAGES]);
  return asked && asked !== 'und' ? asked : null;
}
