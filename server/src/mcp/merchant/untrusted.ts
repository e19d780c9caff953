/**
 * Marks text that customers wrote, so that a model can distinguish it from the shop's text. A free text becomes a
 * sanitized object. Names and addresses are marked in the object that contains them.
 */

import { sanitizeMerchantText } from '../../shop/merchant-text.ts';

const TRUST = { content_trust: 'customer' } as const;

/** Free texts that customers wrote, or that may quote a customer. */
const FREE = [
  'note',
  'customer_note',
  'contract',
  'message',
  'summary',
  'actor_name',
  'user_agent',
  'query',
  'referrer',
];
/**
 * An object with one of these fields describes a person, contains data sent by a browser, or has a value that a
 * customer may have written.
 */
const PERSONAL = [
  ...['first_name', 'last_name', 'address1', 'before'],
  ...['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'],
];
const MOST_CHARACTERS = 1_000;

export function withTrust(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTrust);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const isPersonal = entries.some(([name, field]) => PERSONAL.includes(name) && typeof field === 'string');
  const marked = entries.map(([name, field]) => [name, fieldWithTrust(name, field)]);
  return { ...(isPersonal && TRUST), ...(Object.fromEntries(marked) as object) };
}

function fieldWithTrust(name: string, field: unknown): unknown {
  if (typeof field === 'string' && FREE.includes(name)) {
    return { ...TRUST, text: sanitizeMerchantText(field, MOST_CHARACTERS) };
  }
  if (name !== 'metadata' || typeof field !== 'object' || field === null) return withTrust(field);
  // Storefronts may store any values here.
  return { ...TRUST, values: field };
}
