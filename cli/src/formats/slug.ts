import type { KeyTable } from './key-table.ts';

/** Letters that Unicode does not decompose into a Latin letter and a mark. */
const LETTERS: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ı: 'i' };

const LONGEST_SLUG = 255;

/**
 * Converts a text to a slug: words of a-z and 0-9 joined by hyphens, at most 255 characters. Empty if the text has no
 * such characters, for example a name in Chinese.
 */
export function slugOf(text: string): string {
  return text
    .replace(/[™®©℠'’]/g, '')
    .toLowerCase()
    .replace(/[ßæœøđðþłı]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replace(/^-|-$/g, '');
}

/** A short name derived from a text whose slug is empty or already used. The same text always gives the same name. */
export function shortName(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(36);
}

/**
 * Records the line of a slug's first use in `lines`. On a second use, returns that line, because products with the same
 * slug would overwrite each other.
 */
export function firstUseOf(slug: string, line: number, lines: KeyTable): number | undefined {
  const earlier = lines.get(slug);
  if (earlier === undefined) lines.set(slug, line);
  return earlier;
}
