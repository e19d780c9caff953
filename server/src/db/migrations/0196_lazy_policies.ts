import type { Knex } from 'knex';

/** The tables whose policies the replaced migration 0170 changed. */
const TABLES = [
  ...['carts', 'cart_items', 'checkouts', 'discount_redemptions', 'payments', 'sync_orders'],
  ...['site_settings', 'shipping_options', 'payment_accounts', 'stock_reservations', 'stock_movements'],
  ...['order_numbers', 'order_events', 'idempotency_keys', 'audit_events'],
];

/**
 * Reads the current site in every policy by a subquery, which runs when a scan starts. PostgreSQL may evaluate a bare
 * `current_site()` during planning to estimate rows; on PostgreSQL 15 this happened for the token look-up. That
 * statement sets `app.site_id` itself, so during planning the setting is missing on a new connection (42704) or empty
 * after an unknown token (22P02).
 */
export async function up(knex: Knex): Promise<void> {
  await lockSites(knex);
  for (const table of TABLES) {
    await knex.raw(`alter policy tenant on commerce.${table} using (site_id = (select commerce.current_site()))`);
  }
}

/** Locks the table `sites` first, as requests do, to avoid deadlocks. */
async function lockSites(knex: Knex): Promise<void> {
  await knex.raw('lock table commerce.sites in access exclusive mode');
}

export async function down(knex: Knex): Promise<void> {
  await lockSites(knex);
  for (const table of TABLES)
    await knex.raw(`alter policy tenant on commerce.${table} using (site_id = commerce.current_site())`);
}
