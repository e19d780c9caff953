import type { PoolClient } from 'pg';
import type { RowOf } from '../db/row-of.ts';
import { clearScratch } from '../files/scratch.ts';
import { deleteUnused } from '../shop/files/unused.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';
import { asSweeper } from './as-sweeper.ts';
import type { FileDeps } from './process-file.ts';

/**
 * Deletes files that shops no longer need, shop by shop, and files that killed processes left on this machine. Repeated
 * and concurrent runs are harmless. A failure in one shop does not stop the others; an error is thrown at the end.
 */
export async function sweepFiles(client: PoolClient, deps: Omit<FileDeps, 'renderer' | 'baseUrl'>): Promise<number> {
  const { db, files, logger } = deps;
  await clearScratch(files.scratch);
  const { rows } = await asSweeper(client, () =>
    client.query<RowOf<'sites', 'site_id'>>(
      `select site_id from commerce.sites s
        where moved_at is null and exists (select from commerce.files f where f.site_id = s.site_id)`,
    ),
  );
  let deleted = 0;
  let failed = 0;
  for (const { site_id } of rows) {
    try {
      deleted += await inShopAsSystem(db, site_id, deleteUnused);
    } catch (err) {
      failed += 1;
      logger.error({ job: 'sweep_files', site_id, err }, 'failed in a shop');
    }
  }
  if (failed > 0) throw new Error(`Deleting unused files failed in ${failed} shops.`);
  return deleted;
}
