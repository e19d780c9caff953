/** Sizes of clothes by the ways to write them, as terms joined by a space. */
const SIZES = [
  ['xs', 'extra small', 'x small'],
  ['s', 'small'],
  ['m', 'medium'],
  ['l', 'large'],
  ['xl', 'extra large', 'x large'],
  ['xxl', '2xl', 'xx large'],
];

/** What means the same size as a value; the value alone where it is no size. */
export function sizeForms(value: string): string[] {
  return SIZES.find((forms) => forms.includes(value)) ?? [value];
}
