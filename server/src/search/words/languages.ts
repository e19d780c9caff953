import { type Language, list } from './lists.ts';
import type { Token } from './tokens.ts';

export type { Language } from './lists.ts';

const ENGLISH = new Set(list('telling', ['en']));
/** The function words of the other languages. `weak` words, which several languages have, count half. */
const FOREIGN = (['de', 'fr'] as const).map((language) => ({
  language,
  words: new Set(list('telling', [language])),
  weak: new Set(list('weak', [language])),
}));

/** The language of most function words in a sentence; the shop's own language if there are too few. */
export function languageOf(tokens: Token[], shopLanguage: Language): Language {
  const english = tokens.filter(({ text }) => ENGLISH.has(text)).length;
  const [best] = FOREIGN.map(({ language, words, weak }) => ({
    language,
    count: tokens.reduce((sum, { text }) => sum + (weak.has(text) ? 0.5 : words.has(text) ? 1 : 0), 0),
  })).sort((a, b) => b.count - a.count || Number(b.language === shopLanguage) - Number(a.language === shopLanguage));
  if (!best || best.count < 1) return english > 0 ? 'en' : shopLanguage;
  return english >= best.count ? 'en' : best.language;
}

/** The language of a locale such as `de-AT`. */
export function languageOfLocale(locale: string | undefined): Language {
  const language = locale?.slice(0, 2);
  return language === 'de' || language === 'fr' ? language : 'en';
}
