import sql, { type Sql } from 'sql-template-tag';
import type { Shop } from './shop.ts';

/**
 * The shop's id as a subquery, for statements that may read all rows of a shop. The subquery hides the value from the
 * planner. With a literal id, a shop that is not in the statistics yet counts as empty, and PostgreSQL compares each of
 * its variants with each of its products.
 */
export function wholeShop({ siteId }: Shop): Sql {
  return sql`(select ${siteId}::uuid)`;
}
