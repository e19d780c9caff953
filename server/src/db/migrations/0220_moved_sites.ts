import type { Knex } from 'knex';

/**
 * A site that was exported for good (`site export --final`) has moved to another server: it answers nobody here, and no job of it
 * runs. `closed` names the one state that decides, so that no look-up compares two columns.
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
