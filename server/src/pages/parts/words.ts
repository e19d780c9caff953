import type { Language } from '../../language/language.ts';
import type { MessageKey } from '../../language/messages.ts';
import { type Html, html } from './html.ts';

/** Formats amounts and times for pages, and texts with markup. */

/** An amount for people, with the exact amount for programs. */
export function money(language: Language, amount: string, currency: string): Html {
  return html`<data value="${amount}">${language.amount(amount, currency)}</data>`;
}

export function moment(language: Language, iso: string): Html {
  return html`<time datetime="${iso}">${language.moment(iso)}</time>`;
}

type Value = string | number | Html | ((inside: string) => Html);

/** A text whose values are markup, or whose tags are replaced. Values not made by `html` are escaped. */
export function rich(language: Language, key: MessageKey, values: Record<string, Value>): Html {
  const given = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'function' ? (inside: unknown) => value([inside].flat().join('')) : value,
    ]),
  );
  return html`${language.pieces<Html>(key, given)}`;
}

/** The paragraphs of a text, one to a line. */
export function paragraphs(text: string): string[] {
  return text.split('\n');
}

/** Writes an IBAN in groups of four. */
export function inGroups(iban: string): string {
  return iban.replaceAll(/(.{4})(?=.)/g, '$1 ');
}
