import type { KeyTable } from './key-table.ts';

/** Letters that are not decomposed, so that removing their marks leaves nothing Latin. */
const LETTERS: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ı: 'i' };

const LONGEST_SLUG = 255;

/**
 * The slug of a text: lower-case words of a–z and 0–9 joined by single hyphens, at most 255 characters. Empty if the text has
 * no such letter or digit (for example a name in Chinese): the caller must then find another source.
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

/**
 * A short name for a text that has no letter for a slug, or shares its slug with another; the same text always gives the same
 * name.
 */
export function shortName(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(36);
}

/**
 * Records in `lines` where a slug is first used. At a second use returns that earlier line: two products with one slug would
 * overwrite each other.
 */
export function firstUseOf(slug: string, line: number, lines: KeyTable): number | undefined {
  const earlier = lines.get(slug);
  if (earlier === undefined) lines.set(slug, line);
  return earlier;
}
