import type { Knex } from 'knex';

/**
 * Tables that a purchase reads by key or writes. Migration 0196 changes their policies to use a subquery, as all others
 * do.
 */
const COMPARED_DIRECTLY = [
  ...['carts', 'cart_items', 'checkouts', 'discount_redemptions', 'payments', 'sync_orders'],
  ...['site_settings', 'shipping_options', 'payment_accounts', 'stock_reservations', 'stock_movements'],
  ...['order_numbers', 'order_events', 'idempotency_keys', 'audit_events'],
];

/** Grants that differ from the default privileges, and policies that compare directly with the setting. */
export async function createRights(knex: Knex): Promise<void> {
  await knex.raw(`
    grant select, delete on commerce.agent_consents, commerce.catalog_schedule, commerce.customer_codes,
      commerce.customer_registrations, commerce.customer_tokens, commerce.event_listeners, commerce.events,
      commerce.idempotency_keys, commerce.login_throttles, commerce.login_unlocks, commerce.oauth_clients, commerce.order_links,
      commerce.product_changes, commerce.rate_counts, commerce.staff_invitations, commerce.staff_sessions, commerce.ucp_requests,
      commerce.webhook_attempts, commerce.webhook_deliveries to commerce_sweep;
    grant select on commerce.audit_events, commerce.audit_keys, commerce.carts, commerce.change_eras, commerce.checkouts,
      commerce.discount_redemptions, commerce.files, commerce.order_events, commerce.orders, commerce.payment_moves,
      commerce.payments, commerce.product_sales, commerce.sites to commerce_sweep;
    grant select, insert on commerce.audit_seals to commerce_sweep;
    grant select on commerce.customers, commerce.fulfillments, commerce.order_lines, commerce.orders, commerce.product_search,
      commerce.products, commerce.variants to commerce_search;

    revoke update, delete on commerce.audit_events, commerce.order_events, commerce.payment_events, commerce.refund_items,
      commerce.refunds, commerce.stock_movements from commerce_app;
    revoke delete on commerce.audit_keys from commerce_app;
    revoke insert, update, delete on commerce.audit_seals, commerce.change_eras, commerce.site_domains from commerce_app;
    revoke all on commerce.operator_keys, commerce.operator_audit_events from commerce_app;
  `);
  for (const table of COMPARED_DIRECTLY)
    await knex.raw(`alter policy tenant on commerce.${table} using (site_id = commerce.current_site())`);
}
