import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import type { RowOf } from '../db/row-of.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';
import { noteHoldings } from '../shop/usage.ts';
import { asSweeper } from './as-sweeper.ts';

/**
 * Records the number of products and stored bytes of each shop for its usage of this month. Repeated and concurrent
 * runs are harmless. A failure in one shop does not stop the others; an error is thrown at the end.
 */
export async function noteUsage(client: PoolClient, db: Pool, logger: Logger): Promise<void> {
  const { rows } = await asSweeper(client, () =>
    client.query<RowOf<'sites', 'site_id'>>(
      'select site_id from commerce.sites where moved_at is null order by site_id',
    ),
  );
  let failed = 0;
  for (const { site_id } of rows) {
    try {
      await inShopAsSystem(db, site_id, noteHoldings);
    } catch (err) {
      failed += 1;
      logger.error({ job: 'note_usage', site_id, err }, 'failed in a shop');
    }
  }
  if (failed > 0) throw new Error(`The usage of ${failed} shops was not recorded.`);
}
