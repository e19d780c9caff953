import sql, { type Sql } from 'sql-template-tag';
import type { Shop } from '../shop.ts';
import { removeKept } from './files.ts';

/**
 * Deletes unused files of a shop: uploads that never arrived, files that failed a week ago, and images unused for a
 * day. If the processing of a file did not finish, marks the file as failed. Keeps images of ordered products.
 */
export async function deleteUnused(shop: Shop): Promise<number> {
  await shop.run(
    sql`with stuck as (
        update files set status = 'failed', failure = 'not_processed', held_bytes = 0, changed_at = now()
        where site_id = ${shop.siteId} and status = 'processing' and changed_at <= now() - interval '2 days'
        returning id
      )
      delete from pending_images where site_id = ${shop.siteId} and file_id in (select id from stuck)`,
  );
  await shop.run(
    sql`update files f set unused_since = case when unused_since is null then now() end
      where f.site_id = ${shop.siteId} and f.status = 'ready' and (f.unused_since is null) = ${isUnused}`,
  );
  // The check reads the lines of all orders. So only files that are about to be deleted are checked, and a positive
  // result is stored.
  await shop.run(
    sql`update files f set in_orders = true
      where f.site_id = ${shop.siteId} and f.status = 'ready' and f.unused_since <= now() - interval '1 day' and ${isUnused}
        and exists (select from order_lines l where l.site_id = f.site_id and l.image_url = f.url)`,
  );
  return removeKept(
    shop,
    sql`delete from files f where f.site_id = ${shop.siteId} and (
        (f.status = 'awaiting_upload' and f.expires_at <= now() - interval '1 hour')
        or (f.status = 'failed' and f.changed_at <= now() - interval '7 days')
        or (f.status = 'ready' and f.unused_since <= now() - interval '1 day' and ${isUnused}))
      returning f.name`,
  );
}

/**
 * Whether no product, variant, collection or brand refers to `files f`, by id or by the URL of its widest image, and no
 * order is known to contain it.
 */
const isUnused: Sql = sql`(
  not f.in_orders
  and not exists (select from product_images i where i.site_id = f.site_id and i.file_id = f.id)
  and not exists (select from pending_images w where w.site_id = f.site_id and w.file_id = f.id)
  and not exists (select from variants v where v.site_id = f.site_id and v.image_url = f.url)
  and not exists (select from collections c where c.site_id = f.site_id and c.image_url = f.url)
  and not exists (select from site_settings s where s.site_id = f.site_id and s.brand->>'logo_url' = f.url))`;
