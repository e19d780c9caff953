import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { queryAlone } from '../db/transaction.ts';
import { learnMeanings } from '../search/index/learn-meanings.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';

/** Brings what words mean up to date, shop by shop. Answers for how many products. */
export async function learnMeaningsOfAll(db: Pool): Promise<number> {
  const { rows: sites } = await queryAlone<{ site_id: string }>(db, sql`select site_id from sites order by site_id`);
  let products = 0;
  for (const { site_id } of sites) products += await learnMeanings((work) => inShopAsSystem(db, site_id, work));
  return products;
}
