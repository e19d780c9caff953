/**
 * Takes the token of a mailed link from the URL. It is in the fragment, which browsers never send, and is removed from the
 * address bar, so that it is neither in the history nor in a screenshot.
 */
export function takeTokenFromAddress(prefix: string): string {
  const token = window.location.hash.slice(1);
  if (!token.startsWith(prefix)) return '';
  window.history.replaceState(null, '', window.location.pathname);
  return token;
}
