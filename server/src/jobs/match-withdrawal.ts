import type { Pool } from 'pg';
import { inShopAsSystem } from '../shop/in-shop.ts';
import { match } from '../shop/withdrawals/match.ts';

/**
 * Looks for the order of a withdrawal. This is a job, so that the page takes the same time whether or not an order
 * matches.
 */
export function matchWithdrawal(db: Pool) {
  return async (payload: unknown): Promise<void> => {
    const { site_id, withdrawal_id } = payload as { site_id: string; withdrawal_id: string };
    await inShopAsSystem(db, site_id, (shop) => match(shop, withdrawal_id));
  };
}
