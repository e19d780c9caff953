import sql, { type Sql } from 'sql-template-tag';
import type { Shop } from './shop.ts';

/**
 * The shop's id as a subquery, for statements that may read all rows of a shop: it hides the value from the planner.
 * With a literal id, a shop that the statistics do not include yet counts as empty, and each of its variants is
 * compared with each of its products.
 */
export function wholeShop({ siteId }: Shop): Sql {
  return sql`(select ${siteId}::uuid)`;
}
