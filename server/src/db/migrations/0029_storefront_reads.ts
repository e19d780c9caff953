import type { Knex } from 'knex';

/**
 * What a shop tells of its stock, beside what else the look-up of a credential reads of a site; and the words of product names
 * alone, which suggestions go through by their beginning.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.sites add column show_stock text not null default 'exact'
      check (show_stock in ('exact', 'low_only', 'never'));
    create index search_postings_in_names on commerce.search_postings (site_id, term, product_id) where place & 1 > 0;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index commerce.search_postings_in_names;
    alter table commerce.sites drop column show_stock;
  `);
}
