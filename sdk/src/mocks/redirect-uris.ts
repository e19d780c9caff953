/**
 * Redirect URIs that a client may register, by the server's rules (server/src/shop/agents/redirect-uris.ts; a server
 * test compares both): https, a loopback URL, or an app's URI scheme (RFC 8252 §7).
 */

/** Characters of RFC 3986 except `#`, because redirect URIs have no fragment (RFC 6749 §3.1.2). */
const WRITABLE = /^[A-Za-z0-9._~:/?[\]@!$&'()*+,;=%-]{1,1000}$/;
const LOOPBACK = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?([/?].*)?$/;
const APP_SCHEME = /^([a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+):/;

export function isRedirectUri(text: string): boolean {
  if (!WRITABLE.test(text) || !URL.canParse(text)) return false;
  if (LOOPBACK.test(text) || APP_SCHEME.test(text)) return true;
  const { username, password } = new URL(text);
  return text.startsWith('https://') && username === '' && password === '';
}

const UNDOTTED_APP_SCHEME = /^(?!https?:)[a-z][a-z0-9+-]*:\/\//;

/** Removes URIs whose scheme has no dot, unless no other URI remains. Some apps register such URIs in addition. */
export function withoutUndottedSchemes(uris: unknown[]): unknown[] {
  const kept = uris.filter((uri) => typeof uri !== 'string' || !UNDOTTED_APP_SCHEME.test(uri));
  return kept.length > 0 ? kept : uris;
}

/**
 * Whether a redirect URI is registered. It must match exactly, except for the port of a loopback URL, because apps use
 * any free port (RFC 8252 §7.3).
 */
export function isRegistered(registered: readonly string[], asked: string): boolean {
  return isRedirectUri(asked) && registered.some((one) => withoutPort(one) === withoutPort(asked));
}

function withoutPort(uri: string): string {
  const [, host, rest = ''] = LOOPBACK.exec(uri) ?? [];
  return host === undefined ? uri : host + rest;
}

/** The target of a redirect: a host or an app's URI scheme. Undefined for a loopback URL. */
export function placeOf(uri: string): string | undefined {
  if (LOOPBACK.test(uri)) return undefined;
  return APP_SCHEME.exec(uri)?.[1] ?? new URL(uri).host;
}

/** Adds the response parameters to a redirect URI's query. */
export function withAnswer(uri: string, answer: Record<string, string | null>): string {
  const fields = Object.entries(answer).filter((field): field is [string, string] => field[1] !== null);
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(fields)}`;
}
