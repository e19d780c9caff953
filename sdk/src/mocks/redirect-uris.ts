/**
 * The redirect URIs that a client may register, checked as on the server (server/src/shop/agents/redirect-uris.ts; a server test
 * compares both): https, a URL on the user's own device, or the scheme of an app (RFC 8252 §7).
 */

/** The characters of RFC 3986, without `#`: a redirect has no fragment (RFC 6749 §3.1.2). */
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

/** Leaves out URIs whose scheme has no dot, which apps register in addition to others, as long as another URI remains. */
export function withoutUndottedSchemes(uris: unknown[]): unknown[] {
  const kept = uris.filter((uri) => typeof uri !== 'string' || !UNDOTTED_APP_SCHEME.test(uri));
  return kept.length > 0 ? kept : uris;
}

/**
 * Whether a redirect URI is registered. It must match exactly, except for the port of a loopback URL: apps use any port that the
 * system assigns (§7.3).
 */
export function isRegistered(registered: readonly string[], asked: string): boolean {
  return isRedirectUri(asked) && registered.some((one) => withoutPort(one) === withoutPort(asked));
}

function withoutPort(uri: string): string {
  const [, host, rest = ''] = LOOPBACK.exec(uri) ?? [];
  return host === undefined ? uri : host + rest;
}

/** Where a redirect leads, in words for people: a host, the scheme of an app, or undefined for the user's own device. */
export function placeOf(uri: string): string | undefined {
  if (LOOPBACK.test(uri)) return undefined;
  return APP_SCHEME.exec(uri)?.[1] ?? new URL(uri).host;
}

/** Adds the response to the query of a URI, whose own parameters stay. */
export function withAnswer(uri: string, answer: Record<string, string | null>): string {
  const fields = Object.entries(answer).filter((field): field is [string, string] => field[1] !== null);
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(fields)}`;
}
