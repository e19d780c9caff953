import type { ServerResponse } from 'node:http';

/**
 * Sets response headers directly on Node's response. Express's `set` and `vary` parse their arguments, which takes
 * longer than the rest of sending the response.
 */
export function setHeaders(res: ServerResponse, headers: Record<string, string>): void {
  for (const name in headers) res.setHeader(name, headers[name] ?? '');
}

/** Adds a field to `Vary`. Add each field only once. */
export function addVary(res: ServerResponse, field: string): void {
  const before = res.getHeader('Vary');
  res.setHeader('Vary', before === undefined ? field : `${String(before)}, ${field}`);
}

/** For JSON that browsers must not render, cache or frame. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};
