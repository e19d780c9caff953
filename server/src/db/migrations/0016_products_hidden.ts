import type { Knex } from 'knex';

/** A search takes what the public may not see from what matches: little, beside asking each match whether it may. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index products_hidden on commerce.products (site_id, id) where status <> 'active' or published_at is null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop index commerce.products_hidden;`);
}
