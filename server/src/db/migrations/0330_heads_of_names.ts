import type { Knex } from 'knex';

/**
 * Adds an index of head nouns of product names. Common words such as `blue` are in thousands of products but are never
 * a head noun. Without the index, every sentence with such a word read all its postings.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'create index search_postings_of_heads on commerce.search_postings (site_id, term) where place & 2 > 0',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index commerce.search_postings_of_heads');
}
