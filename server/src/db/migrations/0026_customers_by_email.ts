import type { Knex } from 'knex';

/**
 * Customers are found by the address as it is kept, in lower case. A condition on `lower(email)` cannot use an index under
 * row-level security, since `lower` is not leakproof: each login read all customers of the shop.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('create index customers_by_email on commerce.customers (site_id, email)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index commerce.customers_by_email');
}
