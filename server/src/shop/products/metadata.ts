import { ValidationError } from '../errors.ts';

const MOST_CHARACTERS = 131_072;

/** Throws a ValidationError at `loc` when the facts of a product are longer together than what is kept of one. */
export function checkMetadata(metadata: Record<string, string> | undefined, loc: (string | number)[]): void {
  const length = Object.entries(metadata ?? {}).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (length <= MOST_CHARACTERS) return;
  const msg = `The names and values have ${length} characters; together they have at most ${MOST_CHARACTERS}.`;
  throw new ValidationError([
    { loc: [...loc, 'metadata'], msg, type: 'too_long', ctx: { max_length: MOST_CHARACTERS } },
  ]);
}
