import type { Knex } from 'knex';

/**
 * The deletion of a site goes in steps; once it has begun, the site cannot be resumed. The indexes are those by which PostgreSQL looks
 * for rows that refer to a removed one: without them it reads all carts of the site for each of its carts. They are nearly empty.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.sites add column delete_begun_at timestamptz,
      add constraint suspended_while_deleted check (delete_begun_at is null or suspended_at is not null);
    create index carts_merged on commerce.carts (site_id, merged_into) where merged_into is not null;
    create index carts_being_paid on commerce.carts (site_id, payment_id) where payment_id is not null;
    create index checkouts_being_paid on commerce.checkouts (site_id, payment_id) where payment_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index commerce.carts_merged, commerce.carts_being_paid, commerce.checkouts_being_paid;
    alter table commerce.sites drop column delete_begun_at;
  `);
}
