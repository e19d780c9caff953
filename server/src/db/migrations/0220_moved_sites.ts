import type { Knex } from 'knex';

/**
 * Adds the state of a site that was moved to another server (`site export --final`): it answers no requests here and
 * runs no jobs. `closed` combines the possible states, so that look-ups compare only one column.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- First, because requests lock it before all other tables.
    lock table commerce.sites in access exclusive mode;
    alter table commerce.sites add column moved_at timestamptz,
      add column closed text generated always as (
        case when moved_at is not null then 'moved' when suspended_at is not null then 'suspended' end) stored;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table commerce.sites in access exclusive mode;
    alter table commerce.sites drop column closed, drop column moved_at;
  `);
}
