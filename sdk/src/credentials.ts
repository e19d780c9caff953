/** The value; throws a TypeError without one, which an unset environment variable easily causes, whatever the types say. */
export function given(name: string, value: string | undefined): string {
  if (!value) throw new TypeError(`${name} is missing.`);
  return value;
}
