import type { Knex } from 'knex';

/**
 * An index for whether a word is the head noun of a name. Common words such as `blue` are in thousands of products, but never a
 * head noun, and each sentence with one of them read all these postings.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'create index search_postings_of_heads on commerce.search_postings (site_id, term) where place & 2 > 0',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index commerce.search_postings_of_heads');
}
