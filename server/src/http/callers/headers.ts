import type { ServerResponse } from 'node:http';

/**
 * Sets headers of an API response. Express's `set` and `vary` parse their arguments, which costs more than the rest of
 * writing the response; here names and values are final.
 */
export function setHeaders(res: ServerResponse, headers: Record<string, string>): void {
  for (const name in headers) res.setHeader(name, headers[name] ?? '');
}

/** Adds a field to `Vary`. Add each field only once. */
export function addVary(res: ServerResponse, field: string): void {
  const before = res.getHeader('Vary');
  res.setHeader('Vary', before === undefined ? field : `${String(before)}, ${field}`);
}

/** Headers for JSON that no browser should render, cache or frame. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};
