import { IntlMessageFormat } from 'intl-messageformat';
import * as de from './de/all.ts';
import * as en from './en/all.ts';
import * as fr from './fr/all.ts';
import type { LanguageCode } from './locales.ts';

/**
 * The texts of each language by area. English is the reference: a text missing in another language is a compile error.
 */
type English = typeof en;
type Area = keyof English;

/** Key of a text, such as `checkout.review`. */
export type MessageKey = { [A in Area]: `${A}.${string & keyof English[A]}` }[Area];

export type MessageText<K extends MessageKey> = K extends `${infer A extends Area}.${infer Name}`
  ? Name extends keyof English[A]
    ? English[A][Name]
    : never
  : never;

/** Argument names in a text, read from its English version. */
export type ArgumentOf<Text> = Text extends `${string}{${infer Rest}`
  ? Rest extends `${infer Name}}${infer After}`
    ? NameOf<Name> | ArgumentOf<After>
    : never
  : never;

type NameOf<Inside extends string> = Inside extends `${infer Name},${string}` ? Plain<Name> : Plain<Inside>;
type Plain<Name extends string> = Name extends `${string} ${string}` | `#${string}` | '' ? never : Name;

export const MESSAGES: Record<LanguageCode, Record<Area, Record<string, string>>> = { en, de, fr };

const parsed = new Map<string, IntlMessageFormat>();

/** Parses a text, once for each locale. */
export function messageFor(code: LanguageCode, locale: string, key: MessageKey): IntlMessageFormat {
  const id = `${locale} ${key}`;
  const known = parsed.get(id);
  if (known) return known;
  const [area = '', name = ''] = key.split('.');
  const text = MESSAGES[code][area as Area][name];
  if (text === undefined) throw new Error(`There is no text ${key}.`);
  const made = new IntlMessageFormat(code === 'fr' ? bindSigns(text) : text, locale);
  parsed.set(id, made);
  return made;
}

/** French requires a no-break space before these punctuation marks and after `«`. */
function bindSigns(text: string): string {
  return text.replaceAll(/ (?=[:;!?»])/g, '\u00a0').replaceAll('« ', '«\u00a0');
}
