import type { Knex } from 'knex';

/**
 * What an agent left to its customer: the lifetime of the token. The client of a device request is noted, so that its registration
 * is extended when the token is issued.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.agent_consents
      add column client_id text,
      add column lifetime_named boolean not null default false;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.agent_consents drop column client_id, drop column lifetime_named');
}
