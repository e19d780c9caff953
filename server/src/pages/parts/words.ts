/** Formats amounts, times and texts with markup. */

import type { Language } from '../../language/language.ts';
import type { MessageKey } from '../../language/messages.ts';
import { type Html, html } from './html.ts';

/** A formatted amount, with the exact amount in a machine-readable attribute. */
export function money(language: Language, amount: string, currency: string): Html {
  return html`<data value="${amount}">${language.amount(amount, currency)}</data>`;
}

export function moment(language: Language, iso: string): Html {
  return html`<time datetime="${iso}">${language.moment(iso)}</time>`;
}

type Value = string | number | Html | ((inside: string) => Html);

/** A text with markup in its values or tags. Values that `html` did not create are escaped. */
export function rich(language: Language, key: MessageKey, values: Record<string, Value>): Html {
  const given = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'function' ? (inside: unknown) => value([inside].flat().join('')) : value,
    ]),
  );
  return html`${language.pieces<Html>(key, given)}`;
}

/** Splits a text into paragraphs, one per line. */
export function paragraphs(text: string): string[] {
  return text.split('\n');
}

/** Formats an IBAN in groups of four characters. */
export function inGroups(iban: string): string {
  return iban.replaceAll(/(.{4})(?=.)/g, '$1 ');
}
