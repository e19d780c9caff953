/**
 * Takes the token of a mailed link from the URL. It is in the fragment, which browsers never send to servers. Removes
 * it from the address bar, so that it does not appear in the history or on screenshots.
 */
export function takeTokenFromAddress(prefix: string): string {
  const token = window.location.hash.slice(1);
  if (!token.startsWith(prefix)) return '';
  window.history.replaceState(null, '', window.location.pathname);
  return token;
}
