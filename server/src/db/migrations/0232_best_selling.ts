import type { Knex } from 'knex';

/**
 * The best-seller order of public products, with the columns that filters read most. Sales are added once a minute
 * (shop/products/sales.ts), so that orders do not write this index.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index products_best_selling on commerce.products (site_id, sales_count desc, id)
      include (published_at, price, price_max) where status = 'active'
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index commerce.products_best_selling');
}
