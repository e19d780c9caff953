import type { Token } from './tokens.ts';

/** Sizes of clothes by the ways to write them, as terms joined by a space. */
const SIZES = [
  ['xs', 'extra small', 'x small'],
  ['s', 'small'],
  ['m', 'medium'],
  ['l', 'large'],
  ['xl', 'extra large', 'x large'],
  ['xxl', '2xl', 'xx large'],
];

/** Whether this word only says that the next one is a size: `size M`, `size 42`. */
export function announcesSize(words: Pick<Token, 'term' | 'number'>[], i: number): boolean {
  const size = words[i + 1];
  return words[i]?.term === 'size' && !!size && (size.number !== undefined || sizeForms(size.term).length > 1);
}

/** What means the same size as a value; the value alone where it is no size. */
export function sizeForms(value: string): string[] {
  return SIZES.find((forms) => forms.includes(value)) ?? [value];
}
