import type { ServerResponse } from 'node:http';

/**
 * The headers of an answer of the API. Express's own `set` and `vary` parse what they are given, which costs more than Node takes
 * to write the answer: here names and values are as they are to be sent.
 */
export function setHeaders(res: ServerResponse, headers: Record<string, string>): void {
  for (const name in headers) res.setHeader(name, headers[name] ?? '');
}

/** Each field is named once. */
export function addVary(res: ServerResponse, field: string): void {
  const before = res.getHeader('Vary');
  res.setHeader('Vary', before === undefined ? field : `${String(before)}, ${field}`);
}

/** For JSON that no browser should render, cache or frame. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};
