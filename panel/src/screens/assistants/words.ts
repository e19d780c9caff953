/** Descriptions of the scopes of an assistant. */
const SCOPES: Record<string, string> = {
  'orders:read': 'Read orders, returns and drafts',
  'products:read': 'Read products',
  'inventory:read': 'Read stock',
  'customers:read': 'Read customers',
  'discounts:read': 'Read discounts',
  'settings:read': 'Read settings and shipping',
  'audit:read': 'Read the audit',
  'products:texts': 'Change product texts and tags without asking',
  'orders:notes': 'Change staff notes of orders without asking',
  'orders:ship': 'Record shipments without asking',
};

export function scopeInWords(scope: string): string {
  return SCOPES[scope] ?? scope;
}

/** Whether a scope only allows reading. */
export function isReading(scope: string): boolean {
  return scope.endsWith(':read');
}

/** The program's own name, with the host to which the login returns. */
export function clientInWords({
  client_name,
  client_host,
}: {
  client_name: string;
  client_host: string | null;
}): string {
  return `${client_name} (${client_host ?? 'on this device'})`;
}
