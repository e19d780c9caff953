import type { Knex } from 'knex';

/** An operator suspends a site, resumes it, and deletes it: at once, or on a day until which that can be taken back. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.sites add column suspended_at timestamptz, add column suspended_reason text,
      add column delete_at timestamptz, add column delete_forced boolean not null default false,
      add constraint suspended_until_deleted check (delete_at is null or suspended_at is not null);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.sites drop column suspended_at, drop column suspended_reason, drop column delete_at,
      drop column delete_forced;
  `);
}
