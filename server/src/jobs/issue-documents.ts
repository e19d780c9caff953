import type { Pool } from 'pg';
import { inShopAsSystem } from '../shop/in-shop.ts';
import { issueDue } from '../shop/invoices/issue.ts';

/** Issues the invoice or credit note that an order lacks. */
export function issueDocuments(db: Pool) {
  return async (payload: unknown): Promise<void> => {
    const { site_id, order_id, by_hand } = payload as { site_id: string; order_id: string; by_hand?: boolean };
    await inShopAsSystem(db, site_id, (shop) => issueDue(shop, order_id, { by_hand }));
  };
}
