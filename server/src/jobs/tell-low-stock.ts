import type { Pool } from 'pg';
import { inShopAsSystem } from '../shop/in-shop.ts';
import { tellLowStock as tell } from '../shop/stock/low-stock.ts';

/** Runs a while after something was sold down to its threshold, and finds nothing when another run has told it. */
export function tellLowStock(db: Pool) {
  return async (payload: unknown): Promise<void> => {
    const { site_id } = payload as { site_id: string };
    await inShopAsSystem(db, site_id, tell);
  };
}
