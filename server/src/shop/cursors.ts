import { ValidationError } from './errors.ts';

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Parses the cursor of a list that is sorted by id. Throws a ValidationError for an invalid one. */
export function idOfCursor(cursor: string): string {
  if (ID.test(cursor)) return cursor;
  const msg = 'Invalid cursor. Send the next_cursor of a response unchanged.';
  throw new ValidationError([{ loc: ['query', 'cursor'], msg, type: 'value_error' }]);
}

/**
 * Takes one page from rows that were read with a limit one higher than the page size. Returns the page with the cursor
 * of the next page, if there is one.
 */
export function cursorPage<Row extends { id: string }>(
  rows: Row[],
  limit: number,
): { page: Row[]; next_cursor: string | null } {
  const page = rows.slice(0, limit);
  return { page, next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
}
