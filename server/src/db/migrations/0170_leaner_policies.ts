import type { Knex } from 'knex';

/** Those that a purchase reads by their keys or writes, and that no list of a whole shop is joined of. */
const TABLES = [
  ...['carts', 'cart_items', 'checkouts', 'discount_redemptions', 'payments', 'sync_orders'],
  ...['site_settings', 'shipping_options', 'payment_accounts', 'stock_reservations', 'stock_movements'],
  ...['order_numbers', 'order_events', 'idempotency_keys', 'audit_events'],
];

/**
 * The policies of tables that a purchase goes through compare with the tenant itself, not with a subquery that returns it. A subquery
 * is one more plan to prepare and to end for each table of each statement, and PostgreSQL goes through the whole text of statements
 * with subqueries each time that they run, for what must be locked. As every statement names its `site_id`, the tenant is still
 * compared once for each scan, not for each row: PostgreSQL makes of it a condition on the scan as a whole.
 *
 * Not so for products, variants, customers and orders: there, PostgreSQL would look up while it plans how much the tenant has, and
 * take a shop that its statistics have not seen for an empty one (see shop/whole-shop.ts).
 */
export async function up(knex: Knex): Promise<void> {
  await lockSites(knex);
  for (const table of TABLES)
    await knex.raw(`alter policy tenant on commerce.${table} using (site_id = commerce.current_site())`);
}

/** First, for requests lock it before all other tables. */
async function lockSites(knex: Knex): Promise<void> {
  await knex.raw('lock table commerce.sites in access exclusive mode');
}

export async function down(knex: Knex): Promise<void> {
  await lockSites(knex);
  for (const table of TABLES) {
    await knex.raw(`alter policy tenant on commerce.${table} using (site_id = (select commerce.current_site()))`);
  }
}
