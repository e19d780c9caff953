import sql, { type Sql } from 'sql-template-tag';
import type { Shop } from './shop.ts';

/**
 * The id of the shop, for statements that may read all its rows. Written as a query, it is not known while the statement is planned:
 * planned with the id itself, a shop that the statistics have not seen yet counts as empty, and each of its variants is compared
 * with each of its products.
 */
export function wholeShop({ siteId }: Shop): Sql {
  return sql`(select ${siteId}::uuid)`;
}
