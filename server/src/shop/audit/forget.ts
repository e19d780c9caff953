import sql from 'sql-template-tag';
import type { Shop } from '../shop.ts';

/**
 * Operations that erase a customer. Details may be erased only if the audit contains a call of one of these operations.
 */
export const ERASURES: readonly string[] = ['dashboard.anonymizeCustomer', 'storefront.deleteCustomer'];

/** Erases the details of calls by the customer's agents, but not their rows and signatures. */
export async function forgetDetails(shop: Shop, customer_id: string): Promise<void> {
  await shop.run(
    sql`select erase_audit_details(${shop.siteId}, coalesce(array_agg(id), '{}')) from tokens
      where site_id = ${shop.siteId} and customer_id = ${customer_id} and kind = 'agent'`,
  );
}
