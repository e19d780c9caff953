import type { Knex } from 'knex';

/**
 * Adds the two columns that state whether an agent named the budget and the lifetime of its token, and the client of a device
 * request, whose registration is extended when the token is issued. In requests of older processes both count as named. Such a
 * process would grant the shop's limit for a budget of null, so a budget that the agent did not name is stored as 0.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.agent_consents
      add column client_id text,
      add column lifetime_named boolean not null default true,
      add column budget_named boolean not null default true;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.agent_consents
      drop column client_id, drop column lifetime_named, drop column budget_named;
  `);
}
