import sql from 'sql-template-tag';
import { ShopError } from './errors.ts';
import type { Shop } from './shop.ts';

/**
 * Locks the shop's currency until the transaction ends, so that amounts are stored with its decimals. Throws `conflict`
 * if it has changed since the request began.
 */
export async function holdCurrency(shop: Shop): Promise<void> {
  const held = await shop.run(
    sql`select from sites where site_id = ${shop.siteId} and currency = ${shop.currency} for key share`,
  );
  if (held === 0) throw new ShopError('conflict', 'The currency of the shop has changed. Retry the request.');
}
