import sql from 'sql-template-tag';
import { ShopError } from './errors.ts';
import type { Shop } from './shop.ts';

/**
 * Keeps the shop's currency as it was when the call began until the transaction ends: amounts that are about to be
 * written have its digits. Throws `conflict` when it changed in between.
 */
export async function holdCurrency(shop: Shop): Promise<void> {
  const held = await shop.run(
    sql`select from sites where site_id = ${shop.siteId} and currency = ${shop.currency} for key share`,
  );
  if (held === 0) throw new ShopError('conflict', 'The currency of the shop has just changed. Send the call again.');
}
