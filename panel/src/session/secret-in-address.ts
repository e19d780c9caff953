/**
 * The token of a link in a mail. It stands in the fragment, which is never sent, and is taken out of the address bar, so that
 * it is neither in the history nor in a screenshot.
 */
export function takeTokenFromAddress(prefix: string): string {
  const token = window.location.hash.slice(1);
  if (!token.startsWith(prefix)) return '';
  window.history.replaceState(null, '', window.location.pathname);
  return token;
}
