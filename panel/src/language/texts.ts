/**
 * The panel's texts. The code contains them in English; a dictionary maps each English text to the member's language.
 * A text without a translation is shown in English.
 */

export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français' } as const;

export type PanelLanguage = keyof typeof LANGUAGES;

export type Dictionary = Readonly<Record<string, string>>;

type Values = Record<string, string | number | null | undefined>;

let current: PanelLanguage = 'en';
let dictionary: Dictionary = {};

/** Sets the language. Called once, before any code with texts is loaded, so that constants can contain `t()`. */
export function setLanguage(language: PanelLanguage, texts: Dictionary): void {
  current = language;
  dictionary = texts;
}

/** The language of the panel's texts and dates. */
export function panelLanguage(): PanelLanguage {
  return current;
}

/** The text in the member's language. Its placeholders are not filled in. */
export function translated(text: string): string {
  return dictionary[text] ?? text;
}

/** The text, with each `{name}` replaced by the value of that name. */
export function t(text: string, values: Values = {}): string {
  return translated(text).replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    name in values ? String(values[name] ?? '') : placeholder,
  );
}

/** The singular or plural for a count. In French, zero takes the singular in a text with placeholders: "0 commande". */
export function tn(count: number, one: string, other: string, values: Values = {}): string {
  const isOne = count === 1 || (count === 0 && current === 'fr' && one.includes('{'));
  return t(isOne ? one : other, values);
}
