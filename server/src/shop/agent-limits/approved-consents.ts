import sql from 'sql-template-tag';
import type { Shop } from '../shop.ts';

/** Withdraws the approval of consent requests whose token was not fetched yet. */
export async function withdrawAll(shop: Shop, customer_id: string): Promise<void> {
  await shop.run(
    sql`update agent_consents set status = 'denied'
      where site_id = ${shop.siteId} and customer_id = ${customer_id} and status = 'approved'`,
  );
}
