/** The parts of a text between its separators, but for those that a backslash stands before: these stay, backslash and all. */
export function splitUnescaped(text: string, separator: string): string[] {
  // By hand: the panel carries this too, and Safari before 16.4 cannot read a regular expression that looks behind.
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
