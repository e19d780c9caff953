import { ValidationError } from './errors.ts';

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id behind a cursor of a list that is ordered by id. Throws a ValidationError for a cursor that we did not make. */
export function idOfCursor(cursor: string): string {
  if (ID.test(cursor)) return cursor;
  const msg = 'This cursor is not valid. Send next_cursor of an answer unchanged.';
  throw new ValidationError([{ loc: ['query', 'cursor'], msg, type: 'value_error' }]);
}

/** One page out of rows that were read with one more than its limit, and the cursor of the next page, if there is one. */
export function cursorPage<Row extends { id: string }>(
  rows: Row[],
  limit: number,
): { page: Row[]; next_cursor: string | null } {
  const page = rows.slice(0, limit);
  return { page, next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
}
