import type { Knex } from 'knex';

/** Rate limits that a site has in place of the usual ones, by name. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.sites add column limits jsonb not null default '{}' check (jsonb_typeof(limits) = 'object');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.sites drop column limits;');
}
