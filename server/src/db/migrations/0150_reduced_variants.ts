import type { Knex } from 'knex';

/** The variants that cost less than before, for what asks for reduced prices: a shop has few of them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'create index variants_reduced on commerce.variants (site_id, product_id) where compare_at_price > price',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index commerce.variants_reduced');
}
