import type { Knex } from 'knex';

/** The tables whose policies migration 0170 changed. */
const TABLES = [
  ...['carts', 'cart_items', 'checkouts', 'discount_redemptions', 'payments', 'sync_orders'],
  ...['site_settings', 'shipping_options', 'payment_accounts', 'stock_reservations', 'stock_movements'],
  ...['order_numbers', 'order_events', 'idempotency_keys', 'audit_events'],
];

/**
 * Every policy reads the shop by a subquery. PostgreSQL may evaluate a bare `current_site()` while it plans a statement, to estimate
 * rows; on PostgreSQL 15 this was seen for the look-up of a token. That statement sets `app.site_id` itself, so while it is planned
 * the setting does not exist yet on a new connection (42704), and is empty after an unknown token (22P02). A subquery is evaluated
 * when the scan starts, on every version.
 */
export async function up(knex: Knex): Promise<void> {
  await lockSites(knex);
  for (const table of TABLES) {
    await knex.raw(`alter policy tenant on commerce.${table} using (site_id = (select commerce.current_site()))`);
  }
}

/** Requests lock this table before all others. */
async function lockSites(knex: Knex): Promise<void> {
  await knex.raw('lock table commerce.sites in access exclusive mode');
}

export async function down(knex: Knex): Promise<void> {
  await lockSites(knex);
  for (const table of TABLES)
    await knex.raw(`alter policy tenant on commerce.${table} using (site_id = commerce.current_site())`);
}
