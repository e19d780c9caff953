import type { Address } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import { type Html, html } from './html.ts';

/** A postal address in the format for a parcel label. */
export function addressLines(language: Language, address: Address | null): Html {
  if (!address) return html``;
  const { first_name, last_name, company, address1, address2, postal_code, city, state, country } = address;
  const lines = [
    [first_name, last_name].filter(Boolean).join(' '),
    company,
    address1,
    address2,
    [postal_code, city].filter(Boolean).join(' '),
    state,
    country && language.country(country),
  ];
  return html`${lines.filter(Boolean).map((line) => html`<p dir="auto">${line}</p>`)}`;
}
