/**
 * Allowed redirect URIs: https, a loopback address, or an app's scheme with a dot (RFC 8252 §7). A request must repeat
 * a registered URI exactly, except for the port of a loopback address (§7.3), which the operating system assigns.
 */

/** The characters of RFC 3986 without `#`, because a redirect URI has no fragment (RFC 6749 §3.1.2). */
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

/**
 * Removes redirect URIs whose scheme has no dot if others remain. Apps often register several kinds of URI together,
 * and any app can claim a scheme without a dot. A server may replace values that it does not accept (RFC 7591 §3.2.1).
 */
export function withoutUndottedSchemes(uris: unknown[]): unknown[] {
  const kept = uris.filter((uri) => typeof uri !== 'string' || !UNDOTTED_APP_SCHEME.test(uri));
  return kept.length > 0 ? kept : uris;
}

export function isRegistered(registered: readonly string[], asked: string): boolean {
  if (!isRedirectUri(asked)) return false;
  return registered.some((one) => one === asked || (LOOPBACK.test(one) && withoutPort(one) === withoutPort(asked)));
}

function withoutPort(uri: string): string {
  const [, host, rest = ''] = LOOPBACK.exec(uri) ?? [];
  return host === undefined ? uri : host + rest;
}

/** Returns the host or app scheme of a redirect URI, to show it to people; undefined for a loopback address. */
export function placeOf(uri: string): string | undefined {
  if (LOOPBACK.test(uri)) return undefined;
  return APP_SCHEME.exec(uri)?.[1] ?? new URL(uri).host;
}

/** Adds the response to the URI's query string, next to its existing parameters. */
export function withAnswer(uri: string, answer: Record<string, string | null | undefined>): string {
  const fields = Object.entries(answer).filter((field): field is [string, string] => typeof field[1] === 'string');
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(fields)}`;
}
