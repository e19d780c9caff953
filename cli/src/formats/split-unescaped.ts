/** Splits a text at a separator, except after a backslash. The backslash is kept. */
export function splitUnescaped(text: string, separator: string): string[] {
  // No regular expression: the panel uses this code, and Safari before 16.4 does not support lookbehind.
  const parts: string[] = [];
  let begun = '';
  for (const piece of text.split(separator)) {
    begun += piece;
    if (piece.endsWith('\\')) begun += separator;
    else {
      parts.push(begun);
      begun = '';
    }
  }
  if (begun !== '') parts.push(begun.slice(0, -separator.length));
  return parts;
}
