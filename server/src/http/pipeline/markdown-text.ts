/**
 * Converts a value to one line without active Markdown. Ids, codes, enum values, tool names and URLs must stay
 * unchanged, because language models copy them: in CommonMark `_`, `#` and `|` have no meaning inside a word, and URLs
 * are percent-encoded.
 */
export function plainText(value: unknown): string {
  return String(value)
    .split(/\s+/)
    .map((word) => (URL_START.test(word) ? plainUrl(word) : plainWord(word)))
    .join(' ');
}

const URL_START = /^https?:\/\//i;

/** Percent-encodes characters that have a meaning in Markdown. The encoded URL leads to the same page. */
export function plainUrl(url: string): string {
  return url.replaceAll(/[\\`*[\]<>|]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** A URL for a Markdown link, which an unescaped parenthesis would end. */
export function linkTarget(url: string): string {
  return plainUrl(url).replaceAll('(', '%28').replaceAll(')', '%29');
}

const MARKUP = /[\\`*[\]<>]|[_#|]+/g;
const ENDS_IN_LETTER = /[\p{L}\p{N}]$/u;
const BEGINS_WITH_LETTER = /^[\p{L}\p{N}]/u;

function plainWord(word: string): string {
  return word.replaceAll(MARKUP, (marks, at: number) => {
    const before = word.slice(Math.max(0, at - 2), at);
    const after = word.slice(at + marks.length, at + marks.length + 2);
    const isInside = ENDS_IN_LETTER.test(before) && BEGINS_WITH_LETTER.test(after);
    return isInside && /^[_#|]/.test(marks) ? marks : marks.replaceAll(/./g, '\\$&');
  });
}
