/** Finds products by a part of an SKU or barcode: `INS114` of `KT-INS114-DRE`. */

import sql from 'sql-template-tag';
import type { SearchDb } from '../search-db.ts';

/**
 * Ids of products found by a part of a code. Those in `first` rank before the products found by words, those in `last`
 * after them.
 */
export interface CodeMatches {
  first: string[];
  last: string[];
}

const NO_CODES: CodeMatches = { first: [], last: [] };

/** A part of a code is one word without spaces. Shorter parts have no trigrams in the index. */
const PART = /^[\p{L}\p{N}][\p{L}\p{N}._/+-]{2,63}$/u;
/** Ordinary words rarely contain digits or these characters. */
const LOOKS_LIKE_CODE = /\d|[._/+-]/;
const MAX_MATCHES = 1_000;

export interface CodeQuery {
  typed: string;
  /** Whether the query has a word that no product has. */
  isUnknown: boolean;
  isSingle: boolean;
  /**
   * Whether to search codes even for words that products have. Useful to staff, who know the codes, but not to
   * shoppers.
   */
  always: boolean;
}

/**
 * Finds products by a part of a code. Sends one statement; none if the text cannot be a part of a code, or if products
 * have its words and `always` is not set.
 */
export async function readCodeMatches(db: SearchDb, query: CodeQuery): Promise<CodeMatches> {
  const typed = query.typed.trim();
  if (!PART.test(typed) || !(query.isUnknown || query.always)) return NO_CODES;
  const pattern = `%${typed.replaceAll('_', '\\_')}%`;
  const rows = await db.rows<{ product_id: string }>(
    sql`select product_id from search_codes(${pattern}, ${MAX_MATCHES}::int)`,
  );
  const ids = rows.map(({ product_id }) => product_id);
  return !query.isSingle || (query.isUnknown && LOOKS_LIKE_CODE.test(typed))
    ? { first: ids, last: [] }
    : { first: [], last: ids };
}
