import type { Pool } from 'pg';
import { inShopAsSystem } from '../shop/in-shop.ts';
import { tellLowStock as tell } from '../shop/stock/low-stock.ts';

/**
 * Runs 15 minutes after a variant was sold down to its low-stock threshold. Does nothing if another run has already
 * sent the mail.
 */
export function tellLowStock(db: Pool) {
  return async (payload: unknown): Promise<void> => {
    const { site_id } = payload as { site_id: string };
    await inShopAsSystem(db, site_id, tell);
  };
}
