/** A text to be found literally by LIKE, which would read `%`, `_` and `\` as patterns. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
