import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { queryAlone } from '../db/transaction.ts';
import { learnMeanings } from '../search/index/learn-meanings.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';

/** Updates the learned meanings of words, shop by shop. Returns the number of products. */
export async function learnMeaningsOfAll(db: Pool): Promise<number> {
  const { rows: sites } = await queryAlone<{ site_id: string }>(db, sql`select site_id from sites order by site_id`);
  let products = 0;
  for (const { site_id } of sites) products += await learnMeanings((work) => inShopAsSystem(db, site_id, work));
  return products;
}
