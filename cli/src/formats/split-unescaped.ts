/** The parts of a text between its separators, except for separators after a backslash: these stay, including the backslash. */
export function splitUnescaped(text: string, separator: string): string[] {
  // Without a regular expression: the panel includes this code, and Safari before 16.4 does not support lookbehind.
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
