/** The value. Throws a TypeError if it is missing, which an unset environment variable easily causes in spite of the types. */
export function given(name: string, value: string | undefined): string {
  if (!value) throw new TypeError(`${name} is missing.`);
  return value;
}
