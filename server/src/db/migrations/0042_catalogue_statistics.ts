import type { Knex } from 'knex';

/**
 * Tables that grow with each imported product renew their statistics once half as many rows again have changed, not a tenth: in a
 * long import they took up to a third of PostgreSQL's time. How many rows a table has, the planner knows without them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.products set (autovacuum_analyze_scale_factor = 0.5);
    alter table commerce.product_images set (autovacuum_analyze_scale_factor = 0.5);
    alter table commerce.product_options set (autovacuum_analyze_scale_factor = 0.5);
    alter table commerce.product_search set (autovacuum_analyze_scale_factor = 0.5);
    alter table commerce.search_postings set (autovacuum_analyze_scale_factor = 0.5);
    alter table commerce.stock_movements set (autovacuum_analyze_scale_factor = 0.5);
    alter table commerce.variants set (autovacuum_analyze_scale_factor = 0.5);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.variants reset (autovacuum_analyze_scale_factor);
    alter table commerce.stock_movements reset (autovacuum_analyze_scale_factor);
    alter table commerce.search_postings reset (autovacuum_analyze_scale_factor);
    alter table commerce.product_search reset (autovacuum_analyze_scale_factor);
    alter table commerce.product_options reset (autovacuum_analyze_scale_factor);
    alter table commerce.product_images reset (autovacuum_analyze_scale_factor);
    alter table commerce.products reset (autovacuum_analyze_scale_factor);
  `);
}
