import type { Language } from '../../language/language.ts';
import { suggestedEmail } from '../../shop/emails.ts';
import { type Html, html } from '../parts/html.ts';
import { rich } from '../parts/words.ts';

/** Suggests a correction of a probably mistyped e-mail address. The shopper may keep the entered one. */
export function emailSuggestion(
  language: Language,
  email: string | null | undefined,
  change: string,
): Html | undefined {
  const meant = email && suggestedEmail(email);
  if (!meant) return undefined;
  const link = (words: string) => html`<a href="${change}">${words}</a>`;
  return html`<p class="warning">${rich(language, 'checkout.email_suggestion', { email: html`<strong dir="auto">${meant}</strong>`, a: link })}</p>`;
}
