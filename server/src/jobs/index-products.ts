import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { RowOf } from '../db/row-of.ts';
import { queryAlone } from '../db/transaction.ts';
import { indexOutdated, indexSynonyms } from '../search/index/index-products.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';
import { restAfter } from './rest-after.ts';

/**
 * Indexes products and synonyms that an older release wrote, shop by shop. Each batch has its own transaction, followed
 * by a pause. Returns the number of products. Concurrent runs are harmless. After an abort, the next start indexes the
 * rest.
 */
export async function indexOutdatedProducts(db: Pool, signal?: AbortSignal): Promise<number> {
  const { rows: sites } = await queryAlone<RowOf<'sites', 'site_id'>>(
    db,
    sql`select site_id from sites where moved_at is null order by site_id`,
  );
  let indexed = 0;
  for (const { site_id } of sites) {
    await inShopAsSystem(db, site_id, indexSynonyms);
    while (!signal?.aborted) {
      const batch = await restAfter(() => inShopAsSystem(db, site_id, indexOutdated), signal);
      if (batch === 0) break;
      indexed += batch;
    }
  }
  return indexed;
}
