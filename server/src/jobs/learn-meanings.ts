import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { RowOf } from '../db/row-of.ts';
import { queryAlone } from '../db/transaction.ts';
import { learnMeanings } from '../search/index/learn-meanings.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';
import { restAfter } from './rest-after.ts';

/**
 * Updates the learned meanings of words, shop by shop, with a pause after each transaction. Returns the number of
 * products.
 */
export async function learnMeaningsOfAll(db: Pool, signal?: AbortSignal): Promise<number> {
  const { rows: sites } = await queryAlone<RowOf<'sites', 'site_id'>>(
    db,
    sql`select site_id from sites where moved_at is null order by site_id`,
  );
  let products = 0;
  for (const { site_id } of sites) {
    if (signal?.aborted) break;
    products += await learnMeanings((work) => restAfter(() => inShopAsSystem(db, site_id, work), signal));
  }
  return products;
}
