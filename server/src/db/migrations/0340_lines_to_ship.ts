import type { Knex } from 'knex';

/**
 * Whether the pieces of an order line are shipped, as the variant said at purchase. Lines of earlier orders count as shipped,
 * because staff already decide about them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.order_lines add column requires_shipping boolean not null default true');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.order_lines drop column requires_shipping');
}
