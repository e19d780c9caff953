/** Missing columns are reported once, not for each row. */

import { FormatError, type ReadContext } from './reading.ts';
import type { Columns } from './row-reader.ts';

/** Throws a FormatError if a required column is missing. `called` is its usual name. */
export function requireColumn<Name extends string>(columns: Columns<Name>, name: Name, called: string): void {
  if (columns.has(name)) return;
  throw new FormatError(`The file has no column ${called}. Add it, and import the file again.`);
}

export function warnOfNoPrice(columns: ReadonlyMap<string, unknown>, called: string, { warn }: ReadContext): void {
  if (columns.has('price')) return;
  warn(
    1,
    `The file has no column ${called}: prices stay as they are, and new products are imported as drafts without a price.`,
  );
}
