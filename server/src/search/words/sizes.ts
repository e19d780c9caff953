import type { Token } from './tokens.ts';

/** Clothing sizes, each with its spellings as terms joined by a space. */
const SIZES = [
  ['xs', 'extra small', 'x small'],
  ['s', 'small'],
  ['m', 'medium'],
  ['l', 'large'],
  ['xl', 'extra large', 'x large'],
  ['xxl', '2xl', 'xx large'],
];

/** Properties with degrees, which set no limit. */
export const GRADED: ReadonlySet<string> = new Set(
  `small klein petit petite large groß gross grand grande big medium mittel mittelgroß moyen moyenne long lang longue short kurz court courte
  warm chaud chaude`.split(/\s+/),
);

/** Words before a size, in the supported languages. */
const SIZE_LABELS = new Set('size eu uk waist große grosse gr taille pointure schuhgroße schuhgrosse'.split(' '));

/** Whether this is a word such as `size` before a size: `size M`, `size 42`. */
export function isSizeLabel(words: Pick<Token, 'term' | 'number'>[], i: number): boolean {
  const size = words[i + 1];
  return (
    SIZE_LABELS.has(words[i]?.term ?? '') &&
    !!size &&
    (size.number !== undefined || sizeSpellings(size.term).length > 1)
  );
}

/** All spellings of a size; any other value is returned alone. */
export function sizeSpellings(value: string): string[] {
  return SIZES.find((spellings) => spellings.includes(value)) ?? [value];
}
