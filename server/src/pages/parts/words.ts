import { type Html, html } from './html.ts';

/** How the pages say amounts, moments and countries. */

/** An amount as people read it, with the exact amount beside it for programs. */
export function money(amount: string, currency: string): Html {
  return html`<data value="${amount}">${inWords(amount, currency)}</data>`;
}

/** An amount as plain text, for sentences and buttons. */
export function inWords(amount: string, currency: string): string {
  // The text is formatted digit by digit, so that no amount is too long to be exact.
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount as `${number}`);
}

/** A moment, in a time zone that is named: the page knows nothing of the reader's. */
export function moment(iso: string): Html {
  const date = new Date(iso);
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }).format(date);
  const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' }).format(date);
  return html`<time datetime="${iso}">${day}, ${time} UTC</time>`;
}

/** An IBAN in groups of four, as it stands on cards. */
export function inGroups(iban: string): string {
  return iban.replaceAll(/(.{4})(?=.)/g, '$1 ');
}

/** Made with the first page, since reading the names of all regions takes time. */
let names: Intl.DisplayNames | undefined;

export function countryName(code: string): string {
  names ??= new Intl.DisplayNames(['en'], { type: 'region' });
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}

export function byName(codes: readonly string[]): string[] {
  return codes.toSorted((a, b) => countryName(a).localeCompare(countryName(b), 'en'));
}
