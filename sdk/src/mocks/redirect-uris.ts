/**
 * The redirect URIs that a client may register, checked like on the server (server/src/shop/agents/redirect-uris.ts; a server
 * test compares both): https, an address on the user's own device, or the scheme of an app (RFC 8252 §7).
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

/** Apps also register a URI with a scheme without a dot: it is ignored as long as another one remains. */
export function withoutUndottedSchemes(uris: unknown[]): unknown[] {
  const kept = uris.filter((uri) => typeof uri !== 'string' || !UNDOTTED_APP_SCHEME.test(uri));
  return kept.length > 0 ? kept : uris;
}

/** Exact match, except for the port of a loopback address: apps use any port that the system assigns (§7.3). */
export function isRegistered(registered: readonly string[], asked: string): boolean {
  return isRedirectUri(asked) && registered.some((one) => withoutPort(one) === withoutPort(asked));
}

function withoutPort(uri: string): string {
  const [, host, rest = ''] = LOOPBACK.exec(uri) ?? [];
  return host === undefined ? uri : host + rest;
}

/** The target for people: a host, the scheme of an app, or undefined for the user's own device. */
export function placeOf(uri: string): string | undefined {
  if (LOOPBACK.test(uri)) return undefined;
  return APP_SCHEME.exec(uri)?.[1] ?? new URL(uri).host;
}

/** The URI with the response added to its query; its own parameters stay. */
export function withAnswer(uri: string, answer: Record<string, string | null>): string {
  const fields = Object.entries(answer).filter((field): field is [string, string] => field[1] !== null);
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(fields)}`;
}
