import sql, { type Sql } from 'sql-template-tag';

/** The longest query that is looked at; further words only add work. */
const MAX_WORDS = 16;

/**
 * The products that match what a shopper typed, as a table `(product_id, rank)`: an SKU first, then all words (the last
 * one may be unfinished), and only where neither is found, names that are spelled alike.
 */
export function searchProducts(q: string): Sql {
  const folded = q.normalize('NFKC').trim().toLowerCase();
  const words = (folded.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MAX_WORDS);
  const terms = words.map((word, i) => (i === words.length - 1 ? `${word}:*` : word)).join(' & ');
  return sql`search_products(public.unaccent(${words.join(' ')}), to_tsquery('commerce.shop', ${terms}), ${folded})`;
}
