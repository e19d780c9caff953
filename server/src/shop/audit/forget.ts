import sql from 'sql-template-tag';
import type { Shop } from '../shop.ts';

/** The operations that erase a customer. Details may be erased only together with the audit row of such a call. */
export const ERASURES: readonly string[] = ['dashboard.anonymizeCustomer', 'storefront.deleteCustomer'];

/** Erases the details of the calls of a customer's agents. The rows and their signatures stay. */
export async function forgetDetails(shop: Shop, customer_id: string): Promise<void> {
  await shop.run(
    sql`select erase_audit_details(${shop.siteId}, coalesce(array_agg(id), '{}')) from tokens
      where site_id = ${shop.siteId} and customer_id = ${customer_id} and kind = 'agent'`,
  );
}
