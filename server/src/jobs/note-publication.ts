import type { Pool } from 'pg';
import { inShopAsSystem } from '../shop/in-shop.ts';
import * as productSync from '../shop/integrations/product-changes.ts';

/** Records a change of a product at its publication time, because no request does (see `commerce.schedule_change`). */
export function notePublication(db: Pool) {
  return async (payload: unknown): Promise<void> => {
    const { site_id, product_id } = payload as { site_id: string; product_id: string };
    await inShopAsSystem(db, site_id, (shop) => productSync.notePublication(shop, product_id));
  };
}
