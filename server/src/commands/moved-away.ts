/**
 * Shops that moved to another server after a backup was made. The backup still has them, with payments and jobs that
 * the other server has taken over.
 */

import type pg from 'pg';
import type { Contents } from '../backup/verify.ts';
import { inSite } from '../shop/sites/in-site.ts';
import { markMoved } from '../shop/sites/moving.ts';
import { refuseNoSiteId } from './site-id.ts';

/**
 * Returns the site ids of `--moved`. Throws an Error if the backup has several shops and `--moved` is missing: only the
 * operator knows which of them moved.
 */
export function movedSites(moved: string[], { header, rows }: Contents): string[] {
  const sites = rows[header.tables.findIndex(({ table }) => table === 'commerce.sites')] ?? 0;
  if (moved.length === 0 && sites > 1) {
    throw new Error(
      `The backup has ${sites} sites. Name those that moved to another server after ${header.made_at} with --moved SITE_ID …, ` +
        'or use --moved none: the jobs of a site that moved would send its mails and move its money a second time. ' +
        'Nothing was changed.',
    );
  }
  if (moved.length === 1 && moved[0] === 'none') return [];
  for (const site_id of moved) refuseNoSiteId(site_id);
  return moved;
}

/** Throws an Error if a named site was not restored. Row-level security must be off. */
export async function refuseMissing(client: pg.ClientBase, moved: string[]): Promise<void> {
  const { rows } = await client.query<{ site_id: string }>(
    `select m as site_id from unnest($1::uuid[]) as m where m not in (select site_id from commerce.sites)`,
    [moved],
  );
  if (rows.length === 0) return;
  const missing = rows.map(({ site_id }) => site_id).join(', ');
  throw new Error(`The backup has no site ${missing}, which --moved names. Nothing was restored.`);
}

/** Closes the sites that moved, as `site export --final` does, so that none of their jobs runs. */
export async function closeMoved(client: pg.ClientBase, moved: string[]): Promise<void> {
  for (const site_id of moved) await inSite(client, site_id, () => markMoved(client, site_id));
}
