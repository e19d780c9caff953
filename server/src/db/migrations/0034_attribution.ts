import type { Knex } from 'knex';

/**
 * Where a shopper came from, as the storefront tells it: with the cart or the checkout, and kept with the order. And which products
 * have changed since a time.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.carts add column attribution jsonb;
    alter table commerce.checkouts add column attribution jsonb;
    alter table commerce.orders add column attribution jsonb;
    create index products_by_change on commerce.products (site_id, greatest(updated_at, published_at))
      where status = 'active';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index commerce.products_by_change;
    alter table commerce.orders drop column attribution;
    alter table commerce.checkouts drop column attribution;
    alter table commerce.carts drop column attribution;
  `);
}
