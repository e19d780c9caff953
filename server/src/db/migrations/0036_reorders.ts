import type { Knex } from 'knex';

/** The order that a cart orders again: one cart at a time, so that its checkout can be found. And the open checkouts of a customer. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.carts add column reorder_of uuid;
    create unique index one_cart_per_reorder on commerce.carts (site_id, reorder_of)
      where reorder_of is not null and status = 'active';
    create index checkouts_of_customer on commerce.checkouts (site_id, customer_id)
      where status in ('open', 'ready', 'requires_escalation');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index commerce.checkouts_of_customer;
    alter table commerce.carts drop column reorder_of;
  `);
}
