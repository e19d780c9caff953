import sql, { type Sql } from 'sql-template-tag';

/** Limits the time of a search. Further words hardly change its result. */
const MAX_WORDS = 16;

/**
 * Selects products that match a shopper's text, as a table `(product_id, rank)`: first by SKU, then by all words (the
 * last may be a prefix), and only without a match by similarly spelled names.
 */
export function searchProducts(q: string): Sql {
  const folded = q.normalize('NFKC').trim().toLowerCase();
  const words = (folded.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MAX_WORDS);
  const terms = words.map((word, i) => (i === words.length - 1 ? `${word}:*` : word)).join(' & ');
  return sql`search_products(public.unaccent(${words.join(' ')}), to_tsquery('commerce.shop', ${terms}), ${folded})`;
}
