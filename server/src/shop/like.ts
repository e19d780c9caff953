/** Escapes `%`, `_` and `\` for a literal match with LIKE. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
