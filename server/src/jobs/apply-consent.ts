import type { Pool } from 'pg';
import * as consents from '../shop/customers/consents.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';

/** Applies the marketing consent that a customer gave with an order. */
export function applyConsent(db: Pool) {
  return async (payload: unknown): Promise<void> => {
    const { site_id, customer_id } = payload as { site_id: string; customer_id: string };
    await inShopAsSystem(db, site_id, (shop) => consents.applyNewest(shop, customer_id));
  };
}
