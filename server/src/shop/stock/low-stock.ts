import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { enqueueForStaff } from '../mail.ts';
import type { Shop } from '../shop.ts';

/** Maximum number of variants that a mail lists. The mail shows only the number of the others. */
const NAMED = 50;

/**
 * Mails the staff about variants whose stock has fallen to their thresholds since the last mail and is still low. A
 * trigger records each such variant (`commerce.note_low_stock`), and enqueues the job that calls this function 15
 * minutes later.
 */
export async function tellLowStock(shop: Shop): Promise<void> {
  const noted = await shop.rows<RowOf<'variants', 'id'>>(
    sql`with noted as (
        delete from low_stock_notices where site_id = ${shop.siteId} returning variant_id
      )
      select v.id from noted join variants v on v.site_id = ${shop.siteId} and v.id = noted.variant_id
      join products p on p.site_id = v.site_id and p.id = v.product_id
      where v.track_inventory and v.on_hand <= v.low_stock_threshold and p.status = 'active'
      order by v.on_hand, p.name, v.id`,
  );
  if (noted.length === 0) return;
  const variant_ids = noted.slice(0, NAMED).map(({ id }) => id);
  await enqueueForStaff(shop, 'low_stock', { variant_ids, count: noted.length });
}
