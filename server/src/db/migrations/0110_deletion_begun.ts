import type { Knex } from 'knex';

/** The deletion of a site goes in steps; once it has begun, the site cannot be resumed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.sites add column delete_begun_at timestamptz,
      add constraint suspended_while_deleted check (delete_begun_at is null or suspended_at is not null);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.sites drop column delete_begun_at');
}
