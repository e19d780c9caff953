/**
 * Returns the value. Throws a TypeError if it is missing or empty, for example because an environment variable is not
 * set.
 */
export function given(name: string, value: string | undefined): string {
  if (!value) throw new TypeError(`${name} is missing.`);
  return value;
}
