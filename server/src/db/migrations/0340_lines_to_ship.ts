import type { Knex } from 'knex';

/**
 * Stores whether the pieces of an order line require shipping, copied from the variant at the time of purchase. Lines
 * of earlier orders count as shipped goods, because staff already decide about them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.order_lines add column requires_shipping boolean not null default true');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.order_lines drop column requires_shipping');
}
