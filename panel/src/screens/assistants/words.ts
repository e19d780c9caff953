/** Descriptions of the scopes of an assistant. */

import { t } from '../../language/texts.ts';

const SCOPES: Record<string, string> = {
  'orders:read': t('Read orders, returns and drafts'),
  'products:read': t('Read products'),
  'inventory:read': t('Read stock'),
  'customers:read': t('Read customers'),
  'discounts:read': t('Read discounts'),
  'settings:read': t('Read settings and shipping'),
  'audit:read': t('Read the audit'),
  'products:texts': t('Change product texts and tags without asking'),
  'orders:notes': t('Change staff notes of orders without asking'),
  'orders:ship': t('Record shipments without asking'),
};

export function scopeInWords(scope: string): string {
  return SCOPES[scope] ?? scope;
}

/** Whether a scope only allows reading. */
export function isReading(scope: string): boolean {
  return scope.endsWith(':read');
}

/** The name that the program reports, with the host to which its login returns. */
export function clientInWords({
  client_name,
  client_host,
}: {
  client_name: string;
  client_host: string | null;
}): string {
  return `${client_name} (${client_host ?? t('on this device')})`;
}
